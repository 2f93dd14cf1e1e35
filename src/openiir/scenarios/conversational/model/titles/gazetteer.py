"""Everyday words for genres: "something scary" finds whatever a catalogue calls horror."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from openiir.kit.items.collection import Collection
from openiir.scenarios.conversational.model.titles.everyday import EVERYDAY, GIVEN_NAMES, SMALL
from openiir.scenarios.conversational.model.titles.title_index import normalise

GENRE_WORDS = {
    "action": "action, action packed, shoot em up, superhero, super hero",
    "adventure": "adventure, adventurous, quest",
    "animation": "animation, animated, cartoon, cartoons, animated feature",
    "biography": "biography, biographical, biopic, bio pic",
    "children": "children, childrens, kid, kids, kiddie, child friendly, kid friendly",
    "comedy": "comedy, comedic, comical, funny, funnier, funniest, hilarious, humorous, humor, humour, "
    "laugh, laughs, slapstick, "
    "stand up",
    "crime": "crime, criminal, gangster, mafia, mob, heist, true crime",
    "documentary": "documentary, doc, docs, docu, docuseries, docudrama",
    "drama": "drama, dramatic, tearjerker, tear jerker",
    "family": "family, family friendly, for the whole family",
    "fantasy": "fantasy, fantastical, sword and sorcery",
    "film noir": "film noir, noir, neo noir",
    "history": "history, historical, historic, period piece, costume drama",
    "horror": "horror, scary, scarier, scariest, frightening, terrifying, spooky, creepy, slasher, gory",
    "music": "music",
    "musical": "musical, sing along",
    "mystery": "mystery, whodunit, whodunnit, murder mystery, detective",
    "romance": "romance, romantic, love story, lovey dovey",
    "sci fi": "sci fi, scifi, science fiction, sf, syfy, space opera, futuristic",
    "sport": "sport, sports, sporty",
    "thriller": "thriller, thrilling, suspense, suspenseful, edge of your seat",
    "war": "war, wartime, military",
    "western": "western, cowboy, cowboys",
}
"""Usual name of a genre to its synonyms, that name first, separated by commas."""
GENRE_BLENDS = {
    "rom com": ("romance", "comedy"),
    "romcom": ("romance", "comedy"),
    "dramedy": ("drama", "comedy"),
}
"""Words for two genres at once, such as romcom, to the usual names of both."""


GENRES = frozenset({"genre", "genres", "category", "categories"})
"""Slots with genres, for which people use everyday words."""
PEOPLE = frozenset("actor actors star stars cast director directors author authors writer writers".split())
"""Slots with names of people, who may be referred to by last name."""
_NO_PLURAL = frozenset("news series species james texas jesus paris".split())
_NO_LAST_NAMES = EVERYDAY | GIVEN_NAMES
_LONGEST = 8
"""Maximum number of words of a value that is searched for."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|&")
_DECADE = re.compile(r"(?:(?:18|19|20)?\d0'?s|(?:twen|thir|for|fif|six|seven|eigh|nine)ties)$")
_SPELT = {word: str(n) for n, word in enumerate("twen thir for fif six seven eigh nine".split(), 2)}
_CUES = {"direct": ("director", "directors"), "writ": ("author", "authors", "writer", "writers")}
"""Beginnings of cue words shortly before a name, such as "directed", to the slots that they indicate."""

Values = dict[str, dict[str, None]]
"""Slot to values, in order."""


class ValueMention(NamedTuple):
    """A mention of an attribute value, or of a title, in a text."""

    slot: str
    value: str
    """Value in the collection's spelling."""
    start: int
    end: int
    """Character offset of the end; `start` is that of the beginning."""
    items: tuple[int, ...] = ()
    """For a title, the items that have it; empty if it is not in the catalogue."""
    title: bool = False


