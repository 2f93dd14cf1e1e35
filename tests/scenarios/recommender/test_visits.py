"""Visits: what one may do and how often, short pages, budgets, retraining, first visits."""

import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.core.personas import load_personas
from openiir.core.storage import Log
from openiir.plugin import Draw, Lane
from openiir.runs.settings import load_settings
from openiir.scenarios.recommender import Recommender
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.questions.act import VisitAct, VisitMove
from openiir.scenarios.recommender.questions.browse import VisitBrowse
from openiir.scenarios.recommender.run import setup
from openiir.scenarios.recommender.run.actions import PageBrowsed, VisitorInterviewed, VisitorMoved
from openiir.testing.offline import Finished, replay_offline, run_offline

Run = Callable[..., Finished]
WIND = Path("examples/wind-power/personas.toml")


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Has visitors do one thing wherever they may, and go on where they may not."""
    offline = VisitAct.offline

    def only(move: str) -> None:
        def chosen(self: VisitAct, draw: Draw) -> VisitMove:
            told = offline(self, draw)
            moves = self.moves
            can = move if move in moves else "next" if "next" in moves else moves[0]
            return told.model_copy(update={"do": can, "open": self.openable[0] if can == "open" else None})

        monkeypatch.setattr(VisitAct, "offline", chosen)

    return only


def moves_of(run: Finished) -> dict[str | None, list[tuple[int, str]]]:
    found: dict[str | None, list[tuple[int, str]]] = {}
    for event, moved in VisitorMoved.read(run.log):
        found.setdefault(event.actor, []).append((moved.page, moved.do))
    return found


def test_going_back_is_bounded_and_there_is_nothing_before_the_first_page(
    offline: Run, always: Callable[[str], None]
) -> None:
    always("back")
    run = offline(page={"most": 8, "returns": 2})
    for moves in moves_of(run).values():
        assert [page for page, move in moves if move == "back"] == [2, 2]
        assert [page for page, _ in moves] == [1, 2, 1, 2, 1, 2, 3, 4], (
            "pages gone back to count, so that visits end"
        )
    visits = run.log.columns("visits")
    assert set(visits["gone"].tolist()) == {8} and set(visits["pages"].tolist()) == {4}
    assert set(visits["left"].tolist()) == {"last page"}
    assert visits["shown"].tolist() == [16] * 4, "what is seen again is counted once"


def test_without_returns_nobody_goes_back(offline: Run, always: Callable[[str], None]) -> None:
    always("back")
    run = offline(page={"returns": 0})
    assert all(move != "back" for moves in moves_of(run).values() for _, move in moves)


def test_who_may_not_leave_is_offered_the_way_out_only_where_no_page_follows(offline: Run) -> None:
    run = offline(page={"most": 4, "exits": False})
    acts = [a.question for a in run.asked if isinstance(a.question, VisitAct)]
    assert {("leave" in act.moves, "next" in act.moves) for act in acts} == {
        (True, False),
        (False, True),
    }


def test_a_click_opens_the_title_that_it_names(offline: Run, always: Callable[[str], None]) -> None:
    always("open")
    run = offline(page={"most": 2, "clicks": 2})
    named: dict[tuple[Any, int], list[int]] = {}
    for event, moved in VisitorMoved.read(run.log):
        if moved.do == "open" and moved.number:
            named.setdefault((event.actor, moved.page), []).append(moved.number)
    pages = {(e.actor, b.page): b for e, b in PageBrowsed.read(run.log) if not b.opened}
    opened = Counter((e.actor, b.page) for e, b in PageBrowsed.read(run.log) if b.opened)
    for event, again in PageBrowsed.read(run.log):
        if again.opened:
            key = event.actor, again.page
            (item,) = again.items
            place = [seen.item for seen in pages[key].items].index(item.item) + 1
            assert place in named[key] and pages[key].items[place - 1].watch == "no", (
                "what was watched is not opened"
            )
    assert opened == {key: len(numbers) for key, numbers in named.items()} and max(opened.values()) == 2
    asked = [a.question for a in run.asked if isinstance(a.question, VisitBrowse) and a.question.opened]
    assert asked and all(len(facts.titles) == 1 and "then opened it" in facts.prompt() for facts in asked)
    assert run.log.columns("views")["opened"].sum() == sum(opened.values())


def test_who_goes_on_sees_all_pages_and_is_asked_on_leaving(
    offline: Run, always: Callable[[str], None]
) -> None:
    always("next")
    run = offline(page={"most": 5})
    visits = run.log.columns("visits")
    assert set(visits["pages"].tolist()) == {5} and set(visits["left"].tolist()) == {"last page"}
    assert len(list(VisitorInterviewed.read(run.log))) == 4 and (visits["satisfaction"] > 0).all()
    views = run.log.columns("views")
    for who in set(views["visitor"].tolist()):
        own = views["item"][views["visitor"] == who].tolist()
        assert len(own) == len(set(own)) == 20, "a title comes once in a visit"


def asked_of(run: Finished, kind: type[Any]) -> dict[str, list[Any]]:
    """The questions of a kind, by who was asked, in order."""
    found: dict[str, list[Any]] = {}
    for asked in run.asked:
        if isinstance(asked.question, kind):
            found.setdefault(asked.place.asker, []).append(asked.question)
    return found


def test_what_was_said_of_a_page_is_told_before_the_next(
    offline: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    browse = VisitBrowse.offline

    def planted(self: VisitBrowse, draw: Draw) -> Any:
        told = browse(self, draw)
        words = {"thoughts": f"Page {self.page} smells of rain."}
        first = told.verdicts[0].model_copy(update={**words, "take": False, "stars": None, "how_it_was": ""})
        return told.model_copy(update={"verdicts": (first, *told.verdicts[1:])})

    monkeypatch.setattr(VisitBrowse, "offline", planted)
    run = offline(visitors={"recalled": 20}, page={"most": 5, "exits": False, "clicks": 0})
    for kind in (VisitBrowse, VisitAct):
        for questions in asked_of(run, kind).values():
            second, third = questions[1].prompt(), questions[2].prompt()
            assert "Page 1 smells of rain." in second and "Page 1 smells of rain." in third
            assert re.search(r"So far you \w.* the recommender", second)
    forgetful = offline(visitors={"recalled": 0}, page={"most": 5, "exits": False, "clicks": 0})
    assert not any(
        "Page 1 smells of rain." in q[2].prompt() for q in asked_of(forgetful, VisitBrowse).values()
    )


def test_each_memory_is_told_once_and_a_visit_in_its_order(offline: Run) -> None:
    run = offline(page={"most": 6, "exits": False, "clicks": 0})
    ordinals, most = ("first", "second", "third", "fourth", "fifth"), 0
    for questions in asked_of(run, VisitBrowse).values():
        for question in questions:
            remembered = question.remembered
            pages = [
                ordinals.index(line.split()[2]) for line in remembered.visit if line.startswith("On the ")
            ]
            assert pages == sorted(pages)
            titles = [line.partition("), ")[0] for line in remembered.recalled]
            assert len(titles) == len(set(titles))
            assert not [title for title in titles if f"{title}) (" in "".join(remembered.visit)], (
                "rated in this visit, and told there"
            )
            most = max(most, len(pages))
            assert question.prompt().count("you thought:") == bool(remembered.learnt)
    assert most > 1


def test_reasons_bear_decisions_out(offline: Run) -> None:
    """Of a page as the log has it: none passed over for what one liked, none taken for what one did not."""
    pages = [page for _, page in PageBrowsed.read(offline(page={"most": 4, "exits": False}).log)]
    said = [one for page in pages for one in page.items]
    close = [one for one in said if one.reason.startswith("It is close to ")]
    good = ("which I liked (", "which was above my usual (")
    assert {(one.watch, any(words in one.reason for words in good)) for one in close} == {
        ("yes", True),
        ("no", False),
    }
    for page in pages:
        rather = [one.reason for one in page.items if one.reason.startswith("I would rather watch ")]
        assert len(rather) <= 1 and {
            f"I would rather watch {one.title}." for one in page.items if one.watch == "yes"
        }.issuperset(rather)


def test_a_page_says_that_nothing_on_it_was_taken_before_where_that_is_so(
    offline: Run, always: Callable[[str], None]
) -> None:
    """Not of a page gone back to, nor where a first visit may have shown it."""
    always("back")
    run = offline(page={"most": 6, "exits": False, "returns": 1, "clicks": 0})
    told = [q for questions in asked_of(run, VisitBrowse).values() for q in questions]
    assert {q.fresh for q in told} == {True, False}
    for question in told:
        assert ("You have not watched " in question.prompt()) == question.fresh == (question.back_on is None)
        before = "".join((*question.remembered.visit, *question.remembered.recalled))
        assert not (question.fresh and [one for one in question.titles if one.title in before])
    first = offline(visitors={"memory": "sim"}, page={"most": 2})
    assert not any(q.fresh for questions in asked_of(first, VisitBrowse).values() for q in questions)


def test_what_was_rated_comes_to_mind_by_what_was_liked_and_is_told_by_its_stars(offline: Run) -> None:
    asked = asked_of(offline(page={"most": 2}, visitors={"graph": False, "recalled": 20}), VisitBrowse)
    told = [line for questions in asked.values() for q in questions for line in q.remembered.recalled]
    assert told and all(line.endswith(" of 5") for line in told if not line.startswith("You "))


def test_who_answers_owns_mood_and_satisfaction(offline: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        "mood": "bored",
        "like_it_so_far": "very much",
        "tiredness": "very tired",
        "do": "next",
        "open": None,
        "why": "Rain.",
    }
    monkeypatch.setattr(Lane, "answerer", lambda self, who, kind: "model")
    monkeypatch.setattr(VisitAct, "offline", lambda self, draw: VisitMove(**{**said, "do": self.moves[-1]}))
    run = offline(page={"most": 2, "clicks": 0, "returns": 0})
    assert {(m.mood, m.like_it_so_far, m.tiredness, m.satisfied) for _, m in VisitorMoved.read(run.log)} == {
        ("bored", "very much", "very tired", None)
    }
    for first, second in asked_of(run, VisitAct).values():
        assert first.before == 0.5 and second.before == 0.9, "the formula does not go on"
        assert (
            "you felt bored and were very tired. So far you liked the recommender very much. You "
            'said: "Rain."' in second.prompt()
        )


@pytest.fixture
def own_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """A recommender with this expression of `n`, the items' numbers, as everybody's scores."""

    def write(scores: str) -> str:
        (tmp_path / "of_mine.py").write_text(
            "import numpy as np\n\n\ndef mine(train, collection, seed):\n    n = np.arange(train.items)\n"
            f"    return lambda users: np.tile({scores}, (len(users), 1))\n"
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "of_mine", raising=False)
        return "of_mine:mine"

    return write


def test_a_system_with_little_to_show_ends_the_visit(offline: Run, own_system: Callable[[str], str]) -> None:
    name = own_system("np.where(n % 30 == 0, 1.0, -np.inf)")
    run = offline(systems=[{"name": "mine", "by": name}], page={"most": 4, "items": 2, "exits": False})
    visits = run.log.columns("visits")
    assert (visits["shown"] <= 3).all() and set(visits["left"].tolist()) == {"nothing left"}


def test_a_system_with_nothing_to_show_is_measured_as_undefined(
    offline: Run, own_system: Callable[[str], str]
) -> None:
    run = offline(systems=[{"name": "mine", "by": own_system("np.full(len(n), -np.inf)")}])
    visits = run.log.columns("visits")
    assert set(visits["left"].tolist()) == {"nothing left"} and (visits["shown"] == 0).all()
    found = Recommender().metrics(run.log)
    assert not found["mine/P_view"].defined and found["mine/P_view"].reason


def test_fitting_anew_changes_lists_from_then_on(offline: Run) -> None:
    ways: dict[str, Any] = {"systems": ["ease"], "page": {"most": 4, "exits": False}}
    once, anew = offline(**ways), offline(**ways, retrain_every=1)
    shown = [
        {
            (b.page, e.actor): [seen.item for seen in b.items]
            for e, b in PageBrowsed.read(run.log)
            if not b.opened
        }
        for run in (once, anew)
    ]
    first = [key for key in shown[0] if key[0] == 1]
    assert first and all(shown[0][key] == shown[1][key] for key in first)
    assert any(shown[0][key] != shown[1].get(key) for key in shown[0] if key[0] > 1)
    assert replay_offline(anew.folder) == anew.content


def test_a_first_visit_fills_memory_and_shows_nothing_held_out(offline: Run, tmp_path: Path) -> None:
    run = offline(
        visitors={"memory": "sim", "warm_up": "popularity", "warm_up_pages": 5, "recalled": 20},
        page={"most": 6},
    )
    data, folds = setup.load_data(RecommenderConfig.model_validate(run.log.study["config"]), tmp_path, 0)
    first = [(e.actor, b) for e, b in PageBrowsed.read(run.log) if b.system == "first"]
    assert first
    for who, page in first:
        user = data.users.index(str(who).removeprefix("user-"))
        known = {int(i) for fold in (folds.train, folds.validation, folds.test) for i in fold.of(user)[0]}
        assert not known & {data.collection.index[seen.item] for seen in page.items}
    later = [
        a.question
        for a in run.asked
        if isinstance(a.question, VisitBrowse) and a.place.lane.startswith("popularity/")
    ]
    new = ("You took ", "On the ", "You noticed")
    assert any(
        memory.startswith(new) for facts in later if facts.page == 1 for memory in facts.remembered.recalled
    )
    assert "first" not in {name.split("/")[0] for name in Recommender().metrics(run.log)}, (
        "the first visit is no result"
    )


def by_model(*kinds: str) -> dict[str, Any]:
    return {"answers": {"kind": dict.fromkeys(kinds, "model")}, "model": {"name": "standin"}}


def test_who_has_spent_its_tokens_leaves(live: Callable[..., Any], served: Callable[..., Any]) -> None:
    settings = load_settings(served()[1])
    ways: dict[str, Any] = {"visitors": {"tokens": 20}, "systems": ["popularity", "random"]}
    folder, content, run = live(
        settings, by_model("recommender.act"), **ways, page={"most": 6, "exits": False}
    )
    log = Log(run)
    spent: dict[tuple[str, str | None], list[tuple[str, int]]] = {}
    for event in log.events("asked"):
        if event.actor and event.actor.startswith("user-"):
            spent.setdefault((event.lane, event.actor), []).append(
                (event.payload["outcome"], event.payload["debit"])
            )
    assert len(spent) == 8, "a budget is for one visit"
    for found in spent.values():
        assert sum(debit for _, debit in found) == 20 and found[-1][0] == "exhausted"
    visits = log.columns("visits")
    assert set(visits["left"].tolist()) == {"spent"} and set(visits["pages"].tolist()) == {1}
    assert replay_offline(folder) == content


def test_an_answer_that_cannot_be_used_is_asked_for_once_more_and_never_guessed(
    live: Callable[..., Any], served: Callable[..., Any]
) -> None:
    settings = load_settings(served(malformed=1.0, malformed_kinds=("words",))[1])
    folder, content, run = live(settings, by_model("recommender.browse"))
    log = Log(run)
    asked = [e.payload for e in log.events("asked") if e.payload["question"] == "recommender.browse"]
    assert len(asked) == 4 * 3 and {(a["outcome"], a["attempts"]) for a in asked} == {("failed", 2)}
    visits = log.columns("visits")
    assert visits["failures"].tolist() == [3] * 4
    assert visits["shown"].tolist() == visits["pages"].tolist() == [0] * 4, (
        "what was not judged does not count as shown"
    )
    assert not log.columns("views") and (visits["satisfaction"] == 0).all(), (
        "nobody tells of what they did not see"
    )
    assert replay_offline(folder) == content


def test_personas_of_another_study_visit_unedited(offline: Run, tmp_path: Path) -> None:
    shutil.copy(WIND, tmp_path / "people.toml")
    run = offline({"personas": "people.toml"}, users=10)
    own = [p for p in run.log.personas if not p.id.startswith("user-")]
    assert own == list(load_personas(WIND)) and len(run.log.personas) == 10
    visits = run.log.columns("visits")
    assert {p.id for p in own} < set(visits["visitor"].tolist()) and (visits["shown"] > 0).all()
    told = [e.payload for e in run.log.events("recommender.visitor") if e.actor == own[0].id]
    assert [(t["ratings"], t["truth"]) for t in told] == [(0, {})]


def test_a_taste_of_content_rests_on_no_recommender(tmp_path: Path) -> None:
    """What is fitted to who rated what is left out, so that no system under test is judged by its like."""
    spec: dict[str, Any] = {
        "data": {"name": "synthetic", "synthetic": {"users": 60, "items": 90}},
        "users": 4,
    }
    made = {}
    for taste in ("full", "content"):
        config = RecommenderConfig.model_validate({**spec, "visitors": {"taste": taste}})
        made[taste] = setup.fit_taste(config, *setup.load_data(config, tmp_path, 0))
    assert list(made["content"].ratings.parts) == ["content"] and list(made["content"].interest.signals) == [
        "content"
    ]
    assert {"factors", "neighbours"} & set(made["full"].ratings.parts) and len(
        made["full"].interest.signals
    ) > 1


def test_fame_draws_nobody_where_popularity_can_be_under_test(tmp_path: Path) -> None:
    """Whichever systems are compared, visitors are the same; only where none is, they may go by what is
    famous."""
    spec: dict[str, Any] = {
        "data": {"name": "synthetic", "synthetic": {"users": 60, "items": 90}},
        "users": 4,
    }
    signals = {}
    for experiment, systems in (
        ("visits", ["popularity"]),
        ("visits", ["ease"]),
        ("discrimination", ["ease"]),
    ):
        config = RecommenderConfig.model_validate({**spec, "systems": systems, "experiment": experiment})
        signals[experiment, *systems] = set(
            setup.fit_taste(config, *setup.load_data(config, tmp_path, 0)).interest.signals
        )
    assert (
        signals["visits", "popularity"]
        == signals["visits", "ease"]
        == signals["discrimination", "ease"] - {"fame"}
    )
    assert "fame" in signals["discrimination", "ease"]


def test_a_system_learns_from_visits_to_itself_alone(tmp_path: Path) -> None:
    """An arm of an A/B test must not change when another stands beside it."""
    sets = (
        "config.data.synthetic={users=60, items=90}",
        "config.users=6",
        "config.page.most=4",
        "config.retrain_every=1",
    )
    seen = {}
    for systems in (["ease"], ["random", "ease"]):
        folder = tmp_path / str(len(systems))
        made = run_offline("recommender", folder, *sets, f"config.systems={json.dumps(systems)}")
        rows = made.log.columns("views")
        mine = rows["system"] == "ease"
        seen[len(systems)] = list(
            zip(rows["visitor"][mine], rows["item"][mine], rows["rating"][mine], strict=True)
        )
        made.run.close()
    assert seen[1] == seen[2]
