"""What a question tells and what it keeps: facts reach the prompt, dispositions and ids reach nobody who is asked."""

import json
import re
import types
from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from openiir.core.asking import (
    Asked,
    Facts,
    Form,
    Question,
    Source,
    Unsplit,
    persona_words,
    schema_for,
    schema_of,
)
from openiir.core.asking.question import PARTS, FactNumber, LogId
from openiir.core.asking.reading import Reading, repair_messages
from openiir.core.llm.formats import can_be_strict
from openiir.core.records import Image, Message, Record
from openiir.testing.probing import DRAWS, variants_of, varied

PROSE = {
    "a number with two or more decimals": r"\d\.\d{2,}",
    "a percentage": r"\d+(?:\.\d+)?\s?(?:%|per ?cent\b)",
    "a scale from 0 or -1 to 1": r"(?<![\d.,])(?:-1|0)(?:\.0)? ?(?:to|and|\u2013) ?\+?1(?:\.0)?(?!\.?\d)",
    "an identifier": r"\b(?:[a-z]{1,3}\d{2,}|[a-z]+[-_][a-z]?\d{3,})\b",
}
"""What no person says, by what it is: allowed where a text among the facts carries it."""
SOURCES = get_args(Source.__annotations__["of"])
FORMS: tuple[Form, ...] = get_args(Form)


def is_told_in_words(question: Question[Any]) -> bool:
    """Whether the rules of prompts hold for it: not for what is said to a system under test, nor where they are owed."""
    return not (isinstance(question, Unsplit) or question.says() is not None or question.request())


def misplaced(question: Question[Any]) -> list[str]:
    """Fields that are no fact as people know them, and dispositions that do not say where they come from."""
    facts = question.facts
    found = [
        f"{name} stands beside its facts and dispositions" for name in sorted(set(vars(question)) - PARTS)
    ]
    if not _is_frozen(facts):
        return [*found, "its facts are no frozen dataclass"]
    found += [f"facts.{path} is a bare number" for path, kind in _kinds(type(facts)) if kind == "number"]
    found += [
        f"facts.{path} holds {v!r}, finer than one decimal"
        for path, v in _values(facts, "stars")
        if round(v, 1) != v
    ]
    return [*found, *_sourceless(question)]


def _sourceless(question: Question[Any]) -> Iterator[str]:
    """Dispositions, or the only one there is, that name no Source."""
    dispositions = getattr(question, "dispositions", None)
    if dispositions is None or _names_source(
        get_type_hints(type(question), include_extras=True).get("dispositions")
    ):
        return
    if not _is_frozen(dispositions):
        yield "its dispositions are no frozen dataclass"
        return
    for name, hint in get_type_hints(type(dispositions), include_extras=True).items():
        if not _names_source(hint):
            yield f"dispositions.{name} names no Source of {', '.join(SOURCES)}"


def _names_source(hint: Any) -> bool:
    return any(isinstance(mark, Source) and mark.of in SOURCES for mark in getattr(hint, "__metadata__", ()))


def _is_frozen(value: Any) -> bool:
    return is_dataclass(value) and bool(getattr(value, "__dataclass_params__").frozen)  # noqa: B009  it is untyped


def leaked(group: Sequence[Asked]) -> list[str]:
    """Dispositions, behaviour and ids that change what is sent to whoever is asked, as dotted paths."""
    found: set[str] = set()
    questions, replies = [asked.question for asked in group], _unusable_replies(group)
    for asked in group:
        question, sent, ids = asked.question, _sent(asked, replies), _ids(asked.question.facts)
        changed = [one for one in _changed("facts", question, questions) if one[0] in ids]
        changed += _changed("dispositions", question, questions)
        if getattr(question, "behaviour", None) is not None:
            changed.append(("behaviour", replace(question, behaviour=None)))  # type: ignore[type-var]
        for path, variant in changed:
            try:
                differs = _sent(replace(asked, question=variant), replies) != sent
            except Exception:  # an id that is not there may fail; what a prompt does not read cannot
                differs = path not in ids
            found |= {path} if differs else set()
    return sorted(found)


