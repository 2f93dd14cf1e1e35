"""Check prompts: facts must reach the prompt, ids must not."""

import json
import re
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from openiir.core.asking import (
    Form,
    PlacedQuestion,
    Question,
    Source,
    persona_words,
    question_schema,
    record_schema,
)
from openiir.core.asking.question_parts import FactNumber, LogId, question_parts
from openiir.core.asking.reading import ReplyValidator, repair_messages
from openiir.core.llm.formats import can_be_strict
from openiir.core.records import Image, Message, Record
from openiir.core.seeds import Draw
from openiir.testing.probing import DRAWS, PER_KIND, field_names, pick_evenly, vary_fields

PROSE = {
    "a number with two or more decimals": r"\d\.\d{2,}",
    "a percentage": r"\d+(?:\.\d+)?\s?(?:%|per ?cent\b)",
    "a scale from 0 or -1 to 1": r"(?<![\d.,])(?:-1|0)(?:\.0)? ?(?:to|and|\u2013) ?\+?1(?:\.0)?(?!\.?\d)",
    "an identifier": r"\b(?:[a-z]{1,3}\d{2,}|[a-z]+[-_][a-z]?\d{3,})\b",
}
"""Patterns of text that people do not say, by name; allowed where a text among the facts contains it."""
SOURCES = get_args(Source.__annotations__["of"])
FORMS: tuple[Form, ...] = get_args(Form)


def is_prompted(question: Question[Any]) -> bool:
    """Whether a question is asked by a prompt, unlike a message to a system under test."""
    return question.says() is None and not question.request()


def find_misplaced_fields(question: Question[Any]) -> list[str]:
    """List fields that are neither facts in a person's terms nor dispositions with a source."""
    if not getattr(type(question), "__dataclass_params__").frozen:  # noqa: B009  it is untyped
        return [f"{type(question).__name__} is no frozen dataclass"]
    found = [f"{path} is a bare number" for path, kind in _fact_kinds(type(question)) if kind == "number"]
    found += [
        f"{path} holds {v!r}, finer than one decimal"
        for path, v in _fact_values(question, "stars")
        if round(v, 1) != v
    ]
    hints = get_type_hints(type(question), include_extras=True)
    marks = ((name, mark) for name, hint in hints.items() for mark in getattr(hint, "__metadata__", ()))
    unknown = (name for name, mark in marks if isinstance(mark, Source) and mark.of not in SOURCES)
    return found + [f"{name} names no Source of {', '.join(SOURCES)}" for name in unknown]


def find_leaks(group: Sequence[PlacedQuestion]) -> list[str]:
    """List ids that change the prompt, which must not depend on them, as dotted paths."""
    found: set[str] = set()
    questions, replies = [asked.question for asked in group], unusable_replies(group)
    for asked in group:
        sent, ids = messages_sent(asked, replies), _ids(asked.question)
        for path, variant in _vary_facts(asked.question, questions):
            # An id that is not there may fail.
            changed = replace(asked, question=variant)
            if path in ids and _differs(lambda one: messages_sent(one, replies), changed, sent, False):
                found.add(path)
    return sorted(found)


def find_untold_facts(group: Sequence[PlacedQuestion]) -> list[str]:
    """List facts of a kind of question that none of its prompts shows."""
    told: dict[str, bool] = {}
    for asked in group:
        messages, ids = asked.messages(), _ids(asked.question)
        for path, variant in _vary_facts(asked.question, [one.question for one in group]):
            if path not in ids and not told.get(path):
                shown = _differs(PlacedQuestion.messages, replace(asked, question=variant), messages)
                told |= {} if shown is None else {path: shown}
    return sorted(path for path, shown in told.items() if not shown)


def _differs(
    give: Callable[[PlacedQuestion], Any], variant: PlacedQuestion, was: Any, failed: bool | None = None
) -> bool | None:
    """Whether a variant gives another result; `failed` where computing it raises an error."""
    try:
        return bool(give(variant) != was)
    except Exception:  # such as facts that cannot be together
        return failed


def find_hidden_facts(group: Sequence[PlacedQuestion]) -> list[str]:
    """List facts that change the offline reply but not the prompt, as dotted paths."""
    found: set[str] = set()
    for asked in group:
        draws = [asked.draw, *(asked.draw.at("probe", item=f"{n}") for n in range(DRAWS - 1))]
        replies = _replies(draws, asked)
        messages, ids = asked.messages(), _ids(asked.question)
        for path, variant in _vary_facts(asked.question, [one.question for one in group]):
            changed = replace(asked, question=variant)
            if (
                path not in found | ids
                and _differs(PlacedQuestion.messages, changed, messages) is False
                and _differs(partial(_replies, draws), changed, replies)
            ):
                found.add(path)
    return sorted(found)


def _replies(draws: Sequence[Draw], asked: PlacedQuestion) -> list[Any]:
    return [asked.question.offline(draw) for draw in draws]


