"""A dialogue as a judge sees it, in records and in words."""

from dataclasses import dataclass

from openiir.kit.dialogue import Need


@dataclass(frozen=True)
class Turn:
    """What one of the two said."""

    speaker: str
    """user or system."""
    text: str
    acts: tuple[str, ...] = ()
    """Intents of what it does, where that is known."""
    asks: tuple[str, ...] = ()
    """Slots that it asks for."""
    tells: tuple[str, ...] = ()
    """Slots that it tells of an item."""
    misses: tuple[tuple[str, str], ...] = ()
    """(slot, value) pairs that a user misses in what was recommended."""

    def words(self, number: int) -> str:
        """Numbered, with what it does in brackets."""
        about = {
            "ELICIT": self.asks,
            "INFORM": self.tells,
            "CRITIQUE": tuple(f"{slot} = {value}" for slot, value in self.misses),
        }
        acts = [f"{act} {', '.join(about.get(act, ()))}".strip() for act in self.acts]
        return f"{number} {self.speaker.upper()}: {self.text}" + (f" [{'; '.join(acts)}]" if acts else "")


@dataclass(frozen=True)
class Shown:
    """An item that the system recommended."""

    turn: int
    """Number of the turn, from 1."""
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    """(slot, value) pairs of the catalogue."""
    worth: float | None = None
    """To this user, 0 to 1; None where the need is not known."""

    def words(self) -> str:
        """The item with its facts and what it was worth."""
        facts = f" ({'; '.join(f'{slot}: {value}' for slot, value in self.facts)})" if self.facts else ""
        worth = "" if self.worth is None else f", worth {self.worth:.2f} of 1 to this user"
        return f"in {self.turn}: {self.title}{facts}{worth}"


@dataclass(frozen=True)
class Talk:
    """A dialogue with what a judge may know of it."""

    turns: tuple[Turn, ...]
    shown: tuple[Shown, ...] = ()
    need: Need | None = None
    """None where nobody wrote it down."""
    end: str = ""
    """Why it ended (satisfied, gave-up, turn-limit, system-ended); empty where nobody wrote it down."""

    def words(self) -> str:
        """All of it, as the prompt shows it."""
        turns = "\n".join(turn.words(n) for n, turn in enumerate(self.turns, 1))
        shown = "\n".join(f"- {one.words()}" for one in self.shown) or "- nothing that is known"
        end = _ENDS.get(self.end, "It is not known how satisfied the user left.")
        return f"{self._need_words()}\n\n{turns}\n\nRecommended:\n{shown}\n\n{end}"

    def _need_words(self) -> str:
        if self.need is None:
            return "What the user was after is not known beyond what is said."
        wants = "; ".join(f"{slot}: {value}" for slot, value in self.need.constraints) or "anything"
        asks = f" Wants to be told of it: {', '.join(self.need.requests)}." if self.need.requests else ""
        return f"What the user was after: {wants}.{asks}"


_ENDS = {
    "satisfied": "It ended when the user took an item.",
    "gave-up": "It ended when the user gave up.",
    "turn-limit": "It ended because the user had no turn left.",
    "system-ended": "It ended because the system said goodbye.",
}
