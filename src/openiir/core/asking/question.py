"""Questions to agents: facts for the prompt, hidden parameters, a typed reply and an offline answer."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, get_args, get_origin

from openiir.core.asking.question_parts import check_fields, question_parts
from openiir.core.records import Image, Record
from openiir.core.seeds import Draw

JSON = Any
"""A JSON value: text, number, truth value, None, or a list or mapping of these."""

R = TypeVar("R", bound=Record)
ANSWERED_WITH: dict[str, str] = {}
"""Map from a kind of question to the kind whose answerer it shares; filled from `Question.answered_with`."""


class Question(ABC, Generic[R]):
    """A question to an agent: its prompt, its typed reply, and a behaviour model for the offline answer.

    Write it as a frozen dataclass. Each field is one of these:

    - A fact: what the person asked sees, remembers, was told, or is. As precise as the prompt states it:
      text, or a number of the types Year, Price, Stars or Count. What only maps a reply back to its object
      has the type Id.
    - A disposition, `Annotated` with its Source: a parameter or hidden state of the behaviour model, such as
      a rating threshold or a patience.
    - `behaviour`: one object that the offline answer calls, such as a fitted choice model.

    Prompt, role, pictures, allowed values, checks of the reply and requests to systems are made of
    `facts_only`, where reading anything else raises an error. The offline answer reads facts and
    dispositions. Leave out what nobody in that place could know: held-out labels, true qualities, targets of
    the study.
    """

    kind: ClassVar[str]
    """Kind of question in the form `type.name`, such as `panel.utter`."""
    Reply: ClassVar[type[Record]]
    """Type of the reply, sent as JSON schema. Put thoughts before decisions; bound every list, text and
    number.

    Left out, it is the type in brackets: `Vote` of `class KeepIdea(Question[Vote])`."""
    example: ClassVar[Record | None] = None
    """A filled-in example reply for the prompt, on a different topic, since small models copy from it."""
    of_crowd: ClassVar[bool] = False
    """Whether crowd members answer this question too.

    If so, the answer of an individual agent who is answered offline only is treated like a crowd member's: it
    is returned, but neither logged as asked nor charged."""

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
        check_fields(cls, Question)

    @cached_property
    def facts_only(self) -> Self:
        """This question with its facts alone, which is what reaches a model, a person or a system."""
        parts, held = question_parts(type(self)), vars(self)
        view: Self = object.__new__(parts.facts_only)
        vars(view).update({name: held[name] for name in parts.facts})
        return view

    @property
    def subject(self) -> str:
        """Id of the one object that the question is about, or empty; part of its place and its draw's key."""
        return ""

    def system(self) -> str:
        """Return the system prompt of a role without a persona (moderator); empty to use the persona."""
        return ""

    @abstractmethod
    def prompt(self) -> str:
        """Write the prompt: the situation, what the person remembers and sees, and finally the question."""
        raise TypeError(f"{type(self).__name__} has no prompt; write the method prompt()")

    def images(self) -> Sequence[Image]:
        """List the pictures shown with the prompt, each made by `picture`."""
        return ()

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        """Return the allowed values of reply fields that hold a text, a whole number or a list of these.

        Keys are field names, or `Class.field` for a field of a nested record. The values narrow the JSON
        schema sent to the model, and a reply with another value is unusable. An optional field may be empty
        as well.
        """
        return {}

    def lengths(self) -> Mapping[str, int]:
        """Return exact lengths of the reply's lists for its JSON schema, with keys as in `allowed`.

        A reply of another length is not refused here: do that in `check`.
        """
        return {}

    def check(self, reply: Any) -> None:
        """Raise UnusableAnswer, with the remedy, where a reply breaks a rule beyond schema and `allowed`."""

    @abstractmethod
    def offline(self, draw: Draw) -> R:
        """Answer by a published behaviour model (cite it), with random numbers from `draw` alone."""

    @classmethod
    def offline_all(cls, questions: "Sequence[Question[R]]", draws: Sequence[Draw]) -> list[R]:
        """Answer many questions of this class offline; override it to compute them in arrays."""
        return [question.offline(draw) for question, draw in zip(questions, draws, strict=True)]

    def request(self) -> Mapping[str, JSON]:
        """Return extra values for a declared system's request templates, recorded with the prompt.

        The names `text`, `system`, `persona`, `kind` and `subject` are taken by every request.
        """
        return {}

    def says(self) -> str | None:
        """Return the user's words to a declared system if this question is a dialogue turn, else None.

        The system answers in a session of the lane's own; its answer is the reply and is never repaired.
        Empty words on the first turn only open the session: the reply is what the system says first, if
        anything. Other answerers (offline, a model, a person) get the prompt as usual.

        A question that returns words must have the method of `TurnQuestion` as well.
        """
        return None


class TurnQuestion(Protocol):
    """Interface of a question that is a dialogue turn with a declared system."""

    def read_answer(self, text: str, data: JSON, ended: bool, fault: str) -> Mapping[str, JSON]:
        """Convert a declared system's answer to the fields of the question's Reply.

        `data` is the value that the system's declaration names so, `ended` whether the system ended the
        dialogue. After a failure (no answer in time, an error page, a closed connection) `text` is empty and
        `fault` describes it.
        """