def untold(group: Sequence[Asked]) -> list[str]:
    """Facts that no message of any of these questions shows."""
    told: dict[str, bool] = {}
    for asked in group:
        messages, ids = asked.messages(), _ids(asked.question.facts)
        for path, variant in _changed("facts", asked.question, [one.question for one in group]):
            if path not in ids and not told.get(path):
                told |= _told(replace(asked, question=variant), messages, path)
    return sorted(path for path, shown in told.items() if not shown)


def _told(variant: Asked, messages: Sequence[Message], path: str) -> dict[str, bool]:
    try:
        return {path: variant.messages() != messages}
    except Exception:  # facts that cannot be together may fail in any way
        return {}


def hidden(group: Sequence[Asked]) -> list[str]:
    """Facts that change the offline reply while the messages stay as they are, as dotted paths."""
    found: set[str] = set()
    for asked in group:
        draws = [asked.draw, *(asked.draw.at("probe", item=f"{n}") for n in range(DRAWS - 1))]
        replies = [asked.question.offline(draw) for draw in draws]
        messages, ids = asked.messages(), _ids(asked.question.facts)
        for path, variant in _changed("facts", asked.question, [one.question for one in group]):
            if (
                path in found
                or path in ids
                or _told(replace(asked, question=variant), messages, path) != {path: False}
            ):
                continue
            try:
                differs = any(variant.offline(d) != reply for d, reply in zip(draws, replies, strict=True))
            except Exception:  # as above
                continue
            found |= {path} if differs else set()
    return sorted(found)


def unlike_speech(group: Sequence[Asked]) -> list[str]:
    """Numbers, scales and ids that a message holds and no text among its facts, with a few words around each."""
    found, replies = set(), _unusable_replies(group)
    for asked in group:
        facts = asked.question.facts
        prices = [words for _, price in _values(facts, "price") for words in (f"{price:.2f}", str(price))]
        carried = [str(text) for _, text in _values(facts, "text")]
        own = "\n".join([*carried, *prices, persona_words(asked.persona) if asked.persona else ""])
        for text in {message.text for sent in _sent(asked, replies)[0] for message in sent}:
            for what, pattern in PROSE.items():
                odd = [match for match in re.finditer(pattern, text) if match.group() not in own]
                found |= {f"{text[max(0, m.start() - 40) : m.end() + 20]!r} holds {what}" for m in odd}
    return sorted(found)


def unfit(asked: Asked, validator: Any) -> list[str]:
    """What is wrong with the schema that is sent, and with the offline reply and the example by it.

    `validator` is `jsonschema.Draft202012Validator`, or None, without which little is checked.
    """
    question, schema = asked.question, schema_for(asked.question)
    found: list[str] = (
        [] if can_be_strict(schema) else ["its schema cannot be strict: it holds a table of any keys"]
    )
    if validator is None:
        return found
    validator.check_schema(schema)
    reply = question.offline(asked.draw).model_dump(mode="json")
    found += [f"the offline reply: {error.message}" for error in validator(schema).iter_errors(reply)]
    if question.example is not None:
        errors = validator(schema_of(question.Reply)).iter_errors(question.example.model_dump(mode="json"))
        found += [f"the example: {error.message}" for error in errors]
    return found


# What is sent


def _sent(asked: Asked, replies: Collection[str]) -> tuple[list[tuple[Message, ...]], Any]:
    """All that reaches who is asked: the messages in each form, what repairs of these replies add; and the schema."""
    wrong = [(text, error) for text in replies if (error := Reading(asked.question)(text))]
    repairs = [repair_messages((), text, error)[-1:] for text, error in wrong]
    return [*(replace(asked, form=form).messages() for form in FORMS), *repairs], schema_for(asked.question)


