"""The facts of a dialogue that a user's prompt tells, and the inputs of its behaviour model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from openiir.kit.prompting import join_words
from openiir.plugin import Count, Source
from openiir.scenarios.conversational.dialogue import Act, Need
from openiir.scenarios.conversational.generation.phrases import NOUNS, Noun, question_forms, slot_key

Pair = tuple[str, str]
Standing = Literal["met", "violated", "unknown"]
Lean = Literal["LIKE", "NEUTRAL", "DISLIKE"]
History = tuple[tuple[str, str], ...]
"""(speaker, text) of everything said so far."""
Study, Fitted = Source("study"), Source("fitted")
ACCEPT = 0.8
"""Acceptance threshold: an item of a higher utility is taken even if it violates a constraint (MODELS 8)."""
MOST_OFFERS = 12
"""Titles on offer that a user keeps in view: the one talked about, and the latest."""


@dataclass(frozen=True)
class Traits:
    """How one user behaves, 0 to 1 each; `TraitSpec` says what each does."""

    patience: float
    cooperativeness: float
    talkativeness: float
    knowledge: float


@dataclass(frozen=True)
class OfferView:
    """An item as the user sees it now."""

    id: str
    title: str
    constraints: tuple[tuple[Pair, Standing], ...]
    """Each constraint with how the item stands to it, as far as the user knows."""
    utility: float
    consumed: bool
    disliked: bool
    """Whether the user is known not to like it, whatever it has."""

    @property
    def violated(self) -> tuple[Pair, ...]:
        """The constraints that it violates for all the user knows, the weightiest first."""
        return tuple(pair for pair, standing in self.constraints if standing == "violated")

    @property
    def unknown(self) -> tuple[str, ...]:
        """Slots of constraints of which the user does not know how the item stands to them."""
        return tuple(dict.fromkeys(pair[0] for pair, standing in self.constraints if standing == "unknown"))

    @property
    def appeal(self) -> tuple[bool, bool, float]:
        """What offers are compared by: whether the user would take it, whether it is new, its utility."""
        return self.acceptable, not self.consumed, self.utility

    @property
    def acceptable(self) -> bool:
        """Whether the user would take it: all constraints are met, or it is worth more than `ACCEPT`."""
        all_met = all(standing == "met" for _, standing in self.constraints)
        return not (self.consumed or self.disliked) and (all_met or self.utility > ACCEPT)


@dataclass(frozen=True)
class OnOffer:
    """A title that was offered, as the user knows it."""

    title: str
    about: tuple[str, ...]
    """What it is like, whatever the user wants."""
    unknown: tuple[str, ...]
    """Slots that matter to the user and of which it does not know what the title has."""
    seen: bool

    def describe(self, noun: Noun) -> str:
        """The title with what is known of it."""
        unknown = [question_forms(slot, "it")[1] for slot in self.unknown]
        parts = [*self.about, *([f"you do not know {join_words(unknown)}"] if unknown else [])]
        had = f"you have {noun.used} it already" if self.seen else f"you have not {noun.used} it"
        return f"{self.title}: {'; '.join([*parts, had])}."


@dataclass(frozen=True)
class Scene:
    """A dialogue so far, as the user's prompt tells it."""

    noun: str
    """What an item is called."""
    wishes: tuple[str, ...]
    """What the user wants, in words, the most important first."""
    requests: tuple[str, ...]
    """What the user wants to be told of an item before taking it."""
    notes: tuple[str, ...]
    """What the user remembers of what was said before `said`."""
    said: History
    untold: tuple[str, ...]
    """Wishes that the service was not told yet."""
    offers: tuple[OnOffer, ...]
    """The latest last."""
    more: Count
    """Titles on offer that are left out."""
    strangers: tuple[str, ...]
    """Titles offered just now that the user has never heard of."""
    taste: tuple[str, ...]
    """What the user would say of the matters asked about just now, in sentences."""
    vain: Count
    """Turns of the service in a row that were of no use."""

    def page(self) -> str:
        """The scene in words."""
        return "\n\n".join(filter(None, (self._need(), self._dialogue(), self._now())))

    def _need(self) -> str:
        noun = NOUNS.get(self.noun, NOUNS["item"])
        what = f"You want a {noun.one} to {noun.use}, and ask a recommendation service for it."
        first = ", the most important first" if len(self.wishes) > 1 else ""
        wishes = (
            f" What you are after{first}: {'; '.join(self.wishes)}. Beyond that you have no wish."
            if self.wishes
            else ""
        )
        told = (
            f" Before you take one you want to know its {join_words(self.requests)}." if self.requests else ""
        )
        return f"{what}{wishes}{told}"

    def _dialogue(self) -> str:
        notes = (
            ["What you remember from earlier on:", *(f"- {note}" for note in self.notes), ""]
            if self.notes
            else []
        )
        lines = [f"{'You' if who == 'user' else 'Service'}: {text}" for who, text in self.said]
        if not lines:
            return "Nobody has said anything yet: you begin."
        return "\n".join(
            [*notes, "The dialogue, the last turn last:" if notes else "The dialogue so far:", *lines]
        )

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


def tells(title: str, slot: str) -> bool:
    """Whether a title says what it has in a slot: the year, in one such as `Heat (1995)`."""
    return slot_key(slot) == "year" and title[-6:-5] + title[-1:] == "()" and title[-5:-1].isdigit()


@dataclass(frozen=True)
class Sight:
    """The inputs of a user's behaviour model."""

    need: Annotated[Need, Study]
    """What is wanted; nothing of what would do."""
    pending: Annotated[tuple[Pair, ...], Study]
    """Constraints not said yet, the weightiest first."""
    heard: Annotated[tuple[Act, ...], Study]
    """The system's acts of this turn, as understood."""
    items: Annotated[tuple[tuple[str, str], ...], Study]
    """(id, title) of everything offered so far."""
    shown: Annotated[tuple[str, ...], Study]
    """Ids of the titles that the user has in view, in their order there."""
    offered: Annotated[bool, Study]
    """Whether this turn offers something that the catalogue has."""
    strangers: Annotated[tuple[str, ...], Study]
    """Titles offered in this turn that nobody knows."""
    table: Annotated[OfferView | None, Fitted]
    """The item talked about, with what it is worth to the user."""
    questions: Annotated[tuple[str, ...], Study]
    """Slots that the user still wants to know of it."""
    leanings: Annotated[tuple[tuple[Pair, Lean], ...], Fitted]
    """What the user makes of the values asked about that the need says nothing of."""
    favourites: Annotated[tuple[Pair, ...], Fitted]
    """The values that the user likes best in the slots asked about that the need says nothing of."""
    liked: Annotated[tuple[str, ...], Study]
    """Titles that the user can name as liked, where one is asked for."""
    traits: Annotated[Traits, Source("persona")]
    turn: Annotated[int, Study]
    """The user's turns so far."""
    failures: Annotated[int, Fitted]
    """Turns in a row that were of no use, by what offers are worth too."""


def in_view(items: Sequence[int], table: int | None) -> list[int]:
    """The latest items, and among them the one talked about, in the order offered."""
    latest = list(items[-MOST_OFFERS:])
    if table is None or table in latest or table not in items:
        return latest
    return [table, *latest[-(MOST_OFFERS - 1) :]]
