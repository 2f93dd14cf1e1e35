"""Question about a visitor's mood after a page and its next move (B12)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from openiir.kit.prompting import Thoughts, join_words, number_lines
from openiir.plugin import Count, Draw, Question, Record, Stars, UnusableAnswer
from openiir.scenarios.recommender.model import choice_model
from openiir.scenarios.recommender.questions.page import MOST, Fitted, Persona, Study
from openiir.scenarios.recommender.questions.wording import list_under, ordinal

Move = Literal["leave", "next", "back", "open"]
Mood = Literal["curious", "excited", "content", "neutral", "bored", "frustrated", "overwhelmed"]


class VisitMove(Record):
    """A visitor's mood after a page, and its next move."""

    thoughts: Thoughts = ""
    mood: Mood
    like_it_so_far: choice_model.Liking
    tiredness: choice_model.Tiredness
    do: Move
    open: int | None = Field(
        None, ge=1, le=MOST, description="the number of a title, to read more about it; null otherwise"
    )
    """Of no account where it does something else."""
    why: str = Field("", max_length=240)


@dataclass(frozen=True)
class Opinion:
    """A title of the page, with the visitor's comment and rating."""

    title: str
    words: str
    """Comment of the visitor on the title."""
    stars: Stars | None = None
    """Rating in stars; None for a title passed over."""
    opened: bool = False
    """Whether the visitor has opened the title to read more."""

    def __str__(self) -> str:
        said = f'"{self.words}"' if self.words else ""
        stars = f"{self.stars:g} of 5" if self.stars is not None else ""
        inside = ": ".join(filter(None, (stars, said)))
        opened = ", which you opened to read more" if self.opened else ""
        return self.title + (f" ({inside})" if inside else "") + opened


_MOVES: Mapping[Move, str] = {
    "leave": "leave",
    "next": "look at the next page (next)",
    "back": "go back one page (back)",
    "open": "open one that you passed over, to read more about it (open)",
}

_ENOUGH, _TOO_LITTLE = "I have had enough for today.", "There is too little for me here."


def _join_with_or(options: Sequence[str]) -> str:
    return f"{', '.join(options[:-1])}, or {options[-1]}" if len(options) > 1 else options[0]


@dataclass(frozen=True, kw_only=True)
class VisitAct(Question[VisitMove]):
    """Question to a visitor: leave, go on, go back, or open a title?"""

    noun: str
    page: Count
    taken: tuple[Opinion, ...]
    passed: tuple[Opinion, ...]
    moves: tuple[Move, ...]
    """Possible moves."""
    visit: tuple[str, ...] = ()
    """Descriptions of earlier pages of this visit."""
    chances: Annotated[tuple[float, ...], Fitted]
    """Probability of watching each title passed over, two decimals."""
    gains: Annotated[tuple[float, ...], Study]
    """Gain of each page so far, 0 to 1, this one last; three decimals."""
    satisfied: Annotated[float, Study]
    """Satisfaction after this page, 0 to 1, three decimals; `before` is that before it."""
    before: Annotated[float, Study]
    tired: Annotated[float, Persona]
    novelty: Annotated[float, Fitted]
    """Share of little-known titles on the page."""
    temper: Annotated[choice_model.Temper, Persona]
    place: Annotated[str, Study]
    """Name of this page in the log."""
    earlier: Annotated[str, Fitted] = ""
    """Title passed over on the page before that is far more attractive than any here."""
    leaving: Annotated[Literal["hazard", "patch"], Study] = "hazard"
    travel: Annotated[float, Study] = 1.0
    """Cost of coming to the site, in pages."""
    kind: ClassVar[str] = "recommender.act"
    example: ClassVar[Record] = VisitMove(
        thoughts="Two stalls had what I came for, but it is getting late.",
        mood="content",
        like_it_so_far="yes",
        tiredness="a little tired",
        do="leave",
        open=None,
        why="I have what I need from this market.",
    )

    def prompt(self) -> str:
        taken = join_words([str(one) for one in self.taken]) or "nothing"
        passed = f" You passed over:\n{number_lines(self.passed)}" if self.passed else ""
        last = "" if "next" in self.moves else " This is the last page there is."
        return f"""You have just gone through the {ordinal(self.page)} page of a {self.noun} \
recommender.{last}

On this page you took {taken}.{passed}

{list_under("Before that:", self.visit)}How do you feel about this recommender by now, do you like it so \
far, and how tired are you? And what do you do: {_join_with_or([_MOVES[move] for move in self.moves])}?"""

    @property
    def openable(self) -> tuple[int, ...]:
        """Numbers of the titles that can be opened."""
        if "open" not in self.moves:
            return ()
        return tuple(n for n, one in enumerate(self.passed, 1) if not one.opened)

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        return {"do": self.moves, "open": self.openable}

    def check(self, reply: VisitMove) -> None:
        if reply.do == "open" and reply.open is None:
            raise UnusableAnswer("you open a title and do not say which; give its number")

    @property
    def subject(self) -> str:
        return self.place

    def offline(self, draw: Draw) -> VisitMove:
        """Decide whether to leave; else open a title, go back, or go on, in this order.

        Leaving is by a probability or by the marginal value theorem.
        """
        do, number, why = self._move(draw)
        page, gain = len(self.gains), self.gains[-1]
        mood = choice_model.mood_after_page(self.satisfied, gain, self.before, self.tired, page, self.novelty)
        return VisitMove.of_own(
            thoughts="",
            mood=mood,
            like_it_so_far=choice_model.liking_words(self.satisfied),
            tiredness=choice_model.tiredness_words(self.tired),
            do=do,
            open=number,
            why=why,
        )

    def _move(self, draw: Draw) -> tuple[Move, int | None, str]:
        if self._leaves(draw):
            worn = self.tired >= 0.75 or self.satisfied >= choice_model.NEUTRAL_AT
            return "leave", None, _ENOUGH if worn else _TOO_LITTLE
        unsure = [n for n in self.openable if abs(self.chances[n - 1] - 0.5) < 0.1]
        if unsure:
            return "open", unsure[0], f"I want to know more about {self.passed[unsure[0] - 1].title}."
        if "back" in self.moves and self.earlier:
            return "back", None, f"I should have taken {self.earlier}."
        return ("next" if "next" in self.moves else "leave"), None, "Let me see what else there is."

    def _leaves(self, draw: Draw) -> bool:
        if "leave" not in self.moves:
            return False
        if self.leaving == "patch":
            return choice_model.patch_is_spent(self.gains, self.temper, self.travel)
        return bool(draw.at("exit").chance(choice_model.p_exit(self.satisfied, self.tired), item=self.place))
