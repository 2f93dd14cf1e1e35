"""Reading a reply: the JSON object in a text, fitted to its question; nothing is ever guessed."""

import json
import re
from typing import Any

from pydantic import ValidationError

from openiir.core.asking.question import Question
from openiir.core.errors import UnusableAnswer
from openiir.core.records import Message, Record

_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
_SHOWN = 600


def read(text: str, question: Question[Any]) -> Record:
    """The typed reply in `text`; raises UnusableAnswer with words that let the answerer mend it."""
    try:
        reply = question.Reply.model_validate_json(_object_in(text))
    except ValidationError as error:
        raise UnusableAnswer("; ".join(_problem(e) for e in error.errors()[:6])) from None
    question.check(reply)
    return reply


def repair_messages(asked: tuple[Message, ...], reply: str, error: str) -> tuple[Message, ...]:
    """The prompt of the one repair: the question again, the reply it got, and what is wrong with it."""
    shown = reply if len(reply) <= _SHOWN else f"{reply[:_SHOWN]} [...]"
    words = f"That reply cannot be used: {error}.\nAnswer the same question again, with the JSON object alone."
    return (*asked, Message(role="assistant", text=shown or "(empty)"), Message(role="user", text=words))


def _object_in(text: str) -> str:
    stripped = text.strip()
    if stripped.startswith("{") and stripped.endswith("}"):
        return stripped
    fenced = _FENCE.search(stripped)
    candidate = fenced.group(1).strip() if fenced else stripped
    start = candidate.find("{")
    if start < 0:
        raise UnusableAnswer("it contains no JSON object")
    try:
        _, length = json.JSONDecoder().raw_decode(candidate[start:])
    except ValueError as error:
        raise UnusableAnswer(f"its JSON is broken: {error}") from None
    return candidate[start : start + length]


def _problem(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"])
    return f"{where}: {error['msg']}" if where else str(error["msg"])
