"""Check any question: bounds of its reply, purity of its offline answer, and variants of its fields."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from openiir.core.asking import PlacedQuestion, Question, question_schema, read_reply, record_schema
from openiir.core.asking.question_parts import BEHAVIOUR
from openiir.core.errors import UnusableAnswer
from openiir.core.records import Persona, Place, Record
from openiir.core.seeds import Draw

PER_KIND = 6
"""Largest number of questions of a kind that are checked, spread over the run."""
ELEMENTS = 2
"""Number of elements of a sequence that are varied one by one."""
DRAWS = 4
"""Number of draws under which a variant's reply is compared, so that rare effects are seen too."""

_NUMBERS = ("integer", "number")


def group_by_kind(asked: Sequence[PlacedQuestion]) -> dict[str, list[PlacedQuestion]]:
    """Group questions by kind, at most PER_KIND each, without the platform's own."""
    found: dict[str, list[PlacedQuestion]] = {}
    for one in asked:
        if not type(one.question).__module__.startswith("openiir.core."):
            found.setdefault(one.question.kind, []).append(one)
    return {kind: pick_evenly(group, PER_KIND) for kind, group in sorted(found.items())}


def pick_evenly(items: Sequence[Any], n: int) -> list[Any]:
    """Pick at most n of the items, evenly spaced from the first to the last."""
    if len(items) <= n:
        return list(items)
    return [items[round(i * (len(items) - 1) / (n - 1))] for i in range(n)]


def find_unbounded(asked: type[Record] | Question[Any]) -> list[str]:
    """List the texts, lists, tables and numbers of a reply type that have no bounds.

    A reply class is judged by its own schema, a question by the schema sent with it.
    """
    schema = question_schema(asked) if isinstance(asked, Question) else record_schema(asked)
    return list(dict.fromkeys(_find_unbounded(schema, "reply")))


def _find_unbounded(node: Any, path: str) -> Iterator[str]:
    if "enum" in node or "const" in node:
        return
    if choices := node.get("anyOf") or node.get("oneOf") or node.get("allOf"):
        for choice in choices:
            yield from _find_unbounded(choice, path)
    else:
        yield from _find_unbounded_type(node, path)


def _find_unbounded_type(node: Any, path: str) -> Iterator[str]:
    kind = node.get("type")
    if kind == "string" and "maxLength" not in node:
        yield f"{path} is a text without max_length"
    elif kind == "array":
        if "maxItems" not in node:
            yield f"{path} is a list without max_length"
        for item in [*node.get("prefixItems", ()), *([node["items"]] if "items" in node else [])]:
            yield from _find_unbounded(item, f"{path}[]")
    elif kind in _NUMBERS:
        for bound, words in (("inimum", "lower"), ("aximum", "upper")):
            if f"m{bound}" not in node and f"exclusiveM{bound}" not in node:
                yield f"{path} is a number without {words} bound"
    elif kind == "object":
        for name, inner in node.get("properties", {}).items():
            yield from _find_unbounded(inner, f"{path}.{name}")
        if node.get("additionalProperties", True) is not False and "maxProperties" not in node:
            yield f"{path} is a table that takes any number of keys"
    elif kind is None:
        yield f"{path} may be anything"


def explain_unusable(asked: PlacedQuestion) -> str | None:
    """Return why the offline reply would be refused from a model; None if it would be accepted."""
    reply = asked.question.offline(asked.draw)
    try:
        back = read_reply(reply.model_dump_json(), asked.question)
    except UnusableAnswer as error:
        return str(error)
    return None if back == reply else f"it reads back as {back!r}, it was {reply!r}"


def explain_impure(asked: PlacedQuestion) -> str | None:
    """Say how an offline answer depends on more than question and draw, or changes them; else None."""
    question, twin = asked.question, copy.deepcopy(asked.question)
    first = question.offline(asked.draw)
    if _values(question) != _values(twin):
        return "the offline answer changes the question's fields"
    if question.offline(asked.draw) != first:
        return "asked twice, it gives two replies: it depends on something outside its fields and its draw"
    if twin.offline(asked.draw) != first:
        return "a copy of it gives another reply: it depends on which objects its fields are"
    return None


def _values(question: Question[Any]) -> list[Any]:
    """Return facts and dispositions; whether a behaviour object is as before shows in its next answer."""
    return [getattr(question, field.name) for field in fields(question) if field.name != BEHAVIOUR]  # type: ignore[arg-type]


def batch_differs(group: Sequence[PlacedQuestion]) -> bool:
    """Whether answering a batch at once (`offline_all`) differs from answering one by one."""
    questions = [a.question for a in group]
    together = type(questions[0]).offline_all(questions, [a.draw for a in group])
    return list(together) != [a.question.offline(a.draw) for a in group]


def vary_fields(whole: Any, others: Sequence[Any], names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield copies of a dataclass with one value of these fields changed, each with its dotted path.

    Each field is replaced by its values in the others, and by values next to its own.
    """
    for name in names:
        value = getattr(whole, name)
        pool = [getattr(other, name) for other in others]
        for path, variant in (*((name, v) for v in pool if v != value), *vary_value(value, name)):
            yield path, replace(whole, **{name: variant})


def _nearby_values(value: Any) -> tuple[Any, ...]:
    """Return values close to a truth value, a number or a text; none for other values."""
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1, value - 1, value + 7, 0)
    if isinstance(value, float):
        return (value + 0.5, value - 0.5, -value, 0.0)
    return (f"{value} indeed", " ".join(reversed(value.split())), "") if isinstance(value, str) else ()


def field_names(value: Any) -> Sequence[str]:
    """List the fields of a record, a dataclass or a NamedTuple; none of other values."""
    if isinstance(value, Record):
        return list(type(value).model_fields)
    if is_dataclass(value) and not isinstance(value, type):
        return [field.name for field in fields(value)]
    return getattr(value, "_fields", ())


def _replace_field(whole: Any, name: str, value: Any) -> Any:
    if isinstance(whole, Record):
        return whole.model_copy(update={name: value})
    return replace(whole, **{name: value}) if is_dataclass(whole) else whole._replace(**{name: value})  # type: ignore[type-var]


def vary_value(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield copies of a value with one part changed, each with the dotted path of the change."""
    if names := field_names(value):
        for name in names:
            for inner, variant in vary_value(getattr(value, name), f"{path}.{name}"):
                yield inner, _replace_field(value, name, variant)
    elif isinstance(value, tuple | list):
        make = type(value)
        others = (make(value[1:]), make(value[:0]), make(reversed(value)))
        yield from ((path, other) for other in others if other != value)
        for n in range(min(ELEMENTS, len(value))):
            for inner, variant in vary_value(value[n], path):
                yield inner, make([*value[:n], variant, *value[n + 1 :]])
    elif isinstance(value, Mapping):
        for key in list(value)[:ELEMENTS]:
            yield path, {k: v for k, v in value.items() if k != key}
            for inner, variant in vary_value(value[key], path):
                yield inner, {**value, key: variant}
    else:
        yield from ((path, variant) for variant in _nearby_values(value) if variant != value)


def place_after_run(question: Question[Any], persona: Persona) -> PlacedQuestion:
    """Place a question as it is asked of a persona after a run."""
    place = Place(lane="after", asker=persona.id, kind=question.kind, subject="", step=0, ordinal=0)
    return PlacedQuestion(place, question, persona, Draw(0, question.kind, agent=persona.id))
