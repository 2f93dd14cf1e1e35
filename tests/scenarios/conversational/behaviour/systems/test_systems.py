"""The other systems, and how they are named and made."""

import numpy as np
import pytest

from openiir.core.asking.reading import read_reply
from openiir.kit.items import Collection, Ratings
from openiir.plugin import Draw, InputError, UnusableAnswer
from openiir.scenarios.conversational.behaviour.systems import REFERENCE_SYSTEMS, reference_system
from openiir.scenarios.conversational.behaviour.systems.attribute import PromptedSystem
from openiir.scenarios.conversational.behaviour.systems.dialogue_state import DialogueState
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.turn_builder import TurnBuilder
from openiir.scenarios.conversational.behaviour.systems.wording import WORDINGS as SAYS
from openiir.scenarios.conversational.model.dialogue import Act, Need
from openiir.scenarios.conversational.model.dialogue import build_act as a
from openiir.scenarios.conversational.model.titles.facets import Facets
from openiir.scenarios.conversational.questions.system_turn import (
    LONGEST,
    SystemLine,
    SystemTurn,
)

from .conftest import FILMS, PAST, known_of


def next_of(talk: DialogueState, words: str = "", *acts: Act) -> SystemTurn:
    if words:
        talk.hear(words, acts)
    turn = talk.respond(Draw(5, "test", item=talk.spoken))
    talk.note_turn(turn)
    return turn


def test_names_and_options_that_are_not_there_are_named(known: SystemKnowledge) -> None:
    with pytest.raises(
        InputError, match="no reference system is called 'best'; known: random, popularity, attribute"
    ):
        reference_system("best", {}, known)
    with pytest.raises(
        InputError, match="'attribute': fewer: .*; it takes at_once, asks, few, ask_at_once, slots"
    ):
        reference_system("attribute", {"fewer": 1}, known)
    with pytest.raises(InputError, match="at_once: .*less than or equal to 10"):
        reference_system("random", {"at_once": 11}, known)
    with pytest.raises(InputError, match="name a file of them"):
        reference_system("retrieval", {}, known)
    with pytest.raises(InputError, match="needs ratings"):
        reference_system("neighbours", {}, known_of(FILMS, None))


def test_random_depends_on_the_draw_and_on_nothing_that_is_said(known: SystemKnowledge) -> None:
    system = reference_system("random", {}, known)
    talks = [system.open(Need(targets=("h",))), system.open()]
    for talk in talks:
        next_of(talk)
    firsts = [
        next_of(talks[0], "a comedy", a("DISCLOSE", ("genre", "Comedy"))),
        next_of(talks[1], "hm", a("OTHER")),
    ]
    assert firsts[0] == firsts[1]
    drawn = {system.open().respond(Draw(5, "test", item=n)).items for n in range(200)}
    assert len(drawn) == len(FILMS)


def test_popularity_goes_by_the_number_of_ratings(known: SystemKnowledge) -> None:
    turn = next_of(reference_system("popularity", {"at_once": 7}, known).open())
    assert turn.items == ("h", "m", "u", "t", "s", "i", "a"), "of equal ones the first in the collection"


def test_the_oracle_recommends_targets_that_were_not_had(known: SystemKnowledge) -> None:
    system = reference_system("oracle", {}, known)
    talk = system.open(Need(constraints=(("genre", "Comedy"),), targets=("m", "s", "gone", "i")), user=0)
    assert next_of(talk).items == ("m",)
    assert next_of(talk, "seen", a("CONSUMED")).items == ("i",), "user 0 has rated s"
    assert next_of(talk, "no", a("DISLIKE")).ended
    without_targets = system.open(Need(constraints=(("genre", "comedy"),)))
    assert {next_of(without_targets).items, next_of(without_targets).items} == {("m",), ("u",)}


def test_neighbours_asks_for_a_title_and_goes_from_there(known: SystemKnowledge) -> None:
    system = reference_system("neighbours", {}, known)
    talk = system.open()
    assert next_of(talk).acts[-1].pairs == (("title", None),)
    assert next_of(talk, "Alien", a("DISCLOSE", ("title", FILMS.titles[5]))).items == ("i",), (
        "who rated a rated i"
    )
    assert next_of(talk, "no", a("DISLIKE")).items == ("h",), "nothing else goes with it, so the most rated"
    talk = system.open()
    next_of(talk)
    assert next_of(talk, "no idea", a("DONT_KNOW", ("title", None))).items == ("h",), "it does not ask again"
    assert next_of(talk, "good", a("LIKE"), a("DONT_KNOW")).items in {("s",), ("t",)}


def test_neighbours_leaves_out_what_is_unlike_and_what_has_no_title() -> None:
    films = Collection("movie", ids=("a", "b", "c", "d"), titles=("A", "", "C", "D"), attributes={})
    ratings = Ratings(3, 4, np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 2, 3]), np.full(5, 5.0))
    system = reference_system("neighbours", {}, SystemKnowledge(films, Facets(films), ratings))
    assert system.near(frozenset([0])).tolist() == [2]


def test_neighbours_may_know_what_was_rated(known: SystemKnowledge) -> None:
    talk = reference_system("neighbours", {"history": True}, known).open(user=4)
    assert next_of(talk).items == ("h",) and set(talk.liked) == {FILMS.index["a"], FILMS.index["i"]}
    assert next_of(reference_system("neighbours", {"history": False}, known).open(user=4)).items == ()