def find_unnatural_text(group: Sequence[PlacedQuestion]) -> list[str]:
    """List numbers, scales and ids in prompts that come from no fact's text, with their context.

    Repairs are checked for a few of the questions only.
    """
    few = pick_evenly(group, PER_KIND)
    found, replies, repaired = set(), unusable_replies(few), set(map(id, few))
    for asked in group:
        question = asked.question
        prices = [
            words for _, price in _fact_values(question, "price") for words in (f"{price:.2f}", str(price))
        ]
        carried = [str(text) for _, text in _fact_values(question, "text")]
        own = "\n".join([*carried, *prices, persona_words(asked.persona) if asked.persona else ""])
        for text in {
            message.text
            for sent in messages_sent(asked, replies if id(asked) in repaired else ())[0]
            for message in sent
        }:
            for what, pattern in PROSE.items():
                odd = [match for match in re.finditer(pattern, text) if match.group() not in own]
                found |= {f"{text[max(0, m.start() - 40) : m.end() + 20]!r} holds {what}" for m in odd}
    return sorted(found)


def find_schema_errors(asked: PlacedQuestion, validator: Any) -> list[str]:
    """List errors of the schema that is sent, and of the offline reply and the example under it.

    `validator` is `jsonschema.Draft202012Validator`, or None, without which little is checked.
    """
    question, schema = asked.question, question_schema(asked.question)
    found: list[str] = (
        [] if can_be_strict(schema) else ["its schema cannot be strict: it holds a table of any keys"]
    )
    if validator is None:
        return found
    validator.check_schema(schema)
    reply = question.offline(asked.draw).model_dump(mode="json")
    found += [f"the offline reply: {error.message}" for error in validator(schema).iter_errors(reply)]
    shorter = {
        name: {**reply, name: value[:-1]}
        for name, value in reply.items()
        if isinstance(value, list) and value
    }
    found += [
        f"a shorter {name} fits the schema and is refused ({error}); give its length in lengths()"
        for name, variant in shorter.items()
        if validator(schema).is_valid(variant) and (error := ReplyValidator(question)(json.dumps(variant)))
    ]
    if question.example is not None:
        errors = validator(record_schema(question.Reply)).iter_errors(
            question.example.model_dump(mode="json")
        )
        found += [f"the example: {error.message}" for error in errors]
    return found


# What is sent


def messages_sent(asked: PlacedQuestion, replies: Collection[str]) -> tuple[list[tuple[Message, ...]], Any]:
    """Build the messages in each form, the repairs of these replies, and the schema that is sent."""
    wrong = [(text, error) for text in replies if (error := ReplyValidator(asked.question)(text))]
    repairs = [repair_messages((), text, error)[-1:] for text, error in wrong]
    return [*(replace(asked, form=form).messages() for form in FORMS), *repairs], question_schema(
        asked.question
    )


def unusable_replies(group: Sequence[PlacedQuestion]) -> list[str]:
    """Write replies that are wrong as models' are: no JSON, another question's reply, out of range."""
    replies = [one.question.offline(one.draw).model_dump(mode="json") for one in group]
    spoilt = [variant for reply in replies[:2] for variant in _spoil_value(reply)]
    return ["Certainly!", *dict.fromkeys(json.dumps(reply) for reply in (*replies, *spoilt))]


def _spoil_value(value: Any) -> Iterator[Any]:
    """Yield copies of a value with one text, whole number or list replaced."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from ({**value, key: variant} for variant in _spoil_value(inner))
    elif isinstance(value, list):
        yield from ([variant, *value[1:]] for variant in (_spoil_value(value[0]) if value else ()))
        yield []
    elif isinstance(value, str):
        yield from ("", "nothing of the kind")
    elif isinstance(value, int) and not isinstance(value, bool):
        yield from (-7, 98_765)


# What the types say


def _vary_facts(
    question: Question[Any], others: Sequence[Question[Any]]
) -> Iterator[tuple[str, Question[Any]]]:
    """Yield copies of a question with one value of its facts changed, each with the dotted path."""
    yield from vary_fields(question, others, question_parts(type(question)).facts)


def _ids(question: Question[Any]) -> set[str]:
    """Return the paths of facts that are an Id, alone or in a list."""
    return {path for path, kind in _fact_kinds(type(question)) if kind == "id"}


def _fact_kinds(question: type[Question[Any]]) -> Iterator[tuple[str, str]]:
    """Yield path and kind of each leaf of the facts."""
    hints = get_type_hints(question, include_extras=True)
    for name in question_parts(question).facts:
        yield from _kinds_of(hints[name], name, (question,))


def _fact_values(question: Question[Any], kind: str) -> Iterator[tuple[str, Any]]:
    """Yield the path and value of each leaf of one kind."""
    wanted = {path for path, one in _fact_kinds(type(question)) if one == kind}
    for name in question_parts(type(question)).facts:
        for path, value in _leaves(getattr(question, name), name):
            if path in wanted and value is not None:
                yield path, value


def _kinds(cls: type, path: str = "", within: tuple[Any, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield path and kind of each leaf: text, id, year, price, stars, count, or (other) number."""
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


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if names := field_names(value):
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
