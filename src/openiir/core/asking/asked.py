"""A question in its place, and the answer to it."""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from openiir.core.asking.question import Question
from openiir.core.records import Message, Persona, Place, Record
from openiir.core.seeds import Draw

_NAMED = ("properties", "$defs")
"""Keywords whose keys are names of the author's own, `title` among them."""
LONGEST_ID = 64
"""Characters; a text bound to no more is taken for an id."""

MOST_OPTIONS = 1_000
"""Values of a list's items that are compared one by one."""


@dataclass(frozen=True)
class Asked:
    """A question put to someone at a place in the run."""

    place: Place
    question: Question[Any]
    persona: Persona | None
    """None for a role such as the moderator."""
    draw: Draw
    """Bound to the place: purpose is the question's kind, item its subject and ordinal."""

    def messages(self) -> tuple[Message, ...]:
        """The prompt as sent: who is asked, what is asked, and the form of the reply."""
        role = persona_words(self.persona) if self.persona else self.question.system()
        question = self.question
        form = reply_words(schema_for(question)) if question.allowed() else _plain_words(question.Reply)
        user = Message(role="user", text=f"{question.prompt()}\n\n{form}", images=tuple(question.images()))
        return (Message(role="system", text=role), user) if role else (user,)


@dataclass(frozen=True)
class Answer:
    """What came of a question."""

    reply: Record | None
    """None where no usable answer came."""
    answerer: str
    reply_tokens: int = 0
    prompt_tokens: int = 0
    attempts: int = 1
    failure: str | None = None


def persona_words(persona: Persona) -> str:
    """A persona as a model's system prompt."""
    lines = [f"You are {persona.name}. {persona.bio}", "Speak and decide as this person would."]
    if persona.stance is not None:
        leaning = _leaning(persona.stance)
        lines.append(f"On the topic at hand you start out {leaning} ({persona.stance:+.2f} from -1 to +1).")
    factors = persona.big_five
    marked = [f"{'high' if v > 0.65 else 'low'} {name}" for name, v in factors if not 0.35 <= v <= 0.65]
    if marked:
        lines.append(f"Temperament: {', '.join(marked)}.")
    if persona.interests:
        lines.append(f"You care about: {', '.join(persona.interests)}.")
    lines += [_trait(name, value) for name, value in sorted(persona.traits.items())]
    return "\n".join(lines)


def _leaning(stance: float) -> str:
    if abs(stance) < 0.2:
        return "undecided"
    side = "in favour of it" if stance > 0 else "against it"
    return side if abs(stance) >= 0.6 else f"leaning {side.replace('in favour of', 'towards')}"


def _trait(name: str, value: str | int | float | bool) -> str:
    words = ("no", "yes")[value] if isinstance(value, bool) else value
    return f"{name.replace('_', ' ').capitalize()}: {words}."


@lru_cache(maxsize=512)
def schema_of(reply: type[Record]) -> dict[str, Any]:
    """A reply's JSON schema without titles and docstrings, which only people read.

    So a better docstring changes no prompt; what a model should know of a field stands in its `description`.
    """
    schema = dict(_untitled(reply.model_json_schema()))
    for node in (schema, *schema.get("$defs", {}).values()):
        node.pop("description", None)
    return schema


def schema_for(question: Question[Any]) -> dict[str, Any]:
    """The schema of a question's reply, narrowed to the values it allows; nobody may change it."""
    allowed = question.allowed()
    if not allowed:
        return schema_of(question.Reply)
    return _narrowed_schema(question.Reply, tuple((path, tuple(values)) for path, values in allowed.items()))


@lru_cache(maxsize=1_024)
def _narrowed_schema(reply: type[Record], allowed: tuple[tuple[str, tuple[Any, ...]], ...]) -> dict[str, Any]:
    narrowed = copy.deepcopy(schema_of(reply))
    for path, values in allowed:
        model, _, field = path.rpartition(".")
        node = narrowed["$defs"][model]["properties"] if model else narrowed["properties"]
        node[field] = _narrowed(node[field], list(dict.fromkeys(values)))
    return narrowed


