"""Rule-based reader of dialogue acts by catalogue and patterns, without a model or training."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from openiir.kit.items import Collection
from openiir.scenarios.conversational.model.dialogue import Act, Slot, build_act, pairs_of
from openiir.scenarios.conversational.model.titles.title_index import Titles
from openiir.scenarios.conversational.model.understanding.cues import CLAUSES, SlotLexicon
from openiir.scenarios.conversational.model.understanding.mentions import MaskedText, MentionFinder
from openiir.scenarios.conversational.model.understanding.rules import (
    UtteranceClause,
    system_clause,
    user_clause,
)

DETAILS = ("year", "plot", "rating", "duration", "country", "language", "price")
"""Slots that users may ask about even if the catalogue lacks them."""
Said = tuple[str, str]
_KEPT = 4_096
"""Number of utterances whose acts and items are cached."""
_YEAR = re.compile(r"\s*[(\[]\d{4}[)\]]$")
_BARE_CRITIQUE = build_act("CRITIQUE")


class CatalogueReader:
    """Rule-based reader of openiir's intents, with values in the catalogue's spelling and their offsets.

    A text is cut into clauses, titles and values are masked, and each clause does what its cue words say. The
    cost grows with the text, not with the catalogue.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        details = [name for name in DETAILS if name not in collection.attributes]
        self._slots = SlotLexicon(collection.attributes, details)
        self._finder = MentionFinder(collection, self._slots)
        # Kept, since the same words are said, and looked at as context, again and again.
        self._read = lru_cache(_KEPT)(self._read_text)
        self._ground_slot = lru_cache(_KEPT)(self._ground)
        self._link_items = lru_cache(_KEPT)(self._link_text)
        self.slots = (*collection.attributes, self._slots.title, *details)
        """Names of all slots that acts may be about."""

    @property
    def title(self) -> str:
        """Name of the slot that holds titles."""
        return self._slots.title

    @property
    def titles(self) -> Titles:
        """Index of the catalogue's titles."""
        return self._finder.linker.titles

    def user_acts(self, text: str, context: Sequence[Said] = ()) -> tuple[Act, ...]:
        """Find the acts in a user's words; `context` holds (speaker, text) of preceding utterances."""
        acts = self._read(text, self._items_in_context(context), named=False)
        critiques = [act for act in acts if act.intent == "CRITIQUE" and act.slots]
        if not critiques or not context or context[-1][0] != "system":
            return acts
        said = {act.intent for act in self.system_acts(context[-1][1])}
        if "ELICIT" not in said or "RECOMMEND" in said:
            return acts
        # What would be a critique of a recommendation answers the question.
        return tuple(
            Act.of_own(intent="DISCLOSE", slots=act.slots) if act in critiques else act for act in acts
        )

    def system_acts(self, text: str, context: Sequence[Said] = ()) -> tuple[Act, ...]:
        """Find the acts in a system's words; `context` holds (speaker, text) of preceding utterances."""
        acts = self._read(text, self._items_in_context(context), named=True)
        if all(act.intent == "OTHER" for act in acts) and context and context[-1][0] == "user":
            asked = pairs_of(self.user_acts(context[-1][1]), "INQUIRE")
            if bare := [(slot, None) for slot, value in asked if value is None]:
                return (build_act("INFORM", *bare),)  # such as a plot
        return acts

    def _read_text(self, text: str, known: frozenset[int], named: bool) -> tuple[Act, ...]:
        """Find the acts in a system's words (`named`) or a user's."""
        masked = self._finder.find_masked(text, known, named)
        return _acts_of_clauses(masked, self._slots, system_clause if named else user_clause)

    def items(self, text: str) -> tuple[str, ...]:
        """List the ids of the items whose titles occur in a text, in order, without duplicates."""
        mentions = self._finder.find_masked(text, named=True).mentions
        found = dict.fromkeys(mention.items[0] for mention in mentions if mention.items)
        return tuple(self.collection.ids[item] for item in found)

    def items_of(self, acts: Iterable[Act]) -> tuple[str, ...]:
        """List the ids of the items that acts name by title, without duplicates or unknown titles."""
        titles = (value for act in acts for slot, value in act.pairs if slot == self.title and value)
        found = dict.fromkeys(items[0] for title in titles if (items := self.titles.exact(title)))
        return tuple(self.collection.ids[item] for item in found)

    def places(self, text: str) -> list[tuple[int, int, str]]:
        """List (start, end, slot) of the titles and values in a text, without following years."""
        found = [
            (mention.start, mention.end, mention.slot) for mention in self._finder.find_masked(text).mentions
        ]
        return [(start, start + len(_YEAR.sub("", text[start:end])), slot) for start, end, slot in found]

    def ground(self, acts: Sequence[Act], text: str) -> tuple[Act, ...]:
        """Replace values by the catalogue's spelling and add their offsets in the text; keep other values."""
        return tuple(
            act.model_copy(update={"slots": tuple(self._ground_slot(s, text) for s in act.slots)})
            for act in acts
        )

    def _ground(self, slot: Slot, text: str) -> Slot:
        if slot.value is None:
            return slot
        start = text.casefold().find(slot.value.casefold())
        place = {"start": start, "end": start + len(slot.value)} if start >= 0 else {}
        value = slot.value
        if slot.slot == self._slots.title:
            if items := self.titles.exact(value):
                value = self.collection.titles[items[0]]
        else:
            known = [m.value for m in self._finder.gazetteer.find(slot.value) if m.slot == slot.slot]
            value = known[0] if len(known) == 1 else value
        return slot.model_copy(update={"value": value, **place})

    def _items_in_context(self, context: Sequence[Said]) -> frozenset[int]:
        """Find the items named in the last two utterances."""
        return frozenset(item for _, text in context[-2:] for item in self._link_items(text))

    def _link_text(self, text: str) -> tuple[int, ...]:
        """Return the items named in a text."""
        return tuple(item for link in self._finder.linker.link(text) for item in link.items)


