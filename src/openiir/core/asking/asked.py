"""A question in its place, and the answer to it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from openiir.core.asking.question import Question
from openiir.core.records import Message, Persona, Place, Record
from openiir.core.seeds import Draw

_NAMED = ("properties", "$defs")
"""Keywords whose keys are names of the author's own, `title` among them."""
LONGEST_ID = 64
"""Characters; a text bound to no more is taken for an id."""
MOST_OPTIONS = 1_000
"""Values of a list's items that are compared one by one."""
LISTED = 12
"""Values of a field that the form of a reply lists at most."""
Form = Literal["example", "schema"]
"""How a prompt shows what a reply must look like."""


@dataclass(frozen=True)
class Asked:
    """A question put to someone at a place in the run."""

    place: Place
    question: Question[Any]
    persona: Persona | None
    """None for a role such as the moderator."""
    draw: Draw
    """Bound to the place: purpose is the question's kind, item its subject and ordinal."""
    form: Form = "example"

    def messages(self) -> tuple[Message, ...]:
        """The prompt as sent: who is asked, what is asked, and the form of the reply; facts and persona alone."""
        facts = self.question.facts
        role = facts.system() or (persona_words(self.persona) if self.persona else "")
        user = Message(
            role="user",
            text=f"{facts.prompt()}\n\n{form_words(self.question, self.form)}",
            images=tuple(facts.images()),
        )
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
    """A persona as a model's system prompt: who somebody is, each thing once.

    Left out are a stance, which belongs to the question since it changes; traits that are decimals, which are
    parameters of behaviour models; and the part of a population that a persona is of (`group`), which nobody lives in.
    """
    lines = [f"You are {persona.name}. {persona.bio}"]
    if temper := [words for name, value in persona.big_five if (words := _temper(name, value))]:
        lines.append(f"{_joined(temper)}.")
    if persona.interests:
        lines.append(f"What you care about most: {', '.join(persona.interests)}.")
    lines += [
        _trait(name, v)
        for name, v in sorted(persona.traits.items())
        if not isinstance(v, float) and name != "group"
    ]
    return "\n".join(
        [*lines, "", "Answer as this person would: from what they know and believe, in their own voice."]
    )


_TEMPER = {
    "openness": (
        "You stick firmly to what you know",
        "You prefer what you know",
        "You are curious",
        "You are drawn to all that is new",
    ),
    "conscientiousness": (
        "You let things slide",
        "You take things as they come",
        "You like things in order",
        "You are orderly to the last detail",
    ),
    "extraversion": (
        "You say little and keep to yourself",
        "You are on the quiet side",
        "You are outgoing",
        "You are outspoken and seek company",
    ),
    "agreeableness": (
        "You are blunt and do not give way",
        "You say what you think, welcome or not",
        "You are obliging",
        "You are warm and quick to trust",
    ),
    "neuroticism": (
        "Nothing unsettles you",
        "You are even-tempered",
        "You worry easily",
        "You worry a great deal",
    ),
}
"""By factor of the Big Five: very low, low, high, very high. Of the middle there is nothing to say."""


def _temper(factor: str, value: float) -> str:
    words = _TEMPER[factor]
    if 0.35 < value < 0.65:
        return ""
    return words[0 if value <= 0.2 else 1 if value <= 0.35 else 3 if value >= 0.8 else 2]


def _joined(sentences: list[str]) -> str:
    """Sentences that begin with "You" as one, their subject said once."""
    first, *rest = sentences
    if not rest:
        return first
    lower = [sentence[0].lower() + sentence[1:] for sentence in rest]
    return f"{', '.join([first, *lower[:-1]])} and {lower[-1]}"


def _trait(name: str, value: str | int | bool) -> str:
    words = ("no", "yes")[value] if isinstance(value, bool) else value
    return f"{name.replace('_', ' ').capitalize()}: {words}."


def schema_for(question: Question[Any]) -> dict[str, Any]:
    """The schema of a question's reply, narrowed to the values it allows; nobody may change it."""
    allowed, lengths = question.facts.allowed(), question.facts.lengths()
    return schema_of(
        question.Reply,
        tuple((path, tuple(values)) for path, values in allowed.items()),
        tuple(lengths.items()),
    )


@lru_cache(maxsize=1_024)
def schema_of(
    reply: type[Record],
    allowed: tuple[tuple[str, tuple[Any, ...]], ...] = (),
    lengths: tuple[tuple[str, int], ...] = (),
) -> dict[str, Any]:
    """A reply's JSON schema in one piece, as strict endpoints take it: objects closed, every property required.

    Titles, docstrings and defaults, which only people and readers need, are left out, so that a better docstring
    changes no prompt; what a model should know of a field stands in its `description`. `allowed` narrows fields.
    """
    schema = _untitled(reply.model_json_schema())
    models = schema.pop("$defs", {})
    nodes = {path: _place_of(path, schema, models) for path, _ in (*allowed, *lengths)}
    for path, values in allowed:
        fields, field = nodes[path]
        fields[field] = _narrowed(fields[field], list(dict.fromkeys(values)))
    for path, length in lengths:
        fields, field = nodes[path]
        fields[field] = {**fields[field], "minItems": length, "maxItems": length}
    found: dict[str, Any] = _strict(schema, models, ())
    return found


