"""How do you feel about the page, and what do you do next? (B12)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from openiir.plugin import Draw, Record, Unsplit, UnusableAnswer
from openiir.scenarios.recommender import brain
from openiir.scenarios.recommender.questions.page import MOST

Move = Literal["exit", "next", "previous", "click"]


class Acted(Record):
    """A mood and the next move."""

    feeling: Literal["positive", "negative"]
    why: str = Field("", max_length=240)
    """What the feeling rests on."""
    tiredness: brain.Tiredness
    emotion: brain.Emotion
    action: Move
    number: int | None = Field(None, ge=1, le=MOST)
    """Of the title to open, for a click."""
    reason: str = Field("", max_length=240)


@dataclass(frozen=True)
class Passed:
    """A title of the page that was not watched."""

    number: int
    title: str
    chance: float
    """Of watching it, as the visitor sees it, two decimals."""
    opened: bool


@dataclass(frozen=True)
class Act(Unsplit[Acted]):
    """Leave, go on, go back, or open a title?"""

    noun: str
    page: int
    most: int
    """Pages that there are for one visit."""
    watched: tuple[tuple[str, int], ...]
    """Titles of this page with their ratings."""
    passed: tuple[Passed, ...]
    gains: tuple[float, ...]
    """What each page gave so far, 0 to 1, this one last; three decimals."""
    satisfied: float
    """0 to 1, three decimals, this page included; likewise before it."""
    before: float
    tired: float
    novelty: float
    """Share of titles that few know."""
    temper: brain.Temper
    earlier: tuple[str, float] | None = None
    """The title passed over earlier that draws most, with its pull, where it draws far more than any here."""
    moves: tuple[Move, ...] = ("exit", "next")
    """What can be done now."""
    leaving: Literal["hazard", "patch"] = "hazard"
    travel: float = 1.0
    """What coming here cost, in pages."""
    kind: ClassVar[str] = "recommender.act"
    Reply: ClassVar[type[Record]] = Acted

    @property
    def subject(self) -> str:
        return f"page {self.page}"

    def prompt(self) -> str:
        seen = "; ".join(f"{title} ({rating}/5)" for title, rating in self.watched) or "nothing"
        passed = "\n".join(
            f"- {p.number}. {p.title}: a chance of {p.chance:.0%} that you would take it"
            + (" (you have read its description)" if p.opened else "")
            for p in self.passed
        )
        gains = ", ".join(f"{gain:.3f}" for gain in self.gains)
        earlier = f"\nEarlier you passed over {self.earlier[0]}, which draws you far more ({self.earlier[1]:+.2f})." if self.earlier else ""
        return f"""You have gone through page {self.page} of at most {self.most} of a {self.noun} recommender.

You took: {seen}.
You passed over:
{passed or "- nothing"}{earlier}
What the pages gave you, from 0 to 1, in order: {gains}.
Your satisfaction went from {self.before:.3f} to {self.satisfied:.3f} (0 none, 1 full). You are tired to {self.tired:.3f} \
of 1. Of the titles here {self.novelty:.0%} are little known. {_leaving_words(self)}
1. Is your overall feeling about the recommendations positive or negative, and why?
2. How tired are you?
3. Which emotion comes nearest?
4. What do you do now? Choose from: {", ".join(_MOVES[move] for move in self.moves)}. Give your reason."""

    def offline(self, draw: Draw) -> Acted:
        """Leaving first, by its hazard or by the marginal value theorem; then a look closer, a step back, or on."""
        action, number, reason = self._move(draw)
        positive = self.satisfied >= brain.NEUTRAL_AT
        return Acted.of_own(
            feeling="positive" if positive else "negative",
            why=f"{len(self.watched)} of {len(self.watched) + len(self.passed)} here were for me.",
            tiredness=brain.tiredness(self.tired),
            emotion=brain.emotion(
                self.satisfied, self.gains[-1], self.before, self.tired, self.page, self.novelty
            ),
            action=action,
            number=number,
            reason=reason,
        )

    def _move(self, draw: Draw) -> tuple[Move, int | None, str]:
        if self._leaves(draw):
            worn = self.tired >= 0.75 or self.satisfied >= brain.NEUTRAL_AT
            return "exit", None, "I have had enough for today." if worn else "There is too little for me here."
        unsure = [p for p in self.passed if abs(p.chance - 0.5) < 0.1 and not p.opened]
        if "click" in self.moves and unsure:
            return "click", unsure[0].number, f"I want to know more about {unsure[0].title}."
        if "previous" in self.moves and self.earlier:
            return "previous", None, f"I should have taken {self.earlier[0]}."
        return ("next" if "next" in self.moves else "exit"), None, "Let me see what else there is."

    def _leaves(self, draw: Draw) -> bool:
        if "exit" not in self.moves:
            return False
        if self.leaving == "patch":
            return brain.patch_is_spent(self.gains, self.temper, self.travel)
        return bool(draw.at("exit").chance(brain.p_exit(self.satisfied, self.tired), item=f"page {self.page}"))

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"action": self.moves}

    def check(self, reply: Acted) -> None:
        if (reply.action == "click") != (reply.number is not None):
            raise UnusableAnswer("name a number with a click, and only with a click")
        numbers = [p.number for p in self.passed if not p.opened]
        if reply.number is not None and reply.number not in numbers:
            raise UnusableAnswer(f"number {reply.number} cannot be opened; of those passed over there are {numbers}")


_MOVES: Mapping[Move, str] = {
    "exit": "exit (leave the recommender)",
    "next": "next (the next page)",
    "previous": "previous (back one page)",
    "click": "click (open one of the titles you passed over, by its number, to read more)",
}


def _leaving_words(act: Act) -> str:
    if act.leaving == "patch":
        return (
            f"Coming here cost you as much as {act.travel:g} pages, and your energy falls to 37 % in "
            f"{act.temper.patience:.2f} pages: stay while the next page promises more than you got on average."
        )
    return "The more tired and the less satisfied you are, the sooner you leave."
