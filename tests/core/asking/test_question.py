"""Only facts are told and recorded; what is neither fact nor disposition is refused."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import pytest

from openiir.core.asking import (
    Count,
    FactsRecorder,
    OfflineAnswerer,
    PlacedQuestion,
    Question,
    Source,
    question_schema,
    read_reply,
    restore_question,
)
from openiir.core.records import Record
from openiir.core.seeds import Draw


class Cups(Record):
    number: int


@dataclass(frozen=True)
class Tired:
    """A disposition that questions share, with its default."""

    tiredness: Annotated[float, Source("drawn")] = field(default=0.25, kw_only=True)


@dataclass(frozen=True)
class Offer(Question[Cups]):
    """Facts that questions share."""

    drink: str
    left: Count

    def prompt(self) -> str:
        return f"{self.greeting()} {self.left} cups of {self.drink} are left. How many do you take?"

    def greeting(self) -> str:
        return "Hello."


@dataclass(frozen=True)
class Take(Tired, Offer):
    thirst: Annotated[tuple[float, ...], Source("persona")]
    behaviour: Callable[[float], int] = field(default=round, compare=False)
    extras: tuple[str, ...] = ()
    kind: ClassVar[str] = "test.take"

    def greeting(self) -> str:
        return f"{super().greeting()} It is {', '.join(self.extras) or 'warm'}."

    def offline(self, draw: Draw) -> Cups:
        return Cups(number=self.behaviour(10 * (self.thirst[0] + self.tiredness)))


TEA = Take("tea", 3, (0.5,), extras=("wet", "cold"), tiredness=0.75)


def leaking(**methods: Any) -> Any:
    """The question with methods that read what they must not."""
    return type("Leaky", (Take,), methods)("tea", 3, (0.5,))


def asked(question: Question[Any], put: Callable[..., PlacedQuestion]) -> PlacedQuestion:
    return replace(put(), question=question)


def test_a_question_with_its_facts_alone_tells_the_same_and_holds_no_more() -> None:
    told = TEA.facts_only
    assert vars(told) == {"drink": "tea", "left": 3, "extras": ("wet", "cold")}
    assert told.prompt() == "Hello. It is wet, cold. 3 cups of tea are left. How many do you take?"
    assert isinstance(told, Take) and told.kind == "test.take" and told.facts_only is told
    assert TEA.offline(Draw(1, "test")) == Cups(number=12)
    with pytest.raises(AttributeError, match="Take.behaviour was read"):
        told.offline(Draw(1, "test"))


@pytest.mark.parametrize("name", ["thirst", "tiredness", "behaviour"])
@pytest.mark.parametrize("method", ["prompt", "system", "images"])
def test_a_prompt_made_of_anything_else_is_refused(
    name: str, method: str, put: Callable[..., PlacedQuestion]
) -> None:
    question = leaking(**{method: lambda self: str(getattr(self, name))})
    with pytest.raises(
        AttributeError, match=f"Leaky.{name} was read to write .*; if one in that place could"
    ):
        asked(question, put).messages()


@pytest.mark.parametrize("method", ["allowed", "lengths"])
def test_a_schema_made_of_anything_else_is_refused(method: str) -> None:
    with pytest.raises(AttributeError, match="Leaky.tiredness was read"):
        question_schema(leaking(**{method: lambda self: {"number": (round(self.tiredness),)}}))


def test_a_reply_is_checked_by_facts_alone() -> None:
    question = leaking(check=lambda self, reply: reply.number < 10 * self.thirst[0])
    with pytest.raises(AttributeError, match="Leaky.thirst was read"):
        read_reply('{"number": 3}', question)


@pytest.mark.parametrize(
    ("annotations", "error"),
    [
        ({"mood": float}, "Bad.mood is a bare number, which is neither a fact nor a disposition: write Year"),
        ({"moods": tuple[float, ...]}, "Bad.moods is a bare number"),
        ({"mood": "dict[str, int | None]"}, "Bad.mood is a bare number"),
        ({"system": str}, "Bad.system: every question has a 'system' already; rename the field"),
    ],
)
def test_what_is_neither_fact_nor_disposition_is_refused(annotations: dict[str, Any], error: str) -> None:
    with pytest.raises(TypeError, match=error):
        type("Bad", (Take,), {"__annotations__": annotations})


def test_a_record_has_the_facts_and_the_prompt_is_restored_from_it(
    put: Callable[..., PlacedQuestion],
) -> None:
    one = asked(TEA, put)
    row = FactsRecorder().record(one, OfflineAnswerer().wrap(Cups(number=12)), 4)
    assert row is not None and row.facts == '{"drink":"tea","left":3,"extras":["wet","cold"]}'
    found = restore_question(row, {"tests"}, "example")
    assert found is not None and found.messages == one.messages()
    assert found.answer.reply == Cups(number=12) and not hasattr(found.question.facts_only, "thirst")


def test_a_record_of_an_earlier_release_is_restored_where_its_facts_are_the_same(
    put: Callable[..., PlacedQuestion],
) -> None:
    """It names the class of the facts as well, which had an order of their own."""
    one = asked(TEA, put)
    row = FactsRecorder().record(one, OfflineAnswerer().wrap(Cups(number=12)), 4)
    assert row is not None
    old = row._replace(
        classes=(*row.classes, f"{__name__}:TakeFacts"),
        facts='{"extras":["wet","cold"],"drink":"tea","left":3}',
    )
    found = restore_question(old, {"tests"}, "example")
    assert found is not None and found.messages == one.messages()
    for facts in ('{"drink":"tea","left":3}', old.facts.replace("}", ',"more":1}')):
        assert restore_question(old._replace(facts=facts), {"tests"}, "example") is None
