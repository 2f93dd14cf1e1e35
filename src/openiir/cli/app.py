"""The command tree, and the one place where errors become words and exit codes."""

import errno
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from openiir import __version__
from openiir.runs.terminal import note, say

ORDER = tuple(
    "run resume replay verify fork sweep compare audit show measure ask types trust personas world data claims doctor new".split()
)
"""Commands as the help lists them: a run's life first, then what comes before it."""


class Ordered(TyperGroup):
    """Lists commands in the order of a run's life, and lets the settings limit the inputs of each."""

    def invoke(self, ctx: Any) -> object:
        from openiir.core.files import set_limits
        from openiir.runs.settings import load_settings

        set_limits(lambda: load_settings().inputs)
        return super().invoke(ctx)

    def list_commands(self, ctx: object) -> list[str]:
        return sorted(
            self.commands, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name)
        )


app = typer.Typer(
    name="openiir",
    cls=Ordered,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        say(f"openiir {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Simulation studies for information-retrieval research: declared, seeded, logged, replayable."""


_CTRL_C = 130
"""What typer makes of a KeyboardInterrupt."""


def run_command() -> None:
    """Do what the command line says; leaves by SystemExit where it ends badly."""
    from openiir.cli import (  # noqa: F401  they add their commands
        asking,
        auditing,
        comparing,
        data,
        making,
        preparing,
        running,
        showing,
        sweeping,
        verify,
    )

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
        _leave(f"Error: {error}", error.exit_code)
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        _leave(f"Error: {error.filename}: the name is too long for this system; name another place", 2)
    if os.environ.get("OPENIIR_TRACEBACK"):
        raise error
    _leave(
        f"Error: {type(error).__name__}: {error}\n"
        "This is a fault of openiir or of a plug-in; set OPENIIR_TRACEBACK=1 to see where.",
        1,
    )


def _leave(message: str, code: int) -> None:
    note(message)
    raise SystemExit(code)
