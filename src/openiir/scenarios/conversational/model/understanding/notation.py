"""One-line notation of dialogue acts, as in published prompts: `DISCLOSE(genre="horror",year)|BYE()`.

Intents and slots are letters, digits, dots, dashes and underscores; a slot of other signs is quoted. Values stand in double or single quotes, a quote
or backslash inside after a backslash. What models make of it is read too: no brackets or no quotes, other spacing,
quotes inside quotes (one closes only before a comma or bracket), commas and brackets in values without quotes.
"""

import re
from collections.abc import Sequence

from openiir.plugin import UnusableAnswer
from openiir.scenarios.conversational.model.dialogue import Act, Slot

_NAME = re.compile(r"\s*([^\W\d][\w.\-]*)\s*")
_ANOTHER = re.compile(r"\s*[^\W\d][\w.\-]*\s*(?:=|,|\)\s*(?:\||$)|$)")
"""Pattern after a comma that ends an unquoted value: another slot, with or without a value."""
_CLOSES = re.compile(r"\s*(?:,|\)|$)")
_CLOSES_SLOT = re.compile(r"\s*(?:=|,|\)|$)")
_PLAIN = re.compile(r"[^\W\d][\w.\-]*")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_EXAMPLE = 'INTENT(slot="value",slot)|INTENT()'


def format_acts(acts: Sequence[Act]) -> str:
    """Format acts in one line, which `parse_acts` reads back except for the offsets of values."""
    return "|".join(f"{act.intent}({','.join(map(_slot, act.slots))})" for act in acts)


def parse_acts(text: str) -> tuple[Act, ...]:
    """Parse the acts of such a line; () if it is blank.

    Raises UnusableAnswer with the place and what to write there.
    """
    reader = _Reader(text.strip())
    acts = []
    while reader.at < len(reader.text):
        acts.append(reader.act())
        if reader.at < len(reader.text):
            reader.take("|")
            if not reader.text[reader.at :].strip():
                break  # a bar after the last act
    return tuple(acts)


def _slot(slot: Slot) -> str:
    name = slot.slot if _PLAIN.fullmatch(slot.slot) else _quote(slot.slot)
    return name if slot.value is None else f"{name}={_quote(slot.value)}"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class _Reader:
    """Parser of one line of acts, with a current position."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def act(self) -> Act:
        intent = self.name("an intent")
        if not self.text.startswith("(", self.at):
            return Act(intent=intent)
        self.at += 1
        slots: list[Slot] = []
        while not self.closes():
            slots.append(self.slot())
            if self.text.startswith(",", self.at):
                self.at += 1
        self.at += 1
        self.skip()
        return Act(intent=intent, slots=tuple(slots))

    def slot(self) -> Slot:
        first = self.text[self.at : self.at + 1]
        name = self.quotation(_QUOTES[first], _CLOSES_SLOT) if first in _QUOTES else self.name("a slot")
        if not self.text.startswith("=", self.at):
            if self.text[self.at : self.at + 1] not in (",", ")"):
                raise self.error("write a comma, a closing bracket, or = and a value in double quotes")
            return Slot(slot=name)
        self.at += 1
        self.skip()
        mark = self.text[self.at : self.at + 1]
        value = self.quotation(_QUOTES[mark]) if mark in _QUOTES else self.bare() or None
        return Slot(slot=name, value=value)

    def quotation(self, closing: str, closes: re.Pattern[str] = _CLOSES) -> str:
        """Parse a quoted value; a quote not followed by a comma or bracket is part of the value."""
        text, value, place = self.text, [], self.at + 1
        while place < len(text):
            letter = text[place]
            if letter == "\\" and place + 1 < len(text):
                value.append(text[place + 1])
                place += 2
                continue
            if letter == closing and closes.match(text, place + 1):
                self.at = place + 1
                self.skip()
                return "".join(value)
            value.append(letter)
            place += 1
        raise self.error(f"the value that begins here never ends; close it with {closing}")

    def bare(self) -> str:
        """Parse an unquoted value, up to the act's closing bracket or a comma before another slot."""
        depth, start = 0, self.at
        for place in range(self.at, len(self.text)):
            letter = self.text[place]
            depth += (letter == "(") - (letter == ")")
            ends = depth < 0 or (letter == "," and not depth and _ANOTHER.match(self.text, place + 1))
            if ends:
                self.at = place
                return self.text[start:place].strip()
        raise self.error("close the bracket after this value")

    def closes(self) -> bool:
        self.skip()
        if self.at >= len(self.text):
            raise self.error("close the bracket of the last act")
        return self.text[self.at] == ")"

    def name(self, what: str) -> str:
        found = _NAME.match(self.text, self.at)
        if not found:
            raise self.error(f"{what} is expected: letters, digits, dots, dashes and underscores")
        self.at = found.end()
        return found[1]

    def take(self, mark: str) -> None:
        if not self.text.startswith(mark, self.at):
            raise self.error(f"put {mark} between two acts")
        self.at += len(mark)

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def error(self, remedy: str) -> UnusableAnswer:
        near = self.text[self.at : self.at + 30] or "the end"
        return UnusableAnswer(
            f"the acts cannot be read at character {self.at + 1} ({near}): {remedy}, as in {_EXAMPLE}"
        )