def _acts_of_clauses(
    masked: MaskedText, slots: SlotLexicon, rule: Callable[[UtteranceClause, SlotLexicon], Iterator[Act]]
) -> tuple[Act, ...]:
    """Collect the acts of all clauses: acts without slots once, and OTHER only where nothing else is
    found."""
    found: list[Act] = []
    for clause in _clauses(masked):
        for act in rule(clause, slots):
            if act.slots or all(act.intent != other.intent for other in found):
                found.append(act)
    some = [act for act in found if act.intent != "OTHER" or act.slots]
    if not found and masked.text.strip():
        return (Act.of_own(intent="OTHER", slots=()),)
    return tuple(_join_acts(some or found))


def _join_acts(acts: list[Act]) -> list[Act]:
    """Merge neighbouring acts of one intent, and drop repeated slots in an act."""
    joined: list[Act] = []
    for act in acts:
        last = joined[-1] if joined else None
        if last == _BARE_CRITIQUE and act.intent == "DISCLOSE" and act.slots:
            joined.pop()  # "That is not it, I asked for a comedy."
            act = Act.of_own(intent="CRITIQUE", slots=act.slots)
        if joined and joined[-1].intent == act.intent:
            act = Act.of_own(intent=act.intent, slots=joined.pop().slots + act.slots)
        unique: dict[tuple[str, str | None], Slot] = {}
        for slot in act.slots:
            unique.setdefault((slot.slot, slot.value), slot)
        joined.append(Act.of_own(intent=act.intent, slots=tuple(unique.values())))
    return joined


def _clauses(masked: MaskedText) -> Iterator[UtteranceClause]:
    text, ends = masked.text, list(CLAUSES.finditer(masked.text))
    starts = [0, *(end.end() for end in ends)]
    stops = [*((end.start(), "?" in end[0]) for end in ends), (len(text), False)]
    for start, (stop, question) in zip(starts, stops, strict=True):
        if text[start:stop].strip():
            mentions = [mention for mention in masked.mentions if start <= mention.start < stop]
            yield UtteranceClause(text[start:stop], mentions, question)
