"""`openiir serve`: show runs in a browser."""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import SettingsFile, command_app
from openiir.core.errors import InputError
from openiir.runs.terminal import print_result

app = command_app()


@app.command()
def serve(
    runs: Annotated[
        Path | None,
        typer.Argument(metavar="[RUNS]", help="The folder that holds the runs; the settings' `runs`."),
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="0 for any free one.")] = 8_317,
    host: Annotated[
        str, typer.Option("--host", help="An address others can reach demands --token.")
    ] = "127.0.0.1",
    write: Annotated[bool, typer.Option("--write", help="Allow asking agents of finished runs.")] = False,
    token: Annotated[bool, typer.Option("--token", help="Demand the start-up token for everything.")] = False,
    settings_file: SettingsFile = None,
) -> None:
    """Show the runs of a folder in a browser, read-only, on this machine alone unless asked otherwise."""
    from openiir.runs.settings import load_settings

    settings = load_settings(settings_file)
    root = runs or settings.runs
    if not root.is_dir():
        raise InputError(f"{root} is no folder of runs; name one, or run a study first: openiir run panel")
    try:
        from openiir.server.guard import LOOPBACK, Access
        from openiir.server.listen import listen
    except ImportError:
        raise InputError("the web app is not installed; run: pip install 'openiir[web]'") from None
    if host not in LOOPBACK and not token:
        raise InputError(
            f"--host {host} lets other machines in; add --token, which demands the start-up token"
        )
    secret = secrets.token_urlsafe(24)
    access = Access(hosts=(*LOOPBACK, host), token=secret, token_for_all=token, write=write)
    with listen(root, host, port, access, settings) as server:
        mark = f"#token={secret}" if write or token else ""
        shown = "127.0.0.1" if host == "0.0.0.0" else host
        print_result(f"http://{shown}:{server.port}/{mark}")
        print_result(
            f"shows {root}{', and lets agents be asked' if write else ', read-only'}; Ctrl-C ends it"
        )
        server.wait()
