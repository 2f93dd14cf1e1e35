"""`openiir audit`: report for each declared key whether it changes a run, as a table, JSON and exit code."""

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from openiir.cli.options import SettingsFile, Trusted, command_app
from openiir.core.errors import OpeniirError, UnknownName
from openiir.runs.audit import ControlVerdict, KeyVerdict, run_controls
from openiir.runs.audit import audit_keys as audit_type
from openiir.runs.settings import load_settings, run_with_permissions
from openiir.runs.study import load_study
from openiir.runs.terminal import print_for_program, print_result

app = command_app()
SHOWN = 60
"""Largest number of characters in which a value or a difference is shown in the table."""


@app.command()
def audit(
    study: Annotated[str, typer.Argument(metavar="TYPE", help="A type, or a study of it where it has none.")],
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, metavar="N", help="Keys at a time.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    settings_file: SettingsFile = None,
    trust: Trusted = False,
) -> None:
    """Move every declared key of a type, report the dead ones, and run its controls."""
    if form not in ("text", "json"):
        raise UnknownName("format of an audit", form, ("text", "json"))
    settings = load_settings(settings_file)
    _, loaded = run_with_permissions(
        settings, trust, lambda leave: load_study(study, (), leave.library, leave.trust)
    )
    show = _print_row if form == "text" else None
    controls = list(run_controls(loaded))
    found = audit_type(loaded, workers or os.cpu_count() or 1, show or (lambda verdict: None))
    counts = Counter(verdict.status for verdict in found)
    if form == "json":
        keys = [asdict(verdict) for verdict in found]
        shown = [{**asdict(one.control), "effect": one.words, "holds": one.holds} for one in controls]
        told = {"type": loaded.scenario.name, "counts": counts, "keys": keys, "controls": shown}
        print_for_program(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    else:
        for control in controls:
            _print_control(control)
        summary = ", ".join(f"{n} {status}" for status, n in sorted(counts.items()))
        print_result(f"{loaded.scenario.name}: {len(found)} keys: {summary}")
    _refuse(loaded.scenario.name, found)
    if failed := [control.control.says for control in controls if not control.holds]:
        raise OpeniirError(
            f"controls of the type {loaded.scenario.name!r} that do not hold: {'; '.join(failed)}; mend the "
            "type, or the control if it expects too much"
        )


def _print_control(found: ControlVerdict) -> None:
    least, within = found.control.least, found.control.within
    kind, due = ("null", f"{within:g} is due") if least is None else ("positive", f"at least {least:g}")
    holds = "holds" if found.holds else "FAILS"
    measure = f"{found.control.measure}{' less ' + found.control.less if found.control.less else ''}"
    print_result(f"{kind:8} {holds:5} {found.control.says}: {measure} {found.words} ({due})")


def _print_row(verdict: KeyVerdict) -> None:
    beside = ", ".join(f"{key} = {value}" for key, value in verdict.beside.items())
    tried = f"{_short(verdict.tried)}{f' beside {_short(beside)}' if beside else ''}"
    match verdict.status:
        case "acts" if verdict.step is not None:
            words = f"step {verdict.step}: {tried}"
        case "acts":
            words = f"{_short(verdict.words)}: {tried}"
        case _:
            words = f"{verdict.words}{f' (last: {tried})' if tried else ''}"
    print_result(f"{verdict.status:8} {verdict.key:28} {words}")


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def _refuse(name: str, found: Sequence[KeyVerdict]) -> None:
    for status, remedy in (
        ("dead", "mend or remove them, or say in acts_with what they need beside them"),
        ("fails", "the values are allowed, so bound the keys or mend the type"),
    ):
        keys = [verdict.key for verdict in found if verdict.status == status]
        if keys:
            what = "do nothing" if status == "dead" else "make a run fail"
            raise OpeniirError(f"keys of the type {name!r} that {what}: {', '.join(keys)}; {remedy}")
