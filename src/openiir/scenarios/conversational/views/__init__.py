"""Views of a conversational study: scores with failures, comparisons, and dialogues to read."""

from openiir.plugin import Interview, Log, Surface
from openiir.scenarios.conversational.measures.dialogue_rows import setting
from openiir.scenarios.conversational.run.actions import DialogueLogged
from openiir.scenarios.conversational.views import series, tables
from openiir.scenarios.conversational.views.dialogue_view import dialogue
from openiir.scenarios.conversational.views.interviewing import INTERVIEW


def _advise(shows: str, key: str) -> str:
    """Say what a view would show, why it is empty, and how to fill it."""
    return f"would show {shows}; openiir run conversational --set 'config.{key}' fills it"


def _has_dialogues(log: Log) -> bool | str:
    """Whether a dialogue has ended, with the reason if not."""
    return any(True for _ in log.events(DialogueLogged.kind)) or "no dialogue has ended yet"


def _has_systems(log: Log) -> bool | str:
    """Whether several systems can be compared, with the reason if not."""
    if len(setting(log).systems) < 2:
        return _advise("how two systems differ, and this run has one", 'systems=["attribute", "oracle"]')
    return _has_dialogues(log)


def _has_simulators(log: Log) -> bool | str:
    """Whether several simulators can be compared over several systems, with the reason if not."""
    if len(setting(log).simulators) < 2:
        return _advise("whether two simulators agree, and this run has one", 'simulators=["agenda", "dual"]')
    return _has_systems(log)


def _has_grades(log: Log) -> bool | str:
    """Whether dialogues were judged, with the reason if not."""
    return bool(log.study["config"]["judge"]["dialogues"]) or _advise(
        "a judge's grades of the dialogues, and none were judged", "judge.dialogues=50"
    )


def _has_human_dialogues(log: Log) -> bool | str:
    """Whether the study names human dialogues, with the reason if not."""
    return bool(log.study["config"]["validity"]["dialogues"]) or _advise(
        "how simulated dialogues differ from people's, and the study has none of people",
        "validity.dialogues=FILE",
    )


def _has_groups(log: Log) -> bool | str:
    """Whether users differ by group, with the reason if not."""
    if len({event.payload["group"] for event in log.events(DialogueLogged.kind)}) > 1:
        return True
    return _advise(
        "which users are served worse, and the study has one group of them",
        'users.groups=[{name = "novices", share = 0.5, knowledge = {mean = 0.1}}]',
    )


SURFACES: tuple[Surface | Interview, ...] = (
    Surface(
        "results",
        "table",
        "Results by system",
        tables.tabulate_results,
        help=(
            "Each simulator with each system: means over needs with 95 % intervals; failed dialogues are "
            "counted, and left out of means. Recall is of all targets, by the items of one recommendation."
        ),
        shows=_has_dialogues,
    ),
    Surface(
        "progress",
        "series",
        "Success by turn",
        series.success_by_turn,
        help="Share of dialogues that succeeded up to a turn.",
        shows=_has_dialogues,
    ),
    Surface(
        "recall",
        "series",
        "Targets shown by turn",
        series.recall_by_turn,
        help="Share of target items shown up to a turn.",
        shows=_has_dialogues,
    ),
    Surface(
        "dialogue",
        "dialogue",
        "Dialogues",
        dialogue,
        per_agent=True,
        counts="dialogues",
        help="What was wanted, what both sides said with their dialogue acts, and why the dialogue ended.",
        live="append",
        shows=_has_dialogues,
    ),
    Surface(
        "comparison",
        "table",
        "Pairs of systems",
        tables.tabulate_comparison,
        help=(
            "Two systems on the same needs: mean difference with its 95 % interval, and p after Holm's "
            "correction."
        ),
        shows=_has_systems,
    ),
    Surface(
        "ends",
        "table",
        "Why dialogues ended",
        tables.tabulate_ends,
        help="Number of dialogues by how they ended.",
        shows=_has_dialogues,
    ),
    Surface(
        "agreement",
        "table",
        "Agreement of simulators",
        tables.tabulate_agreement,
        help=(
            "Whether simulators put the systems into the same order: Kendall's tau between two orders; 1 "
            "is the same order."
        ),
        shows=_has_simulators,
    ),
    Surface(
        "groups",
        "table",
        "Groups of users",
        tables.tabulate_groups,
        help="Scores by group of users: who is served worse by which system.",
        shows=_has_groups,
    ),
    Surface(
        "judged",
        "table",
        "Grades of the judge",
        tables.tabulate_grades,
        help="Mean grades by aspect, 1 to 5.",
        shows=_has_grades,
    ),
    Surface(
        "trust",
        "table",
        "Trust in the judge",
        tables.tabulate_trust,
        help="Whether the judge repeats itself, and moves when scales are turned or dialogues padded.",
        shows=_has_grades,
    ),
    Surface(
        "validity",
        "table",
        "Against human dialogues",
        tables.tabulate_validity,
        help=(
            "How far simulated dialogues lie from people's, beside how far halves of people's lie from "
            "each other."
        ),
        shows=_has_human_dialogues,
    ),
    INTERVIEW,
)
