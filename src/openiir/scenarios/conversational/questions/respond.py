"""Question to a simulated user: which dialogue acts to perform next, and whether to end the dialogue."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, ClassVar, NamedTuple

from pydantic import Field

from openiir.kit.prompting import number_lines
from openiir.plugin import Draw, Question, Record, Source, UnusableAnswer
from openiir.scenarios.conversational.model.dialogue import TITLE, Act, build_act
from openiir.scenarios.conversational.model.generation.phrases import slot_words, trait
from openiir.scenarios.conversational.questions.sight import Pair, Scene, Sight
from openiir.scenarios.conversational.questions.speak import Ending, Thoughts

NamedPair = tuple[str, str | None]
_DOES: Mapping[str, str] = {
    "DISCLOSE": "say a wish of yours",
    "LIKE": "say that you like",
    "NEUTRAL": "say that you do not mind",
    "DISLIKE": "say that you do not like",
    "YES": "say yes",
    "NO": "say no",
    "DONT_KNOW": "say that you do not know, or have none in mind",
    "INQUIRE": "ask about the one that you talk about",
    "CONSUMED": "say that you have had it before",
    "CRITIQUE": "object to the one that you talk about, which lacks",
    "ACCEPT": "take it, and say goodbye",
    "GIVE_UP": "leave",
}
"""Phrases for the user's intents in the prompt."""
_ABOUT = frozenset(_DOES[intent] for intent in ("DISCLOSE", "INQUIRE", "CRITIQUE", "ACCEPT"))
"""Phrases that need an object, such as a constraint or title."""
_CLOSED = _ABOUT | {_DOES["CONSUMED"], _DOES["GIVE_UP"]}
"""Phrases whose objects are limited to those listed after them."""
_LAST = frozenset((_DOES["ACCEPT"], _DOES["GIVE_UP"]))


class Move(Record):
    """One dialogue act of a user's turn, as chosen from the prompt's options."""

    number: int = Field(ge=1, le=20)
    about: tuple[Annotated[str, Field(max_length=2_300)], ...] = Field(
        (),
        max_length=20,
        description="what it is about, copied from behind the colon; "
        "an empty list where nothing stands there",
    )


class Response(Record):
    """A user's turn as dialogue acts, before it is put into words."""

    thoughts: Thoughts = ""
    do: tuple[Move, ...] = Field(min_length=1, max_length=8, description="one to three of them, in order")


class ResponseDecision(NamedTuple):
    """Dialogue acts that a behaviour model chose for a turn, with the ending."""

    acts: tuple[Act, ...]
    """Chosen acts, at least one."""
    end: Ending
    """Whether and how the turn ends the dialogue."""
    item: str
    """Id of the accepted item; empty without one."""


@dataclass(frozen=True)
class TurnOption:
    """An option in the user's prompt: a phrase for an intent, with the possible objects."""

    does: str
    about: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.does}: {' / '.join(self.about)}" if self.about else self.does


@dataclass(frozen=True)
class OptionMeaning:
    """Intent and (slot, value) pairs behind an option of the prompt."""

    intent: str
    pairs: tuple[NamedPair, ...]
    """(slot, value) pair behind each listed object."""


