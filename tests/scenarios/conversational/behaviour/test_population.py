"""Users drawn from declared distributions."""

import numpy as np
import pytest

from openiir.plugin import InputError, Persona
from openiir.scenarios.conversational.behaviour.users import build_cast, group_of, patience_words, traits_of
from openiir.scenarios.conversational.config import ConversationalConfig


def test_traits_follow_the_distributions_that_are_declared() -> None:
    config = ConversationalConfig.model_validate(
        {"dialogues": 2_000, "users": {"patience": {"mean": 0.5, "sd": 0.2}}}
    )
    patience = np.array([traits_of(persona, config).patience for persona in build_cast(config, [])])
    assert patience.mean() == pytest.approx(0.5, abs=0.02)
    assert patience.std() == pytest.approx(0.2, abs=0.02)
    assert patience.min() >= 0 and patience.max() <= 1


def test_a_spread_of_zero_is_everybodys() -> None:
    config = ConversationalConfig.model_validate(
        {"dialogues": 5, "users": {"knowledge": {"mean": 0.3, "sd": 0.0}}}
    )
    assert {traits_of(persona, config).knowledge for persona in build_cast(config, [])} == {0.3}


def test_groups_have_their_shares_and_their_own_traits() -> None:
    users = {"groups": [{"name": "hasty", "share": 0.25, "patience": {"mean": 0.0, "sd": 0.0}}]}
    config = ConversationalConfig.model_validate({"dialogues": 2_000, "users": users})
    people = build_cast(config, [])
    hasty = [persona for persona in people if group_of(persona) == "hasty"]
    assert len(hasty) / 2_000 == pytest.approx(0.25, abs=0.03)
    assert {traits_of(persona, config).patience for persona in hasty} == {0.0}


def test_of_people_like_most_nothing_is_said_and_of_others_what_differs() -> None:
    def one(patience: float, talkativeness: float) -> Persona:
        users = {
            "patience": {"mean": patience, "sd": 0.0},
            "talkativeness": {"mean": talkativeness, "sd": 0.0},
        }
        return build_cast(ConversationalConfig.model_validate({"dialogues": 1, "users": users}), [])[0]

    usual, hasty = one(0.5, 0.5), one(0.0, 0.9)
    assert "machine" not in usual.bio and "words" not in usual.bio and patience_words(usual) == ""
    assert "to your liking. You answer" in usual.bio and " ," not in usual.bio and ",," not in usual.bio
    assert (
        "to your liking. Talking to a machine tires you at once, you" in hasty.bio
        and "say everything" in hasty.bio
    )
    assert patience_words(hasty) == "Talking to a machine tires this person at once."


def test_more_users_include_the_fewer_ones() -> None:
    few = build_cast(ConversationalConfig(dialogues=5), [])
    assert build_cast(ConversationalConfig(dialogues=9), [])[:5] == few


def test_a_studys_own_personas_come_first_and_the_cast_is_the_same_when_asked_again() -> None:
    own = Persona(id="ann", name="Ann", bio="Ann.", traits={"patience": 0.9, "group": "friends"})
    config = ConversationalConfig(dialogues=3)
    people = build_cast(config, [own])
    assert [persona.id for persona in people] == ["ann", "seeker-2", "seeker-3"]
    assert build_cast(config, people) == people
    assert traits_of(own, config).patience == 0.9
    assert group_of(own) == "friends"


def test_a_trait_that_is_none_is_refused() -> None:
    own = Persona(id="ann", name="Ann", bio="Ann.", traits={"patience": "much"})
    with pytest.raises(InputError, match="patience = 'much'; give a number from 0 to 1"):
        build_cast(ConversationalConfig(dialogues=1), [own])


def test_more_personas_than_needs_are_refused() -> None:
    own = [Persona(id=f"p{n}", name="P", bio="P.") for n in range(2)]
    with pytest.raises(InputError, match="let there be as many dialogues"):
        build_cast(ConversationalConfig(dialogues=1), own)


def test_what_a_table_leaves_out_is_as_in_its_default() -> None:
    config = ConversationalConfig.model_validate(
        {"users": {"patience": {"mean": 0.1}}, "needs": {"targets": {"most": 99}}}
    )
    assert (config.users.patience.mean, config.users.patience.sd) == (0.1, 0.2)
    assert (config.needs.targets.least, config.needs.targets.most) == (1, 99)