def _place_of(path: str, schema: dict[str, Any], models: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The properties that hold a field, `field` or `Class.field`, and the field's name in them."""
    model, _, field = path.rpartition(".")
    return (models[model] if model else schema)["properties"], field


def _strict(node: Any, models: Mapping[str, Any], within: tuple[str, ...]) -> Any:
    """A schema with its definitions put in place, every property required and nothing defaulted."""
    if isinstance(node, list):
        return [_strict(item, models, within) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        if name in within:
            raise TypeError(f"the reply's {name} contains itself, so it may nest without end; bound it")
        model = {key: value for key, value in models[name].items() if key != "description"}
        rest = {key: value for key, value in node.items() if key not in ("$ref", "default")}
        return _strict(model | rest, models, (*within, name))
    found = {
        key: _strict(value, models, within)
        for key, value in node.items()
        if key not in ("default", "properties")
    }
    if "properties" in node:
        found["properties"] = {
            name: _strict(field, models, within) for name, field in node["properties"].items()
        }
        found["required"] = list(node["properties"])
        if not within:
            found.pop("description", None)
    return found


def _narrowed(field: dict[str, Any], values: list[Any]) -> dict[str, Any]:
    """A text, a whole number, a list of either, or null beside them, with its values listed; description kept.

    Nothing allowed leaves it empty.
    """
    said = {"description": field["description"]} if "description" in field else {}
    if kinds := [kind for kind in field.get("anyOf", ()) if kind.get("type") != "null"]:
        return (
            {"anyOf": [_narrowed(kinds[0], values), {"type": "null"}], **said}
            if values
            else {"type": "null", **said}
        )
    if field.get("type") == "array":
        most = min(field.get("maxItems", len(values)), len(values))
        return {**field, "maxItems": most, **({"items": _listed(values)} if values else {})}
    may_be_empty = [] if "" in values or not isinstance(field.get("default"), str) else [""]
    return {**_listed([*values, *may_be_empty] or [""]), **said}


def _listed(values: list[Any]) -> dict[str, Any]:
    return {"type": "integer" if all(type(value) is int for value in values) else "string", "enum": values}


@lru_cache(maxsize=512)
def scales_of(reply: type[Record]) -> dict[str, str]:
    """The fields of a reply that two answers can be compared by, and how.

    `choice` is one of the schema's listed values, `number` a number, `id` a text of at most 64 characters, `set` a list
    of listed values or of whole numbers between bounds, whose order says nothing.
    """
    scales = {name: _scale(field) for name, field in schema_of(reply).get("properties", {}).items()}
    return {name: scale for name, scale in scales.items() if scale}


def options_of(question: Question[Any]) -> dict[str, list[Any]]:
    """Everything that could have been in each field of the scale `set`."""
    schema, allowed = schema_of(question.Reply), question.facts.allowed()
    return {
        name: list(allowed[name]) if name in allowed else _range(schema["properties"][name].get("items", {}))
        for name, scale in scales_of(question.Reply).items()
        if scale == "set"
    }


def _range(item: dict[str, Any]) -> list[Any]:
    """The values of a list's items where they are few enough to be gone through; else nothing."""
    if "enum" in item:
        return list(item["enum"])
    if item.get("type") != "integer" or not {"minimum", "maximum"} <= item.keys():
        return []
    values = range(item["minimum"], item["maximum"] + 1)
    return list(values) if len(values) <= MOST_OPTIONS else []


def _scale(field: dict[str, Any]) -> str | None:
    """None where there is more to a field than one value of one scale; null beside it is a value too."""
    kinds = [kind for kind in field.get("anyOf", [field]) if kind.get("type") != "null"]
    if len(kinds) != 1:
        return None
    kind = kinds[0]
    if "enum" in kind or "const" in kind or kind.get("type") == "boolean":
        return "choice"
    if kind.get("type") in ("integer", "number"):
        return "number"
    if kind.get("type") == "array":
        return "set" if "maxItems" in kind and _range(kind.get("items", {})) else None
    return (
        "id" if kind.get("type") == "string" and kind.get("maxLength", LONGEST_ID + 1) <= LONGEST_ID else None
    )


def form_words(question: Question[Any], form: Form) -> str:
    """How the reply must look: an example on another topic and a line a field that needs one, or the schema."""
    schema = schema_for(question)
    if question.example is None or form == "schema":
        return reply_words(schema)
    shown = json.dumps(question.example.model_dump(mode="json"), ensure_ascii=False)
    lines = [f"- {name}: {words}" for name, words in _field_lines(schema)]
    return "\n".join(
        [
            f"Answer with one JSON object and nothing else, such as this one on another matter:\n{shown}",
            *lines,
        ]
    )


def reply_words(schema: Mapping[str, Any]) -> str:
    """How the reply must look, as schema, for endpoints that cannot enforce one."""
    shown = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"Reply with one JSON object and nothing else. It must fit this JSON schema:\n{shown}"


def _field_lines(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The fields, those of nested objects too, of which there is more to say than their names."""
    for name, field in schema.get("properties", {}).items():
        kinds = field.get("anyOf", [field])
        inner: dict[str, Any] = next(
            (kind for kind in (k.get("items", k) for k in kinds) if "enum" in kind or "properties" in kind),
            {},
        )
        options = [str(value) for value in inner.get("enum", ())]
        listed = " | ".join(options) if 0 < len(options) <= LISTED and inner.get("type") != "integer" else ""
        if words := "; ".join(filter(None, (field.get("description", ""), listed))):
            yield name, words
        yield from _field_lines(inner)


def _untitled(node: Any) -> Any:
    if isinstance(node, dict):
        return {
            key: {name: _untitled(sub) for name, sub in value.items()} if key in _NAMED else _untitled(value)
            for key, value in node.items()
            if key != "title"
        }
    return [_untitled(item) for item in node] if isinstance(node, list) else node
