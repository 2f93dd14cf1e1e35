"""Runs in which somebody else than the behaviour models writes, judges, moderates and rewords."""

import asyncio
from contextlib import AsyncExitStack, contextmanager

import pytest
from prompts_asked import BY_MODEL

from openiir.core.asking import Answer, OfflineAnswerer
from openiir.core.storage import Log
from openiir.plugin import InputError
from openiir.runs.build import RunSources, build_run_context
from openiir.runs.engine import Watcher, run_steps
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.scenarios.multi_generational.model.credibility.beliefs import word_belief
from openiir.scenarios.multi_generational.questions import (
    AuthorPost,
    JudgePost,
    PostBelief,
    Removal,
    RewriteText,
    RewrittenText,
    TakeDown,
    WrittenClaim,
)
from openiir.scenarios.multi_generational.run.actions import Born, Judged, Matched, Met, Posted, Standing
from openiir.scenarios.multi_generational.run.births import read_birth_history

SMALL = [
    "config.generations=3",
    "config.producers=3",
    "config.detectors=3",
    "config.pairs=2",
    "config.rounds=2",
    "config.controls=[]",
    "config.matrix.generations=0",
    "config.mutation.text=0.5",
]
WORDS = "Lakes and rivers, says a neighbour."
REWORDED = "Say it in the words of a letter to a friend."


class Scripted(OfflineAnswerer):
    """Answers under a model's name by what the tests put in the place of the behaviour models."""

    def __init__(self, name):
        self.name = self.label = name

    async def answer(self, asked):
        reply = asked.question.offline(asked.draw)
        return Answer(None, self.name, failure="said nothing") if reply is None else self.wrap(reply)


@contextmanager
def answered(tmp_path, sets=()):
    async def live(run):
        async with AsyncExitStack() as exits:
            machine = await build_run_context(run, Settings(), RunSources(live=False), exits)
            answering = machine.stage.answering
            answering.answerers = {name: Scripted(name) for name in answering.answerers}
            await run_steps(machine, run, Watcher())

    with prepare_run(
        load_study("multi_generational", [*BY_MODEL, *SMALL, *sets]), tmp_path / "run", Settings()
    ) as run:
        asyncio.run(live(run))
        yield Log(run)


def test_what_a_model_says_is_what_happens(tmp_path, monkeypatch):
    monkeypatch.setattr(
        AuthorPost,
        "offline",
        lambda self, draw: WrittenClaim(text=WORDS, uses=(1,) if self.found else ()),
    )
    monkeypatch.setattr(JudgePost, "offline", lambda self, draw: PostBelief(belief="very likely true"))
    monkeypatch.setattr(TakeDown, "offline", lambda self, draw: Removal(remove=(1,)))
    monkeypatch.setattr(RewriteText, "offline", lambda self, draw: RewrittenText(text=REWORDED))
    with answered(tmp_path) as log:
        posted, judged = [one for _, one in Posted.read(log)], [one for _, one in Judged.read(log)]
        assert {text for one in posted for text in one.texts} == {WORDS}
        assert {p for one in judged for p in one.p} == {0.1}
        survival = [value for one in posted if one.generation == 0 for value in one.survival]
        assert (
            set(survival) == {0.0, 1.0} and survival.count(0.0) == 4
        )  # 12 posts in two lists, one each in two rounds
        assert all(
            landed == bool(alive)
            for one in posted
            for landed, alive in zip(one.landed, one.survival, strict=True)
        )
        births = [
            birth
            for side in ("producer", "detector")
            for cohort in read_birth_history(log, side).births
            for birth in cohort
        ]
        changed = [
            one
            for birth in births
            for one in birth.mutations
            if one.locus in ("template", "bio.expertise", "bio")
        ]
        assert any(
            one.after == REWORDED and f"{{+{REWORDED.split()[0]}" in one.words
            for one in changed
            if one.locus == "template"
        )


def test_a_shadow_is_asked_in_words_and_moves_nothing(tmp_path):
    fates = (Born, Met, Posted, Standing)
    with answered(tmp_path / "plain", ['answers="offline"']) as log:
        plain = [one for kind in (*fates, Judged) for _, one in kind.read(log)]
    with answered(tmp_path / "shadowed", ['answers={default="offline", shadow="model"}']) as log:
        assert [one for kind in (*fates, Judged) for _, one in kind.read(log)] == plain
        said: dict[str, list[str]] = {}
        for event in log.events("shadow"):
            reply = event.payload["shadow_reply"]
            assert reply == event.payload["reply"]
            if event.payload["question"] == JudgePost.kind:
                said.setdefault(f"{event.step}/{event.actor}", []).append(reply["belief"])
        first = {one.pair: int(one.versions[0] > one.versions[1]) for _, one in Matched.read(log)}
        for event, one in Judged.read(log):
            met = next(met for other, met in Met.read(log) if other.step == event.step)
            authors = [str(other.actor) for other, _ in Posted.read(log) if other.step == event.step]
            names = [
                f"{author}/{pair}/{kind}"
                for author in authors
                for pair in met.pairs
                for kind in (first[pair], 1 - first[pair])
            ]
            by_name = sorted(zip(names, map(word_belief, one.p), strict=True))
            assert said[f"{event.step}/{event.actor}"][: len(names)] == [belief for _, belief in by_name]


def test_who_says_nothing_posts_nothing_and_abstains(tmp_path, monkeypatch):
    monkeypatch.setattr(JudgePost, "offline", lambda self, draw: None)
    monkeypatch.setattr(
        AuthorPost,
        "offline",
        lambda self, draw: None if self.version.endswith("0") else WrittenClaim(text=WORDS),
    )
    with answered(tmp_path, ["config.generations=1"]) as log:
        assert {p for _, one in Judged.read(log) for p in one.p} == {0.5}
        (row,) = log.table("generations")
        assert row["abstained"] == 3 * 3 * 2, "of the posts that were written"
        assert {
            event.payload["outcome"]
            for event in log.events("asked")
            if event.payload["question"] == JudgePost.kind
        } == {"failed"}
        for _, one in Posted.read(log):
            assert sorted(map(bool, one.texts)) == [False, False, True, True]
            assert not any(landed for text, landed in zip(one.texts, one.landed, strict=True) if not text)


def test_controls_beside_a_model_are_refused(tmp_path):
    with (
        pytest.raises(InputError, match=r"config.controls = \[\]"),
        answered(tmp_path, ['config.controls=["neutral"]']),
    ):
        pass
