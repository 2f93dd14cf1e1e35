"""The names of a collection's items as a text may have them: without regard to spaces, and cut at the colon."""

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from openiir.kit.items.everyday import EVERYDAY, GIVEN_NAMES
from openiir.kit.items.lookup import Titles
from openiir.kit.items.titling import ARTICLES, key_of, normalised


class Name(NamedTuple):
    """A name by its key."""

    key: str
    """As of `titling.key`."""
    items: tuple[int, ...]
    short: bool
    """Whether it is only what stands before a colon ("Star Wars" of "Star Wars: Episode IV")."""
    article: bool
    """Whether the name has an article in front in at least one item."""
    bare: bool
    """Whether it has none in at least one item."""
    rare: int
    """How many of its words are not of every day."""
    person: bool
    """Whether it is one word, and that a given name."""


class Names:
    """The names of items, and the short ones that no item has in full."""

    def __init__(self, titles: Titles) -> None:
        self.titles = titles

    @cached_property
    def by_letters(self) -> Mapping[str, Name]:
        """Names by their key without its spaces; of keys that are alike then, the one with fewer words."""
        found: dict[str, Name] = {}
        whole = self.titles.by_key
        for name, items in [*whole.items(), *((n, i) for n, i in self._short.items() if n not in whole)]:
            words = name.split(" ")
            letters = "".join(words)
            known = found.get(letters)
            if known is not None and len(known.key) <= len(name):
                continue
            with_article, without = self._articles.get(name, (False, True))
            rare = sum(word not in EVERYDAY for word in words)
            person = len(words) == 1 and name in GIVEN_NAMES
            found[letters] = Name(name, tuple(items), name not in whole, with_article, without, rare, person)
        return found

    @cached_property
    def _articles(self) -> Mapping[str, tuple[bool, bool]]:
        """Of names that have an article somewhere: that, and whether they lack it elsewhere."""
        found: dict[str, tuple[bool, bool]] = {}
        for names, _ in self.titles.read:
            for name in names:
                words = normalised(name)
                key = key_of(words)
                has = words.partition(" ")[0] in ARTICLES and " " in words
                if has or key in found:
                    known = found.get(key, (False, False))
                    found[key] = (known[0] or has, known[1] or not has)
        return found

    @cached_property
    def _short(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = {}
        for item, (names, _) in enumerate(self.titles.read):
            head, colon, _ = names[0].partition(": ")
            if colon and len(key := key_of(normalised(head))) > 3:
                found.setdefault(key, []).append(item)
        return found
