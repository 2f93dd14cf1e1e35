"""Measure how much of each prompt a server's prefix cache has read before."""

from os.path import commonprefix

from openiir.core.llm import tokens_for_words

BLOCK = 16
"""Words of a block: a prefix in a cache counts in whole blocks, as servers store it."""


class PrefixShares:
    """The prompts of a run so far, and how much of the next one begins as one of them."""

    def __init__(self) -> None:
        self._own: dict[tuple[str, str, str], str] = {}
        self._seen: set[int] = set()

    def add(self, place: tuple[str, str, str], text: str) -> tuple[str, int]:
        """Add a prompt, system message first, of a lane, asker and kind.

        Returns how it begins as the last one there did, and how many tokens begin as any before it did: what
        a cache that forgets none would hold.
        """
        again = commonprefix([text, self._own.get(place, "")])
        self._own[place] = text
        return again, tokens_for_words(self._shared_words(text))

    def _shared_words(self, text: str) -> int:
        words = text.split()
        prefix, shared, beginning = 0, 0, True
        for start in range(0, len(words) - BLOCK + 1, BLOCK):
            prefix = hash((prefix, *words[start : start + BLOCK]))
            beginning = beginning and prefix in self._seen
            shared += BLOCK if beginning else 0
            self._seen.add(prefix)
        return shared
