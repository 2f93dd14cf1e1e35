"""Normalisation of titles: one key for all spellings of a name; parsing of year and alternative names."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from openiir.kit.items.collection import Collection
from openiir.plugin import int_sum
from openiir.scenarios.conversational.model.titles.everyday import EVERYDAY, GIVEN_NAMES

_FOLDED = str.maketrans(
    {
        "&": " and ",
        "ß": "ss",
        "ø": "o",
        "æ": "ae",
        "œ": "oe",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ı": "i",
    }
)
_SILENT = dict.fromkeys(map(ord, "'’‘`´ʼ"))
"""Signs within a word that are dropped: don't becomes dont."""
_PARTS = re.compile(r"[^\W_]+")
_ASCII_GAPS = {n: " " for n in range(128) if not chr(n).isalnum()}
_ASCII = str.maketrans({**_ASCII_GAPS, ord("'"): "", ord("`"): "", ord("&"): " and "})
ARTICLES = frozenset({"the", "a", "an"})
_MOVED = re.compile(
    (
        r"^(.+), (the|a|an|la|le|les|l'|il|lo|i|gli|el|los|las|der|die|das|den|det|de|het|un|une|una|ein"
        r"|eine|o|os|as|en|et)$"
    ),
    re.IGNORECASE,
)
_YEAR = re.compile(r"\s*[(\[](\d{4})?(?:\s*[–-]\s*(?:\d{4})?)?[)\]]\s*$")
_ASIDES = re.compile(r"^(.+?)\s+((?:\([^()]*\)\s*)+)$")
_ALSO = re.compile(r"^(?:a\.?\s?k\.?\s?a\.?|also known as|aka)[\s:]+", re.IGNORECASE)
_NUMBERS = {
    **{
        word: str(n)
        for n, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
    },
    **{word: str(n) for n, word in enumerate("ii iii iv".split(), 2)},
    **{word: str(n) for n, word in enumerate("vi vii viii ix".split(), 6)},
}
"""Spelt and Roman numbers to digits; the single letters v and x are excluded, as in Ford v Ferrari."""


class Title(NamedTuple):
    """The parts of a title: its names and year."""

    names: tuple[str, ...]
    """Main name, with its article moved to the front, then alternative names in parentheses."""
    year: str
    """Year in parentheses at the end; empty without one."""


def normalise(text: str) -> str:
    """Normalise text to lower-case words without accents, quotes or punctuation, `&` as "and".

    A text of nothing but signs is itself in lower case.
    """
    if text.isascii():
        return " ".join(text.lower().translate(_ASCII).split()) or text.strip().lower()
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_SILENT)).translate(_FOLDED)
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return " ".join(_PARTS.findall(plain)) or text.strip().casefold()


def name_key(words: str) -> str:
    """Return the key of a normalised name: no leading article, numbers as digits.

    Both "rocky ii" and "rocky two" have the key "rocky 2".

    A name that is nothing but an article keeps it.
    """
    first, _, rest = words.partition(" ")
    if first in ARTICLES and rest:
        words = rest
    if _NUMBERS.keys().isdisjoint(parts := words.split(" ")):
        return words
    return " ".join(_NUMBERS.get(part, part) for part in parts)


@lru_cache(maxsize=65_536)
def word_key(word: str) -> str:
    """Return the normalised key of one word of a text."""
    return name_key(normalise(word))


def key(text: str) -> str:
    """Return the normalised key of a name without a year, equal for all its spellings."""
    return name_key(normalise(_in_order(text)))


def read_title(title: str) -> Title:
    """Parse the names and the year of a title such as "Seven (a.k.a. Se7en) (1995)"."""
    year = ""
    if title.endswith((")", "]", " ")) and (found := _YEAR.search(title)) and found.start():
        title, year = title[: found.start()], found[1] or ""
    if title.endswith(")") and (found := _ASIDES.match(title)):
        asides = (_ALSO.sub("", aside.strip()) for aside in re.findall(r"\(([^()]*)\)", found[2]))
        return Title(tuple(dict.fromkeys(_in_order(name) for name in (found[1], *asides) if name)), year)
    return Title((_in_order(title.strip()),), year)


def _in_order(name: str) -> str:
    """Move a trailing article to the front: "Matrix, The" becomes "The Matrix"."""
    if "," not in name or not (moved := _MOVED.match(name.strip())):
        return name
    article = moved[2]
    return f"{article}{moved[1]}" if article.endswith("'") else f"{article} {moved[1]}"


class TitleName(NamedTuple):
    """One name of an item, taken from its title."""

    key: str
    item: int
    main: bool
    """Whether it is the main name; alternative names stand in parentheses."""
    article: bool
    """Whether the name begins with an article."""


