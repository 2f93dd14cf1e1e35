"""Write sentences from a prompt's own words, so that replies look relevant."""

import re
from functools import cached_property
from random import Random

_WORD = re.compile(r"[A-Za-z][a-z'’-]+[a-z]")
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:#-]*[A-Za-z0-9]|[A-Za-z0-9]")
_OWN = (
    "evidence suggests that the question remains open and others may differ about what follows from this "
    "source"
).split()
_LONGEST_PROMPT = 20_000
"""Number of characters at the end of a prompt that are read for words, since the question is there."""


class PromptWords:
    """The words of one prompt, and random sentences made of them."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt[-_LONGEST_PROMPT:]

    @cached_property
    def words(self) -> list[str]:
        """The prompt's words in order, with fixed words added where it has few."""
        found = _WORD.findall(self._prompt)
        return found if len(found) >= 8 else [*found, *_OWN]

    def tokens(self) -> list[str]:
        """List the prompt's words, numbers and ids, each once, in order."""
        return list(dict.fromkeys(_TOKEN.findall(self._prompt)))

    def sentence(self, choices: Random) -> str:
        """Write a sentence of six to fourteen words, in short runs from the prompt."""
        words, picked = self.words, list[str]()
        wanted = choices.randint(6, 14)
        while len(picked) < wanted:
            start = choices.randrange(len(words))
            picked += words[start : start + choices.randint(2, 4)]
        text = " ".join(picked[:wanted]).lower()
        return f"{text[0].upper()}{text[1:]}."

    def text(self, choices: Random, longest: int | None = None, shortest: int = 0) -> str:
        """Write one to three sentences of an allowed length, cut at a word near the limit."""
        limit = longest if longest is not None else max(400, shortest)
        text = " ".join(self.sentence(choices) for _ in range(choices.randint(1, 3)))
        while len(text) < shortest:
            text += " " + self.sentence(choices)
        if len(text) <= limit:
            return text
        cut = text[:limit]
        whole_words = cut[: cut.rfind(" ")] if " " in cut else cut
        return whole_words if len(whole_words) >= max(shortest, 1) else cut
