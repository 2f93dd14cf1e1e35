"""What a simulated user sees when it takes its turn: all that it decides by, whoever decides for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from openiir.kit.dialogue import Act, Need

Pair = tuple[str, str]
Standing = Literal["met", "violated", "unknown"]
Lean = Literal["LIKE", "NEUTRAL", "DISLIKE"]
History = tuple[tuple[str, str], ...]
"""(speaker, text) of everything said so far."""
ACCEPT = 0.8
"""What is worth more is taken, whatever constraint it violates (MODELS 8)."""
_STANDS: Mapping[Standing, str] = {"met": "yes", "violated": "no", "unknown": "you do not know"}
_LEANS: Mapping[Lean, str] = {"LIKE": "you like it", "NEUTRAL": "you do not mind it", "DISLIKE": "you do not like it"}


@dataclass(frozen=True)
class Traits:
    """How one user behaves, 0 to 1 each; `TraitSpec` says what each does."""

    patience: float
    cooperativeness: float
    talkativeness: float
    knowledge: float


@dataclass(frozen=True)
class View:
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
    def acceptable(self) -> bool:
        """Whether the user would take it: all constraints are met, or it is worth more than `ACCEPT`."""
        all_met = all(standing == "met" for _, standing in self.constraints)
        return not (self.consumed or self.disliked) and (all_met or self.utility > ACCEPT)

    def words(self) -> str:
        """In a line."""
        standings = [f"{slot} {value}: {_STANDS[standing]}" for (slot, value), standing in self.constraints]
        had = ["you have had it before"] if self.consumed else []
        no = ["you do not like it"] if self.disliked else []
        return f"{self.title} ({'; '.join([*standings, *had, *no])}); it is worth {self.utility:g} of 1 to you"


@dataclass(frozen=True)
class Sight:
    """A user's situation."""

    noun: str
    """What an item is called."""
    need: Need
    pending: tuple[Pair, ...]
    """Constraints not said yet, the weightiest first."""
    history: History
    heard: tuple[Act, ...]
    """The system's acts of this turn, as understood."""
    items: tuple[tuple[str, str], ...]
    """(id, title) of everything offered so far."""
    offered: bool
    """Whether this turn offers something that the catalogue has."""
    strangers: tuple[str, ...]
    """Titles offered in this turn that nobody knows."""
    table: View | None
    """The item talked about."""
    questions: tuple[str, ...]
    """Slots that the user still wants to know of it."""
    leanings: tuple[tuple[Pair, Lean], ...]
    """What the user makes of the values asked about that the need says nothing of."""
    favourites: tuple[Pair, ...]
    """The values that the user likes best in the slots asked about that the need says nothing of."""
    liked: tuple[str, ...]
    """Titles that the user can name as liked, where one is asked for."""
    traits: Traits
    turn: int
    """The user's turns so far."""
    failures: int
    """Answers in a row that were of no use."""

    def words(self) -> str:
        """As a prompt shows it."""
        wanted = [f"- {slot}: {value}" for slot, value in self.need.constraints]
        lines = [f"You talk to a system that recommends items. What you are looking for: {self.noun}."]
        lines += ["It must have, the most important first:"]
        lines += wanted or ["- nothing in particular"]
        unsaid = ", ".join(f"{slot} {value}" for slot, value in self.pending)
        lines.append(f"Of this you have not said yet: {unsaid or 'nothing, all is said'}.")
        if self.need.requests:
            lines.append(f"Before you take one you want to be told its {', '.join(self.need.requests)}.")
        lines += ["", "The dialogue so far:"]
        lines += [f"{'You' if who == 'user' else 'System'}: {text}" for who, text in self.history] or ["(nothing yet)"]
        lines += ["", f"In its last turn the system does this, as far as you understood it: {self._heard()}."]
        if self.items:
            lines += ["Offered so far:", *(f"- {id}: {title}" for id, title in self.items)]
        if self.strangers:
            lines.append(f"You have never heard of {', '.join(self.strangers)}.")
        if self.table is not None:
            now = "offered just now" if self.offered else "offered before"
            lines.append(f"You are talking about {self.table.id} ({now}): {self.table.words()}.")
        if self.questions:
            lines.append(f"You still want to know of it: {', '.join(self.questions)}.")
        lines += [f"{slot} {value}: {_LEANS[lean]}." for (slot, value), lean in self.leanings]
        lines += [f"Of all values of {slot} you like {value} best." for slot, value in self.favourites]
        if self.liked:
            lines.append(f"You have liked {'; '.join(self.liked)}.")
        traits = ", ".join(f"{name} {value:g}" for name, value in vars(self.traits).items())
        lines.append(f"Your temper, from 0 to 1: {traits}.")
        lines.append(f"Turns that you have taken: {self.turn}. Answers in a row that were of no use to you: {self.failures}.")
        return "\n".join(lines)

    def _heard(self) -> str:
        acts = [
            f"{act.intent}({', '.join(slot if value is None else f'{slot}={value}' for slot, value in act.pairs)})"
            for act in self.heard
        ]
        return " ".join(acts) or "nothing"
