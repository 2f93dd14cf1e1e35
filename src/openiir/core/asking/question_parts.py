"""Fields of a question: facts for the prompt; dispositions and behaviour for the offline answer alone."""

from dataclasses import fields, is_dataclass
from functools import cache
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    NoReturn,
    get_args,
    get_origin,
    get_type_hints,
)

BEHAVIOUR = "behaviour"
"""Name of the one field with an object that the offline answer calls, such as a fitted choice model."""


class FactNumber(NamedTuple):
    """Marker of a fact that is a number as people state it (year, price, stars, count); all else is text."""

    of: Literal["year", "price", "stars", "count"]


Year = Annotated[int, FactNumber("year")]
Price = Annotated[float, FactNumber("price")]
Stars = Annotated[float, FactNumber("stars")]
"""A star rating as shown on a page: the user's own in whole stars, a public mean to one decimal."""
Count = Annotated[int, FactNumber("count")]
"""A count (3 replies) or a rank (the 2nd choice)."""


class LogId:
    """Marker of a text that identifies something in the log and never appears in a prompt."""


Id = Annotated[str, LogId()]
"""An id that maps a reply back to its object; never shown in prompts."""


class Source(NamedTuple):
    """Marker of a field that only the behaviour model reads: `Annotated[float, Source("fitted")]`."""

    of: Literal["persona", "study", "fitted", "drawn"]
    """Origin: the persona, the study (configuration or state), a fit to training data, or a random draw."""


class QuestionParts(NamedTuple):
    """Names of a question's facts (told to all) and dispositions (offline only); class of `facts_only`."""

    facts: tuple[str, ...]
    dispositions: tuple[str, ...]
    facts_only: type[Any]


@cache
def question_parts(question: type[Any]) -> QuestionParts:
    """Tell which fields of a question's class are facts, told to all, and which are dispositions."""
    hints = get_type_hints(question, include_extras=True)
    names = [field.name for field in fields(question)] if is_dataclass(question) else []
    dispositions = tuple(name for name in names if has_source(hints[name]))
    facts = tuple(name for name in names if name not in (*dispositions, BEHAVIOUR))
    hidden = {name: _refuse(question.__name__, name) for name in names if name not in facts}
    own = {"__module__": "facts_only", "facts_only": property(lambda self: self)}
    return QuestionParts(facts, dispositions, type(question.__name__, (question,), {**hidden, **own}))


def _refuse(question: str, field: str) -> property:
    """Make the property of a field that a question with its facts alone does not have."""

    def read(view: Any) -> NoReturn:
        raise AttributeError(
            f"{question}.{field} was read to write what the person asked is told or to check the reply, "
            "where nothing but facts is known; if one in that place could know it, tell it by a fact in a "
            "person's words (a field without a Source), else leave it to the offline answer"
        )

    return property(read)


def has_source(hint: Any) -> bool:
    """Whether a field's type has a Source, so that the field is a disposition."""
    return any(isinstance(mark, Source) for mark in getattr(hint, "__metadata__", ()))


def check_fields(question: type[Any], base: type[Any]) -> None:
    """Raise TypeError for a field that is neither fact nor disposition, or hides a part of Question."""
    try:
        hints = get_type_hints(question, include_extras=True)
    except NameError:  # a type that is defined further down: the contract tests look at it
        return
    for name, hint in hints.items():
        if get_origin(hint) is ClassVar:
            continue
        if hasattr(base, name):
            raise TypeError(
                f"{question.__name__}.{name}: every question has a {name!r} already; rename the field"
            )
        if name != BEHAVIOUR and _is_bare_number(hint):
            raise TypeError(
                f"{question.__name__}.{name} is a bare number, which is neither a fact nor a disposition: "
                "write Year, Price, Stars, Count or words for what the prompt tells, or Annotated[..., "
                "Source(...)] for what the offline answer alone reads (docs/how-to/write-a-type.md shows "
                "both)"
            )


def _is_bare_number(hint: Any) -> bool:
    """Whether a type is or holds numbers without a word on what is counted or its source."""
    inner = () if get_origin(hint) in (Annotated, Literal) else get_args(hint)
    return hint in (int, float) or any(map(_is_bare_number, inner))
