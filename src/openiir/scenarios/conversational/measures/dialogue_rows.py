"""Scores of each dialogue, computed from its log event."""

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from openiir.kit.text_tables import read_text_table
from openiir.plugin import Log, int_sum
from openiir.scenarios.conversational.config import config_at
from openiir.scenarios.conversational.measures.conduct import (
    constraint_coverage,
    ignored_critique_rate,
    repeated_question_rate,
)
from openiir.scenarios.conversational.measures.judges import plain_grades
from openiir.scenarios.conversational.measures.outcome import (
    recall_at,
    reciprocal_rank,
    reward_per_length,
    round_ratio,
    target_rank,
    turns_to_target,
    user_act_ratio,
    usersimcrs_reward,
)
from openiir.scenarios.conversational.model.dialogue import Utterance, load_utterances
from openiir.scenarios.conversational.run.actions import FAILED, DialogueLogged, StudyOpened

WITHIN = (3, 5)
"""Turn limits of `success@N`, in addition to the run's own limit."""
DEPTHS = (1, 5, 10)
_CELLS = read_text_table("""
success | yes or no with ends
success@3 success@5 | yes or no
accepted | yes or no with ends
turns | mean with ends
turns.success | mean | no dialogue was a success
turns.restricted | mean with ends
offered | yes or no
recall@1 | mean with ends | nothing was recommended
recall@5 recall@10 | mean | nothing was recommended
recall.any@10 | mean | no item is a target
mrr | mean with ends | no item is a target
rank.target turns.target | mean | no target was recommended
utility | mean | nothing was recommended
rounds.accepted | mean with ends | no recommendation was answered
reward | mean
reward.length | mean | nothing was said
acts.ratio | mean | no act of a system is known
coverage | mean | no need has a constraint
questions.repeated | mean | the system asked for nothing
critiques.ignored | mean | no critique was followed by a recommendation
judge.relevance judge.style judge.fluency judge.flow | mean | it was not judged
judge.satisfaction | mean with ends | it was not judged
""")
_SCORES = [(name, cells) for names, cells in _CELLS.items() for name in names.split()]
SCORES: Mapping[str, str] = {name: "".join(why) for name, (_, *why) in _SCORES}
"""Names of the scores, each with the reason why a dialogue may have no value."""
YES_OR_NO = frozenset(name for name, (kind, *_) in _SCORES if kind.startswith("yes or no"))
BOUNDED = frozenset(name for name, (kind, *_) in _SCORES if kind.endswith("with ends"))
"""Scores reported with the ends of their confidence interval over needs."""


class DialogueRow(NamedTuple):
    """Scores of one dialogue, with its simulator, system and user group."""

    number: int
    simulator: str
    system: str
    group: str
    end: str
    values: dict[str, float]
    """Score name to value, NaN if undefined; empty for a failed dialogue."""

    @property
    def is_failed(self) -> bool:
        """Whether the dialogue failed and therefore has no scores."""
        return self.end in FAILED


class RunSetting(NamedTuple):
    """A run's simulators and systems in the study's order, later additions last, and its turn limits."""

    simulators: tuple[str, ...]
    systems: tuple[str, ...]
    limit: int
    """Largest turn limit of the run."""
    limits: tuple[tuple[int, int], ...] = ()
    """(first step, turn limit) of each stretch of the run, in order."""

    def limit_at(self, step: int) -> int:
        """Return the turn limit of the dialogues of a step."""
        return next((limit for first, limit in reversed(self.limits) if first <= step), self.limit)


def setting(log: Log) -> RunSetting:
    """Read the names and the turn limits of a run from its log."""
    for event in log.events(StudyOpened.kind):
        said = event.payload
        simulators, systems = dict.fromkeys(said["simulators"]), dict.fromkeys(said["systems"])
        limits = [(event.step, int(said["turns"]))]
        for change in log.events("changed"):
            config = config_at(log, change.step)
            simulators |= dict.fromkeys(one.name for one in config.simulators)
            systems |= dict.fromkeys(one.name for one in config.systems)
            limits.append((change.step, config.turns))
        return RunSetting(tuple(simulators), tuple(systems), max(limit for _, limit in limits), tuple(limits))
    return RunSetting((), (), 1)


def rows(log: Log) -> list[DialogueRow]:
    """Score all dialogues of a log, in order, including the judge's grades."""
    how, grades = setting(log), plain_grades(log)
    found = []
    for event in log.events(DialogueLogged.kind):
        held, values = event.payload, dict[str, float]()
        key = held["number"], held["simulator"], held["system"]
        if held["end"] not in FAILED:
            values = score_dialogue(held, load_utterances(held["utterances"]), how.limit_at(event.step))
            values |= {f"judge.{name}": fmean(by[key]) for name, by in grades.items() if key in by}
        found.append(DialogueRow(*key, held["group"], held["end"], values))
    return found


def score_dialogue(payload: Mapping[str, Any], dialogue: Sequence[Utterance], limit: int) -> dict[str, float]:
    """Compute the scores of one dialogue from its log event."""
    need, offers = payload["need"], payload["offers"]
    targets = need["targets"]
    turns = int_sum(said.speaker == "user" for said in dialogue)
    won = payload["accepted"] is not None and payload["accepted"] in targets
    lists = [offer["items"] for offer in offers]
    recalls = [[recall_at(items, targets, k) for items in lists] if targets else [] for k in DEPTHS]
    return {
        "success": float(won),
        **{f"success@{within}": float(won and turns <= within) for within in WITHIN},
        "accepted": float(payload["accepted"] is not None),
        "turns": float(turns),
        "turns.success": float(turns) if won else math.nan,
        "turns.restricted": float(turns if won else limit),
        "offered": float(bool(offers)),
        **{f"recall@{k}": _mean(by) for k, by in zip(DEPTHS, recalls, strict=True)},
        "recall.any@10": recall_at([item for items in lists for item in items[:10]], targets, 10**9),
        "mrr": reciprocal_rank(lists, targets),
        "rank.target": target_rank(lists, targets),
        "turns.target": turns_to_target(((o["turn"], o["items"]) for o in offers), targets),
        "utility": _mean([worth for offer in offers for worth in offer["utilities"]]),
        "rounds.accepted": round_ratio(dialogue),
        "reward": usersimcrs_reward(dialogue),
        "reward.length": reward_per_length(dialogue),
        "acts.ratio": user_act_ratio(dialogue),
        "coverage": constraint_coverage(map(tuple, need["constraints"]), dialogue),
        "questions.repeated": repeated_question_rate(dialogue),
        "critiques.ignored": ignored_critique_rate(dialogue, _meets(payload)),
    }


def _meets(payload: Mapping[str, Any]) -> Callable[[str, str, str], bool | None]:
    """Return a function that tells whether an offered item meets a constraint of the need; None if
    unknown."""
    constraints = [(slot.casefold(), value.casefold()) for slot, value in payload["need"]["constraints"]]
    known = {
        item: {constraints[place] for place in met}
        for offer in payload["offers"]
        for item, met in zip(offer["items"], offer["met"], strict=False)
    }

    def meets(item: str, slot: str, value: str) -> bool | None:
        pair = (slot.casefold(), value.casefold())
        return pair in known[item] if item in known and pair in constraints else None

    return meets


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else math.nan
