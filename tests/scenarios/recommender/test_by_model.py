"""A language model answers for everybody: runs end, failures stay failures, and a replay needs no model."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.core.storage import Log
from openiir.plugin import Lane
from openiir.runs.settings import load_settings
from openiir.scenarios.recommender import Recommender
from openiir.scenarios.recommender.questions.recognise import Recognise, Recognition, Recognitions
from openiir.scenarios.recommender.run.actions import VisitorMoved
from openiir.scenarios.recommender.views import tables
from openiir.scenarios.recommender.views.timeline import visit_timeline
from openiir.testing.offline import replay_offline

ALL = {"answers": "model", "model": {"name": "standin", "max_tokens": 200}}
OF_VISITS = {**ALL, "answers": {"default": "model", "kind": {"recommender.match": "offline"}}}
"""Matching asks some 40 questions a visitor."""
SHORT: dict[str, Any] = {"users": 3, "page": {"most": 3, "items": 1}, "judge": {"visits": 1}}


def outcomes(log: Log) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for event in log.events("asked"):
        found.setdefault(event.payload["question"], Counter())[event.payload["outcome"]] += 1
    return found


def test_a_whole_study_by_a_model_replays_byte_for_byte(
    live: Callable[..., Any], served: Callable[..., Any]
) -> None:
    server, settings = served(malformed=0.4)
    folder, content, run = live(load_settings(settings), OF_VISITS, **SHORT)
    log = Log(run)
    asked = outcomes(log)
    of_visits = {f"recommender.{kind}" for kind in ("self-ask", "taste", "persona", "browse", "judge")}
    assert of_visits <= asked.keys() and asked["recommender.browse"]["answered"]
    visits, views = log.columns("visits"), log.columns("views")
    failed = asked["recommender.browse"]["failed"] + asked.get("recommender.act", Counter())["failed"]
    assert visits["failures"].sum() >= failed > 0 and visits["shown"].sum() == (
        len(views["item"]) if views else 0
    )
    assert all(measure.defined or measure.reason for measure in Recommender().metrics(log).values())
    told = tables.comparison_table(log)
    assert "model" in dict(zip(told.names, told.rows[0], strict=True))["answered by"]
    tried = server.counts.requests
    assert replay_offline(folder) == content
    assert server.counts.requests == tried, "a replay asks nobody"


@pytest.mark.parametrize("experiment", ["discrimination", "rating", "coherence"])
def test_each_experiment_by_a_model(
    experiment: str, live: Callable[..., Any], served: Callable[..., Any]
) -> None:
    tasks: dict[str, Any] = {
        "discrimination": {"negatives": [1], "items": 4, "least": 2},
        "rating": {"items": 1},
        "coherence": {"requests": 1},
    }
    own = {experiment: tasks[experiment]}
    ways = {"users": 2, "experiment": experiment, "visitors": {"persona": False}, **own}
    folder, content, run = live(load_settings(served()[1]), ALL, **ways)
    assert all(measure.defined or measure.reason for measure in Recommender().metrics(Log(run)).values())
    assert replay_offline(folder) == content


def test_several_answerers_stand_apart(live: Callable[..., Any], served: Callable[..., Any]) -> None:
    top = {"answers": {"persona": {"user-u09": {"recommender.act": "model"}}}, "model": {"name": "standin"}}
    log = Log(live(load_settings(served()[1]), top)[2])
    told = tables.comparison_table(log)
    visitors = {row[0]: row[-1] for row in told.rows}
    assert visitors == {
        "popularity": "model, offline",
        "popularity (model)": "model",
        "popularity (offline)": "offline",
    }
    assert {"popularity (model)/N_exit", "popularity/N_exit"} <= Recommender().metrics(log).keys()
    moved = {(event.actor == "user-u09", entry.satisfied is None) for event, entry in VisitorMoved.read(log)}
    assert moved == {(True, True), (False, False)}, "the formula goes on for those whom it answers for"
    for who, by in (("user-u09", "by standin"), ("user-u11", "offline")):
        noted = [entry.notes for entry in visit_timeline(log, agent=who) if f"answered {by}" in entry.notes]
        assert noted and all(first.startswith("feels ") for first, *_ in noted), (
            "moves alone differ in who answers them"
        )
        assert all(("by the formula" in first) == (by == "offline") for first, *_ in noted)


def test_a_page_without_a_usable_answer_is_told_of(
    live: Callable[..., Any], served: Callable[..., Any]
) -> None:
    _, settings = served(malformed=1.0)
    log = Log(
        live(
            load_settings(settings),
            OF_VISITS,
            users=1,
            page={"most": 1, "items": 1},
            visitors={"persona": False},
        )[2]
    )
    lost = [entry for entry in visit_timeline(log) if entry.heading == "gives no usable answer"]
    assert [(entry.text, len(entry.notes)) for entry in lost] == [("page 1", 1)]
    assert lost[0].notes[0].startswith("no usable answer (recommender.browse): ")


def test_ratings_say_who_gave_them(live: Callable[..., Any], served: Callable[..., Any]) -> None:
    """The behaviour model's expectation stands in rows of its own, and several answerers apart."""
    top = {"answers": {"persona": {"user-u09": {"recommender.rate": "model"}}}, "model": {"name": "standin"}}
    log = Log(
        live(
            load_settings(served()[1]),
            top,
            experiment="rating",
            visitors={"persona": False},
            rating={"items": 1},
        )[2]
    )
    rows = {
        (row[0], row[1])
        for row in tables.rating_table(log).rows
        if "baseline" not in row[1] and "behaviour model" not in row[1]
    }
    said = "what the visitor answered"
    assert rows == {
        ("all", f"{said} (model, offline)"),
        ("answered by model", said),
        ("answered by offline", said),
    }
    assert {
        "rating.given.rmse",
        "rating.model.given.rmse",
        "rating.offline.expected.rmse",
    } <= Recommender().metrics(log).keys()


