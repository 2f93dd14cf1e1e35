"""Reading a reply: the JSON object in a text, fitted to its question; nothing is ever guessed."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_core import from_json

from openiir.core.asking.asked import schema_for
from openiir.core.asking.question import Question
from openiir.core.errors import UnusableAnswer
from openiir.core.hashing import canonical
from openiir.core.records import Message, Record

SHOWN = 2_000
"""Characters of a malformed reply that its repair shows."""
LONGEST = 2**20
"""Bytes of a reply's text in UTF-8; a longer one is unusable. No setting, since it decides a result."""
_WORDS = 1_000
_SPELLING = re.compile(r"""["'`\u2018\u2019\u201c\u201d]|(?<!\d)[ _]|[ _](?!\d)|-(?!\d)|\.$""")
_FAILURE = re.compile(r'\{"failure":"(?:[^"\\]|\\.)*"\}')
_ANSWERS = 100
"""Different answers in one text after which no more are looked for."""
_OBJECT = re.compile(r'\{\s*["}]')


def read(text: str, question: Question[Any]) -> Record:
    """The typed reply in `text`, whatever stands around it; raises UnusableAnswer with words that let it be mended.

    Several different objects that fit are as unusable as none.
    """
    if len(text.encode("utf-8", "surrogatepass")) > LONGEST:
        raise UnusableAnswer("it is longer than 1 MiB; keep the reply short")
    fitting: list[Record] = []
    problem = "it contains no JSON object; names and texts in one stand in double quotes"
    schema = schema_for(question)
    for piece, given in _objects_in(text):
        if (meant := _near(given, schema)) != given:
            piece = json.dumps(meant)
        try:
            reply = question.Reply.model_validate_json(piece)
        except ValidationError as error:
            problem = "; ".join(_problem(e) for e in error.errors(include_input=False, include_url=False)[:6])
            continue
        if reply not in fitting:
            fitting.append(reply)
        if len(fitting) > _ANSWERS:
            raise UnusableAnswer(f"it contains more than {_ANSWERS} different answers")
    if len(fitting) != 1:
        raise UnusableAnswer(
            _cut(f"it contains {len(fitting)} different answers" if fitting else problem, _WORDS)
        )
    if allowed := question.facts.allowed():
        _check_allowed(fitting[0], allowed, "")
    question.facts.check(fitting[0])
    return fitting[0]


def _near(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value with each text or number off a list read as the one entry that differs in spelling alone."""
    kinds = schema.get("anyOf", [schema])
    if isinstance(value, dict):
        fields: dict[str, Any] = next((kind["properties"] for kind in kinds if "properties" in kind), {})
        return {name: _near(one, fields.get(name, {})) for name, one in value.items()}
    if isinstance(value, list):
        items: dict[str, Any] = next((kind["items"] for kind in kinds if "items" in kind), {})
        return [_near(one, items) for one in value]
    options = [
        option for kind in kinds for option in kind.get("enum", [kind["const"]] if "const" in kind else ())
    ]
    if not isinstance(value, str | int) or isinstance(value, bool) or value in options:
        return value
    alike = [option for option in options if _plain(option) == _plain(value)]
    return alike[0] if len(alike) == 1 else value


def _plain(value: str | int) -> str:
    """A value without what spellings differ in: case, spaces, hyphens, quotes, a closing stop; numbers stay apart."""
    return _SPELLING.sub("", " ".join(str(value).split())).casefold()


def _check_allowed(reply: Record, allowed: Mapping[str, Sequence[str] | Sequence[int]], within: str) -> None:
    """Raises UnusableAnswer for a value that the question does not allow."""
    for name, value in reply:
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Record):
                _check_allowed(one, allowed, f"{type(one).__name__}.")
        values = allowed.get(within + name)
        if values is None:
            continue
        for one in value if isinstance(value, tuple) else (value,):
            empty = one is None or (one == "" and not type(reply).model_fields[name].is_required())
            if one not in values and not empty:
                known = ", ".join(map(str, values)) or "none, so leave it empty"
                raise UnusableAnswer(
                    f"{name} {_cut(repr(one), 80)} does not exist here; choose from: {known}"
                )


class Reading:
    """Judges replies to one question: None for one that fits, which is kept, else what is wrong with it."""

    def __init__(self, question: Question[Any]) -> None:
        self.question = question
        self.reply: Record | None = None
        self.failed = False
        """Whether a system's failure was read, so that no repair is asked for."""
        self._fitting: str | None = None

    def __call__(self, text: str) -> str | None:
        if text == self._fitting:  # was read just before
            return None
        if self.question.tolerates_failure and (failure := _failure_in(text)):
            self.failed = True
            return f"the system failed: {failure}"
        try:
            self.reply = read(text, self.question)
        except UnusableAnswer as unusable:
            return _cut(str(unusable), _WORDS)
        self._fitting = text
        return None


def failure_text(words: str) -> str:
    """What is recorded as the reply of a system that failed to give one."""
    return canonical({"failure": words})


def _failure_in(text: str) -> str | None:
    found = _FAILURE.fullmatch(text)
    return str(json.loads(text)["failure"]) if found else None


def repair_messages(asked: tuple[Message, ...], reply: str, error: str) -> tuple[Message, ...]:
    """The prompt of the one repair: the question again, the reply it got, and what is wrong with it."""
    words = (
        f"That reply cannot be used: {error}.\nAnswer the same question again, with the JSON object alone."
    )
    return (
        *asked,
        Message(role="assistant", text=_cut(reply, SHOWN) or "(empty)"),
        Message(role="user", text=words),
    )


def _objects_in(text: str) -> list[tuple[str, Any]]:
    """The outermost JSON objects in a text, in order, each with its value; a brace that begins no object is prose.

    One that is broken makes the text unusable: what stands within or after it may be a part of it.
    """
    found: list[tuple[str, Any]] = []
    position = 0
    while start := _OBJECT.search(text, position):
        try:
            value, position = _DECODER.raw_decode(text, start.start())
        except UnusableAnswer:
            raise
        except json.JSONDecodeError as error:
            open_ended = _is_open(text, error)
            cut = "it ends too early; keep the reply short" if open_ended else _broken(text[start.start() :])
            raise UnusableAnswer(f"its JSON is broken: {cut}") from None
        except RecursionError:
            raise UnusableAnswer("its JSON is nested too deeply") from None
        except ValueError:  # Python reads no whole number of more than 4,300 digits
            raise UnusableAnswer("its JSON holds a number that is too long") from None
        found.append((text[start.start() : position], value))
    return found


def _broken(text: str) -> str:
    """What is wrong with JSON, in words that are recorded: pydantic's, which no Python's version changes."""
    try:
        from_json(text)
    except ValueError as error:
        return str(error)
    return "it cannot be read"


def _is_open(text: str, error: json.JSONDecodeError) -> bool:
    """Whether JSON is broken only in that the text ends."""
    return error.msg.startswith("Unterminated string") or not text[error.pos :].strip("` \t\r\n")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UnusableAnswer(f"the name {twice!r} stands twice in one JSON object")
    return values


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _no_number(digits)


def _no_number(word: str) -> NoReturn:
    raise UnusableAnswer(f"{_cut(word, 40)} is no number that JSON can hold")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_float=_finite, parse_constant=_no_number)


def _problem(error: Any) -> str:
    where = ".".join(_cut(str(part), 80) for part in error["loc"])
    return f"{where}: {error['msg']}" if where else str(error["msg"])


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]} [...]"
