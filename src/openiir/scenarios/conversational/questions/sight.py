"""Views of a dialogue for its simulated user: the facts in the prompt, and the inputs of the behaviour
model."""

from dataclasses import dataclass
from typing import Annotated, Literal

from openiir.kit.prompting import join_words
from openiir.plugin import Count, Source
from openiir.scenarios.conversational.config import Traits
from openiir.scenarios.conversational.model.dialogue import Act, Need
from openiir.scenarios.conversational.model.generation.phrases import NOUNS, Noun, question_forms

Pair = tuple[str, str]
Standing = Literal["met", "violated", "unknown"]
Lean = Literal["LIKE", "NEUTRAL", "DISLIKE"]
History = tuple[tuple[str, str], ...]
"""(speaker, text) of every utterance so far."""
Study, Fitted = Source("study"), Source("fitted")
ACCEPT = 0.8
"""Utility above which an item is accepted even if it violates a constraint (MODELS 8)."""
MOST_OFFERS = 12
"""Maximum number of recommended titles shown in a user's prompt: the item under discussion and the latest."""


@dataclass(frozen=True)
class OfferView:
    """A recommended item as the user currently knows it."""

    id: str
    title: str
    constraints: tuple[tuple[Pair, Standing], ...]
    """Each constraint with its status for this item, as far as the user knows."""
    utility: float
    consumed: bool
    disliked: bool
    """Whether the user is known to dislike the item, whatever its attributes."""

    @property
    def violated(self) -> tuple[Pair, ...]:
        """Constraints that the item violates as far as the user knows, the most important first."""
        return tuple(pair for pair, standing in self.constraints if standing == "violated")

    @property
    def unknown(self) -> tuple[str, ...]:
        """Slots of constraints whose status the user does not know."""
        return tuple(dict.fromkeys(pair[0] for pair, standing in self.constraints if standing == "unknown"))

    @property
    def appeal(self) -> tuple[bool, bool, float]:
        """Sort key of offers: acceptable, then new to the user, then utility."""
        return self.acceptable, not self.consumed, self.utility

    @property
    def acceptable(self) -> bool:
        """Whether the user would accept the item: all constraints met, or utility above `ACCEPT`."""
        all_met = all(standing == "met" for _, standing in self.constraints)
        return not (self.consumed or self.disliked) and (all_met or self.utility > ACCEPT)


@dataclass(frozen=True)
class OnOffer:
    """A recommended title as the user's prompt describes it."""

    title: str
    about: tuple[str, ...]
    """Phrases about the known attributes of the item."""
    unknown: tuple[str, ...]
    """Slots of the need whose values the user does not know for this item."""
    seen: bool

    def describe(self, noun: Noun) -> str:
        """Describe the title and what the user knows about it."""
        unknown = [question_forms(slot, "it")[1] for slot in self.unknown]
        parts = [*self.about, *([f"you do not know {join_words(unknown)}"] if unknown else [])]
        had = f"you have {noun.used} it already" if self.seen else f"you have not {noun.used} it"
        return f"{self.title}: {'; '.join([*parts, had])}."


@dataclass(frozen=True)
class Scene:
    """The dialogue so far, as a simulated user's prompt describes it."""

    noun: str
    """Kind of item, such as `movie`."""
    wishes: tuple[str, ...]
    """Phrases for the constraints of the need, the most important first."""
    requests: tuple[str, ...]
    """Names of the slots that the user asks about before accepting an item."""
    notes: tuple[str, ...]
    """Memories of utterances before those in `said`."""
    said: History
    untold: tuple[str, ...]
    """Constraints not disclosed yet."""
    offers: tuple[OnOffer, ...]
    """Recommended titles, the latest last."""
    more: Count
    """Number of recommended titles left out."""
    strangers: tuple[str, ...]
    """Titles recommended in this turn that are not in the catalogue."""
    taste: tuple[str, ...]
    """Sentences on the user's taste in the slots and values that the system has just asked about."""
    vain: Count
    """Number of consecutive useless system turns."""

    def page(self) -> str:
        """Write the scene as text of a prompt."""
        return "\n\n".join(filter(None, (self._need(), self._dialogue(), self._now())))

    def _need(self) -> str:
        noun = NOUNS.get(self.noun, NOUNS["item"])
        what = f"You want a {noun.one} to {noun.use}, and ask a recommendation service for it."
        first = ", the most important first" if len(self.wishes) > 1 else ""
        if self.wishes:
            what += f" What you are after{first}: {'; '.join(self.wishes)}. Beyond that you have no wish."
        if self.requests:
            what += f" Before you take one you want to know its {join_words(self.requests)}."
        return what

    def _dialogue(self) -> str:
        if not self.said:
            return "Nobody has said anything yet: you begin."
        lines = ["The dialogue so far:"]
        if self.notes:
            lines = ["What you remember from earlier on:", *(f"- {note}" for note in self.notes)]
            lines += ["", "The dialogue, the last turn last:"]
        lines += [f"{'You' if who == 'user' else 'Service'}: {text}" for who, text in self.said]
        return "\n".join(lines)

    def _now(self) -> str:
        lines = [f"You have not told it yet: {'; '.join(self.untold)}."] if self.untold else []
        if self.offers:
            left = f" ({self.more} earlier ones are left out)" if self.more else ""
            lines.append(f"It has offered, with what you know of each{left}:")
            noun = NOUNS.get(self.noun, NOUNS["item"])
            lines += [f"{number}. {one.describe(noun)}" for number, one in enumerate(self.offers, 1)]
        if self.strangers:
            lines.append(f"You have never heard of {'; '.join(self.strangers)}.")
        lines += self.taste
        if self.vain:
            turns = "Its last turn was" if self.vain == 1 else f"Its last {self.vain} turns were"
            lines.append(f"{turns} of no use to you.")
        return "\n".join(lines)


@dataclass(frozen=True)
class Sight:
    """Input of a simulated user's behaviour model in one turn."""

    need: Annotated[Need, Study]
    """The need, without its target items."""
    pending: Annotated[tuple[Pair, ...], Study]
    """Constraints not disclosed yet, the most important first."""
    heard: Annotated[tuple[Act, ...], Study]
    """Understood acts of the system's turn."""
    items: Annotated[tuple[tuple[str, str], ...], Study]
    """(id, title) of every recommended item so far."""
    shown: Annotated[tuple[str, ...], Study]
    """Ids of the titles listed in the prompt, in that order."""
    offered: Annotated[bool, Study]
    """Whether this turn recommends an item of the catalogue."""
    strangers: Annotated[tuple[str, ...], Study]
    """Titles recommended in this turn that are not in the catalogue."""
    table: Annotated[OfferView | None, Fitted]
    """The item under discussion, with its utility to the user."""
    questions: Annotated[tuple[str, ...], Study]
    """Slots of that item that the user still wants to ask about."""
    leanings: Annotated[tuple[tuple[Pair, Lean], ...], Fitted]
    """The user's reaction to each value asked about on which the need is silent."""
    favourites: Annotated[tuple[Pair, ...], Fitted]
    """The user's preferred value of each slot asked about on which the need is silent."""
    liked: Annotated[tuple[str, ...], Study]
    """Titles that the user can name as liked when asked for one."""
    traits: Annotated[Traits, Source("persona")]
    turn: Annotated[int, Study]
    """Number of user turns so far."""
    failures: Annotated[int, Fitted]
    """Number of consecutive useless system turns, counting offers of low utility as useless."""
