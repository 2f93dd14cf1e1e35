"""Views of a conversational study: scores with failures, comparisons, and dialogues to read."""

from openiir.plugin import Interview, Log, Surface
from openiir.scenarios.conversational.surfaces import series, tables
from openiir.scenarios.conversational.surfaces.dialogue_view import dialogue
from openiir.scenarios.conversational.surfaces.interviewing import INTERVIEW


def _has_grades(log: Log) -> bool | str:
    """Whether dialogues were judged."""
    return (
        bool(log.study["config"]["judge"]["dialogues"])
        or "judge.dialogues of [config] is 0: nothing was judged"
    )


def _has_human_dialogues(log: Log) -> bool | str:
    """Whether the study names human dialogues; otherwise the reason why there is nothing to show."""
    return bool(log.study["config"]["validity"]["dialogues"]) or (
        "validity.dialogues of [config] names no dialogues of people to compare with"
    )


SURFACES: tuple[Surface | Interview, ...] = (
    Surface(
        "results",
        "table",
        "Each simulator with each system, failures beside scores",
        tables.results,
        help="Means over needs with 95 % intervals; dialogues that failed are counted and left out of means.",
    ),
    Surface(
        "dialogue",
        "dialogue",
        "Dialogues, turn by turn",
        dialogue,
        per_agent=True,
        counts="dialogues",
        help="What was wanted, what both sides said with their dialogue acts, and why the dialogue ended.",
        live="append",
    ),
    Surface(
        "comparison",
        "table",
        "Pairs of systems on the same needs",
        tables.comparison,
        help="Mean difference on the same needs with its 95 % interval, and p after Holm's correction.",
    ),
    Surface(
        "ends", "table", "Why dialogues ended", tables.ends, help="Shares of dialogues by how they ended."
    ),
    Surface(
        "progress",
        "series",
        "Success by turn",
        series.progress,
        help="Share of dialogues that succeeded up to a turn.",
    ),
    Surface(
        "recall",
        "series",
        "Targets shown by turn",
        series.recall,
        help="Share of target items shown up to a turn.",
    ),
    Surface(
        "agreement",
        "table",
        "Whether simulators put the systems into one order",
        tables.agreement_by_simulator,
        help="Kendall's tau between the orders in which two simulators put the systems; 1 is the same order.",
    ),
    Surface(
        "groups",
        "table",
        "Parts of the population",
        tables.groups,
        help="Scores by group of users: who is served worse by which system.",
    ),
    Surface(
        "judged",
        "table",
        "Grades of the judge",
        tables.judge_grades,
        help="Mean grades by aspect, 1 to 5.",
        shows=_has_grades,
    ),
    Surface(
        "trust",
        "table",
        "How far the judge can be trusted",
        tables.trust,
        help="Whether the judge repeats itself, and moves when scales are turned or dialogues padded.",
        shows=_has_grades,
    ),
    Surface(
        "validity",
        "table",
        "Simulated dialogues against people's",
        tables.validity,
        help="How far simulated dialogues lie from people's, beside how far halves of people's lie from each other.",
        shows=_has_human_dialogues,
    ),
    INTERVIEW,
)
