"""Check prompts: facts must reach the prompt, dispositions and ids must not."""

import json
import re
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from openiir.core.asking import (
    Facts,
    Form,
    PlacedQuestion,
    Question,
    Source,
    persona_words,
    question_schema,
    record_schema,
)
from openiir.core.asking.question import PARTS, FactNumber, LogId
from openiir.core.asking.reading import Reading, repair_messages
from openiir.core.llm.formats import can_be_strict
from openiir.core.records import Image, Message, Record
from openiir.core.seeds import Draw
from openiir.testing.probing import DRAWS, PER_KIND, spread, variants_of, vary_value

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
    facts = question.facts
    found = [
        f"{name} stands beside its facts and dispositions"
        for name in sorted(set(vars(question)) - PARTS - {"_subject"})  # the platform's own
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
    """Yield dispositions that name no Source."""
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


def find_leaks(group: Sequence[PlacedQuestion]) -> list[str]:
    """List the dispositions, behaviour and ids that change the messages sent, as dotted paths."""
    found: set[str] = set()
    questions, replies = [asked.question for asked in group], unusable_replies(group)
    for asked in group:
        question, sent, ids = asked.question, messages_sent(asked, replies), _ids(asked.question.facts)
        changed = [one for one in _vary_part("facts", question, questions) if one[0] in ids]
        changed += _vary_part("dispositions", question, questions)
        if getattr(question, "behaviour", None) is not None:
            changed.append(("behaviour", replace(question, behaviour=None)))  # type: ignore[type-var]
        for path, variant in changed:
            # An id that is not there may fail; what a prompt does not read cannot.
            changed_one = replace(asked, question=variant)
            if _differs(lambda one: messages_sent(one, replies), changed_one, sent, path not in ids):
                found.add(path)
    return sorted(found)


def find_untold_facts(group: Sequence[PlacedQuestion]) -> list[str]:
    """List facts that no message of any of these questions shows."""
    told: dict[str, bool] = {}
    for asked in group:
        messages, ids = asked.messages(), _ids(asked.question.facts)
        for path, variant in _vary_part("facts", asked.question, [one.question for one in group]):
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
    """List facts that change the offline reply but no message, as dotted paths."""
    found: set[str] = set()
    for asked in group:
        draws = [asked.draw, *(asked.draw.at("probe", item=f"{n}") for n in range(DRAWS - 1))]
        replies = _replies(draws, asked)
        messages, ids = asked.messages(), _ids(asked.question.facts)
        for path, variant in _vary_part("facts", asked.question, [one.question for one in group]):
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
    """List numbers, scales and ids in messages that no text among the facts holds, with a few words around each.

    Repairs are checked for a few of the questions only.
    """
    few = spread(group, PER_KIND)
    found, replies, repaired = set(), unusable_replies(few), set(map(id, few))
    for asked in group:
        facts = asked.question.facts
        prices = [words for _, price in _values(facts, "price") for words in (f"{price:.2f}", str(price))]
        carried = [str(text) for _, text in _values(facts, "text")]
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
        if validator(schema).is_valid(variant) and (error := Reading(question)(json.dumps(variant)))
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
    wrong = [(text, error) for text in replies if (error := Reading(asked.question)(text))]
    repairs = [repair_messages((), text, error)[-1:] for text, error in wrong]
    return [*(replace(asked, form=form).messages() for form in FORMS), *repairs], question_schema(
        asked.question
    )


def unusable_replies(group: Sequence[PlacedQuestion]) -> list[str]:
    """Write replies that are wrong in the ways of models: no JSON, another question's reply, values out of range."""
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


def _vary_part(
    part: str, question: Question[Any], others: Sequence[Question[Any]]
) -> Iterator[tuple[str, Question[Any]]]:
    """Yield copies of a question with one value of its facts or dispositions changed, each with the dotted path."""
    held, pool = getattr(question, part, None), [getattr(other, part, None) for other in others]
    alone = (
        []
        if held is None
        else [(part, other) for other in pool if other != held] + list(vary_value(held, part))
    )
    for path, variant in variants_of(held, pool) if is_dataclass(held) else alone:
        yield path, replace(question, **{part: variant})  # type: ignore[type-var]


def _ids(facts: Facts) -> set[str]:
    """Return the paths of facts that are an Id, alone or in a list."""
    return {path for path, kind in _kinds(type(facts)) if kind == "id"}


def _kinds(cls: type, path: str = "", within: tuple[Any, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield path and kind of each leaf of a class: text, id, year, price, stars, count, or number for other numbers."""
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
    """Yield the path and value of each leaf of one kind."""
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