def _unusable_replies(group: Sequence[Asked]) -> list[str]:
    """Replies as a model may get them wrong: no JSON, another question's reply, and values that are not there."""
    replies = [one.question.offline(one.draw).model_dump(mode="json") for one in group]
    spoilt = [variant for reply in replies[:2] for variant in _spoilt(reply)]
    return ["Certainly!", *dict.fromkeys(json.dumps(reply) for reply in (*replies, *spoilt))]


def _spoilt(value: Any) -> Iterator[Any]:
    """The value with one text, whole number or list in it replaced."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from ({**value, key: variant} for variant in _spoilt(inner))
    elif isinstance(value, list):
        yield from ([variant, *value[1:]] for variant in (_spoilt(value[0]) if value else ()))
        yield []
    elif isinstance(value, str):
        yield from ("", "nothing of the kind")
    elif isinstance(value, int) and not isinstance(value, bool):
        yield from (-7, 98_765)


# What the types say


def _changed(
    part: str, question: Question[Any], others: Sequence[Question[Any]]
) -> Iterator[tuple[str, Question[Any]]]:
    """The question with one thing changed in its facts or dispositions, by the path in them."""
    held, pool = getattr(question, part, None), [getattr(other, part, None) for other in others]
    alone = (
        [] if held is None else [(part, other) for other in pool if other != held] + list(varied(held, part))
    )
    for path, variant in variants_of(held, pool) if is_dataclass(held) else alone:
        yield path, replace(question, **{part: variant})  # type: ignore[type-var]


def _ids(facts: Facts) -> set[str]:
    """Paths whose every text is an Id, alone or in a list."""
    return {path for path, kind in _kinds(type(facts)) if kind == "id"}


def _kinds(cls: type, path: str = "", within: tuple[Any, ...] = ()) -> Iterator[tuple[str, str]]:
    """(dotted path, kind) of each leaf: text, id, year, price, stars, count, or number for any other number."""
    hints = get_type_hints(cls, include_extras=True)
    names = cls.model_fields if issubclass(cls, Record) else [f.name for f in fields(cls)]  # type: ignore[arg-type]
    for name in names:
        yield from _kinds_of(hints[name], f"{path}{name}", (*within, cls))


def _kinds_of(hint: Any, path: str, within: tuple[Any, ...]) -> Iterator[tuple[str, str]]:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        marks = [mark for mark in hint.__metadata__ if isinstance(mark, LogId | FactNumber)]
        if marks:
            yield path, marks[0].of if isinstance(marks[0], FactNumber) else "id"
        else:
            yield from _kinds_of(parts[0], path, within)
    elif origin is Literal:
        yield path, "number" if any(type(value) in (int, float) for value in parts) else "text"
    elif origin in (Union, types.UnionType) or origin is not None:
        is_table = origin not in (Union, types.UnionType, tuple) and len(parts) == 2
        for part in parts[1:] if is_table else parts:
            yield from _kinds_of(part, path, within)
    elif hint in (int, float):
        yield path, "number"
    elif hint is str:
        yield path, "text"
    elif (
        isinstance(hint, type)
        and hint not in (Image, *within)
        and (is_dataclass(hint) or issubclass(hint, Record))
    ):
        yield from _kinds(hint, f"{path}.", within)


def _values(facts: Facts, kind: str) -> Iterator[tuple[str, Any]]:
    """(path, value) of the leaves of a kind."""
    wanted = {path for path, one in _kinds(type(facts)) if one == kind}
    for path, value in _leaves(facts, ""):
        if path in wanted and value is not None:
            yield path, value


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Record) or (is_dataclass(value) and not isinstance(value, type)):
        names = type(value).model_fields if isinstance(value, Record) else [f.name for f in fields(value)]
        for name in names:
            yield from _leaves(getattr(value, name), f"{path}.{name}" if path else name)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from ((path, key), *_leaves(inner, path))
    elif isinstance(value, tuple | list | set | frozenset):
        for inner in value:
            yield from _leaves(inner, path)
    else:
        yield path, value
