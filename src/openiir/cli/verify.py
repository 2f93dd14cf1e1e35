"""The command that says whether a run is what it was when it ended."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.app import app


@app.command()
def verify(folder: Annotated[Path, typer.Argument(metavar="RUN")]) -> None:
    """Compare a finished run with its manifest, part by part."""
    from openiir.runs import verify as runs

    found = runs.verify(folder)
    _print_parts("covered by the content hash", {name: _word(changed) for name, changed in found.content.items()})
    if found.damage:
        print(f"  {found.damage}")
    title = "covered by the manifest, as what the content hash leaves out of a table"
    if found.rest is None:
        print(f"{title}\n  not covered: the run was made before manifests did")
    else:
        _print_parts(title, {name: _word(changed) for name, changed in found.rest.items()})
    if found.outside:
        _print_parts("not covered", found.outside)
    changed = found.changed()
    print(f"changed: {', '.join(changed)}" if changed else "nothing that is covered was changed since the run ended")
    raise SystemExit(1 if changed else 0)


def _word(changed: bool) -> str:
    return "changed" if changed else "ok"


def _print_parts(title: str, parts: Mapping[str, str]) -> None:
    print(title)
    width = max(map(len, parts))
    for name, words in parts.items():
        print(f"  {name:{width}}  {words}")