class Titles:
    """Index of a collection's titles by normalised key; parts are built on first use.

    Names are compared by their key (`title_index.key`): case, accents, quotes, punctuation, articles in front
    or behind a comma, "&" or "and", and how numbers are written make no difference. A year in parentheses is
    no part of a name: where a text has one, items of other years are left out as long as one of this year is
    there.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection

    def exact(self, text: str, year: str = "") -> tuple[int, ...]:
        """Find items that have a name with the text's key, matches of main names first, then by index."""
        names, year_in_text = read_title(text)
        return self.of_year(self.by_key.get(key(names[0]), ()), year or year_in_text)

    def of_year(self, items: Sequence[int], year: str) -> tuple[int, ...]:
        """Select the items of this year; all items if none is of it or no year is given."""
        return tuple(item for item in items if year and year == self.years[item]) or tuple(items)

    @cached_property
    def by_key(self) -> Mapping[str, tuple[int, ...]]:
        """Items by the key of a name, those whose main name has this key first."""
        items: dict[str, dict[int, None]] = {}
        for name in sorted(self.names, key=lambda name: not name.main):
            items.setdefault(name.key, {})[name.item] = None
        return {key: tuple(found) for key, found in items.items()}

    @cached_property
    def names(self) -> Sequence[TitleName]:
        """Names in all titles, in item order."""
        found = []
        for item, title in enumerate(self.read):
            for n, name in enumerate(title.names):
                words = normalise(name)
                first, _, rest = words.partition(" ")
                found.append(TitleName(name_key(words), item, n == 0, first in ARTICLES and rest != ""))
        return found

    @cached_property
    def years(self) -> Sequence[str]:
        """Year of each item, from its title or else its attribute `year`; empty if unknown."""
        known = self.collection.attributes.get("year", ())
        attribute = [values[0] if values else "" for values in known] or [""] * len(self.collection)
        return [title.year or other for title, other in zip(self.read, attribute, strict=True)]

    @cached_property
    def read(self) -> Sequence[Title]:
        """Names and year of each item."""
        return [read_title(title) for title in self.collection.titles]


HEAD = 5
"""Length of the prefix by which texts that match no name are ruled out early."""


class Name(NamedTuple):
    """An item name, identified by its key, with features for the classifier."""

    key: str
    """Normalised key, as computed by `title_index.key`."""
    items: tuple[int, ...]
    short: bool
    """Whether it is only the part before a colon ("Star Wars" of "Star Wars: Episode IV")."""
    article: bool
    """Whether at least one item has the name with an article."""
    bare: bool
    """Whether at least one item has the name without an article."""
    rare: int
    """Number of uncommon words."""
    person: bool
    """Whether the name is a single given name."""


class TitleNameIndex:
    """Index of item names, including short names that are not the full name of any item."""

    def __init__(self, titles: Titles) -> None:
        self.titles = titles
        self._name = cache(self._describe)

    def get(self, key: str, letters: str = "") -> Name | None:
        """Find the name with this key, or else the one with the same letters and the fewest spaces.

        `letters` is the key without spaces, where the caller has it.
        """
        letters = letters or key.replace(" ", "")
        if letters not in self.keys:
            return None
        return self._name(key if key in self.titles.by_key or key in self._short else self.keys[letters])

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """Keys without spaces to the keys themselves."""
        names = [*self.titles.by_key, *self._short]
        plain = {name: name for name in names if " " not in name}
        spaced = sorted((name for name in names if " " in name), key=len, reverse=True)
        return {**{name.replace(" ", ""): name for name in spaced}, **plain}

    @cached_property
    def longest_by_head(self) -> Mapping[str, int]:
        """Length of the longest key for each beginning of `HEAD` letters."""
        return {
            letters[:HEAD]: len(letters) for letters in sorted(self.keys, key=len) if len(letters) >= HEAD
        }

    def _describe(self, key: str) -> Name:
        items, words = self.titles.by_key.get(key), key.split(" ")
        return Name(
            key=key,
            items=items or tuple(self._short[key]),
            short=items is None,
            article=True in self._articles[key],
            bare=False in self._articles[key],
            rare=int_sum(word not in EVERYDAY for word in words),
            person=len(words) == 1 and key in GIVEN_NAMES,
        )

    @cached_property
    def _articles(self) -> Mapping[str, set[bool]]:
        """Each key to whether names have it with an article, or without one."""
        found: dict[str, set[bool]] = {short: {False} for short in self._short}
        for name in self.titles.names:
            found.setdefault(name.key, set()).add(name.article)
        return found

    @cached_property
    def _short(self) -> Mapping[str, list[int]]:
        """Keys of main names up to a colon that are no item's full name, to the items."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for item, title in enumerate(self.titles.read):
            head, colon, _ = title.names[0].partition(": ")
            short = name_key(normalise(head)) if colon else ""
            if len(short) > 3 and short not in self.titles.by_key:
                found[short].append(item)
        return found
