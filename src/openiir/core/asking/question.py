"""Questions to agents: facts for the prompt, hidden parameters, a typed reply and an offline answer."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
)

from openiir.core.records import Image, Record
from openiir.core.seeds import Draw

JSON = Any
"""A JSON value: text, number, truth value, None, or a list or mapping of these."""

R = TypeVar("R", bound=Record)
PARTS = frozenset({"facts", "dispositions", "behaviour"})
"""The only instance fields that a question class may have."""
ANSWERED_WITH: dict[str, str] = {}
"""Map from a kind of question to the kind whose answerer it shares; filled from `Question.answered_with`."""


class FactNumber(NamedTuple):
    """Marker of a numeric fact as people state it (year, price, stars, count); every other fact is text."""

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
    """Marker for the origin of a disposition's value: `Annotated[float, Source("fitted")]`."""

    of: Literal["persona", "study", "fitted", "drawn"]
    """Origin: the persona, the study (configuration or state), a fit to training data, or a random draw."""


class Facts(ABC):
    """Information available to the agent when answering: what they see, remember, were told, or are.

    Write one frozen dataclass a question. The prompt, the role, the pictures, the values allowed and the text of a
    repair are made of its fields alone, and the offline answer reads the same fields, so that a model, a person and a
    behaviour model decide on the same information. Leave out what nobody in that place could know: held-out labels,
    true qualities, targets of the study.

    A field is as precise as the prompt states it: text, or a number of the types Year, Price, Stars or Count. Give what
    only maps a reply back to its object the type Id.
    """

    def system(self) -> str:
        """Return the system prompt of a role without a persona (moderator, annotator); empty to use the persona."""
        return ""

    @abstractmethod
    def prompt(self) -> str:
        """Write the prompt: the situation, what the person remembers and sees, and finally the question."""

    def images(self) -> Sequence[Image]:
        """List the pictures shown with the prompt, each made by `picture`."""
        return ()

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        """Return the allowed values of reply fields that hold a text, a whole number or a list of these.

        Keys are field names, or `Class.field` for a field of a nested record. The values narrow the JSON schema sent to
        the model, and a reply with another value is unusable. An optional field may be empty as well.
        """
        return {}

    def lengths(self) -> Mapping[str, int]:
        """Return exact lengths of the reply's lists, with keys as in `allowed`; they enter the JSON schema sent.

        A reply of another length is not refused here: do that in `check`.
        """
        return {}

    def check(self, reply: Any) -> None:
        """Raise UnusableAnswer, with the remedy, for a reply that breaks a rule beyond the schema and `allowed`."""


class Question(ABC, Generic[R]):
    """A question to an agent: its prompt, its typed reply, and a behaviour model for the offline answer.

    Write it as a frozen dataclass with at most three fields:

    - `facts`: what the person asked can know (see `Facts`). Nothing else reaches a model, a person or a system.
    - `dispositions`: parameters and hidden state of the behaviour model, such as a rating threshold or a patience. The
      offline answer reads them beside the facts; no prompt shows them. A frozen dataclass whose fields are each marked
      with their Source, or one marked value.
    - `behaviour`: one object that the offline answer calls, such as a fitted choice model.

    A subclass with any other field raises TypeError.
    """

    facts: Facts
    dispositions: Any
    """Hidden parameters and state of the behaviour model; leave it out if the offline answer uses the facts alone."""
    behaviour: Any
    """Object that the offline answer calls, such as a fitted choice model; leave it out if there is none."""
    kind: ClassVar[str]
    """Kind of question in the form `type.name`, such as `panel.utter`."""
    Reply: ClassVar[type[Record]]
    """Type of the reply, sent as JSON schema. Put thoughts before decisions; bound every list, text and number.

    Left out, it is the type in brackets: `Vote` of `class KeepIdea(Question[Vote])`."""
    example: ClassVar[Record | None] = None
    """A filled-in example reply for the prompt, on a different topic, since small models copy from it."""
    of_crowd: ClassVar[bool] = False
    """Whether crowd members answer this question too.

    If so, the answer of an individual agent who is answered offline only is treated like a crowd member's: it is
    returned, but neither logged as asked nor charged."""

    tolerates_failure: ClassVar[bool] = False
    """Whether a declared system's failure is recorded as a missing reply instead of stopping the run.

    A system that was never reached stops the run in any case.
    """

    answered_with: ClassVar[str] = ""
    """Kind of question whose answerer is used if the study names none for this one."""

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        for base in vars(cls).get("__orig_bases__", ()):
            if isinstance(get_origin(base), type) and issubclass(get_origin(base), Question):
                (reply,) = get_args(base)
                if "Reply" not in vars(cls) and isinstance(reply, type):
                    cls.Reply = reply
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
        """Id of the one object that the question is about, or empty; part of its ledger place and its draw's key."""
        return ""

    @abstractmethod
    def offline(self, draw: Draw) -> R:
        """Answer by a published behaviour model (cite it); `draw` gives random numbers keyed by place."""

    @classmethod
    def offline_all(cls, questions: "Sequence[Question[R]]", draws: Sequence[Draw]) -> list[R]:
        """Answer many questions of this class offline; override it to compute them in arrays."""
        return [question.offline(draw) for question, draw in zip(questions, draws, strict=True)]

    def request(self) -> Mapping[str, JSON]:
        """Return extra values for a declared system's templates, such as `user` and `n`; recorded with the prompt.

        The names `text`, `system`, `persona`, `kind` and `subject` are taken by every request.
        """
        return {}

    def says(self) -> str | None:
        """Return the user's words to a declared system if this question is a dialogue turn, else None.

        The system answers in a session of the lane's own; its answer is the reply and is never repaired. Empty words on
        the first turn only open the session: the reply is what the system says first, if anything. Other answerers
        (offline, a model, a person) get the prompt as usual.

        A question that returns words must have the method of `TurnQuestion` as well.
        """
        return None


class TurnQuestion(Protocol):
    """Interface of a question that is a dialogue turn with a declared system."""

    def read_answer(self, text: str, data: JSON, ended: bool, fault: str) -> Mapping[str, JSON]:
        """Convert a declared system's answer to the fields of the question's Reply.

        `data` is the value that the system's declaration names so, `ended` whether the system ended the dialogue. After
        a failure (no answer in time, an error page, a closed connection) `text` is empty and `fault` describes it.
        """
