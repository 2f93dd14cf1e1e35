"""Index of item names that ignores spaces and includes short names (up to a colon)."""

from collections import defaultdict
from collections.abc import Mapping, Set
from functools import cache, cached_property
from typing import NamedTuple

from openiir.plugin import int_sum
from openiir.scenarios.conversational.titles.everyday import EVERYDAY, GIVEN_NAMES
from openiir.scenarios.conversational.titles.title_index import Titles

HEAD = 5
"""Length of the prefix by which texts that match no name are ruled out early."""


class Name(NamedTuple):
    """An item name, identified by its key, with features for the classifier."""

    key: str
    """Normalised key, as computed by `title_text.key`."""
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
    def heads(self) -> Mapping[str, int]:
        """First `HEAD` letters of the keys to the length of the longest key that begins so."""
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
