"""Questions to single-prompt and dual-prompt users: what to say next, and whether to end the dialogue."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Field

from openiir.plugin import Draw, Question, Record, UnusableAnswer
from openiir.scenarios.conversational.questions.realise import LONGEST
from openiir.scenarios.conversational.questions.sight import Scene, Sight, Study

Ending = Literal["no", "satisfied", "gave-up"]
Then = Literal["go on", "take it", "leave"]
ENDINGS: Mapping[Then, Ending] = {"go on": "no", "take it": "satisfied", "leave": "gave-up"}
_THEN: Mapping[Ending, Then] = {end: then for then, end in ENDINGS.items()}
Thoughts = Annotated[
    str, Field(max_length=400, description="what goes through your mind, at most 60 words; nobody sees it")
]
Say = Annotated[str, Field(max_length=LONGEST, description="your words, one to three short sentences")]
Which = Annotated[
    int | None, Field(ge=1, le=20, description="where you take one, its number in the list; else null")
]
_ALL_TOLD = "Answer what it asks and react to what it offers."
_TELL = (
    "Answer what it asks, react to what it offers, and bring up what it does not know yet as people "
    "do, a thing or two at a time."
)
_TAKE = "If it has offered one that you want, take it."
_LEAVE = "If you have had enough, say so and leave."


class SpeechReply(Record):
    """A user's words, and whether it ends the dialogue with them."""

    thoughts: Thoughts = ""
    say: Say
    then: Then
    which: Which = None


class UserWords(Record):
    """A user's words in one turn."""

    thoughts: Thoughts = ""
    say: Say


class Stopping(Record):
    """A user's decision to stop or go on, before it speaks again."""

    thoughts: Thoughts = ""
    then: Then
    which: Which = None


R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class _Ending(Question[R]):
    """Question in which the user may accept a recommended item or leave."""

    scene: Scene
    sight: Annotated[Sight, Study]

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        """Limit the reply to endings and item numbers that exist: nothing can be accepted before an offer."""
        then = ("go on", "take it", "leave") if self.scene.offers else ("go on", "leave")
        return {"then": then, "which": range(1, len(self.scene.offers) + 1)}

    def check(self, reply: Any) -> None:
        if reply.then != "take it" and reply.which is not None:
            raise UnusableAnswer(f'"{reply.then}" takes nothing; let which be null, or write "take it"')
        if reply.then == "take it" and reply.which is None and len(self.scene.offers) > 1:
            raise UnusableAnswer("you take one and do not say which; give its number in the list")

    def ending(self, reply: Any) -> tuple[Ending, str]:
        """Return how a reply ends the dialogue, and the id of the accepted item; a single offer needs no
        number."""
        item = self.sight.shown[(reply.which or 1) - 1] if reply.then == "take it" else ""
        return ENDINGS[reply.then], item


@dataclass(frozen=True)
class DialogueSpeech(_Ending[SpeechReply]):
    """Question to a single-prompt user simulator: what to say next, and whether to end the dialogue."""

    behaviour: Callable[[Sight, Draw], tuple[str, Ending, str]] = field(compare=False, repr=False)
    """Function that returns the user's words, the ending and the id of the accepted item."""
    kind: ClassVar[str] = "conversational.speak"
    example: ClassVar[Record] = SpeechReply(
        thoughts="That one is too far from the station, but it did get the price right.",
        say="Too far out for me. Do you have a room nearer to the station?",
        then="go on",
    )

    def prompt(self) -> str:
        taking = f" {_TAKE}" if self.scene.offers else ""
        return f"{self.scene.page()}\n\n{_next_words(self.scene)}{taking} {_LEAVE}"

    def check(self, reply: Any) -> None:
        super().check(reply)
        _check_words(reply.say)

    def offline(self, draw: Draw) -> SpeechReply:
        """Answer by the agenda policy, worded by templates."""
        text, end, item = self.behaviour(self.sight, draw)
        which = option_number(item, self.sight)
        return SpeechReply.of_own(thoughts="", say=text, then=_THEN[end], which=which)


@dataclass(frozen=True)
class Stop(_Ending[Stopping]):
    """Question to a dual-prompt user simulator before it speaks: whether to stop."""

    behaviour: Callable[[Sight, Draw], tuple[Ending, str]] = field(compare=False, repr=False)
    """Function that returns the ending and the id of the accepted item."""
    kind: ClassVar[str] = "conversational.stop"
    example: ClassVar[Record] = Stopping(
        thoughts="None of these rooms is near the station, but it has not heard my price.", then="go on"
    )

    def prompt(self) -> str:
        take = ", take one that it has offered," if self.scene.offers else ""
        return f"{self.scene.page()}\n\nDo you go on talking{take} or leave because you have had enough?"

    def offline(self, draw: Draw) -> Stopping:
        """Decide by the agenda policy: accept an acceptable item, else leave with the hazard of MODELS 8."""
        end, item = self.behaviour(self.sight, draw)
        return Stopping.of_own(thoughts="", then=_THEN[end], which=option_number(item, self.sight))


@dataclass(frozen=True)
class GoOn(Question[UserWords]):
    """Question to a dual-prompt user simulator that decided whether to stop: what to say next, or last."""

    scene: Scene
    leaves: str
    """Sentence on the decision to stop; empty if the user goes on."""
    sight: Annotated[Sight, Study]
    end: Annotated[Ending, Study]
    item: Annotated[str, Study]
    """Id of the accepted item."""
    behaviour: Callable[[Sight, Ending, str, Draw], str] = field(compare=False, repr=False)
    """Function that words the user's next or last turn."""
    kind: ClassVar[str] = "conversational.go-on"
    example: ClassVar[Record] = UserWords(
        thoughts="It asks for a price, and I have not thought about one.",
        say="As cheap as it gets, as long as it is near the station.",
    )

    def prompt(self) -> str:
        last = f"{self.leaves} What are your last words to the service?"
        task = last if self.leaves else f"You go on. {_next_words(self.scene)}"
        return f"{self.scene.page()}\n\n{task}"

    def check(self, reply: UserWords) -> None:
        _check_words(reply.say)

    def offline(self, draw: Draw) -> UserWords:
        """Answer by the agenda policy, worded by templates."""
        return UserWords.of_own(thoughts="", say=self.behaviour(self.sight, self.end, self.item, draw))


def go_on_question(
    scene: Scene, sight: Sight, end: Ending, item: str, words: Callable[[Sight, Ending, str, Draw], str]
) -> GoOn:
    """Build the question about a dual-prompt user's next words, or its last words if it stops."""
    leaves = {
        "no": "",
        "satisfied": f"You take {dict(sight.items).get(item)}.",
        "gave-up": "You have had enough and leave.",
    }
    return GoOn(scene, leaves[end], sight, end, item, words)


def option_number(item: str, sight: Sight) -> int | None:
    """Return an item's number in the prompt; None without an item."""
    return sight.shown.index(item) + 1 if item else None


def _next_words(scene: Scene) -> str:
    return f"What do you say next? {_TELL if scene.untold else _ALL_TOLD}"


def _check_words(text: str) -> None:
    if not text.strip():
        raise UnusableAnswer("you said nothing; say something")