def test_retrieval_says_what_was_said_and_links_titles(known: SystemKnowledge) -> None:
    talk = reference_system("retrieval", {"dialogues": "past.json", "window": 1}, known).open()
    assert [act.intent for act in next_of(talk).acts] == ["GREET"]
    turn = next_of(talk, "something scary for tonight please")
    assert (turn.text, turn.items, turn.acts) == (PAST[0].utterances[1].text, ("i",), ())
    turn = next_of(talk, "they love cartoons")
    assert turn.items == ("m",), "linked from its words"
    turn = next_of(talk, "scary tonight")
    assert turn.items == ("h",) and turn.acts[0].intent == "RECOMMEND", (
        "the reply was given; the most rated instead"
    )
    turn = next_of(talk, "a western, too")
    assert "High Noon" not in turn.text, "the catalogue does not have it"


def test_retrieval_passes_by_what_was_had(known: SystemKnowledge) -> None:
    talk = reference_system("retrieval", {"dialogues": "past.json"}, known).open()
    next_of(talk)
    turn = next_of(talk, "I want something scary, but not It", a("CONSUMED", ("title", "It")))
    assert "i" not in turn.items


def test_a_model_is_shown_what_a_search_finds(known: SystemKnowledge) -> None:
    system = reference_system("prompted", {"shown": 4, "few": 1}, known)
    assert isinstance(system, PromptedSystem)
    talk = system.open()
    next_of(talk)
    talk.hear("Pete Docter made something with monsters", (a("OTHER"),))
    question = system.question(talk, (("user", "Pete Docter made something with monsters"),))
    ids, prompt = list(question.ids), question.prompt()
    assert len(ids) == 4 and {"m", "u"} <= set(ids)
    assert all(f"{number}. {line}" in prompt for number, line in enumerate(question.shown, 1))
    assert "Monsters, Inc. (2001) (director: Pete Docter; genre: Animation, Comedy)" in prompt
    assert list(question.allowed()["recommend"]) == list(range(1, len(ids) + 1))


def test_what_the_offline_answer_recommends_is_shown(known: SystemKnowledge) -> None:
    for acts in (
        (),
        (a("DISCLOSE", ("genre", "Horror"), ("year", "1999")),),
        (a("DISCLOSE", ("title", "Up")),),
    ):
        system = reference_system("prompted", {"shown": 2, "asks": 0, "at_once": 2}, known)
        assert isinstance(system, PromptedSystem)
        talk = system.open()
        talk.hear("words of no use", acts)
        question = system.question(talk, ())
        offline = question.offline(Draw(1, "x"))
        plain = reference_system("attribute", {"asks": 0, "at_once": 2}, known).turn(talk, Draw(1, "x"))
        assert (offline.say, question.items(offline), offline.goodbye) == (
            plain.text,
            plain.items,
            plain.ended,
        )
        assert offline.recommend


def test_a_model_says_something_and_names_no_more_than_it_may() -> None:
    question = SystemLine((), ("Heat", "Up"), "", 1, ("h", "u"), lambda draw: SystemTurn())
    reply = read_reply('{"say": "How about Up?", "recommend": [2]}', question)
    assert question.items(reply) == ("u",) and not reply.goodbye
    for wrong in ('{"say": " "}', '{"say": "x", "recommend": [1, 2]}', '{"say": "x", "recommend": [3]}'):
        with pytest.raises(UnusableAnswer):
            read_reply(wrong, question)
    with pytest.raises(UnusableAnswer, match="leave it empty"):
        read_reply('{"say": "x", "recommend": [1]}', SystemLine((), (), "", 1, (), lambda draw: SystemTurn()))


def test_a_models_turn_is_taken_in_by_its_items(known: SystemKnowledge) -> None:
    system = reference_system("prompted", {}, known)
    assert isinstance(system, PromptedSystem)
    talk = system.open()
    assert "talked about" not in system.question(talk, ()).prompt()
    talk.note_turn(SystemTurn(text="How about Up?", items=("u", "not in the catalogue")))
    assert talk.about == FILMS.index["u"]
    assert "The title talked about: Up (director: Pete Docter;" in system.question(talk, ()).prompt()
    assert FILMS.index["u"] not in system.find_items(talk)


@pytest.mark.parametrize("name", [n for n in REFERENCE_SYSTEMS if n != "retrieval"])
def test_several_items_at_once_are_all_named(name: str, known: SystemKnowledge) -> None:
    options = {"at_once": 3, **({"asks": 0} if name in ("attribute", "prompted") else {})}
    talk = reference_system(name, options, known).open(Need(targets=("u", "m", "h", "a")))
    turn = next_of(talk) if name != "neighbours" else (next_of(talk), next_of(talk, "no", a("DONT_KNOW")))[1]
    titles = [FILMS.titles[FILMS.index[id]] for id in turn.items]
    assert len(titles) == 3 and all(title in turn.text for title in titles)


def test_every_way_of_saying_an_act_can_be_said() -> None:
    parts = {name: f"<{name}>" for name in ("slot", "titles", "values", "facts", "slots")}
    assert sum(map(len, SAYS.values())) > 90
    for group in SAYS.values():
        said = [way.format(**parts) for way in group]
        assert len(set(said)) == len(said) >= 2 and not any("{" in one for one in said)


def test_ways_differ_between_draws_and_not_for_one(known: SystemKnowledge) -> None:
    def said(n: int) -> str:
        say = TurnBuilder(known, Draw(1, "x", item=n))
        say.recommend([0])
        return say.turn().text

    assert len({said(n) for n in range(100)}) == len(SAYS["RECOMMEND"])
    assert said(1) == said(1)


def test_a_turn_is_never_too_long(known: SystemKnowledge) -> None:
    say = TurnBuilder(known, Draw(1, "x"))
    many = [item % len(FILMS) for item in range(2_000)]
    say.recommend(many)
    assert 0 < len(say.turn().text) < LONGEST // 2