@dataclass(frozen=True)
class Respond(Question[Response]):
    """Question to a simulated user: which dialogue acts to perform next.

    An act can be about nothing but what the user knows of: its need and its taste, what the system has just
    said, and what was offered.
    """

    scene: Scene
    choices: tuple[TurnOption, ...]
    """Options for the next turn."""
    sight: Annotated[Sight, Source("study")]
    meant: Annotated[tuple[OptionMeaning, ...], Source("study")]
    """Meaning of each option."""
    behaviour: Callable[[Sight, Draw], ResponseDecision] = field(compare=False, repr=False)
    """Policy that gives the offline answer."""
    kind: ClassVar[str] = "conversational.respond"
    example: ClassVar[Record] = Response(
        thoughts="It is too far out, and I want to know the price before I go on.",
        do=(Move(number=3, about=("far from the station",)), Move(number=5, about=("price",))),
    )

    def prompt(self) -> str:
        choices = number_lines(self.choices)
        telling = "; tell a wish or two at a time" if self.scene.untold else ""
        return f"""{self.scene.page()}

What do you do in your next turn? First answer what the service asks and judge what it offers{telling}. \
Choose one to three of these, by number, and what each is about:
{choices}"""

    def allowed(self) -> Mapping[str, Sequence[str] | Sequence[int]]:
        about = dict.fromkeys(words for choice in self.choices for words in choice.about)
        return {"Move.number": range(1, len(self.choices) + 1), "Move.about": tuple(about)}

    def check(self, reply: Response) -> None:
        last = [move for move in reply.do if self.choices[move.number - 1].does in _LAST]
        if len(last) > 1:
            raise UnusableAnswer(
                "nobody takes something and leaves in vain, or takes two at once; do one of them"
            )
        for move in reply.do:
            choice = self.choices[move.number - 1]
            known = " / ".join(choice.about) or "nothing, so leave the list empty"
            if choice.does in _CLOSED and not set(move.about) <= set(choice.about):
                raise UnusableAnswer(f"what number {move.number} can be about is {known}")
            if choice.does in _ABOUT and not move.about and len(choice.about) > 1:
                raise UnusableAnswer(f"number {move.number} needs what it is about: {known}")
            if move in last and len(move.about) > 1:
                raise UnusableAnswer(f"number {move.number} takes one; name one of {known}")

    def offline(self, draw: Draw) -> Response:
        """Answer by the agenda policy (Schatzmann et al., NAACL 2007; cases after Lyu et al., WWW 2021)."""
        decided = self.behaviour(self.sight, draw)
        return Response.of_own(
            thoughts="",
            do=tuple(self._move(act, decided.item) for act in decided.acts if act.intent != "BYE"),
        )

    def _move(self, act: Act, item: str) -> Move:
        at = next(n for n, meant in enumerate(self.meant) if meant.intent == act.intent)
        meant, words = self.meant[at], self.choices[at].about
        places = [self.sight.shown.index(item)] if item else [meant.pairs.index(pair) for pair in act.pairs]
        return Move.of_own(number=at + 1, about=tuple(words[place] for place in places))

    def decision(self, reply: Response) -> ResponseDecision:
        """Convert a reply to dialogue acts, with the ending."""
        acts: list[Act] = []
        end: Ending = "no"
        item = ""
        for move in reply.do:
            about, intent = self.choices[move.number - 1].about, self.meant[move.number - 1].intent
            acts.append(build_act(intent, *self._pairs(move)))
            if intent == "ACCEPT":
                acts.append(build_act("BYE"))
                end, item = "satisfied", self.sight.shown[about.index(move.about[0]) if move.about else 0]
            elif intent == "GIVE_UP":
                end = "gave-up"
        return ResponseDecision(tuple(acts), end, item)

    def _pairs(self, move: Move) -> list[NamedPair]:
        """Look up the (slot, value) pairs of a move's objects, in its own option first.

        A move without objects gets the only object of an option that needs one.
        """
        choice, meant = self.choices[move.number - 1], self.meant[move.number - 1]
        if not move.about:
            return list(meant.pairs) if choice.does in _ABOUT and len(meant.pairs) == 1 else []
        everywhere = zip((choice, *self.choices), (meant, *self.meant), strict=True)
        known: dict[str, NamedPair] = {}
        for one, stands in everywhere:
            for words, pair in zip(one.about, stands.pairs, strict=True):
                known.setdefault(words, pair)
        return [known[words] for words in move.about]


def respond_question(
    scene: Scene, sight: Sight, slots: Iterable[str], behaviour: Callable[[Sight, Draw], ResponseDecision]
) -> Respond:
    """Build the question about a user's next acts; `slots` are the slots that it can ask about."""
    meant = tuple(_options(sight, slots))
    choices = tuple(TurnOption(_DOES[one.intent], _label_pairs(one.pairs)) for one in meant)
    return Respond(scene, choices, sight, meant, behaviour)


def _options(sight: Sight, slots: Iterable[str]) -> Iterable[OptionMeaning]:
    """Yield the options of the current turn, by intent."""
    need, names = sight.need, dict(sight.items)
    heard = [pair for act in sight.heard if act.intent != "RECOMMEND" for pair in act.pairs]
    valued = [pair for pair in heard if pair[1] is not None]
    offered: list[NamedPair] = [(TITLE, names[id]) for id in sight.shown]
    titles: list[NamedPair] = [*offered, *((TITLE, title) for title in sight.strangers)]
    named = dict.fromkeys((TITLE, *slots, *need.wanted, *need.requests, *(slot for slot, _ in heard)))
    opinions = [*valued, *sight.favourites, *((TITLE, title) for title in sight.liked), *titles]
    about: dict[str, list[NamedPair] | tuple[Pair, ...]] = {
        "DISCLOSE": need.constraints,
        **dict.fromkeys(("LIKE", "NEUTRAL", "DISLIKE"), opinions),
        **dict.fromkeys(("YES", "NO"), valued),
        **dict.fromkeys(("DONT_KNOW", "INQUIRE"), [(slot, None) for slot in named]),
        "CONSUMED": titles,
        "CRITIQUE": need.constraints,
        "ACCEPT": offered,
    }
    lacking = {
        "DISCLOSE": not need.constraints,
        "INQUIRE": sight.table is None,
        "CONSUMED": not titles,
        "CRITIQUE": not titles or not need.constraints,
        "ACCEPT": not offered,
    }
    for intent in _DOES:
        if not lacking.get(intent):
            pairs = about.get(intent, ())
            yield OptionMeaning(intent, tuple(pairs if intent == "ACCEPT" else dict.fromkeys(pairs)))


@lru_cache(maxsize=4_096)
def _label_pairs(pairs: tuple[NamedPair, ...]) -> tuple[str, ...]:
    """Describe (slot, value) pairs by distinct phrases."""
    found: dict[str, None] = {}
    for slot, value in pairs:
        words = slot_words(slot) if value is None else trait(slot, value)
        if words in found:
            words = f"{slot_words(slot)} {value or ''} ({len(found) + 1})"
        found[words] = None
    return tuple(found)
