"""Line numbers of keys in a persona file, for error messages."""

import re
from collections.abc import Sequence
from typing import Any

_LEXEME = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<block>\"\"\"(?:\\.|[^\\])*?\"{3,5} | '''.*?'{3,5})
  | "(?:\\.|[^"\\\n])*" | '[^'\n]*'
    """,
    re.VERBOSE | re.DOTALL,
)
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]\s][^\[\]]*)\]")
_KEY = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)


def _blank_out(found: re.Match[str]) -> str:
    """Blank out a comment or multi-line string, keeping its number of lines."""
    if found["comment"] or found["block"]:
        return "\n" * found[0].count("\n")
    return found[0]


def _split_key(text: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in text.split("."))


class LineNumbers:
    """Line numbers of each persona's keys in a valid TOML text."""

    def __init__(self, text: str) -> None:
        self._entries: list[dict[tuple[str, ...], int]] = []
        self._top: dict[str, int] = {}
        table: tuple[str, ...] = ()
        for number, line in enumerate(_LEXEME.sub(_blank_out, text).split("\n"), start=1):
            if header := _HEADER.match(line):
                table = _split_key(header[2])
                self._open(table, number, is_array=header[1] == "[[")
            elif key := _KEY.match(line):
                self._note(table + _split_key(key[1]), number)

    def _open(self, table: tuple[str, ...], number: int, is_array: bool) -> None:
        if table == ("persona",) and is_array:
            self._entries.append({(): number})
        else:
            self._note(table, number)

    def _note(self, path: tuple[str, ...], number: int) -> None:
        if path[0] == "persona" and self._entries:
            self._entries[-1].setdefault(path[1:], number)
        else:
            self._top.setdefault(path[0], number)

    def top_level_line(self, key: str) -> int | None:
        """Return the line number of a key outside all personas."""
        return self._top.get(key)

    def line(self, entry: int, path: Sequence[Any], of: int) -> int | None:
        """Return the line of a key in persona number `entry` out of `of`, or of the nearest enclosing table.

        None where the file does not write its personas as `[[persona]]` tables.
        """
        if len(self._entries) != of:
            return None
        names = tuple(str(part) for part in path)
        lines = self._entries[entry - 1]
        for length in range(len(names), -1, -1):
            if names[:length] in lines:
                return lines[names[:length]]
        return None
