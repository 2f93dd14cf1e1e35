"""`openiir types`: list the installed types of study."""

from openiir.cli.options import command_app
from openiir.runs.terminal import say
from openiir.runs.types import list_types

app = command_app()


@app.command()
def types() -> None:
    """List the types there are, built-in and plugged in."""
    for listed in list_types():
        what = f"broken: {listed.broken}"
        if listed.scenario is not None:
            what = (listed.scenario.__doc__ or "").strip().partition("\n")[0]
        say(f"{listed.name:20} {what}  ({listed.origin})")
