"""`openiir verify`: check whether a finished run was changed since it ended."""

from collections.abc import Mapping

from openiir.cli.options import RunFolder, command_app
from openiir.runs.terminal import say

app = command_app()


@app.command()
def verify(folder: RunFolder) -> None:
    """Compare a finished run with its manifest, part by part; exit code 1 where one was changed."""
    from openiir.runs.verify import verify_run

    found = verify_run(folder)
    _print_parts("covered by the content hash", _describe_parts(found.content))
    if found.damage:
        say(f"  {found.damage}")
    title = "covered by the manifest, as what the content hash leaves out of a table"
    if found.rest is None:
        say(f"{title}\n  not covered: the run was made before manifests did")
    else:
        _print_parts(title, _describe_parts(found.rest))
    if found.outside:
        _print_parts("not covered", found.outside)
    changed = found.list_changes()
    say(
        f"changed: {', '.join(changed)}"
        if changed
        else "nothing that is covered was changed since the run ended"
    )
    raise SystemExit(1 if changed else 0)


def _describe_parts(parts: Mapping[str, bool]) -> dict[str, str]:
    return {name: "changed" if changed else "ok" for name, changed in parts.items()}


def _print_parts(title: str, parts: Mapping[str, str]) -> None:
    say(title)
    width = max(map(len, parts))
    for name, words in parts.items():
        say(f"  {name:{width}}  {words}")
