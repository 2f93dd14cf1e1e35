from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from openiir.core.errors import UnusableAnswer
from openiir.core.seeds import Draw
from openiir.core.storage import Log, RunFile
from openiir.kit.offline_speaker import Passage
from openiir.scenarios.panel.model.speaking.citations import strip_marks
from openiir.scenarios.panel.questions.ideas import (
    Idea,
    IdeaRanking,
    PitchIdea,
    RankIdeas,
    VoteOn,
)
from openiir.scenarios.panel.run.actions import Pitched, RankedIdeas, RankingOutcome, Voted
from openiir.scenarios.panel.run.ideation import unique_title


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    import asyncio

    from openiir.runs.engine import Watcher, drive
    from openiir.runs.prepare import prepare_run
    from openiir.runs.settings import Settings
    from openiir.runs.study import load_study

    folder = tmp_path_factory.mktemp("storm") / "run"
    with prepare_run(load_study("panel", ["config.shape=ideation"]), folder, Settings()) as run:
        asyncio.run(drive(run, Settings(), Watcher()))
    with RunFile.open(folder) as run:
        yield Log(run)


def own(log: Log) -> dict[str, str]:
    return {p.idea: e.actor or "" for e, p in Pitched.read(log) if p.merged_into is None}


def test_everyone_pitches_twice(storm: Log) -> None:
    pitched = Counter(event.actor for event, _ in Pitched.read(storm))
    assert set(pitched.values()) == {2} and len(pitched) == len(storm.personas)


def test_merged_ideas_are_voted_on_once_under_the_earlier_one(storm: Log) -> None:
    merged = {p.idea for _, p in Pitched.read(storm) if p.merged_into}
    assert not merged & {v.idea for _, v in Voted.read(storm)}


def test_a_title_that_another_idea_has_is_numbered() -> None:
    assert unique_title("Labels", ["Language model"]) == "Labels"
    assert unique_title("Language Model", ["Language model", "Language model (2)"]) == "Language Model (3)"


def test_every_idea_has_three_votes_by_three_others(storm: Log) -> None:
    votes: dict[str, list[str]] = {name: [] for name in own(storm)}
    for event, vote in Voted.read(storm):
        votes[vote.idea].append(event.actor or "")
    for name, voters in votes.items():
        assert len(voters) == 3 == len(set(voters)) and own(storm)[name] not in voters


def test_votes_are_shared_out_evenly(storm: Log) -> None:
    load = Counter(event.actor for event, _ in Voted.read(storm))
    assert max(load.values()) - min(load.values()) <= 1


def test_only_ideas_with_a_majority_are_ranked_and_borda_decides(storm: Log) -> None:
    yes: Counter[str] = Counter()
    for _, vote in Voted.read(storm):
        yes[vote.idea] += vote.keep
    kept = sorted(name for name in own(storm) if yes[name] >= 2)
    ballots = [ranked.order for _, ranked in RankedIdeas.read(storm)]
    assert all(sorted(order) == kept for order in ballots)
    points = {name: sum(len(kept) - 1 - order.index(name) for order in ballots) for name in kept}
    ((_, outcome),) = RankingOutcome.read(storm)
    expected = sorted(kept, key=lambda name: (-points[name], -yes[name], name))[:10]
    assert list(outcome.ideas) == expected
    assert list(outcome.points) == [points[name] for name in expected]


def test_a_shortfall_is_said_and_never_padded(storm: Log) -> None:
    ((_, outcome),) = RankingOutcome.read(storm)
    assert outcome.shortfall == 10 - len(outcome.ideas) and len(set(outcome.ideas)) == len(outcome.ideas)


def idea(**fields: Any) -> Idea:
    return Idea(
        **{"id": "i001", "title": "Pools", "text": "Deep pools should be kept.", "cited": True, **fields}
    )


def vote_on(**fields: Any) -> VoteOn:
    by = {"stance": 0.9, "interests": ("pools",), "support": 0.7, "novelty": 1.0, "idea": "i001", **fields}
    return VoteOn("Deep pools should be kept", "firmly in favour", idea().title, idea().text, (), (), **by)


def test_what_one_cares_about_is_kept_more_often() -> None:
    def share(**fields: Any) -> float:
        asked = vote_on(**fields)
        return sum(asked.offline(Draw(1, "v", agent=n)).keep for n in range(300)) / 300

    assert share() > share(interests=("labour",), stance=-0.9) + 0.1
    assert share(novelty=1.0) > share(novelty=0.0)


def test_a_ranking_names_each_idea_once() -> None:
    ideas, pool = ("Pools. Keep them.", "Users. Ask users."), (idea(), idea(id="i002", text="Ask users."))
    asked = RankIdeas("Deep pools", "in favour", ideas, (2, 3), (), 0.5, ("pools",), pool)
    asked.check(asked.offline(Draw(3, "r")))
    for order in ((1,), (1, 1), (1, 2, 3)):
        with pytest.raises(UnusableAnswer, match="each of 1 to 2 once"):
            asked.check(IdeaRanking(order=order))


def test_a_pitch_is_not_what_was_pitched_before() -> None:
    passages = (
        Passage(id="c0001", text="Evaluators should publish every prompt they used with the labels."),
        Passage(id="c0002", text="Campaigns could pay for a small human sample in each new collection."),
    )

    def pitch(*pool: str) -> str:
        before = tuple(map(strip_marks, pool))
        asked = PitchIdea("Labels by machine", "Pitch.", "undecided", (), before, (), 0.0, passages)
        return asked.offline(Draw(1, "p")).text

    first = pitch()
    second = pitch(first)
    assert "[1]" in first + second and "[2]" in first + second and first != second
    assert "[" not in pitch(first, second)
