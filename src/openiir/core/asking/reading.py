"""Parsing of replies: find the JSON object in a text and validate it against the question's schema."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_core import from_json

from openiir.core.asking.question import Question
from openiir.core.asking.reply_schema import question_schema
from openiir.core.errors import UnusableAnswer
from openiir.core.hashing import canonical
from openiir.core.llm import without_reasoning
from openiir.core.records import Message, Record

REPAIR_SHOWS = 2_000
"""Most characters of a malformed reply quoted in the repair prompt."""
LONGEST = 2**20
"""Longest usable reply in bytes of UTF-8; fixed rather than a setting, since it affects results."""
CUT_IN_THOUGHT = "it reached the limit of tokens within its reasoning, before any answer; think briefly"
"""Error of a model's reply that is reasoning alone."""
_ERROR_LENGTH = 1_000
_SPELLING = re.compile(r"""["'`\u2018\u2019\u201c\u201d]|(?<!\d)[ _]|[ _](?!\d)|-(?!\d)|\.$""")
_FAILURE = re.compile(r'\{"failure":"(?:[^"\\]|\\.)*"\}')
_ANSWERS = 100
"""Number of different answers in one text after which parsing stops."""
_OBJECT = re.compile(r'\{\s*["}]')


def read_reply(text: str, question: Question[Any]) -> Record:
    """Parse the typed reply from a text that may contain other words; raises UnusableAnswer with the remedy.

    Several different objects that fit are as unusable as none.
    """
    if len(text.encode("utf-8", "surrogatepass")) > LONGEST:
        raise UnusableAnswer("it is longer than 1 MiB; keep the reply short")
    fitting: list[Record] = []
    problem = "it contains no JSON object; names and texts in one stand in double quotes"
    schema = question_schema(question)
    for piece, given in _objects_in(text):
        if (meant := _fix_spelling(given, schema)) != given:
            piece = json.dumps(meant)
        try:
            reply = question.Reply.model_validate_json(piece)
        except ValidationError as error:
            problem = "; ".join(
                _error_words(e) for e in error.errors(include_input=False, include_url=False)[:6]
            )
            continue
        if reply not in fitting:
            fitting.append(reply)
        if len(fitting) > _ANSWERS:
            raise UnusableAnswer(f"it contains more than {_ANSWERS} different answers")
    if len(fitting) != 1:
        raise UnusableAnswer(
            _cut(f"it contains {len(fitting)} different answers" if fitting else problem, _ERROR_LENGTH)
        )
    facts = question.facts_only
    if allowed := facts.allowed():
        _check_allowed(fitting[0], allowed, "")
    facts.check(fitting[0])
    return fitting[0]


def _fix_spelling(value: Any, schema: Mapping[str, Any]) -> Any:
    """Replace values that differ from one enumerated value in spelling only by that value."""
    kinds = schema.get("anyOf", [schema])
    if isinstance(value, dict):
        fields: dict[str, Any] = next((kind["properties"] for kind in kinds if "properties" in kind), {})
        return {name: _fix_spelling(one, fields.get(name, {})) for name, one in value.items()}
    if isinstance(value, list):
        items: dict[str, Any] = next((kind["items"] for kind in kinds if "items" in kind), {})
        return [_fix_spelling(one, items) for one in value]
    options = [
        option for kind in kinds for option in kind.get("enum", [kind["const"]] if "const" in kind else ())
    ]
    if not options or not isinstance(value, str | int) or isinstance(value, bool) or value in options:
        return value
    key = _spelling_key(value)
    alike = [option for option in options if _option_key(option) == key]
    return alike[0] if len(alike) == 1 else value


def _spelling_key(value: str | int) -> str:
    """Normalise a value for comparison: no case, spaces, hyphens, quotes and final stop outside numbers."""
    return _SPELLING.sub("", " ".join(str(value).split())).casefold()


@lru_cache(maxsize=4_096, typed=True)
def _option_key(option: str | int) -> str:
    """Compute the spelling key of an enumerated value; cached, since every reply needs all of them."""
    return _spelling_key(option)


def _check_allowed(reply: Record, allowed: Mapping[str, Sequence[str] | Sequence[int]], within: str) -> None:
    """Raise UnusableAnswer for a value that the question does not allow."""
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


class ReplyValidator:
    """Validator of replies to one question: returns None and keeps a valid reply, else returns the error."""

    def __init__(self, question: Question[Any]) -> None:
        self.question = question
        self.reply: Record | None = None
        self.failed = False
        """Whether the reply is a recorded system failure, for which no repair is requested."""
        self._fitting: str | None = None

    def __call__(self, text: str) -> str | None:
        text = without_reasoning(text)
        if text == self._fitting:  # was read just before
            return None
        if self.question.tolerates_failure and _FAILURE.fullmatch(text):
            self.failed = True
            return f"the system failed: {json.loads(text)['failure']}"
        try:
            self.reply = read_reply(text, self.question)
        except UnusableAnswer as unusable:
            return _cut(str(unusable), _ERROR_LENGTH)
        self._fitting = text
        return None


def failure_text(words: str) -> str:
    """Write the text that stands in the ledger for the reply of a system that failed to answer."""
    return canonical({"failure": words})


def repair_messages(asked: tuple[Message, ...], reply: str, error: str) -> tuple[Message, ...]:
    """Build the repair prompt: the question, the unusable reply, and what is wrong with it."""
    words = (
        f"That reply cannot be used: {error}.\nAnswer the same question again, with the JSON object alone."
    )
    return (
        *asked,
        Message(role="assistant", text=_cut(without_reasoning(reply), REPAIR_SHOWS) or "(empty)"),
        Message(role="user", text=words),
    )


def _objects_in(text: str) -> list[tuple[str, Any]]:
    """Find the outermost JSON objects in a text, in order, as (source, value); other braces are ignored as
    prose.

    A broken object makes the whole text unusable, since what follows may be a part of it.
    """
    found: list[tuple[str, Any]] = []
    position = 0
    while start := _OBJECT.search(text, position):
        try:
            value, position = _DECODER.raw_decode(text, start.start())
        except UnusableAnswer:
            raise
        except json.JSONDecodeError as error:
            cut_short = error.msg.startswith("Unterminated string") or not text[error.pos :].strip("` \t\r\n")
            early = "it ends too early; keep the reply short"
            what = early if cut_short else _json_error(text[start.start() :])
            raise UnusableAnswer(f"its JSON is broken: {what}") from None
        except RecursionError:
            raise UnusableAnswer("its JSON is nested too deeply") from None
        except ValueError:  # Python reads no whole number of more than 4,300 digits
            raise UnusableAnswer("its JSON holds a number that is too long") from None
        found.append((text[start.start() : position], value))
    return found


def _json_error(text: str) -> str:
    """Describe a JSON error in pydantic's words, which do not depend on the Python version."""
    try:
        from_json(text)
    except ValueError as error:
        return str(error)
    return "it cannot be read"


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UnusableAnswer(f"the name {twice!r} stands twice in one JSON object")
    return values


def _finite_number(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _refuse_number(digits)


def _refuse_number(word: str) -> NoReturn:
    raise UnusableAnswer(f"{_cut(word, 40)} is no number that JSON can hold")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_names, parse_float=_finite_number, parse_constant=_refuse_number
)


def _error_words(error: Any) -> str:
    where = ".".join(_cut(str(part), 80) for part in error["loc"])
    return f"{where}: {error['msg']}" if where else str(error["msg"])


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]} [...]"
