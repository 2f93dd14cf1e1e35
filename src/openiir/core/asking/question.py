"""What an agent is asked: facts that a prompt tells, dispositions that it never shows, a typed reply, an offline answer."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from openiir.core.records import Image, Record
from openiir.core.seeds import Draw

JSON = Any
"""Texts, numbers, truth values, None, and lists and mappings of them."""

R = TypeVar("R", bound=Record)
PARTS = frozenset({"facts", "dispositions", "behaviour"})
"""All that a question holds."""
ANSWERED_WITH: dict[str, str] = {}
"""By kind, the kind of question whose answerer answers it too (`Question.answered_with`)."""


class FactNumber(NamedTuple):
    """Marks a number that people give as a number; every other fact is told, and held, in words."""

    of: Literal["year", "price", "stars", "count"]


Year = Annotated[int, FactNumber("year")]
Price = Annotated[float, FactNumber("price")]
Stars = Annotated[float, FactNumber("stars")]
"""A rating as shown to people: whole stars of one's own, a public mean to one decimal."""
Count = Annotated[int, FactNumber("count")]
"""How many or which of several, as people count."""


class LogId:
    """Marks a text that says to the log, and to nobody who is asked, what is meant."""


Id = Annotated[str, LogId()]
"""An id, by which a reply is mapped back; no prompt tells it."""


class Source(NamedTuple):
    """Marks a disposition with where its value comes from."""

    of: Literal["persona", "study", "fitted", "drawn"]
    """The persona, a study parameter (its state included), a fit on training data, or a draw."""


class Facts(ABC):
    """What somebody in this place could see, remember, have been told or know of themselves (a frozen dataclass).

    All that reaches a model, a person or a system is made of these: prompt, role, pictures, the values allowed, and the
    words of a repair. Facts stand as finely as they are told: words, and numbers of the types Year, Price, Stars and
    Count alone. What only maps a reply back is an Id.
    """

    def system(self) -> str:
        """The role of who is asked (a moderator, an annotator), which carries no persona; empty for a person as themselves."""
        return ""

    @abstractmethod
    def prompt(self) -> str:
        """Where somebody is, what they remember and see, and, last, what they are asked."""

    def images(self) -> Sequence[Image]:
        """The pictures that are shown with the prompt, made by `picture`."""
        return ()

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        """The only values that text and whole-number fields, and items of lists of them, may have.

        By field name, or `Class.field` for a field of a nested reply. They narrow the JSON schema that is sent, so that
        a model held to it cannot name what is not there, and any other value makes a reply unusable. A field that may
        be left out may be left empty too.
        """
        return {}

    def lengths(self) -> Mapping[str, int]:
        """How many entries lists of the reply have, by field name as in `allowed`; they fix the schema that is sent.

        `check` refuses other lengths.
        """
        return {}

    def check(self, reply: Any) -> None:
        """What neither the schema nor `allowed` can say; raises UnusableAnswer with the remedy."""


class Question(ABC, Generic[R]):
    """One question, in at most three parts (a frozen dataclass by convention).

    `facts` alone reach whoever is asked. `dispositions` (a frozen dataclass, each field marked with its Source, or one
    value that is marked itself) are parameters and inner state of the behaviour model: the offline answer reads them too. `behaviour` may hold one
    object that the offline answer calls. Raises TypeError for a class that holds anything else.
    """

    facts: Facts
    dispositions: Any
    """Left out where the offline answer reads the facts alone."""
    behaviour: Any
    """Left out where there is none."""
    kind: ClassVar[str]
    """`type.what`, such as `panel.utter`."""
    Reply: ClassVar[type[Record]]
    """The typed reply; sent as JSON schema. Thoughts come first, then decisions. Bound every list, text and number."""
    example: ClassVar[Record | None] = None
    """A filled-in reply on another topic (small models copy what an example holds)."""
    of_crowd: ClassVar[bool] = False
    """Whether it is what everybody in a crowd does anyway.

    Then a member of the cast whom the behaviour model alone answers for is one of the crowd: the answer is given, but
    neither logged as asked nor charged.
    """

    tolerates_failure: ClassVar[bool] = False
    """Whether a declared system that fails to answer it leaves it without a reply, on record; else the run stops.

    A system that was never reached stops the run all the same.
    """

    answered_with: ClassVar[str] = ""
    """The kind of question whose answerer answers this one too, where a study chooses none for its own kind."""

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if cls.answered_with:
            ANSWERED_WITH[cls.kind] = cls.answered_with
        annotated = [pair for one in cls.__mro__ for pair in vars(one).get("__annotations__", {}).items()]
        if others := sorted({name for name, of in annotated if "ClassVar" not in str(of)} - PARTS):
            raise TypeError(
                f"the question {cls.__name__} holds {', '.join(others)} beside its facts and dispositions; move what "
                "somebody in that place could know into a Facts class with the prompt, and what only the offline answer "
                "reads into a dataclass of dispositions (docs/how-to/write-a-type.md shows both)"
            )

    @property
    def subject(self) -> str:
        """The id of what it is about, where it is about one thing."""
        return ""

    @abstractmethod
    def offline(self, draw: Draw) -> R:
        """The answer of a published behaviour model (name its source); `draw` is bound to this question's place."""

    @classmethod
    def offline_all(cls, questions: "Sequence[Question[R]]", draws: Sequence[Draw]) -> list[R]:
        """The offline answers to many questions of this class; override where arrays pay."""
        return [question.offline(draw) for question, draw in zip(questions, draws, strict=True)]

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


class Hearer(Protocol):
    """What a question adds that is a turn of a dialogue (no part of Question, whose fields may well be called so)."""

    def heard(self, text: str, data: JSON, ended: bool, fault: str) -> Mapping[str, JSON]:
        """A declared system's answer as the fields of the question's Reply.

        `data` is what its declaration calls so, `ended` whether it said that the dialogue is over. Where it failed
        (no answer in time, an error page, a closed connection), `fault` says how and the text is empty.
        """


class Unsplit(Question[R], Facts):
    """A question of ours whose facts are not told apart from its dispositions yet; none may be added."""

    def __init_subclass__(cls, **rest: Any) -> None:
        if not cls.__module__.startswith("openiir."):
            raise TypeError(f"{cls.__name__}: Unsplit is no base for plug-ins; derive it from Question")
        super(Question, cls).__init_subclass__(**rest)

    @property
    def facts(self) -> Facts:  # type: ignore[override]
        """Itself."""
        return self
