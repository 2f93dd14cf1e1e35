"""State of a simulated user in a dialogue: its agenda, the history, and the item under discussion."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from statistics import fmean

from openiir.kit.items import Collection
from openiir.kit.prompting import join_words
from openiir.plugin import Draw, EpisodicMemory, int_sum, texts_in_order
from openiir.scenarios.conversational.behaviour.needs import UserNeed
from openiir.scenarios.conversational.config import Traits
from openiir.scenarios.conversational.model.dialogue import TITLE, Act, Need, pairs_of
from openiir.scenarios.conversational.model.generation.phrases import (
    NOUNS,
    describe_item,
    slot_key,
    slot_words,
    trait,
)
from openiir.scenarios.conversational.questions.sight import (
    MOST_OFFERS,
    Lean,
    OfferView,
    OnOffer,
    Pair,
    Scene,
    Sight,
    Standing,
)

LIKE, DISLIKE = 0.6, 0.4
"""Utility above which an item is liked, and below which it is disliked (MODELS 8)."""
LEAN = 0.25
"""Mean deviation of ratings, in stars, from which a value is liked or disliked."""
ASKED_AGAIN = 2
"""Number of questions about a slot after which the user stops asking."""
NAMES = 5
"""Maximum number of liked titles that a user names at a time."""
RECENT, RECALLED = 24, 4
"""Number of utterances shown in full in the prompt, and number of earlier ones recalled."""
HALF_LIFE = 20
"""Half-life of recency in memory, in utterances."""
OWN = 0.5
"""Importance of the user's own utterances in memory; the system's have 0 [design]."""
_LEANS: Mapping[Lean, str] = {
    "LIKE": "you like that",
    "NEUTRAL": "you do not mind",
    "DISLIKE": "that is not for you",
}


@dataclass(eq=False)
class UserState:
    """State of a simulated user in one dialogue; only `hear` and `say` change it."""

    wish: UserNeed
    traits: Traits
    collection: Collection
    knowing: Draw
    """Draw that decides which attributes the user knows."""
    remembers: str = "full"
    """Name of the persona's memory policy."""
    history: list[tuple[str, str]] = field(default_factory=list)
    """(speaker, text) of every utterance so far."""
    turn: int = 0
    """Number of user turns so far."""
    failures: int = 0
    """Number of consecutive useless system turns, counting offers of low utility as useless."""
    vain: int = 0
    """Number of consecutive system turns that are visibly useless to the user."""
    heard: tuple[Act, ...] = ()
    """Acts of the current system turn."""
    offered: tuple[int, ...] = ()
    """Items recommended in the current turn."""
    strangers: tuple[str, ...] = ()
    """Titles recommended in the current turn that are not in the catalogue."""
    table: int | None = None
    """Item under discussion."""
    before: Counter[int] = field(default_factory=Counter)
    """How often each item has been recommended."""
    disclosed: list[Pair] = field(default_factory=list)
    told: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)
    """(item, slot) to the values that the system told."""
    asked: Counter[tuple[int, str]] = field(default_factory=Counter)
    liked_titles: list[int] = field(default_factory=list)
    """Items that the user has named as liked."""

    @property
    def need(self) -> Need:
        return self.wish.need

    @property
    def pending(self) -> list[Pair]:
        """Constraints not disclosed yet, the most important first."""
        return [pair for pair in self.need.constraints if pair not in self.disclosed]

    @property
    def informed(self) -> tuple[str, ...]:
        """Requested slots that the system has given values for, for any item."""
        told = {slot for _, slot in self.told}
        return tuple(slot for slot in self.need.requests if slot in told)

    def hear(
        self, text: str, acts: Sequence[Act], items: Sequence[int], strangers: Sequence[str] = ()
    ) -> None:
        """Process a system turn: its words, acts, recommended items (best first) and unknown titles."""
        parrots = any(text == said for speaker, said in self.history if speaker == "system")
        if text:
            self.history.append(("system", text))
        self.heard, self.offered, self.strangers = tuple(acts), tuple(items), tuple(strangers)
        self.before.update(items)
        self._learn(acts, items)
        if items:
            self.table = max(items, key=lambda item: self.view(item).appeal)
        elif strangers:
            self.table = None
        vain, worthless = self._in_vain()
        self.failures = self.failures + 1 if parrots or vain or worthless else 0 if items else self.failures
        self.vain = self.vain + 1 if parrots or vain else 0

    def _learn(self, acts: Sequence[Act], items: Sequence[int]) -> None:
        """Store facts about the last single item that the turn named, or about the item under discussion.

        Facts told after several items at once are dropped: they cannot be attributed.
        """
        left, about = list(items), self.table
        for act in acts:
            if act.intent == "RECOMMEND":
                size = int_sum(slot == TITLE for slot, _ in act.pairs) or len(left)
                named, left = left[:size], left[size:]
                about = named[0] if len(named) == 1 else None
            elif act.intent == "INFORM" and about is not None:
                for slot, value in act.pairs:
                    if value is not None and slot != TITLE:
                        self.told[about, slot] = (*self.told.get((about, slot), ()), value)

    def _in_vain(self) -> tuple[bool, bool]:
        """Return whether the turn was visibly useless, and whether its best offer has low utility.

        A turn is useless if it makes a bad or repeated offer, finds nothing, or leaves a question unanswered.
        """
        if self.offered:
            best = self.offered[0] if self.table is None else self.table
            view = self.view(best)
            seen = bool(view.violated) or view.consumed or self.before[best] > 1
            return seen, view.disliked or view.utility <= LIKE
        nothing = any(act.intent == "NOTHING_FOUND" for act in self.heard)
        return nothing or bool(self.strangers) or bool(self.unanswered), False

    @property
    def unanswered(self) -> list[str]:
        """Slots of the current item that the user requested and was not told."""
        return [
            slot
            for (item, slot), times in self.asked.items()
            if times and item == self.table and (item, slot) not in self.told
        ]

    @property
    def questions(self) -> list[str]:
        """Slots of the current item that the user still wants to request before accepting it."""
        if self.table is None:
            return []
        view = self.view(self.table)
        wanted = dict.fromkeys((*view.unknown, *self.need.requests))
        return [
            s for s in wanted if (self.table, s) not in self.told and self.asked[self.table, s] < ASKED_AGAIN
        ]

    def view(self, item: int) -> OfferView:
        """Build what the user knows of an item."""
        standings = tuple((pair, self._standing(item, pair)) for pair in self.need.constraints)
        worth = {"met": 1.0, "unknown": 0.5, "violated": 0.0}
        met = fmean(worth[standing] for _, standing in standings) if standings else 1.0
        taste = self.wish.taste
        return OfferView(
            id=self.collection.ids[item],
            title=self.collection.titles[item],
            constraints=standings,
            utility=taste.utility(met, item),
            consumed=item in taste.consumed,
            disliked=taste.dislikes(item),
        )

    def _standing(self, item: int, pair: Pair) -> Standing:
        slot, value = pair
        if self._knows(item, slot):
            return "met" if value in self.collection.values(slot, item) else "violated"
        told = self.told.get((item, slot))
        if told is not None and any(value.casefold() == one.casefold() for one in told):
            return "met"
        if told is not None or self.asked[item, slot] >= ASKED_AGAIN:
            return "violated"
        return "unknown"

    @cached_property
    def _knows(self) -> Callable[[int, str], bool]:
        """Function that tells whether the user knows a slot of an item, drawn once for each."""
        ids, least = self.collection.ids, self.traits.knowledge
        return cache(lambda item, slot: bool(self.knowing.chance(least, item=f"{ids[item]}\x1f{slot}")))

    def sight(self) -> Sight:
        """Build the behaviour model's inputs for the current turn."""
        wanted = self.need.wanted
        asked = [pair for pair in pairs_of(self.heard, "ELICIT") if pair[0] not in wanted]
        taste = self.wish.taste
        favourites = {slot: taste.favourite(slot) for slot, value in asked if value is None and slot != TITLE}
        ids, titles = self.collection.ids, self.collection.titles
        return Sight(
            need=self.need.without_targets,
            pending=tuple(self.pending),
            heard=self.heard,
            items=tuple((ids[item], titles[item]) for item in self.before),
            shown=tuple(ids[item] for item in self._in_view),
            offered=bool(self.offered),
            strangers=self.strangers,
            table=None if self.table is None else self.view(self.table),
            questions=tuple(self.questions),
            leanings=tuple(
                ((slot, value), _lean(taste.leaning((slot, value)) or 0.0))
                for slot, value in asked
                if value is not None
            ),
            favourites=tuple((slot, value) for slot, value in favourites.items() if value is not None),
            liked=self._nameable if any(slot == TITLE for slot, _ in asked) else (),
            traits=self.traits,
            turn=self.turn,
            failures=self.failures,
        )

    @property
    def _nameable(self) -> tuple[str, ...]:
        """Titles that the user has liked and not named yet, best first."""
        liked = (item for item in self.wish.taste.liked if item not in self.liked_titles)
        return tuple(self.collection.titles[item] for item in islice(liked, NAMES))

    @property
    def _in_view(self) -> list[int]:
        """The latest items, with the one under discussion, in the order recommended."""
        items = list(self.before)
        latest = items[-MOST_OFFERS:]
        if self.table is None or self.table in latest or self.table not in items:
            return latest
        return [self.table, *latest[1 - MOST_OFFERS :]]

    def scene(self, sight: Sight) -> Scene:
        """Build the prompt's facts for the current turn."""
        earlier = max(0, len(self.history) - RECENT)
        noun = NOUNS.get(self.collection.kind, NOUNS["item"])
        taste = [f"Asked about {trait(*pair)}: {_LEANS[lean]}." for pair, lean in sight.leanings]
        taste += [
            f"You have no {slot_words(slot)} in mind. You have liked "
            f"{describe_item(noun, [(slot, value)], many=True)}: "
            "you may mention that, but it is no wish of yours."
            for slot, value in sight.favourites
        ]
        if sight.liked:
            taste.append(f"Of what you have {noun.used} you liked {'; '.join(sight.liked)}.")
        return Scene(
            noun=self.collection.kind,
            wishes=tuple(trait(*pair) for pair in self.need.constraints),
            requests=tuple(slot_words(slot) for slot in self.need.requests),
            notes=self._recall_notes(earlier),
            said=tuple(self.history[earlier:]),
            untold=tuple(trait(*pair) for pair in sight.pending),
            offers=tuple(self._on_offer(item) for item in self._in_view),
            more=max(0, len(self.before) - MOST_OFFERS),
            strangers=self.strangers,
            taste=tuple(taste),
            vain=self.vain,
        )

    def _on_offer(self, item: int) -> OnOffer:
        title = self.collection.titles[item]
        told = (slot for of, slot in self.told if of == item)
        slots = dict.fromkeys((*self.need.wanted, *self.need.requests, *told))
        dated = title[-6:-5] + title[-1:] == "()" and title[-5:-1].isdigit()  # as in Heat (1995)
        about: list[str] = []
        unknown: list[str] = []
        for slot in slots:
            if slot != TITLE and not (dated and slot_key(slot) == "year"):
                values = self.collection.values(slot, item) if self._knows(item, slot) else ()
                if values := values or tuple(dict.fromkeys(self.told.get((item, slot), ()))):
                    about.append(trait(slot, join_words(values)))
                else:
                    unknown.append(slot)
        return OnOffer(title, tuple(about), tuple(unknown), item in self.wish.taste.consumed)

    def _recall_notes(self, earlier: int) -> tuple[str, ...]:
        """Recall earlier utterances relevant to the last one, by the persona's memory policy."""
        if not earlier:
            return ()
        memory = EpisodicMemory(self.remembers, half_life=HALF_LIFE)
        for n, (speaker, text) in enumerate(self.history):
            own = speaker == "user"
            memory.store(f'{"you" if own else "the service"} said: "{text}"', OWN * own, place=n)
        matter = [text for _, text in self.history[-1:]] + [trait(*pair) for pair in self.need.constraints]
        return texts_in_order(
            memory.recall(matter, RECALLED, lambda record: record.facts["place"] >= earlier)
        )

    def say(self, text: str, acts: Sequence[Act]) -> None:
        """Record the user's turn: its words and acts."""
        self.history.append(("user", text))
        self.turn += 1
        for act in acts:
            for slot, value in act.pairs:
                if act.intent == "INQUIRE" and self.table is not None:
                    self.asked[self.table, slot] += 1
                elif act.intent in ("DISCLOSE", "CRITIQUE", "YES") and value is not None:
                    if (slot, value) in self.need.constraints and (slot, value) not in self.disclosed:
                        self.disclosed.append((slot, value))
                elif act.intent == "LIKE" and slot == TITLE:
                    named = (i for i in reversed(self.wish.taste.liked) if self.collection.titles[i] == value)
                    self.liked_titles += islice(named, 1)


def _lean(deviation: float) -> Lean:
    return "LIKE" if deviation > LEAN else "DISLIKE" if deviation < -LEAN else "NEUTRAL"
