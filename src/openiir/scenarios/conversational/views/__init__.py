"""Views of a conversational study: scores with failures, comparisons, and dialogues to read."""

from collections.abc import Callable
from functools import partial

from openiir.kit.text_tables import add_help, read_text_table
from openiir.plugin import Interview, Log, Surface, Table
from openiir.scenarios.conversational.measures.dialogue_rows import setting
from openiir.scenarios.conversational.run.actions import DialogueLogged
from openiir.scenarios.conversational.views import tables
from openiir.scenarios.conversational.views.dialogue_view import dialogue
from openiir.scenarios.conversational.views.interviewing import INTERVIEW
from openiir.scenarios.conversational.views.series import recall_by_turn, success_by_turn

_EMPTY = read_text_table("""
systems | how two systems differ, and this run has one | systems=["attribute", "oracle"]
simulators | whether two simulators agree, and this run has one | simulators=["agenda", "dual"]
grades | a judge's grades of the dialogues, and none were judged | judge.dialogues=50
people | how simulated dialogues differ from people's, and the study has none of people |
    validity.dialogues=FILE
groups | which users are served worse, and the study has one group of them |
    users.groups=[{name = "novices", share = 0.5, knowledge = {mean = 0.1}}]
""")
"""What a view would show and why it is empty, and the key that fills it."""


def _advise(what: str) -> str:
    shows, key = _EMPTY[what]
    return f"would show {shows}; openiir run conversational --set 'config.{key}' fills it"


def _has_dialogues(log: Log) -> bool | str:
    """Whether a dialogue has ended, with the reason if not; likewise the functions below."""
    return any(True for _ in log.events(DialogueLogged.kind)) or "no dialogue has ended yet"


def _has_systems(log: Log) -> bool | str:
    return _has_dialogues(log) if len(setting(log).systems) > 1 else _advise("systems")


def _has_simulators(log: Log) -> bool | str:
    return _has_systems(log) if len(setting(log).simulators) > 1 else _advise("simulators")


def _has_grades(log: Log) -> bool | str:
    return bool(log.study["config"]["judge"]["dialogues"]) or _advise("grades")


def _has_human_dialogues(log: Log) -> bool | str:
    return bool(log.study["config"]["validity"]["dialogues"]) or _advise("people")


def _has_groups(log: Log) -> bool | str:
    groups = {event.payload["group"] for event in log.events(DialogueLogged.kind)}
    return len(groups) > 1 or _advise("groups")


_HELP = """
results | Each simulator with each system: means over needs with 95 % intervals; failed dialogues are counted,
    and left out of means. Recall is of all targets, by the items of one recommendation.
progress | Share of dialogues that succeeded up to a turn.
recall | Share of target items shown up to a turn.
dialogue | What was wanted, what both sides said with their dialogue acts, and why the dialogue ended.
comparison | Two systems on the same needs: mean difference with its 95 % interval, and p after Holm's
    correction.
ends | Number of dialogues by how they ended.
agreement | Whether simulators put the systems into the same order: Kendall's tau between two orders; 1 is the
    same order.
groups | Scores by group of users: who is served worse by which system.
judged | Mean grades by aspect, 1 to 5.
trust | Whether the judge repeats itself, and moves when scales are turned or dialogues padded.
validity | How far simulated dialogues lie from people's, beside how far halves of people's lie from each
    other.
"""


def _table(
    name: str, title: str, view: Callable[[Log], Table], shows: Callable[[Log], bool | str]
) -> Surface:
    return Surface(name, "table", title, view, shows=shows)


_of_dialogues = partial(Surface, shows=_has_dialogues)
SURFACES: tuple[Surface | Interview, ...] = add_help(
    _HELP,
    _table("results", "Results by system", tables.tabulate_results, _has_dialogues),
    _of_dialogues("progress", "series", "Success by turn", success_by_turn),
    _of_dialogues("recall", "series", "Targets shown by turn", recall_by_turn),
    _of_dialogues(
        "dialogue",
        "dialogue",
        "Dialogues",
        dialogue,
        per_agent=True,
        counts="dialogues",
        live="append",
    ),
    _table("comparison", "Pairs of systems", tables.tabulate_comparison, _has_systems),
    _table("ends", "Why dialogues ended", tables.tabulate_ends, _has_dialogues),
    _table("agreement", "Agreement of simulators", tables.tabulate_agreement, _has_simulators),
    _table("groups", "Groups of users", tables.tabulate_groups, _has_groups),
    _table("judged", "Grades of the judge", tables.tabulate_grades, _has_grades),
    _table("trust", "Trust in the judge", tables.tabulate_trust, _has_grades),
    _table("validity", "Against human dialogues", tables.tabulate_validity, _has_human_dialogues),
    INTERVIEW,
)
