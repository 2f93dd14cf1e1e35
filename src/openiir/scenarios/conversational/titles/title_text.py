"""Normalise titles: one key for all spellings of a name, and the year and other names in a title."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

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
"""Signs that stand within a word and leave no gap: don't is dont."""
_PARTS = re.compile(r"[^\W_]+")
_ASCII_GAPS = {n: " " for n in range(128) if not chr(n).isalnum()}
_ASCII = str.maketrans({**_ASCII_GAPS, ord("'"): "", ord("`"): "", ord("&"): " and "})
ARTICLES = frozenset({"the", "a", "an"})
_MOVED = re.compile(
    r"^(.+), (the|a|an|la|le|les|l'|il|lo|i|gli|el|los|las|der|die|das|den|det|de|het|un|une|una|ein|eine|o|os|as|en|et)$",
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
"""Spelt numbers, and Roman ones that are no letter by themselves: v and x stay, as in Ford v Ferrari."""


class Title(NamedTuple):
    """The parts of a title."""

    names: tuple[str, ...]
    """What the item is called: the main name, its article moved to the front, then others in parentheses."""
    year: str
    """The four digits in parentheses at its end; empty without."""


def normalise(text: str) -> str:
    """Words in lower case with one space between; without accents, quotes and punctuation, `&` as "and".

    A text of nothing but signs is itself in lower case.
    """
    if text.isascii():
        return " ".join(text.lower().translate(_ASCII).split()) or text.strip().lower()
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_SILENT)).translate(_FOLDED)
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return " ".join(_PARTS.findall(plain)) or text.strip().casefold()


def key_of(words: str) -> str:
    """The key of a normalised name: no leading article, numbers as digits ("rocky ii" and "rocky two" are "rocky 2").

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
    """The key of one word as it stands in a text."""
    return key_of(normalise(word))


def key(text: str) -> str:
    """The key of a name as people write it, without a year: equal for all its spellings."""
    return key_of(normalise(_in_order(text)))


def read_title(title: str) -> Title:
    """The names and the year in a title such as "Seven (a.k.a. Se7en) (1995)"."""
    year = ""
    if title.endswith((")", "]", " ")) and (found := _YEAR.search(title)) and found.start():
        title, year = title[: found.start()], found[1] or ""
    if title.endswith(")") and (found := _ASIDES.match(title)):
        asides = (_ALSO.sub("", aside.strip()) for aside in re.findall(r"\(([^()]*)\)", found[2]))
        return Title(tuple(dict.fromkeys(_in_order(name) for name in (found[1], *asides) if name)), year)
    return Title((_in_order(title.strip()),), year)


def _in_order(name: str) -> str:
    """ "Matrix, The" as "The Matrix"."""
    if "," not in name or not (moved := _MOVED.match(name.strip())):
        return name
    article = moved[2]
    return f"{article}{moved[1]}" if article.endswith("'") else f"{article} {moved[1]}"
