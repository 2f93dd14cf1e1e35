"""A language model answers for users, system and judge: dialogues end in typed ways, nothing is made up for
it, and a replay needs no model."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
import tomli_w

from openiir.core.storage import Log, RunFile
from openiir.runs.engine import Watcher, drive
from openiir.runs.prepare import prepare_run
from openiir.runs.run_io import open_checked
from openiir.runs.settings import load_settings
from openiir.runs.study import load_study
from openiir.scenarios.conversational.run.actions import DialogueJudged, DialogueLogged, End
from openiir.scenarios.conversational.scenario import Conversational
from openiir.testing.offline import replay_offline

SMALL: dict[str, Any] = {
    "data": {"name": "synthetic", "synthetic": {"users": 30, "items": 60}},
    "dialogues": 5,
    "turns": 4,
    "simulators": [{"name": "agenda", "by": "agenda", "acts": False}, "single", "dual"],
    "systems": ["attribute", "prompted"],
}
ALL: dict[str, Any] = {"answers": "model", "model": {"name": "standin", "max_tokens": 400}}
TALK = ("understand", "respond", "realise", "speak", "stop", "go-on", "say-over")
SAYS = {"conversational.realise", "conversational.speak", "conversational.go-on"}
Live = Callable[..., tuple[Path, str, RunFile]]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """Runs a small study with the settings of a file; gives folder, content and the run, open for reading."""
    done: list[RunFile] = []

    def run(file: Path, top: Mapping[str, Any] = ALL, **config: Any) -> tuple[Path, str, RunFile]:
        study = tmp_path / "study.toml"
        study.write_text(
            tomli_w.dumps(
                {"type": "conversational", "name": "s", "seed": 3, **top, "config": {**SMALL, **config}}
            )
        )
        folder, settings = tmp_path / f"run-{len(done)}", load_settings(file)
        with prepare_run(load_study(str(study)), folder, settings) as begun:
            content = asyncio.run(drive(begun, settings, Watcher()))
        done.append(open_checked(folder, finished=True))
        return folder, content, done[-1]

    yield run
    for one in done:
        one.close()


def by_kinds(*kinds: str) -> dict[str, Any]:
    return {**ALL, "answers": {"kind": {f"conversational.{kind}": "model" for kind in kinds}}}


def outcomes(log: Log) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for event in log.events("asked"):
        found.setdefault(event.payload["question"].split(".")[1], Counter())[event.payload["outcome"]] += 1
    return found


def held(log: Log) -> list[tuple[str, DialogueLogged]]:
    """The dialogues with their lanes."""
    return [(event.lane, one) for event, one in DialogueLogged.read(log)]


def replies(run: RunFile) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The usable replies of the model, by lane and kind, in order."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    rows = run.db.execute(
        "select lane, kind, reply from call where usable = 1 order by lane, kind, ordinal, attempt"
    )
    for lane, kind, reply in rows:
        found.setdefault((lane, kind), []).append(json.loads(reply))
    return found


def failures(log: Log) -> Counter[str]:
    """Questions without a usable answer, by lane."""
    return Counter(event.lane for event in log.events("asked") if event.payload["outcome"] == "failed")


def test_a_whole_study_replays_without_the_model(live: Live, served: Callable[..., Any]) -> None:
    server, settings = served(malformed=0.1)
    folder, content, run = live(settings, dialogues=8, judge={"dialogues": 3, "probes": True})
    log = Log(run)
    asked = outcomes(log)
    assert {*TALK, "judge"} == asked.keys() and all(
        asked[kind]["answered"] for kind in ("respond", "speak", "judge")
    )
    assert len(held(log)) == 48 and {one.end for _, one in held(log)} <= set(get_args(End))
    assert all(measure.defined or measure.reason for measure in Conversational().metrics(log).values())
    mended = run.db.execute("select count(*) from call where attempt = 1 and usable = 1").fetchone()[0]
    assert mended, "some answers were usable once it was said what was wrong with them"
    tried = server.counts.requests
    assert replay_offline(folder) == content
    assert server.counts.requests == tried, "a replay asks nobody"


def test_a_dialogue_fails_where_an_answer_does_and_nowhere_else(
    live: Live, served: Callable[..., Any]
) -> None:
    _, _, run = live(served(malformed=0.3)[1], by_kinds(*TALK), dialogues=8)
    log = Log(run)
    lost = failures(log)
    for lane, one in held(log):
        failed = one.end in ("simulator-error", "system-error")
        assert failed == bool(lost[lane]), f"{lane}: {one.end}, {lost[lane]} questions failed"
        assert one.utterances or one.end == "system-error", "what was said is on record, understood or not"
        assert one.reason == {
            "simulator-error": "no usable answer came",
            "system-error": "gave no usable answer",
        }.get(one.end, "")
    assert {one.end for _, one in held(log)} >= {"simulator-error", "system-error", "gave-up"}


def test_no_word_of_the_users_is_made_up(live: Live, served: Callable[..., Any]) -> None:
    _, _, run = live(served(malformed=0.2)[1], by_kinds(*TALK), dialogues=8, turns=6)
    said = replies(run)
    for lane, one in held(Log(run)):
        words = [
            reply.get("say") or reply["text"]
            for (where, kind), found in said.items()
            if where == lane and kind in SAYS
            for reply in found
        ]
        uttered = [utterance.text for utterance in one.utterances if utterance.speaker == "user"]
        assert uttered == words[: len(uttered)]


def test_nothing_is_taken_that_was_not_offered(live: Live, served: Callable[..., Any]) -> None:
    kinds = by_kinds("respond", "speak", "stop")
    _, _, run = live(served(malformed=0.2)[1], kinds, dialogues=25, turns=6, systems=["oracle", "random"])
    ends = Counter(one.end for _, one in held(Log(run)))
    assert ends["satisfied"] and ends["gave-up"]
    for _, one in held(Log(run)):
        offered = {item for offer in one.offers for item in offer.items}
        assert (one.accepted in offered) if one.end == "satisfied" else one.accepted is None


def test_who_has_no_tokens_left_says_no_more(live: Live, served: Callable[..., Any]) -> None:
    config: dict[str, Any] = {
        "simulators": ["single"],
        "systems": ["random"],
        "turns": 9,
        "users": {"tokens": 60},
    }
    log = Log(live(served()[1], by_kinds("speak"), **config, dialogues=6)[2])
    ended = Counter((one.end, one.reason) for _, one in held(log))
    assert ended["simulator-error", "its tokens are spent"]


def test_an_answer_that_cannot_be_used_lacks_the_grades_of_all_its_aspects(
    live: Live, served: Callable[..., Any]
) -> None:
    one: dict[str, Any] = {"simulators": ["agenda"], "systems": ["attribute"], "dialogues": 8}
    folder, content, run = live(
        served(malformed=0.6)[1], by_kinds("judge"), **one, judge={"dialogues": 8, "together": True}
    )
    log = Log(run)
    scores = [judged.score for _, judged in DialogueJudged.read(log)]
    counted = outcomes(log)["judge-together"]
    assert scores.count(None) == 5 * counted["failed"] > 0 and len(scores) == 5 * counted.total()
    assert replay_offline(folder) == content


def test_a_judgement_that_cannot_be_used_is_missing(live: Live, served: Callable[..., Any]) -> None:
    _, _, run = live(served(malformed=0.6)[1], by_kinds("judge"), dialogues=6, judge={"dialogues": 6})
    log = Log(run)
    scores = [one.score for _, one in DialogueJudged.read(log)]
    counted = outcomes(log)["judge"]
    assert counted["failed"] == scores.count(None) > 0
    assert sum(score is not None for score in scores) == counted["answered"] > 0


def test_how_many_dialogues_are_under_way_does_not_matter(live: Live, served: Callable[..., Any]) -> None:
    contents = set()
    for width in (1, 8):
        _, settings = served(f'[endpoint]\nurl = "URL"\nwidth = {width}\n', malformed=0.2)
        contents.add(live(settings, judge={"dialogues": 2})[1])
    assert len(contents) == 1


@pytest.mark.parametrize("schemas", ["ignored", "refused", "json_object"])
def test_endpoints_that_keep_to_no_schema(schemas: str, live: Live, served: Callable[..., Any]) -> None:
    top = {**ALL, "model": {**ALL["model"], "form": "schema"}}
    folder, content, run = live(served(schemas=schemas)[1], top, dialogues=2, systems=["attribute"])
    assert outcomes(Log(run))["speak"]["answered"]
    assert replay_offline(folder) == content


def test_a_shadow_model_changes_no_dialogue(live: Live, served: Callable[..., Any]) -> None:
    _, settings = served()
    shadowed = {**ALL, "answers": {"shadow": "model"}}
    alone, beside = (Log(live(settings, top)[2]) for top in ({}, shadowed))
    assert [one for _, one in held(alone)] == [one for _, one in held(beside)]
    shadows = Counter(event.payload["question"] for event in beside.events("shadow"))
    assert {kind.split(".")[1] for kind in shadows} == {*TALK}


def test_a_model_of_random_weights_ends_and_replays(live: Live, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="needs llama.cpp's server (the xllamacpp wheel)")
    pytest.importorskip("gguf", reason="needs the gguf package to build the model")
    from tiny_model import tiny_model_server

    kinds = by_kinds("respond", "speak", "stop", "go-on", "judge")
    top = {**kinds, "model": {"name": "tiny", "max_tokens": 50}}
    with tiny_model_server() as url:
        file = tmp_path / "tiny.toml"
        file.write_text(f'[endpoint]\nurl = "{url}"\nwidth = 1\ntimeout = 30\n')
        folder, content, run = live(
            file, top, dialogues=1, turns=2, systems=["attribute"], judge={"dialogues": 1}
        )
    log = Log(run)
    assert len(held(log)) == 3 and {one.end for _, one in held(log)} <= set(get_args(End))
    assert all(set(found) <= {"answered", "failed", "exhausted"} for found in outcomes(log).values())
    assert replay_offline(folder) == content