def _narrowed(field: dict[str, Any], values: list[Any]) -> dict[str, Any]:
    """A text field, or a list of texts or whole numbers, with its values listed; nothing allowed leaves it empty."""
    if field.get("type") == "array":
        if not values:
            return {**field, "maxItems": 0}
        if isinstance(values[0], int):
            most = min(field.get("maxItems", len(values)), len(values))
            return {**field, "maxItems": most, "items": {"type": "integer", "enum": values}}
        return {**field, "items": {"type": "string", "enum": values}}
    may_be_empty = [] if "default" not in field or "" in values else [""]
    return {"type": "string", "enum": [*values, *may_be_empty] or [""]}


@lru_cache(maxsize=512)
def scales_of(reply: type[Record]) -> dict[str, str]:
    """The fields of a reply that two answers can be compared by, and how.

    `choice` is one of the schema's listed values, `number` a number, `id` a text of at most 64 characters, `set` a list
    of listed values or of whole numbers between bounds, whose order says nothing.
    """
    schema = schema_of(reply)
    named = _named_nodes(schema)
    scales = {name: _scale(field, named) for name, field in schema.get("properties", {}).items()}
    return {name: scale for name, scale in scales.items() if scale}


def options_of(question: Question[Any]) -> dict[str, list[Any]]:
    """Everything that could have been in each field of the scale `set`."""
    schema = schema_of(question.Reply)
    named, allowed = _named_nodes(schema), question.allowed()
    return {
        name: list(allowed[name]) if name in allowed else _range(_item(schema["properties"][name], named))
        for name, scale in scales_of(question.Reply).items()
        if scale == "set"
    }


def _named_nodes(schema: dict[str, Any]) -> dict[str, Any]:
    return {f"#/$defs/{name}": node for name, node in schema.get("$defs", {}).items()}


def _item(field: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    """The schema of a list's items."""
    items = field.get("items", {})
    return dict(named.get(items.get("$ref", ""), items))


def _range(item: dict[str, Any]) -> list[Any]:
    """The values of a list's items where they are few enough to be gone through; else nothing."""
    if "enum" in item:
        return list(item["enum"])
    if item.get("type") != "integer" or not {"minimum", "maximum"} <= item.keys():
        return []
    values = range(item["minimum"], item["maximum"] + 1)
    return list(values) if len(values) <= MOST_OPTIONS else []


def _scale(field: dict[str, Any], named: dict[str, Any]) -> str | None:
    """None where there is more to a field than one value of one scale; null beside it is a value too."""
    kinds = [kind for kind in field.get("anyOf", [field]) if kind.get("type") != "null"]
    if len(kinds) != 1:
        return None
    kind = named.get(kinds[0].get("$ref", ""), kinds[0])
    if "enum" in kind or "const" in kind or kind.get("type") == "boolean":
        return "choice"
    if kind.get("type") in ("integer", "number"):
        return "number"
    if kind.get("type") == "array":
        return "set" if "maxItems" in kind and _range(_item(kind, named)) else None
    return "id" if kind.get("type") == "string" and kind.get("maxLength", LONGEST_ID + 1) <= LONGEST_ID else None


def reply_words(schema: Mapping[str, Any]) -> str:
    """How the reply must look, in words and as schema, for endpoints that cannot enforce one."""
    shown = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"Reply with one JSON object and nothing else. It must fit this JSON schema:\n{shown}"


@lru_cache(maxsize=512)
def _plain_words(reply: type[Record]) -> str:
    return reply_words(schema_of(reply))


def _untitled(node: Any) -> Any:
    if isinstance(node, dict):
        return {
            key: {name: _untitled(sub) for name, sub in value.items()} if key in _NAMED else _untitled(value)
            for key, value in node.items()
            if key != "title"
        }
    return [_untitled(item) for item in node] if isinstance(node, list) else node
