"""Build the command tree, and turn errors into messages and exit codes."""

import errno
import os
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from openiir import __version__
from openiir.runs.terminal import print_message, print_result

COMMANDS = {
    "run": "Run a study, or several side by side.",
    "resume": "Go on with a run, or a sweep, that was stopped or killed.",
    "replay": "Execute a run again from its ledger alone, and compare.",
    "verify": "Compare a finished run with its manifest, or an export with its record.",
    "fork": "Share a run's steps before N, then go on with other values.",
    "sweep": "Run a study under many settings and seeds.",
    "compare": "Compare runs or sweeps side by side, paired by their seeds.",
    "audit": "Move every declared key of a type, report the dead ones, and run its controls.",
    "show": "Show a view of a run or a sweep, live or finished, or draw it as a picture.",
    "inspect": "Show a question of a run: its prompt as sent, the schema of the reply, and every reply.",
    "export": "Write a run as a page that opens from disk.",
    "push": "Send runs or sweeps to a lab's database.",
    "pull": "Read a run from a lab's database into a new folder.",
    "serve": "Show the runs of a folder in a browser.",
    "measure": "Compute the measures of a run from its log, anew.",
    "ask": "Ask agents of a finished run about their part in it.",
    "types": "List the types there are, built-in and plugged in.",
    "trust": "Allow what a study needs of this machine.",
    "personas": "List, generate and check personas.",
    "world": "Build worlds from sources.",
    "data": "List and fetch published data sets.",
    "claims": "Import argument graphs.",
    "doctor": "Try the model endpoint, or a declared system.",
    "new": "Write a working plug-in package with its tests.",
}
"""Commands with their help, in the order of a run's life; each is the `app` in the file of its name."""


class CommandTree(TyperGroup):
    """Command group that imports a command's file when needed, and applies the settings' limits on inputs."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: dict[str, Any] = dict.fromkeys(COMMANDS)

    def invoke(self, ctx: Any) -> object:
        from openiir.core.files import set_limits
        from openiir.core.storage.receipts import set_receipts_folder
        from openiir.runs.settings import load_settings

        set_limits(lambda: load_settings().inputs)
        set_receipts_folder(lambda: load_settings().receipts)
        return super().invoke(ctx)

    def list_commands(self, ctx: object) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: object, cmd_name: str) -> Any:
        if cmd_name in COMMANDS and self.commands[cmd_name] is None:
            app = import_module(f"openiir.cli.{cmd_name}").app
            self.commands[cmd_name] = typer.main.get_command(app)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: object, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    name="openiir",
    cls=CommandTree,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print_result(f"openiir {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Simulation studies for information-retrieval research: declared, seeded, logged, replayable."""


_LONGEST = 20_000
"""Most characters of an error that are printed; names and values in a file of a stranger have any length."""
_CTRL_C = 130
"""Exit code that typer gives a KeyboardInterrupt."""


def run_command() -> None:
    """Execute the command line; raises SystemExit with the exit code where it fails."""
    try:
        app()
    except (KeyboardInterrupt, SystemExit) as left:
        if isinstance(left, SystemExit) and left.code != _CTRL_C:
            raise
        _leave("stopped; what was committed is safe, `openiir resume RUN` goes on", 1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except Exception as error:
        _explain(error)


def _explain(error: Exception) -> None:
    from openiir.core.errors import OpeniirError

    if isinstance(error, OpeniirError):
        _leave(f"Error: {_cut(str(error))}", error.exit_code)
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        _leave(f"Error: {error.filename}: the name is too long for this system; name another place", 2)
    if os.environ.get("OPENIIR_TRACEBACK"):
        raise error
    _leave(
        f"Error: {type(error).__name__}: {_cut(str(error))}\n"
        "This is a fault of openiir or of a plug-in; set OPENIIR_TRACEBACK=1 to see where.",
        1,
    )


def _cut(text: str) -> str:
    left = len(text) - _LONGEST
    return text if left <= 0 else f"{text[:_LONGEST]}... ({left:,} more characters)"


def _leave(message: str, code: int) -> None:
    print_message(message)
    raise SystemExit(code)
