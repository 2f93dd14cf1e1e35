"""The former form of a question (facts, dispositions and the question as a class each), until all are converted."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, get_type_hints

from openiir.core.records import Image

PARTS = frozenset({"facts", "dispositions", "behaviour"})


class Facts(ABC):
    """Former holder of a question's facts and of the methods that are made of them."""

    def system(self) -> str:
        return ""

    @abstractmethod
    def prompt(self) -> str: ...

    def images(self) -> Sequence[Image]:
        return ()

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        return {}

    def lengths(self) -> Mapping[str, int]:
        return {}

    def check(self, reply: Any) -> None: ...


class _FactsOnly:
    """A question in the former form as the engine asks it: what `Facts` has is its facts', all else its own."""

    def __init__(self, question: Any) -> None:
        self._question, self.facts_only = question, self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._question.facts if hasattr(Facts, name) else self._question, name)


@cache
def is_former(question: type[Any]) -> bool:
    """Whether a question has its facts as a class of their own."""
    return any("facts" in vars(one).get("__annotations__", {}) for one in question.__mro__)


def adopt(question: Any) -> None:
    """Let a question in the former form be asked like one in the present form."""
    annotated = [pair for one in question.__mro__ for pair in vars(one).get("__annotations__", {}).items()]
    if others := sorted({name for name, of in annotated if "ClassVar" not in str(of)} - PARTS):
        raise TypeError(
            f"the question {question.__name__} holds {', '.join(others)} beside facts and dispositions"
        )
    question.facts_only = property(_FactsOnly)
    question.prompt = lambda self: self.facts.prompt()


def facts_in(question: Any) -> Any:
    """Return the facts of a question in the former form."""
    return question.facts


def facts_class(question: type[Any]) -> type[Any]:
    """Return the class of its facts."""
    found: type[Any] = get_type_hints(question)["facts"]
    return found


def disposition_names(question: type[Any]) -> tuple[str, ...]:
    """Return the names of its dispositions."""
    return tuple(get_type_hints(get_type_hints(question)["dispositions"]))


def member_parts(question: type[Any], facts: Any, dispositions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a crowd question in the former form."""
    return {"facts": facts, "dispositions": get_type_hints(question)["dispositions"](**dispositions)}
