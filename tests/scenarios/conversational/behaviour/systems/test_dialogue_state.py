"""A dialogue's state as acts and words change it."""

import pytest

from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.systems import reference_system
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.turn_builder import LONGEST_VALUE, shorten_value
from openiir.scenarios.conversational.model.dialogue import Act
from openiir.scenarios.conversational.model.dialogue import build_act as a
from openiir.scenarios.conversational.model.titles.facets import Facets
from openiir.scenarios.conversational.questions.system_turn import SystemTurn, _acts

from .conftest import FILMS


@pytest.fixture
def talk(known: SystemKnowledge) -> DialogueState:
    return reference_system("attribute", {}, known).open()


def recommended(talk: DialogueState, *ids: str, acts: tuple[Act, ...] = ()) -> None:
    titles = tuple(("title", FILMS.titles[FILMS.index[id]]) for id in ids)
    talk.note_turn(SystemTurn(text="...", acts=(a("RECOMMEND", *titles), *acts), items=ids))


def at(*ids: str) -> list[int]:
    return [FILMS.index[id] for id in ids]


def test_wishes_add_up_and_weigh_more_when_said_again(talk: DialogueState) -> None:
    talk.hear("", (a("DISCLOSE", ("genre", "drama"), ("year", "1995")),))
    talk.hear("", (a("DISCLOSE", ("genre", "Drama")), a("GREET")))
    assert talk.wanted == {("genre", "Drama"): 2.0, ("year", "1995"): 1.0}
    assert talk.turns == 2


def test_a_critique_replaces_what_cannot_go_with_it_and_keeps_what_can(talk: DialogueState) -> None:
    talk.hear("", (a("DISCLOSE", ("genre", "Crime"), ("year", "1999")),))
    recommended(talk, "t")
    talk.hear("", (a("CRITIQUE", ("genre", "Drama")), a("CRITIQUE", ("year", "1995"))))
    assert list(talk.wanted) == [("genre", "Crime"), ("genre", "Drama"), ("year", "1995")]
    assert list(talk.disliked) == at("t")


def test_a_critique_without_a_value_is_about_what_the_item_has(talk: DialogueState) -> None:
    recommended(talk, "a")
    talk.hear("not that genre", (a("CRITIQUE", ("genre", None)),))
    assert list(talk.unwanted) == [("genre", "Horror"), ("genre", "Sci-Fi")]


def test_yes_and_no_answer_what_was_asked_last(talk: DialogueState) -> None:
    talk.note_turn(SystemTurn(text="Comedy?", acts=(a("ELICIT", ("genre", "Comedy")),)))
    talk.hear("yes", (a("YES"),))
    talk.note_turn(SystemTurn(text="2001?", acts=(a("ELICIT", ("year", "2001")),)))
    talk.hear("no", (a("NO"),))
    assert list(talk.wanted) == [("genre", "Comedy")] and list(talk.unwanted) == [("year", "2001")]
    recommended(talk, "u", acts=(a("OFFER", ("year", None), ("director", None)),))
    talk.hear("no", (a("NO"),))
    assert not talk.pending and not talk.disliked, "to tell more was turned down, and not the item"
    recommended(talk, "m", acts=(a("OFFER", ("year", None)),))
    talk.hear("yes", (a("YES"),))
    assert list(talk.pending) == ["year"] and not talk.liked
    recommended(talk, "s")
    talk.hear("no", (a("NO"),))
    assert list(talk.disliked) == at("s")


def test_requests_stay_until_they_are_told(talk: DialogueState) -> None:
    talk.hear("", (a("INQUIRE", ("year", None)),))
    assert not talk.pending, "there is no item to ask about"
    recommended(talk, "u")
    talk.hear("", (a("INQUIRE", ("year", None), ("Director", None)), a("LIKE")))
    talk.note_turn(SystemTurn(text="Pete Docter", acts=(a("INFORM", ("director", "Pete Docter")),)))
    talk.hear("and?", (a("OTHER"),))
    assert list(talk.pending) == ["year"] and list(talk.liked) == at("u")
    talk.note_turn(SystemTurn(text="a model said something"))
    assert not talk.pending, "without acts nobody knows what was told; who wants to know asks again"


