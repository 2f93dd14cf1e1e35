"""What a feed begins with: a catalogue that lasts, and beliefs that personas bring along."""

import numpy as np
import pytest

from openiir.kit.items import check_exhaustion
from openiir.plugin import Draw, InputError, Persona
from openiir.scenarios.curated_feed.behaviour.personas import persona_belief
from openiir.scenarios.curated_feed.model.items.taxonomy import TOPICS
from openiir.testing import cast

DRAW = Draw(4, "beliefs")


def persona(**traits: object) -> Persona:
    return Persona.model_validate({"id": "ada", "name": "Ada", "bio": "Likes long walks.", **traits})


@pytest.mark.parametrize("items, exposures, per_week", [(1_800, 360, 0), (2_400, 360, 200), (400, 360, 30)])
def test_a_catalogue_that_lasts_passes(items: int, exposures: int, per_week: int) -> None:
    check_exhaustion(items, exposures, per_week)


@pytest.mark.parametrize("items, exposures, per_week", [(600, 600, 0), (600, 600, 50), (1_799, 360, 0)])
def test_a_catalogue_that_users_see_to_its_end_is_refused(items: int, exposures: int, per_week: int) -> None:
    with pytest.raises(
        InputError, match=rf"items = {items} .* {exposures} exposures .* at least {5 * exposures} items"
    ):
        check_exhaustion(items, exposures, per_week)


def test_a_persona_holds_its_stance_on_what_it_cares_about() -> None:
    beliefs = np.array(
        [
            persona_belief(persona(id=f"p{n}", stance=0.8, interests=("rents",)), TOPICS, DRAW)
            for n in range(300)
        ]
    )
    assert beliefs[:, 1].mean() > 0.7 and beliefs[:, 1].std() < 0.25
    others = np.delete(beliefs, 1, axis=1)
    assert abs(others.mean()) < 0.02 and others.std() == pytest.approx(0.35, abs=0.02)
    assert np.abs(beliefs).max() <= 1


def test_the_stance_is_a_sign() -> None:
    for_it = persona_belief(persona(stance=1.0, interests=("rents",)), TOPICS, DRAW)
    against = persona_belief(persona(stance=-1.0, interests=("rents",)), TOPICS, DRAW)
    assert for_it[1] > 0.3 and against[1] < -0.3 and (np.delete(for_it, 1) == np.delete(against, 1)).all()


def test_the_bio_speaks_where_no_interest_fits() -> None:
    plain = persona_belief(persona(stance=1.0, bio="A farmer.", interests=("chess",)), TOPICS, DRAW)
    named = persona_belief(persona(stance=1.0, interests=("farming",)), TOPICS, DRAW)
    assert (plain == named).all()


def test_open_people_differ_more_and_closed_ones_not_at_all() -> None:
    open_, closed = (persona_belief(persona(big_five={"openness": o}), TOPICS, DRAW) for o in (1.0, 0.0))
    middle = persona_belief(persona(), TOPICS, DRAW)
    assert (closed == 0).all()
    assert open_ == pytest.approx(np.clip(2 * middle, -1, 1), abs=2e-6)


def test_another_topic_changes_no_other_belief() -> None:
    for one in cast(4):
        assert (persona_belief(one, TOPICS[:8], DRAW) == persona_belief(one, TOPICS, DRAW)[:8]).all()
