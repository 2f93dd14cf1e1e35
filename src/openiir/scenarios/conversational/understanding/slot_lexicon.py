"""Lexicon of the words by which utterances refer to slots."""

import re
from collections.abc import Iterable, Mapping, Sequence

_WORDS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "genre": (("category", "genres"), r"genres?|kinds?|types?|sorts?|categor(?:y|ies)"),
    "actor": (("star", "cast"), r"actors?|actress(?:es)?|cast|stars?|starring|who (?:plays|acts|is in|was in|are in|stars)|known actors"),
    "director": ((), r"directors?|directed|who made"),
    "author": (("writer",), r"authors?|writers?|who wrote|written by|script"),
    "developer": ((), r"developers?|developed|studio"),
    "publisher": ((), r"publishers?|published"),
    "year": (("decade",), r"years?|when (?:did|was|were|it)|c[ao]me out|released?|release date|decades?|periods?|eras?|how old|newer|older|from when"),
    "keyword": (("tag", "topic"), r"keywords?|tags?|themes?|topics?"),
    "plot": (("summary", "description"), r"plots?|story(?:line)?|(?:what|what's|whats|what is|what are) (?:\S+ ){0,4}?about|(?:it|that|this|\S*\uf000|[\ue000-\ue6ff]) (?:is )?about|summary|happens|synopsis|premise"),
    "rating": ((), r"ratings?|rated|scores?|reviews?|imdb|rotten tomatoes"),
    "duration": (("runtime", "length"), r"duration|how long|minutes|runtime|running time|lasts|length|runs for"),
    "country": ((), r"countr(?:y|ies)|(?:made|set|filmed) in|where (?:was|is) it"),
    "language": ((), r"languages?|subtitles?|dubbed"),
    "price": ((), r"price|cost(?:s|ing)?|how much|expensive|cheap"),
    "platform": ((), r"platforms?|consoles?"),
    "title": (("name",), r"titles?|what (?:is|was) (?:it|\S+) called|(?:what|which|any|some|favou?rite) (?:\w+ )?(?:movies|films|books|games)|name (?:one|some|a few)|one (?:have you|(?:that )?you(?: have)?) (?:liked|enjoyed|loved)|name of|(?:favou?rite|last) (?:movie|film|book|game)"),
}  # fmt: skip
"""For each slot, its alternative names in catalogues and a pattern of the words that refer to it."""


class SlotLexicon:
    """Lexicon of the words that refer to the slots of one catalogue."""

    def __init__(self, attributes: Iterable[str], details: Sequence[str]) -> None:
        names = (*attributes, "title", *details)
        own = {key: _own(key, others, names) for key, (others, _) in _WORDS.items()}
        self._own = {key: name for key, name in own.items() if name is not None}
        """openiir's slot names to the catalogue's."""
        plain = [name for name in names if name not in self._own.values()]
        groups = [f"(?P<{key}>{_WORDS[key][1]})" for key in self._own if key != "plot"]
        if "plot" in self._own:  # first, since its words are parts of longer questions
            groups.insert(0, f"(?P<plot>{_WORDS['plot'][1]})")
        groups[:0] = [
            f"(?P<x{n}>{re.escape(name.replace('_', ' ').lower())}s?)" for n, name in enumerate(plain)
        ]
        self._plain = {f"x{n}": name for n, name in enumerate(plain)}
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(groups)})(?!\w)")
        self.title = self._own["title"]

    def find(self, clause: str) -> list[str]:
        """List the slots that a clause refers to, in order, without duplicates."""
        found = dict.fromkeys(match.lastgroup for match in self._pattern.finditer(clause))
        return [self._own.get(name) or self._plain[name] for name in found if name is not None]


def _own(key: str, others: Sequence[str], names: Sequence[str]) -> str | None:
    by_key = {name.lower().rstrip("s"): name for name in reversed(names)}
    return next((by_key[name] for name in (key, *others) if name in by_key), None)
