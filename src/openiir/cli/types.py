"""`openiir types`: list the installed types of study, or the keys of configuration and events of one."""

from typing import Annotated

import typer

from openiir.cli.options import command_app
from openiir.runs.config_keys import list_keys
from openiir.runs.terminal import print_result
from openiir.runs.types import find_type, list_types

app = command_app()


@app.command()
def types(
    name: Annotated[
        str, typer.Argument(metavar="[TYPE]", help="List this type's configuration keys with help texts.")
    ] = "",
) -> None:
    """List the types there are, built-in and plugged in, or the keys of one type's [config] and events."""
    if name:
        _list_keys(name)
        return
    found = list_types()
    width = max(len(listed.name) for listed in found)
    for listed in found:
        what = f"broken: {listed.broken}"
        if listed.scenario is not None:
            what = (listed.scenario.__doc__ or "").strip().partition("\n")[0]
        print_result(f"{listed.name:{width}} {what}  ({listed.origin})")


def _list_keys(name: str) -> None:
    scenario = find_type(name)
    events = [(f'[[event]] kind = "{kind}"', record) for kind, record in scenario.events.items()]
    for title, table in (("[config]", scenario.Config), *events, ("measure --set", scenario.Measuring)):
        if table.model_fields:
            print_result(f"{title}:")
        for key in list_keys(table):
            print_result(
                f"  {key.name}{'' if key.default is None else f' = {key.default}'}\n      {key.help}"
            )