def test_no_row_of_who_answered_is_ranked_by_the_formula(
    offline: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Lane, "answerer", lambda self, who, kind: "model")
    monkeypatch.setattr(Recognise, "offline", lambda self, draw: _could_be(len(self.titles)))
    log = offline(
        experiment="discrimination", discrimination={"negatives": [1], "items": 4, "least": 2}, users=8
    ).log
    told = [
        dict(zip(tables.discrimination_table(log).names, row, strict=True))
        for row in tables.discrimination_table(log).rows
    ]
    assert {row["AUC"] for row in told if row["scorer"] == "agent (model)"} == {0.5}, (
        "who is as sure of all ranks nothing"
    )
    assert not [row for row in told if row["scorer"] in ("agent", "agent, told the ratio")]


def _could_be(n: int) -> Recognitions:
    return Recognitions(
        titles=tuple(Recognition(number=number, met="could be") for number in range(1, n + 1))
    )


def test_how_many_questions_are_under_way_does_not_matter(
    live: Callable[..., Any], served: Callable[..., Any]
) -> None:
    contents = set()
    for width in (1, 16):
        _, settings = served(f'[endpoint]\nurl = "URL"\nwidth = {width}\n')
        ways: dict[str, Any] = {"visitors": {"persona": False}, "page": {"most": 2, "items": 1}}
        contents.add(live(load_settings(settings), ALL, systems=["popularity", "random"], **ways)[1])
    assert len(contents) == 1


def test_a_model_of_random_weights_ends_and_replays(live: Callable[..., Any], tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="needs llama.cpp's server (the xllamacpp wheel)")
    pytest.importorskip("gguf", reason="needs the gguf package to build the model")
    from tiny_model import tiny_model_server

    kinds = ("browse", "act", "reflect", "interview", "self-ask")
    top = {
        "answers": {"kind": dict.fromkeys((f"recommender.{kind}" for kind in kinds), "model")},
        "model": {"name": "tiny", "max_tokens": 80},
    }
    with tiny_model_server() as url:
        (tmp_path / "tiny.toml").write_text(f'[endpoint]\nurl = "{url}"\nwidth = 1\ntimeout = 30\n')
        folder, content, run = live(
            load_settings(tmp_path / "tiny.toml"), top, users=2, page={"most": 2, "items": 1}
        )
    asked = outcomes(Log(run))
    assert asked["recommender.browse"].total() >= 2 and set(asked["recommender.browse"]) <= {
        "answered",
        "failed",
    }
    assert set(Log(run).columns("visits")["left"].tolist()) <= {"exit", "last page", "nothing left", "spent"}
    assert replay_offline(folder) == content
