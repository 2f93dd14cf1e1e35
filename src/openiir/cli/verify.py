"""`openiir verify`: check whether a finished run, or an export of it, was changed."""

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from openiir.cli.options import RunFolder, command_app
from openiir.runs.terminal import print_result

app = command_app()
_LISTED = 20
"""Most pages of an export that are named because they differ."""


@app.command()
def verify(folder: RunFolder) -> None:
    """Compare a finished run with its manifest, or an export with its record; exit code 1 if changed."""
    from openiir.runs.verify import say_verdict, verify_run
    from openiir.server.export.blocks import is_export

    if is_export(folder):
        _verify_export(folder)
    found = verify_run(folder)
    print_result(say_verdict(found.list_changes()))
    _print_parts("covered by the content hash", _describe_parts(found.content))
    if found.damage:
        print_result(f"  {found.damage}")
    title = "covered by the manifest, as what the content hash leaves out of a table"
    if found.rest is None:
        print_result(f"{title}\n  not covered: the run was made before manifests did")
    else:
        _print_parts(title, _describe_parts(found.rest))
    if found.outside:
        _print_parts("not covered", found.outside)
    raise SystemExit(1 if found.list_changes() else 0)


def _verify_export(place: Path) -> NoReturn:
    from openiir.runs.verify import say_verdict
    from openiir.server.export.check import check_export

    checked = check_export(place)
    found, changed = checked.record, checked.list_changes()
    print_result(say_verdict(changed, "its rows and their hashes", checked.unchecked))
    _print_parts("covered by the content hash", _describe_parts(found.content))
    print_result(f"  {found.named}")
    if found.left_out:
        words = {name: f"{count:,} rows of hashes of their texts" for name, count in found.left_out.items()}
        _print_parts(f"left out: {', '.join(found.parts)}", words)
    _print_parts("covered by the export's list, as what its pages show", _describe_parts(found.pages))
    if checked.made:
        shown = dict(list(checked.made.items())[:_LISTED])
        _print_parts(f"not what is made from the rows: {len(checked.made)}, beginning with", shown)
    if checked.prompts:
        print_result(
            f"not checked\n  {checked.prompts:,} prompts and replies of behaviour models, not on record"
        )
    print_result("not covered\n  the page's scripts and styles, labels of steps, times of the clock")
    raise SystemExit(1 if changed else 0)


def _describe_parts(parts: Mapping[str, bool | None]) -> dict[str, str]:
    words = {True: "changed", False: "ok", None: "not checked: recipe 1 needs the texts that are left out"}
    return {name: words[changed] for name, changed in parts.items()}


def _print_parts(title: str, parts: Mapping[str, str]) -> None:
    print_result(title)
    width = max(map(len, parts))
    for name, words in parts.items():
        print_result(f"  {name:{width}}  {words}")
