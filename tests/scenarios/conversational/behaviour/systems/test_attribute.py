"""The reference system: what it asks, what it recommends, and what it gives up."""

from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.systems import reference_system
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.model.dialogue import Act
from openiir.scenarios.conversational.model.dialogue import build_act as a
from openiir.scenarios.conversational.questions.system_turn import SystemTurn


def opened(known: SystemKnowledge, **options: object) -> DialogueState:
    return reference_system("attribute", options, known).open()


def says(talk: DialogueState, *acts: Act) -> SystemTurn:
    if acts:
        talk.hear("...", acts)
    turn = talk.respond(Draw(3, "test", step=talk.turns))
    talk.note_turn(turn)
    return turn


def intents(turn: SystemTurn) -> list[str]:
    return [act.intent for act in turn.acts]


def test_it_asks_for_what_tells_most_each_slot_once_and_then_recommends(known: SystemKnowledge) -> None:
    talk = opened(known, few=1)
    asked = [
        slot
        for _ in range(4)
        for act in says(talk, a("DONT_KNOW")).acts
        if act.intent == "ELICIT"
        for slot, _ in act.pairs
    ]
    assert asked == [slot for slot, _ in known.gains([])] == ["year", "genre", "director"]
    assert talk.recommended


def test_it_asks_no_more_than_it_may_and_only_for_slots_named(known: SystemKnowledge) -> None:
    assert intents(says(opened(known, asks=0))) == ["GREET", "RECOMMEND"]
    talk = opened(known, slots=("genre",))
    assert says(talk).acts[-1].pairs == (("genre", None),)
    assert says(talk, a("DONT_KNOW")).items
    both = says(opened(known, ask_at_once=2))
    assert [act.pairs for act in both.acts[1:]] == [(("year", None),), (("genre", None),)]
    assert sum(act.intent == "ELICIT" for act in says(opened(known, ask_at_once=3, asks=1)).acts) == 1


def test_it_recommends_when_few_items_are_left_and_says_what_fits(known: SystemKnowledge) -> None:
    turn = says(opened(known, few=2), a("DISCLOSE", ("genre", "comedy")))
    assert turn.items == ("m",), "both comedies are rated twice, and the first comes first"
    told = [pair for act in turn.acts if act.intent == "INFORM" for pair in act.pairs]
    assert told == [("genre", "Animation"), ("genre", "Comedy")], (
        "all values of the slot, or it would seem to have no other"
    )
    assert "genres Animation and Comedy" in turn.text


def test_a_critique_is_repeated_and_met(known: SystemKnowledge) -> None:
    talk = opened(known, few=3)
    says(talk, a("DISCLOSE", ("genre", "Comedy")))
    turn = says(talk, a("DISLIKE"), a("CRITIQUE", ("year", "2009")))
    assert intents(turn) == ["ACKNOWLEDGE", "RECOMMEND", "INFORM"] and turn.items == ("u",)
    assert turn.acts[0].pairs == (("year", "2009"),)


def test_the_least_weighty_wish_is_given_up_and_named(known: SystemKnowledge) -> None:
    talk = opened(known)
    turn = says(talk, a("DISCLOSE", ("genre", "Horror"), ("year", "1999")))
    assert intents(turn) == ["GREET", "NOTHING_FOUND", "RECOMMEND", "INFORM"] and turn.items == ("i",)
    assert turn.acts[1].pairs == (("year", "1999"),)
    assert list(talk.wanted) == [("genre", "Horror")]
    turn = says(talk, a("CRITIQUE", ("year", "1999")))
    assert turn.items == ("t",) and list(talk.wanted) == [("year", "1999")], "what is insisted on weighs more"


def test_a_wish_is_given_up_only_where_that_helps(known: SystemKnowledge) -> None:
    talk = opened(known)
    turn = says(talk, a("DISCLOSE", ("genre", "Western"), ("director", "Pete Docter")))
    assert turn.acts[1].pairs == (("genre", "Western"),), "said first, but without it there is something"
    assert turn.items == ("m",)


def test_what_is_not_wanted_is_left_out_to_the_last(known: SystemKnowledge) -> None:
    talk = opened(known, asks=0, at_once=10)
    turn = says(talk, a("DISLIKE", ("genre", "Animation")), a("NO", ("genre", "Horror")))
    assert sorted(turn.items) == ["h", "s", "t"]
    turn = says(talk, a("DONT_KNOW"))
    assert turn.acts[0].intent == "NOTHING_FOUND" and sorted(turn.items) == ["a", "i"]
    assert sorted(says(talk, a("DONT_KNOW")).items) == ["m", "u"]
    assert intents(says(talk, a("DONT_KNOW"))) == ["NOTHING_FOUND", "BYE"]


def test_what_is_liked_in_general_comes_first_and_shuts_nothing_out(known: SystemKnowledge) -> None:
    talk = opened(known, asks=0, at_once=7)
    turn = says(talk, a("LIKE", ("genre", "Horror")), a("LIKE", ("year", "1979")))
    assert turn.items[:2] == ("a", "i"), "both, then one of the two"
    assert len(turn.items) == 7 and not talk.wanted


def test_questions_are_answered_and_unknown_values_said_to_be(known: SystemKnowledge) -> None:
    talk = opened(known, asks=0)
    says(talk, a("DISCLOSE", ("genre", "Horror"), ("year", "2017")))
    turn = says(talk, a("INQUIRE", ("director", None), ("year", None), ("budget", None)))
    assert [act.pairs for act in turn.acts] == [
        (("director", None),),
        (("year", "2017"),),
        (("budget", None),),
    ]
    assert "2017" in turn.text and not turn.items


def test_more_is_offered_once_for_an_item_that_is_liked(known: SystemKnowledge) -> None:
    talk = opened(known, asks=0)
    first = says(talk)
    assert says(talk, a("LIKE")).acts[0].intent == "OFFER"
    assert says(talk, a("NO")).items != first.items
    says(talk, a("LIKE"))
    assert intents(says(talk, a("YES"))) == ["INFORM"] * 3
    assert says(talk, a("LIKE")).acts[0].intent == "RECOMMEND"