class Gazetteer:
    """Finds mentions of a collection's attribute values in free text.

    A value is found in its own words, in any case and number (comedies), a genre also as people speak of it
    (`GENRE_WORDS`), a person by the full name or by a last name that nobody else in the slot has and that is
    written with a capital, a decade as 80s, 1980s or eighties where the slot `decade` has it. Of values that
    overlap the longer counts, of equally long ones those of the slot named first; a person of several slots
    is taken for what a word before the name says (directed by). One place may name several values of a slot:
    a romcom is two genres. Whether a value is wanted or not is not told here.
    """

    def __init__(self, collection: Collection, slots: Sequence[str] | None = None) -> None:
        self.collection = collection
        self.slots = tuple(collection.attributes) if slots is None else tuple(slots)

    def find(self, text: str) -> tuple[ValueMention, ...]:
        """Find the attribute values in a text, ordered by position, then by slot."""
        words = [(found.start(), found.end()) for found in _WORD.finditer(text)]
        stems = [_stem(text[start:end]) for start, end in words]
        spans = sorted(self._spans(text, words, stems), key=lambda span: (span[0] - span[1], span[0]))
        taken: set[int] = set()
        found = []
        for first, last, values in spans:
            if taken.isdisjoint(range(first, last)):
                taken.update(range(first, last))
                slot = self._intended_slot(values, stems[max(0, first - 4) : first])
                start, end = words[first][0], words[last - 1][1]
                end -= 2 if text[end - 2 : end] in ("'s", "’s") and last - first > 1 else 0
                found += [ValueMention(slot, value, start, end) for value in values[slot]]
        return tuple(sorted(found, key=lambda mention: mention.start))

    def _spans(
        self, text: str, words: list[tuple[int, int]], stems: list[str]
    ) -> Iterator[tuple[int, int, Values]]:
        for first in range(len(words)):
            for last in range(first + 1, min(first + self.longest.get(stems[first], 0), len(words)) + 1):
                if values := self.by_phrase.get(" ".join(stems[first:last])):
                    yield first, last, values
            start, end = words[first]
            if text[start].isupper() and (values := self.by_last_name.get(stems[first])):
                yield first, first + 1, values
            if "decade" in self.slots and (decade := _decade(text[start:end])) in self._decades:
                yield first, first + 1, {"decade": {self._decades[decade]: None}}

    def _intended_slot(self, values: Values, before: Sequence[str]) -> str:
        if len(values) == 1:
            return next(iter(values))
        cues = [cue for cue in _CUES if any(word.startswith(cue) for word in before)]
        said = (slot for cue in cues for slot in _CUES[cue])
        return next(slot for slot in (*said, *self.slots) if slot in values)

    @cached_property
    def by_phrase(self) -> Mapping[str, Values]:
        """Phrases, as stems, to the values that they name."""
        found: dict[str, Values] = {}
        for slot in self.slots:
            own = _index_by_stems(self._values(slot), anything=slot in GENRES)
            phrases = {**_index_genre_words(own), **own} if slot in GENRES else own
            for phrase, values in phrases.items():
                found.setdefault(phrase, {})[slot] = values
        return found

    @cached_property
    def longest(self) -> Mapping[str, int]:
        """First stem to the number of words of the longest phrase that begins with it."""
        found: dict[str, int] = {}
        for phrase in self.by_phrase:
            first, size = phrase.partition(" ")[0], phrase.count(" ") + 1
            found[first] = max(found.get(first, 0), min(size, _LONGEST))
        return found

    @cached_property
    def by_last_name(self) -> Mapping[str, Values]:
        """Unique last names, as stems, to their person; common words and given names are left out."""
        found: dict[str, Values] = {}
        for slot in (slot for slot in self.slots if slot in PEOPLE):
            people: defaultdict[str, dict[str, None]] = defaultdict(dict)
            for value in self._values(slot):
                first, _, last = value.rpartition(" ")
                if first and _NO_LAST_NAMES.isdisjoint((_stem(last), normalise(last))):
                    people[_stem(last)][value] = None
            for name, values in people.items():
                if len(values) == 1 and len(name) > 2:
                    found.setdefault(name, {})[slot] = values
        return found

    @cached_property
    def _decades(self) -> Mapping[str, str]:
        return {_decade(value): value for value in self._values("decade")}

    def _values(self, slot: str) -> Mapping[str, None]:
        column = self.collection.attributes.get(slot, ())
        return dict.fromkeys(value for values in column for value in values)


def _index_by_stems(values: Mapping[str, None], anything: bool) -> dict[str, dict[str, None]]:
    """Index values by their stems; single function words (her, up) only if `anything` is set."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for phrase, value in ((_stems(value), value) for value in values):
        if anything or phrase not in SMALL:
            found[phrase][value] = None
    return dict(found)


def _index_genre_words(own: Mapping[str, Mapping[str, None]]) -> dict[str, dict[str, None]]:
    """Index everyday words for the collection's genres, as stems."""
    found: dict[str, dict[str, None]] = {}
    by_name: dict[str, dict[str, None]] = {}
    for name, words in GENRE_WORDS.items():
        phrases = [_stems(phrase) for phrase in words.split(", ")]
        if values := next((own[phrase] for phrase in phrases if phrase in own), None):
            by_name[name] = dict(values)
            found |= {phrase: dict(values) for phrase in phrases if phrase not in own}
    for said, parts in GENRE_BLENDS.items():
        if all(part in by_name for part in parts):
            found[_stems(said)] = {value: None for part in parts for value in by_name[part]}
    return found


def _stems(phrase: str) -> str:
    return " ".join(map(_stem, _WORD.findall(phrase)))


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    """Reduce a word to a stem that is the same in singular and plural."""
    plain = normalise(word)
    if word[-2:] in ("'s", "’s"):
        return plain[:-1]
    if plain in _NO_PLURAL:
        return plain
    if len(plain) > 3 and plain.endswith("ies"):
        return plain[:-3] + "y"
    if len(plain) > 4 and plain.endswith(("ses", "xes", "ches", "shes", "zes")):
        return plain[:-2]
    return plain[:-1] if len(plain) > 3 and plain.endswith("s") and plain[-2] not in "sui" else plain


def _decade(word: str) -> str:
    """Return the digits of a decade ("1980s" is "198", "80s" and "eighties" are "8"); empty for others."""
    plain = word.lower().replace("’", "'")
    if not _DECADE.fullmatch(plain):
        return ""
    digits = plain.rstrip("s'")[:-1] if plain[0].isdigit() else _SPELT[plain.removesuffix("ties")]
    return digits.removeprefix("19")
