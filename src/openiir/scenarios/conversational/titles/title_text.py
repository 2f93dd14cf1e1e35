"""Normalisation of titles: one key for all spellings of a name; parsing of year and alternative names."""

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
"""Signs within a word that are dropped: don't becomes dont."""
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


def key_of(words: str) -> str:
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
    """Return the key of one word of a text."""
    return key_of(normalise(word))


def key(text: str) -> str:
    """Return the key of a name without a year, equal for all its spellings."""
    return key_of(normalise(_in_order(text)))


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