def test_a_question_may_name_the_item_it_is_about(talk: DialogueState) -> None:
    recommended(talk, "u")
    talk.hear("who made Heat?", (a("INQUIRE", ("title", "heat"), ("director", None)),))
    assert talk.about == FILMS.index["h"] and list(talk.pending) == ["director"]


def test_feedback_is_about_what_it_names_or_else_all_that_was_shown(talk: DialogueState) -> None:
    recommended(talk, "u", "m", "h")
    talk.hear(
        "",
        (a("CONSUMED", ("title", "Up")), a("LIKE", ("title", "Up")), a("DISLIKE", ("title", "Heat (1995)"))),
    )
    assert (list(talk.consumed), list(talk.liked), list(talk.disliked)) == (at("u"), at("u"), at("h"))
    talk.hear("no", (a("DISLIKE"),))
    assert sorted(talk.disliked) == sorted(at("u", "m", "h")) and not talk.liked


def test_an_item_asked_for_by_title_comes_again_unless_it_was_had(talk: DialogueState) -> None:
    recommended(talk, "u", "m")
    talk.hear(
        "", (a("CONSUMED", ("title", "Up")), a("DISCLOSE", ("title", "up"), ("title", "Monsters, Inc.")))
    )
    assert list(talk.named) == at("m")
    turn = talk.respond(Draw(1, "x"))
    assert turn.items == ("m",)
    talk.note_turn(turn)
    assert not talk.named


def test_a_title_that_was_asked_for_is_one_that_is_liked(talk: DialogueState) -> None:
    talk.note_turn(SystemTurn(text="Which?", acts=(a("ELICIT", ("title", None)),)))
    talk.hear("Heat", (a("DISCLOSE", ("title", "Heat")),))
    assert list(talk.liked) == at("h") and not talk.named


@pytest.mark.parametrize(
    ("acts", "over"),
    [
        (("ACCEPT", "BYE"), "accepted"),
        (("BYE", "ACCEPT"), "accepted"),
        (("GIVE_UP",), "left"),
        (("BYE",), "left"),
    ],
)
def test_it_is_over_when_the_user_says_so(talk: DialogueState, acts: tuple[str, ...], over: str) -> None:
    recommended(talk, "u")
    talk.hear("", tuple(map(a, acts)))
    assert talk.over == over
    turn = talk.respond(Draw(1, "x"))
    assert turn.ended and [one.intent for one in turn.acts] == ["BYE"]


def test_words_are_read_where_no_acts_are_given() -> None:
    known = SystemKnowledge(FILMS, Facets(FILMS), read=lambda text: (a("DISCLOSE", ("genre", text)),))
    talk = reference_system("popularity", {}, known).open()
    talk.hear("comedy", None)
    talk.hear("drama", ())
    assert list(talk.wanted) == [("genre", "Comedy")]
    assert [text for _, text in talk.lines] == ["comedy", "drama"]


def test_a_long_value_is_told_in_its_first_whole_words() -> None:
    words = f"{'a' * (LONGEST_VALUE - 5)} bcde"
    assert shorten_value(words) == words and shorten_value(f"{words}f") == shorten_value(
        f"{words} f"
    ) == "a" * (LONGEST_VALUE - 5)


def test_acts_that_a_system_says_are_taken_where_all_are_known() -> None:
    known = {"intent": "ELICIT", "annotations": [{"slot": "genre", "value": None}]}
    assert _acts([known]) == [{"intent": "ELICIT", "slots": [{"slot": "genre", "value": None}]}]
    for unknown in (
        [known, {"intent": "JUGGLE"}],
        [{"intent": "ELICIT", "annotations": [{"slot": 3}]}],
        known,
        "ELICIT",
        [],
        None,
    ):
        assert _acts(unknown) == []
