"""What an export leaves out: rows and texts of prompts, personas or sources, and quotations of them."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal

from openiir.core.storage import Log, RunFile
from openiir.plugin import Scenario

Part = Literal["prompts", "personas", "sources"]
"""Parts that can be left out: prompts and replies, personas' descriptions, texts of sources."""
LEFT_OUT = "[left out]"
RUN = 4
"""Number of words in a row that make a quotation; a whole text of three words counts too."""
_WORD = re.compile(r"\w+")
_SECTIONS = {"calls": "prompts", "personas": "personas", "searches": "sources"}
"""Sections all of whose rows belong to a part."""
_KINDS = {"shadow": {"prompts"}, "joined": {"personas"}, "lookup": {"personas", "sources"}}
"""Kinds of events that hold a part: both replies, a persona, its interests as words looked for."""
_KIND, _PAYLOAD = 3, 5
"""Columns of an event's row."""


class Omission:
    """What an export leaves out of a run, recognised in rows of the run and in data of its pages."""

    def __init__(self, run: RunFile, scenario: Scenario, parts: Collection[Part]) -> None:
        self.parts = tuple(sorted(parts))
        self.seqs: set[int] = set()
        """Numbers of the events that hold a part by their kind: what views tell of them is left out too."""
        self._described = {a.kind: a.describes for a in scenario.actions() if a.describes}
        self._runs: set[tuple[str, ...]] = set()
        self._wholes: set[tuple[str, ...]] = set()
        log = Log(run)
        if "personas" in parts:
            for persona in log.personas:
                self._add(
                    persona.bio, *(value for value in persona.traits.values() if isinstance(value, str))
                )
            for kind, fields in self._described.items():
                for event in log.events(kind):
                    self._add(*(text for field in fields for text in _texts(event.payload.get(field))))
        if "prompts" in parts:  # errors quote replies
            self._add(*(call.error for call in run.calls() if call.error))
        if not {"personas", "sources"}.isdisjoint(parts):
            queries = [event.payload.get("query", "") for event in log.events("lookup")]
            self._add(*queries)
            self._wholes.update(tuple(_words(query)) for query in queries)
        if "sources" in parts:
            self._add(*(chunk.text for chunk in log.chunks()))
            self._add(
                *(text for search in log.searches() for hit in search.hits for text in (hit.title, hit.text))
            )

    def _add(self, *texts: str) -> None:
        for text in texts:
            words = _words(text)
            self._runs.update(_word_runs(words, RUN))
            self._wholes.update(_word_runs(words, RUN - 1))

    def quotes(self, text: str) -> bool:
        """Whether a text repeats a part that is left out, word by word."""
        if not self._runs and not self._wholes:
            return False
        words = _words(text)
        return tuple(words) in self._wholes or any(run in self._runs for run in _word_runs(words, RUN))

    def leaves_out(self, section: str, row: Sequence[Any]) -> bool:
        """Whether a row's texts are left out; remembers the numbers of such events."""
        if not self.parts:
            return False
        if _SECTIONS.get(section) in self.parts:
            return True
        if section == "events" and self._holds_part(row[_KIND], json.loads(row[_PAYLOAD])):
            self.seqs.add(row[0])
            return True
        return any(self.quotes(text) for cell in row if isinstance(cell, str) for text in _texts(_read(cell)))

    def _holds_part(self, kind: str, payload: Mapping[str, Any]) -> bool:
        return (
            not _KINDS.get(kind, set()).isdisjoint(self.parts)
            or ("personas" in self.parts and kind in self._described)
            or ("prompts" in self.parts and kind == "asked" and bool(payload.get("failure")))
        )

    def clean(self, value: Any) -> Any:
        """Copy data of a page with LEFT_OUT for each text that is left out."""
        if not self.parts:
            return value
        if isinstance(value, str):
            return LEFT_OUT if self.quotes(value) or any(map(self.quotes, _texts(_read(value)))) else value
        if isinstance(value, Mapping):
            hidden = _SPOKEN if value.get("seq") in self.seqs else ()
            return {
                (LEFT_OUT if self.quotes(key) else key): _blank(one) if key in hidden else self.clean(one)
                for key, one in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.clean(one) for one in value]
        return value


_SPOKEN = ("text", "notes", "failure")
"""Fields in which pages tell what an event holds."""


def _blank(value: Any) -> Any:
    return LEFT_OUT if isinstance(value, str) and value else [] if isinstance(value, list) else value


def _read(cell: str) -> Any:
    """Read a JSON column; other texts are themselves."""
    if cell[:1] in ("{", "["):
        try:
            return json.loads(cell)
        except ValueError:
            pass
    return cell


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from (key, *_texts(one))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.replace("\\n", " ").casefold())


def _word_runs(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(words[n:] for n in range(length)), strict=False)
