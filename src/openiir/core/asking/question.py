"""What an agent is asked: one small class holds the prompt, the typed reply and the offline answer."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from openiir.core.records import Image, Record
from openiir.core.seeds import Draw

JSON = Any
"""Texts, numbers, truth values, None, and lists and mappings of them."""

R = TypeVar("R", bound=Record)


class Question(ABC, Generic[R]):
    """One question, with all it may know in its own fields (a frozen dataclass by convention).

    The prompt shows the fields and the offline answer reads the same fields: neither sees more than the other.
    """

    kind: ClassVar[str]
    """`type.what`, such as `panel.utter`."""
    Reply: ClassVar[type[Record]]
    """The typed reply; sent as JSON schema. Bound every list, text and number."""
    of_crowd: ClassVar[bool] = False
    """Whether it is what everybody in a crowd does anyway.

    Then a member of the cast whom the behaviour model alone answers for is one of the crowd: the answer is given, but
    neither logged as asked nor charged.
    """

    tolerates_failure: ClassVar[bool] = False
    """Whether a declared system that fails to answer it leaves it without a reply, on record; else the run stops.

    A system that was never reached stops the run all the same.
    """

    @property
    def subject(self) -> str:
        """The id of what it is about, where it is about one thing."""
        return ""

    def system(self) -> str:
        """The role of who is asked, where that is no persona (a moderator, an extractor)."""
        return ""

    @abstractmethod
    def prompt(self) -> str:
        """What is asked, in words."""

    def images(self) -> Sequence[Image]:
        """The pictures that are shown with the prompt, made by `picture`."""
        return ()

    @abstractmethod
    def offline(self, draw: Draw) -> R:
        """The answer of a published behaviour model (name its source); `draw` is bound to this question's place."""

    @classmethod
    def offline_all(cls, questions: "Sequence[Question[R]]", draws: Sequence[Draw]) -> list[R]:
        """The offline answers to many questions of this class; override where arrays pay."""
        return [question.offline(draw) for question, draw in zip(questions, draws, strict=True)]

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        """The only values that text fields and lists of whole numbers may have, such as ids that the prompt shows.

        By field name, or `Class.field` for a field of a nested reply; of a list, its items. They narrow the JSON
        schema that is sent, so that a model held to it cannot name what is not there, and any other value makes a
        reply unusable. A field that may be left out may be left empty too.
        """
        return {}

    def request(self) -> Mapping[str, JSON]:
        """What a declared system's templates may use beside the prompt, such as `user` and `n`; recorded with it.

        They cannot take the names that every request has: `text`, `system`, `persona`, `kind` and `subject`.
        """
        return {}

    def says(self) -> str | None:
        """For a turn of a dialogue: the bare words that a declared system is told; None for any other question.

        A declared system then answers in a session of the lane's own, and whatever it says is the reply: no repair is
        asked for. Empty words on a dialogue's first turn open the session, and the reply is what the system says first,
        if anything. Whoever else answers (offline, a model, a person) is asked by the prompt as always.

        A question that gives words is a `Hearer` too.
        """
        return None

    def check(self, reply: R) -> None:
        """What neither the schema nor `allowed` can say; raises UnusableAnswer with the remedy."""


class Hearer(Protocol):
    """What a question adds that is a turn of a dialogue (no part of Question, whose fields may well be called so)."""

    def heard(self, text: str, data: JSON, ended: bool, fault: str) -> Mapping[str, JSON]:
        """A declared system's answer as the fields of the question's Reply.

        `data` is what its declaration calls so, `ended` whether it said that the dialogue is over. Where it failed
        (no answer in time, an error page, a closed connection), `fault` says how and the text is empty.
        """
