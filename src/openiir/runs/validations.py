"""Verdicts of people on statements of agents and reports, given after the run, in its after-file."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from openiir.core.errors import InputError, UnknownName
from openiir.core.records import Record
from openiir.core.storage import AfterFile, Log, RunFile, StoredValidation, Verdict
from openiir.core.sums import int_sum
from openiir.plugin import Report
from openiir.runs.interviews import agents_named, find_interview
from openiir.runs.post_run import scenario_of, surfaces_of
from openiir.runs.views.paging import compute_view

REPORTS = ""
"""In place of an agent's id: the statements of the run's reports."""


class JudgedStatement(Record):
    """A statement of an agent or a report, with the last verdict of each person on it."""

    id: str
    text: str
    verdicts: tuple[StoredValidation, ...] = ()


class VerdictCounts(Record):
    """Counts of people's verdicts on a run's statements; only a person's last verdict counts."""

    statements: int
    """Number of statements with a verdict."""
    people: int
    agree: int
    disagree: int
    unsure: int
    shared: int
    """Number of statements on which two or more people decided, that is, agree or disagree."""
    same: float | None
    """Share of pairs of people who decided alike, over all such statements; None without any."""


def list_statements(run: RunFile, agent: str) -> list[tuple[str, str]]:
    """List the statements of an agent, or of the run's reports if `agent` is REPORTS, as (id, text).

    Raises UnknownName for an unknown agent, InputError for a type without interviews.
    """
    scenario, log = scenario_of(run), Log(run)
    if agent != REPORTS:
        (persona,) = agents_named(run, agent)
        return list(find_interview(scenario).statements(log, persona.id))
    reports = {
        name: compute_view(one, log) for name, one in surfaces_of(scenario).items() if one.form == "report"
    }
    return [
        (f"{name}-{s}.{n}", text)
        for name, report in reports.items()
        if isinstance(report, Report)
        for s, section in enumerate(report.sections, 1)
        for n, (text, _) in enumerate(section.statements, 1)
    ]


def add_verdict(folder: Path, given: StoredValidation) -> None:
    """Store a verdict; raises UnknownName for an unknown statement, InputError for an unfinished run."""
    with RunFile.open(folder) as run:
        known = [id for id, _ in list_statements(run, given.agent)]
        if given.statement not in known:
            raise UnknownName("statement", given.statement, known)
        with AfterFile(folder, _content_of(run)) as after:
            after.add_validation(*given[:5])


def read_verdicts(run: RunFile) -> list[StoredValidation]:
    """Read the last verdict of each person on each statement; never writes."""
    after = AfterFile.read(run.folder, _content_of(run))
    if after is None:
        return []
    with after:
        return last_verdicts(after.validations())


def last_verdicts(given: Sequence[StoredValidation]) -> list[StoredValidation]:
    """Keep only the last verdict of each person on each statement."""
    return list({(one.person, one.agent, one.statement): one for one in given}.values())


def judge_statements(run: RunFile, agent: str) -> list[JudgedStatement]:
    """List the statements of an agent, or of the reports if `agent` is REPORTS, with people's verdicts."""
    verdicts = [one for one in read_verdicts(run) if one.agent == agent]
    return [
        JudgedStatement(id=id, text=text, verdicts=tuple(one for one in verdicts if one.statement == id))
        for id, text in list_statements(run, agent)
    ]


def summarise(verdicts: Sequence[StoredValidation]) -> VerdictCounts:
    """Count the last verdicts of each person, and compute how far people agree on a statement."""
    counts: Counter[Verdict] = Counter(one.verdict for one in verdicts)
    decided: dict[tuple[str, str], list[Verdict]] = {}
    for one in verdicts:
        if one.verdict != "unsure":
            decided.setdefault((one.agent, one.statement), []).append(one.verdict)
    pairs = [one == other for given in decided.values() for one, other in combinations(given, 2)]
    return VerdictCounts(
        statements=len({(one.agent, one.statement) for one in verdicts}),
        people=len({one.person for one in verdicts}),
        agree=counts["agree"],
        disagree=counts["disagree"],
        unsure=counts["unsure"],
        shared=int_sum(len(given) > 1 for given in decided.values()),
        same=int_sum(pairs) / len(pairs) if pairs else None,
    )


def _content_of(run: RunFile) -> str:
    if run.state("status") != "done":
        raise InputError(f"the run at {run.folder} has not ended; its statements are judged when it has")
    return str(run.state("content"))
