"""What a user does next: the four cases, several acts a turn, and each known defect of agenda users."""

from math import exp
from typing import Any

import pytest
from small_catalogue import ABLE, FILMS, act, mind_of, offer

from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.agenda import AgendaPolicy, hazard
from openiir.scenarios.conversational.behaviour.user_state import UserState
from openiir.scenarios.conversational.config import Traits
from openiir.scenarios.conversational.model.dialogue import Act

DRAW = Draw(3, "test")
CRIME = ("genre", "crime")
MANN = ("director", "Mann")


def reply(mind: UserState, draw: Draw = DRAW) -> tuple[Act, ...]:
    return AgendaPolicy(mind.sight()).respond(draw).acts


def ended(mind: UserState, draw: Draw = DRAW) -> tuple[str, str]:
    response = AgendaPolicy(mind.sight()).respond(draw)
    return response.end, response.item


GENRE, DIRECTOR = ("genre", None), ("director", None)


@pytest.mark.parametrize(
    ("needs", "traits", "heard", "said"),
    [
        ([CRIME, MANN], ABLE, [act("ELICIT", DIRECTOR)], [act("DISCLOSE", MANN)]),
        (
            [CRIME, MANN],
            ABLE,
            [act("ELICIT", GENRE), act("ELICIT", DIRECTOR)],
            [act("DISCLOSE", CRIME), act("DISCLOSE", MANN)],
        ),
        (
            [CRIME, MANN],
            ABLE,
            [act("ELICIT", GENRE, DIRECTOR)],
            [act("DISCLOSE", CRIME), act("DISCLOSE", MANN)],
        ),
        ([CRIME], ABLE, [act("ELICIT", ("genre", "Crime"))], [act("YES", ("genre", "Crime"))]),
        (
            [CRIME],
            ABLE,
            [act("ELICIT", ("genre", "horror"))],
            [act("NO", ("genre", "horror")), act("DISCLOSE", CRIME)],
        ),
        ([CRIME], ABLE, [act("ELICIT", ("year", None))], [act("DONT_KNOW", ("year", None))]),
        ([CRIME], Traits(1.0, 0.0, 0.0, 1.0), [act("ELICIT", GENRE)], [act("DONT_KNOW", GENRE)]),
        ([CRIME, MANN], Traits(1.0, 1.0, 1.0, 1.0), [act("ELICIT", GENRE)], [act("DISCLOSE", CRIME, MANN)]),
    ],
    ids=["asked", "all acts", "all slots", "confirmed", "corrected", "no wish", "uncooperative", "talkative"],
)
def test_what_is_asked_is_answered(needs: Any, traits: Traits, heard: list[Act], said: list[Act]) -> None:
    mind = mind_of(needs, traits=traits)
    mind.hear("?", heard, [])
    assert reply(mind) == tuple(said)


@pytest.mark.parametrize(
    ("value", "intent"), [("action", "LIKE"), ("horror", "DISLIKE"), ("comedy", "NEUTRAL")]
)
def test_a_value_outside_the_need_is_judged_by_past_ratings(value: str, intent: str) -> None:
    mind = mind_of([MANN], user=0)
    mind.hear("?", [act("ELICIT", ("genre", value))], [])
    assert reply(mind) == (act(intent, ("genre", value)),)


def test_a_liked_title_is_one_that_was_rated_best() -> None:
    mind = mind_of([MANN], user=0)
    mind.hear("One you liked?", [act("ELICIT", ("title", None))], [])
    assert reply(mind)[0].pairs[0][1] in ("Ronin (1998)", "Alien (1979)")
    newcomer = mind_of([MANN])
    newcomer.hear("One you liked?", [act("ELICIT", ("title", None))], [])
    assert reply(newcomer) == (act("DONT_KNOW", ("title", None)),)


def test_an_item_that_would_do_is_taken() -> None:
    mind = mind_of([CRIME, MANN])
    mind.hear("Heat?", *offer("heat"))
    assert ended(mind) == ("satisfied", "heat")
    assert reply(mind) == (act("ACCEPT", ("title", "Heat (1995)")), act("BYE"))


