"""The one place that prints: no text of a model, an endpoint or a file can steer the terminal that shows it."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 100
"""Columns of a drawing that goes to no terminal, where the variable COLUMNS says nothing else."""
_CONTROLS = re.compile("\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""C0 and C1 but newline and tab, overrides of the writing direction, and halves of a character."""


def without_controls(text: str) -> str:
    """Replace each control character by U+FFFD."""
    return _CONTROLS.sub("\ufffd", text)


def say(text: str = "", end: str = "\n") -> None:
    """Print to standard output."""
    print(without_controls(text), end=end, flush=True)


def note(text: str) -> None:
    """Print to standard error, which holds all that is no result."""
    print(without_controls(text), file=sys.stderr, flush=True)


def read_line(prompt: str = "") -> str:
    """Read a line that a person types."""
    return input(without_controls(prompt))


def hand_over(text: str) -> None:
    """Print for another program: a pipe or a file gets the text as it is, a terminal without controls."""
    sys.stdout.write(without_controls(text) if sys.stdout.isatty() else text)


def show(draw: "Callable[[Console], None]", width: int = WIDTH) -> None:
    """Draw at the terminal; where there is none, print the drawing as plain text of COLUMNS or `width` columns."""
    if sys.stdout.isatty():
        draw(console())
        return
    columns = os.environ.get("COLUMNS", "")
    say(draw_text(draw, int(columns) if columns.isdecimal() and int(columns) else width), end="")


def draw_text(draw: "Callable[[Console], None]", width: int = WIDTH) -> str:
    """A drawing as plain text, without blanks at the ends of lines; control characters stay."""
    from rich.console import Console

    drawn = StringIO()
    draw(Console(file=drawn, width=width, color_system=None, force_terminal=False, markup=False, emoji=False))
    return "".join(f"{line.rstrip(' ')}\n" for line in drawn.getvalue().split("\n")[:-1])


def console(stderr: bool = False) -> "Console":
    """A console that shows markup as it is written and no control characters but its own."""
    from rich.console import Console

    class SafeConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterator[Any]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=without_controls(segment.text))

    return SafeConsole(stderr=stderr, markup=False, emoji=False, highlight=False)
