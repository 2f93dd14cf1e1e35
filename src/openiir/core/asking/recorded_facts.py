"""Recording of what the prompts of offline questions are made of, and restoring of the prompts from it.

A prompt is made of a question's facts alone, so these are recorded, which costs less than writing it.
"""

import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from itertools import repeat
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter
from pydantic_core import to_json

from openiir.core.asking.answerers import OfflineAnswerer
from openiir.core.asking.placed_question import Answer, Form, PlacedQuestion, build_messages
from openiir.core.asking.question import Question
from openiir.core.asking.question_parts import question_parts
from openiir.core.hashing import canonical
from openiir.core.records import Message, Persona
from openiir.core.storage import AskedFacts


class FactsRecorder:
    """Recorder of offline-answered questions: the facts of which their prompts can be written again."""

    def __init__(self) -> None:
        self._personas: dict[int, tuple[Persona, str]] = {}
        """Personas as JSON, by identity."""

    def record(self, asked: PlacedQuestion, answer: Answer, event: int) -> AskedFacts | None:
        """Record what a question's prompt is made of, with its answer; None if it cannot be restored."""
        if answer.answerer != OfflineAnswerer.name or answer.reply is None:
            return None
        question = asked.question
        name = _name_class(type(question))
        if "<" in name:  # within a function
            return None
        with suppress(ValueError):  # facts of a kind that JSON does not hold
            told = to_json(_facts_by_name(question)).decode()
            reply = to_json(answer.reply).decode()
            return AskedFacts(event, (name,), self._write(asked.persona), told, reply)
        return None

    def _write(self, persona: Persona | None) -> str:
        if persona is None:
            return ""
        known = self._personas.get(id(persona))
        if known is None:
            known = self._personas[id(persona)] = persona, persona.model_dump_json()
        return known[1]


class RestoredQuestion(NamedTuple):
    """A question restored from its record, and the offline answer."""

    question: Question[Any]
    messages: tuple[Message, ...]
    answer: Answer


def restore_question(recorded: AskedFacts, packages: Collection[str], form: Form) -> RestoredQuestion | None:
    """Restore a question of a class in one of these packages; None where facts are missing."""
    kind = _find_class(recorded.classes[0], packages)
    if not (kind and issubclass(kind, Question)):
        return None
    try:
        given, question = json.loads(recorded.facts), object.__new__(kind)
        hints = _hints(kind)
        for name in question_parts(kind).facts:
            object.__setattr__(question, name, _build(hints[name], given[name]))
        if canonical(json.loads(to_json(_facts_by_name(question)))) != canonical(given):
            return None
        reply = kind.Reply.model_validate_json(recorded.reply)
        persona = Persona.model_validate_json(recorded.persona) if recorded.persona else None
        return RestoredQuestion(
            question, build_messages(question, persona, form), OfflineAnswerer().wrap(reply)
        )
    except Exception:  # of another version of the type, or changed: its facts have other fields
        return None


def _facts_by_name(question: Question[Any]) -> dict[str, Any]:
    """Return a question's facts by name."""
    held = vars(question)
    return {name: held[name] for name in question_parts(type(question)).facts}


@cache
def _name_class(of: type) -> str:
    return f"{of.__module__}:{of.__qualname__}"


def _build(of: Any, value: Any) -> Any:
    """Build a value of this type from JSON; numbers stay as they are: 3 in a float's field is 3."""
    origin, args = get_origin(of), get_args(of)
    if origin is Annotated:
        return _build(args[0], value)
    if value is None or of in (str, int, float, bool) or origin is Literal:
        return value
    if origin in (Union, UnionType) and len(args) == 2 and NoneType in args:
        return _build(args[0] if args[1] is NoneType else args[1], value)
    if origin is tuple:
        items = repeat(args[0]) if args[1:] == (...,) else args
        return tuple(_build(item, one) for item, one in zip(items, value, strict=args[1:] != (...,)))
    if isinstance(of, type) and is_dataclass(of):
        built = object.__new__(of)
        for name, hint in _hints(of).items():
            object.__setattr__(built, name, _build(hint, value[name]))
        return built
    return _adapter(of).validate_json(json.dumps(value))


@cache
def _hints(of: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields."""
    hints = get_type_hints(of, include_extras=True)
    return {field.name: hints[field.name] for field in fields(of)}  # type: ignore[arg-type]


_adapter = cache(TypeAdapter)


def _find_class(name: str, packages: Collection[str]) -> type | None:
    """Find a class by its name; None for one that is elsewhere."""
    module, _, names = name.partition(":")
    if module.partition(".")[0] not in packages:
        return None
    try:
        found: Any = import_module(module)
        for part in names.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return found if isinstance(found, type) else None