def test_the_weightiest_violated_constraint_is_named() -> None:
    mind = mind_of([MANN, CRIME])
    mind.hear("Alien?", *offer("alien"))
    assert reply(mind) == (act("DISLIKE", ("title", "Alien (1979)")), act("CRITIQUE", MANN))
    mind = mind_of([CRIME, MANN])
    mind.hear("Ronin?", *offer("ronin"))
    assert reply(mind)[-1] == act("CRITIQUE", MANN)


def test_of_several_offers_the_best_is_judged() -> None:
    mind = mind_of([CRIME, MANN])
    mind.hear("Alien, Heat?", *offer("alien", "heat"))
    assert ended(mind) == ("satisfied", "heat")


def test_what_one_has_had_is_not_taken_again() -> None:
    mind = mind_of([("genre", "action")], user=0)
    mind.hear("Ronin?", *offer("ronin"))
    assert ended(mind)[0] == "no"
    assert reply(mind)[0] == act("CONSUMED", ("title", "Ronin (1998)"))


def test_requests_are_asked_before_the_item_is_taken_and_kept_until_they_are_answered() -> None:
    mind = mind_of([CRIME, MANN], requests=["year"])
    mind.hear("Heat?", *offer("heat"))
    first = reply(mind)
    assert first == (act("LIKE", ("title", "Heat (1995)")), act("INQUIRE", ("year", None)))
    mind.say("When is it from?", first)
    mind.hear("1995.", [act("INFORM", ("year", "1995"))], [])
    assert mind.informed == ("year",)
    assert ended(mind) == ("satisfied", "heat")


def test_a_request_that_stays_unanswered_is_a_failure_and_given_up_after_two_tries() -> None:
    mind = mind_of([CRIME, MANN], requests=["year"])
    mind.hear("Heat?", *offer("heat"))
    for n in range(2):
        acts = reply(mind)
        assert act("INQUIRE", ("year", None)) in acts
        mind.say("When?", acts)
        mind.hear(f"Well {n}.", [act("OTHER")], [])
    assert mind.failures == 2
    assert ended(mind) == ("satisfied", "heat")


def test_what_one_does_not_know_of_an_item_is_asked_and_what_is_told_decides() -> None:
    ignorant = Traits(1.0, 1.0, 0.0, 0.0)
    for told, end in (("Mann", "satisfied"), ("Scott", "no")):
        mind = mind_of([MANN], traits=ignorant)
        mind.hear("Heat?", *offer("heat"))
        acts = reply(mind)
        assert act("INQUIRE", ("director", None)) in acts
        mind.say("By whom?", acts)
        mind.hear(f"By {told}.", [act("INFORM", ("director", told))], [])
        assert ended(mind)[0] == end
    assert reply(mind) == (act("CRITIQUE", MANN),)


def test_the_agenda_goes_on_where_nothing_is_asked() -> None:
    mind = mind_of([CRIME, MANN])
    for wanted in (CRIME, MANN):
        mind.hear("Hello.", [act("GREET")], [])
        acts = reply(mind)
        assert acts == (act("DISCLOSE", wanted),)
        mind.say("...", acts)


def test_when_all_is_said_wishes_are_said_again_and_nothing_crashes() -> None:
    mind = mind_of([CRIME])
    for turn in range(30):
        mind.hear(f"Well {turn}.", [act("OTHER")], [])
        acts = reply(mind, DRAW.at(item=turn))
        assert acts and {a.intent for a in acts} <= {"DISCLOSE", "DONT_KNOW"}
        assert all(value is not None for a in acts if a.intent == "DISCLOSE" for _, value in a.pairs)
        mind.say("...", acts)


def test_titles_that_nobody_knows_are_neither_taken_nor_ignored() -> None:
    mind = mind_of([CRIME])
    mind.hear("Zzz?", [act("RECOMMEND", ("title", "Zzz"))], [], ["Zzz"])
    assert ended(mind)[0] == "no"
    assert reply(mind)[0] == act("NEUTRAL", ("title", "Zzz"))
    assert mind.failures == 1


def test_a_system_that_says_the_same_again_fails_the_user() -> None:
    mind = mind_of([CRIME])
    for n in range(4):
        mind.hear("Which year?", [act("ELICIT", ("year", None))], [])
        assert mind.failures == n
        mind.say("...", reply(mind))


