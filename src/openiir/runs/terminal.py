"""Print to the terminal with control characters removed; no other module prints."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from typing import TYPE_CHECKING, Any, TextIO

from openiir.core.characters import CONTROLS
from openiir.core.errors import StorageFull

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 100
"""Columns of output that goes to no terminal, unless the variable COLUMNS sets another number."""
_CONTROLS = re.compile(f"{CONTROLS}|[\ud800-\udfff]")
"""Control characters and unpaired surrogates."""


def without_controls(text: str) -> str:
    """Replace each control character in a text by U+FFFD."""
    return _CONTROLS.sub("\ufffd", text)


def print_result(text: str = "", end: str = "\n") -> None:
    """Print a text to standard output."""
    _write(without_controls(text) + end, sys.stdout)


def print_message(text: str) -> None:
    """Print a message, which is no result, to standard error."""
    _write(without_controls(text) + "\n", sys.stderr)


def read_line(prompt: str = "") -> str:
    """Read a line that a person types; raises EOFError where there is no input."""
    if sys.stdin is None:
        raise EOFError
    return input(without_controls(prompt))


def print_for_program(text: str) -> None:
    """Print for another program: unchanged to a pipe or file, without control characters to a terminal."""
    _write(without_controls(text) if is_terminal(sys.stdout) else text, sys.stdout)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal; a stream that was closed at the start is None."""
    return stream is not None and stream.isatty()


def _write(text: str, stream: TextIO | None) -> None:
    """Write and flush; characters that the stream's encoding lacks become \\u escapes. Raises StorageFull."""
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"  # one in memory has none
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StorageFull(
            f"the output cannot be written ({error.strerror}); make space, or send it elsewhere"
        ) from None


def show(draw: "Callable[[Console], None]", width: int = WIDTH) -> None:
    """Draw at the terminal, else print the drawing as plain text of COLUMNS or `width` columns."""
    if is_terminal(sys.stdout):
        draw(console())
        return
    columns = os.environ.get("COLUMNS", "")
    print_result(draw_text(draw, int(columns) if columns.isdecimal() and int(columns) else width), end="")


def draw_text(draw: "Callable[[Console], None]", width: int = WIDTH) -> str:
    """Render a drawing as plain text, without trailing blanks; control characters are kept."""
    from rich.console import Console

    drawn = StringIO()
    off: Any = dict.fromkeys(("force_terminal", "force_jupyter", "markup", "emoji"), False)
    draw(Console(file=drawn, width=width, color_system=None, **off))
    return "".join(f"{line.rstrip(' ')}\n" for line in drawn.getvalue().split("\n")[:-1])


def console(stderr: bool = False) -> "Console":
    """Create a console that shows markup as written and no control characters but its own."""
    from rich.console import Console

    class SafeConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterator[Any]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=without_controls(segment.text))

    return SafeConsole(stderr=stderr, markup=False, emoji=False, highlight=False, force_jupyter=False)
