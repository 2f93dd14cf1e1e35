"""Look up names of items without regard to spaces, in full or cut at the colon."""

from collections import defaultdict
from collections.abc import Mapping, Set
from functools import cache, cached_property
from typing import NamedTuple

from openiir.plugin import int_sum
from openiir.scenarios.conversational.titles.everyday import EVERYDAY, GIVEN_NAMES
from openiir.scenarios.conversational.titles.title_index import Titles

HEAD = 5
"""Letters by which it is told that no name begins like a text."""


class Name(NamedTuple):
    """A name by its key."""

    key: str
    """As of `title_text.key`."""
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


class TitleNameIndex:
    """The names of items, and the short ones that no item has in full."""

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
        """All keys by themselves without their spaces."""
        names = [*self.titles.by_key, *self._short]
        plain = {name: name for name in names if " " not in name}
        spaced = sorted((name for name in names if " " in name), key=len, reverse=True)
        return {**{name.replace(" ", ""): name for name in spaced}, **plain}

    @cached_property
    def heads(self) -> Mapping[str, int]:
        """The first `HEAD` letters of all keys that have so many, with the length of the longest that begins so."""
        return {
            letters[:HEAD]: len(letters) for letters in sorted(self.keys, key=len) if len(letters) >= HEAD
        }

    def _describe(self, key: str) -> Name:
        items, words = self.titles.by_key.get(key), key.split(" ")
        return Name(
            key=key,
            items=items or tuple(self._short[key]),
            short=items is None,
            article=key in self._with_article,
            bare=key not in self._with_article or key in self._without_article,
            rare=int_sum(word not in EVERYDAY for word in words),
            person=len(words) == 1 and key in GIVEN_NAMES,
        )

    @cached_property
    def _with_article(self) -> Set[str]:
        return {name.key for name in self.titles.names if name.article}

    @cached_property
    def _without_article(self) -> Set[str]:
        return {name.key for name in self.titles.names if not name.article}

    @cached_property
    def _short(self) -> Mapping[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for item, short in enumerate(self.titles.short_names):
            if len(short) > 3 and short not in self.titles.by_key:
                found[short].append(item)
        return found