def test_a_good_offer_ends_a_row_of_failures() -> None:
    mind = mind_of([("genre", "horror")], requests=["year"])
    mind.hear("Emma?", *offer("emma"))
    assert mind.failures == 1
    mind.hear("It?", *offer("it"))
    assert mind.failures == 0


@pytest.mark.parametrize(("turn", "failures"), [(0, 0), (3, 1), (10, 4)])
def test_leaving_has_the_published_hazard_at_middle_patience(turn: int, failures: int) -> None:
    assert hazard(0.5, turn, failures) == pytest.approx(1 / (1 + exp(4 - 0.35 * turn - 1.5 * failures)))
    assert hazard(1.0, turn, failures) == pytest.approx(1 / (1 + exp(4)))
    assert hazard(0.0, turn, failures) >= hazard(0.5, turn, failures)


def test_users_leave_as_often_as_the_hazard_says() -> None:
    mind = mind_of([CRIME], traits=Traits(0.5, 1.0, 0.0, 1.0))
    mind.turn, mind.failures = 5, 1
    left = [ended(mind, Draw(seed, "test"))[0] == "gave-up" for seed in range(2_000)]
    expected = hazard(0.5, 5, 1)
    assert sum(left) / 2_000 == pytest.approx(expected, abs=4 * (expected / 2_000) ** 0.5)


def test_deciding_changes_nothing() -> None:
    mind = mind_of([CRIME, MANN], requests=["year"], user=0)
    mind.hear("Alien?", *offer("alien"))
    before = (mind.turn, mind.failures, list(mind.disclosed), dict(mind.asked), mind.table)
    first, second = reply(mind), reply(mind)
    assert first == second
    assert before == (mind.turn, mind.failures, list(mind.disclosed), dict(mind.asked), mind.table)


def test_a_user_is_told_what_it_lived_through_and_neither_record_holds_a_target() -> None:
    mind = mind_of([CRIME, MANN], traits=ABLE)
    mind.hear("How about Alien?", *offer("alien"))
    sight = mind.sight()
    words = mind.scene(sight).page()
    assert (
        "crime; directed by Mann" in words
        and "1. Alien (1979): horror; directed by Scott; you have not seen it." in words
        and "How about Alien?" in words
    )
    assert "Heat" not in words and not sight.need.targets


def test_every_fact_of_a_situation_is_of_items_that_were_offered() -> None:
    mind = mind_of([CRIME])
    mind.hear("Alien, Up?", *offer("alien", "up"))
    assert [id for id, _ in mind.sight().items] == ["alien", "up"]


def test_a_fact_is_of_the_one_item_that_was_named_last() -> None:
    ignorant = Traits(1.0, 1.0, 0.0, 0.0)
    one = mind_of([MANN], traits=ignorant)
    acts = (
        act("RECOMMEND", ("title", "Alien (1979)")),
        act("RECOMMEND", ("title", "Heat (1995)")),
        act("INFORM", MANN),
    )
    one.hear("Alien. Or Heat, by Mann.", acts, [FILMS.index["alien"], FILMS.index["heat"]])
    assert ended(one) == ("satisfied", "heat")
    both = mind_of([MANN], traits=ignorant)
    acts = (act("RECOMMEND", ("title", "Alien (1979)"), ("title", "Heat (1995)")), act("INFORM", MANN))
    both.hear("Alien or Heat, by Mann.", acts, [FILMS.index["alien"], FILMS.index["heat"]])
    assert ended(both)[0] == "no", "whose director it is nobody can tell"


def test_what_one_knows_goes_before_what_one_is_told() -> None:
    mind = mind_of([MANN])
    mind.hear("Alien, by Mann.", (*offer("alien")[0], act("INFORM", MANN)), [FILMS.index["alien"]])
    assert ended(mind)[0] == "no"


def test_an_item_that_one_would_rate_badly_is_not_taken_though_it_has_all_one_asked_for() -> None:
    mind = mind_of([("genre", "horror"), ("genre", "drama")], user=0)
    mind.hear("It?", *offer("it"))
    assert ended(mind)[0] == "no"
    assert reply(mind)[0] == act("DISLIKE", ("title", "It (2017)"))
