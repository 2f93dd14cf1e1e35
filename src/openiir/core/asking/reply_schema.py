"""JSON schemas of replies as sent to models, and the scales on which two replies can be compared."""

from collections.abc import Mapping
from copy import deepcopy
from functools import cache, lru_cache
from typing import Any

from openiir.core.asking.question import Question
from openiir.core.records import Record

LONGEST_ID = 64
"""Most characters of a text field that is compared as an id."""
MOST_OPTIONS = 1_000
"""Most possible values of list items that are compared one by one."""
_SCHEMA = "reply schema"
"""Key of the schema among what a question's facts hold."""


def question_schema(question: Question[Any]) -> dict[str, Any]:
    """Return the JSON schema of a question's reply, with its allowed values; cached, so do not modify it."""
    facts = question.facts_only
    held = vars(facts)  # a prompt, its request and its reply need the schema, and listing values takes time
    if _SCHEMA not in held:
        allowed, lengths = facts.allowed(), facts.lengths()
        held[_SCHEMA] = record_schema(
            question.Reply,
            tuple((path, tuple(values)) for path, values in allowed.items()),
            tuple(lengths.items()),
        )
    found: dict[str, Any] = held[_SCHEMA]
    return found


@lru_cache(maxsize=1_024)
def record_schema(
    reply: type[Record],
    allowed: tuple[tuple[str, tuple[Any, ...]], ...] = (),
    lengths: tuple[tuple[str, int], ...] = (),
) -> dict[str, Any]:
    """Build a reply's JSON schema for strict endpoints: no references, closed, all properties required.

    Titles, docstrings and defaults are left out, so that rewording a docstring changes no prompt; put what a
    model should know of a field into its `description`. `allowed` narrows fields to values, `lengths` fixes
    lists.
    """
    schema = deepcopy(_model_schema(reply))
    models = schema.pop("$defs", {})
    nodes = {path: _find_field(path, schema, models) for path, _ in (*allowed, *lengths)}
    for path, values in allowed:
        fields, field = nodes[path]
        fields[field] = _narrow(fields[field], list(dict.fromkeys(values)))
    for path, length in lengths:
        fields, field = nodes[path]
        fields[field] = {**fields[field], "minItems": length, "maxItems": length}
    found: dict[str, Any] = _inline(schema, models, ())
    return found


@cache
def _model_schema(reply: type[Record]) -> dict[str, Any]:
    return reply.model_json_schema()


def _find_field(path: str, schema: dict[str, Any], models: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Find a field, `field` or `Class.field`; returns the properties that contain it and its name there."""
    model, _, field = path.rpartition(".")
    return (models[model] if model else schema)["properties"], field


def _inline(node: Any, models: Mapping[str, Any], within: tuple[str, ...]) -> Any:
    """Inline a schema's definitions, require every property, and drop titles and defaults."""
    if isinstance(node, list):
        return [_inline(item, models, within) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        if name in within:
            raise TypeError(f"the reply's {name} contains itself, so it may nest without end; bound it")
        model = {key: value for key, value in models[name].items() if key != "description"}
        rest = {key: value for key, value in node.items() if key not in ("$ref", "default")}
        return _inline(model | rest, models, (*within, name))
    found = {
        key: _inline(value, models, within)
        for key, value in node.items()
        if key not in ("title", "default", "properties")
    }
    if "properties" in node:
        found["properties"] = {
            name: _inline(field, models, within) for name, field in node["properties"].items()
        }
        found["required"] = list(node["properties"])
        if not within:
            found.pop("description", None)
    return found


def _narrow(field: dict[str, Any], values: list[Any]) -> dict[str, Any]:
    """Restrict a field (text, whole number, list of either, or optional) to the given values; keeps its
    description.

    Without values the field stays empty; if only null is left, the description is dropped.
    """
    said = {"description": field["description"]} if "description" in field else {}
    if kinds := [kind for kind in field.get("anyOf", ()) if kind.get("type") != "null"]:
        return (
            {"anyOf": [_narrow(kinds[0], values), {"type": "null"}], **said} if values else {"type": "null"}
        )
    if field.get("type") == "array":
        most = min(field.get("maxItems", len(values)), len(values))
        return {**field, "maxItems": most, **({"items": _enum_schema(values)} if values else {})}
    may_be_empty = [] if "" in values or not isinstance(field.get("default"), str) else [""]
    return {**_enum_schema([*values, *may_be_empty] or [""]), **said}


def _enum_schema(values: list[Any]) -> dict[str, Any]:
    return {"type": "integer" if all(type(value) is int for value in values) else "string", "enum": values}


@lru_cache(maxsize=512)
def reply_scales(reply: type[Record]) -> dict[str, str]:
    """Return how each comparable field of a reply is compared (its scale, such as `set`), by field name.

    `choice` is one of the schema's listed values, `number` a number, `id` a text of at most 64 characters,
    `set` an unordered list of listed values or bounded whole numbers.
    """
    scales = {name: _field_scale(field) for name, field in record_schema(reply).get("properties", {}).items()}
    return {name: scale for name, scale in scales.items() if scale}


def question_scales(question: Question[Any]) -> dict[str, str]:
    """Return how each field of a question's reply is compared; a `set` of fixed length is a `list`."""
    scales, lengths = reply_scales(question.Reply), question.facts_only.lengths()
    fixed = {name: "list" for name, scale in scales.items() if scale == "set" and lengths.get(name)}
    return {name: scale for name, scale in (scales | fixed).items() if lengths.get(name) != 0}


def set_options(question: Question[Any]) -> dict[str, list[Any]]:
    """Return the possible values of each field whose scale is `set`."""
    schema, allowed = record_schema(question.Reply), question.facts_only.allowed()
    return {
        name: list(allowed[name])
        if name in allowed
        else _item_values(schema["properties"][name].get("items", {}))
        for name, scale in question_scales(question).items()
        if scale == "set"
    }


def _item_values(item: dict[str, Any]) -> list[Any]:
    """List the possible values of a list's items; empty if there are too many."""
    if "enum" in item:
        return list(item["enum"])
    if item.get("type") != "integer" or not {"minimum", "maximum"} <= item.keys():
        return []
    values = range(item["minimum"], item["maximum"] + 1)
    return list(values) if len(values) <= MOST_OPTIONS else []


def _field_scale(field: dict[str, Any]) -> str | None:
    """Return the comparison scale of a field, with null as one more value; None if it is not comparable."""
    kinds = [kind for kind in field.get("anyOf", [field]) if kind.get("type") != "null"]
    if len(kinds) != 1:
        return None
    kind = kinds[0]
    if "enum" in kind or "const" in kind or kind.get("type") == "boolean":
        return "choice"
    if kind.get("type") in ("integer", "number"):
        return "number"
    if kind.get("type") == "array":
        return "set" if "maxItems" in kind and _item_values(kind.get("items", {})) else None
    return (
        "id" if kind.get("type") == "string" and kind.get("maxLength", LONGEST_ID + 1) <= LONGEST_ID else None
    )
