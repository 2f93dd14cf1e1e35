"""Phrases for slot values and for questions about slots."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from openiir.kit.prompting import join_words
from openiir.kit.text_tables import read_text_table

TITLES = ("title", "name")
"""Slots whose value names an item."""
BEFORE = ("genre", "category", "platform")
"""Slots whose value precedes the noun, as in "a horror movie"."""
_TABLE = read_text_table("""
actor star | with {} in it | who plays in {} | who plays in {}
director | directed by {} | who directed {} | who directed {}
writer | written by {} | who wrote the script of {} | who wrote the script of {}
author | written by {} | who wrote {} | who wrote {}
developer | developed by {} | who developed {} | who developed {}
publisher | published by {} | who published {} | who published {}
year | from {} | when did {} come out | when {} came out
decade | from {}
country | made in {} | which country is {} from | which country {} is from
language | in {} | what language is {} in | what language {} is in
keyword | about {} | what are the keywords of {} | what the keywords of {} are
tag | about {} | what are the tags of {} | what the tags of {} are
topic | about {}
plot | about {} | what is {} about | what {} is about
title | like {} | what is {} called | what {} is called
name | like {}
duration | that lasts {} | how long is {} | how long {} is
rating | rated {} | how is {} rated | how {} is rated
price | that costs {} | how much does {} cost | how much {} costs
genre | {} | what genre is {} | what genre {} is
category | {} | what category is {} | what category {} is
""")
_FORMS = {slot: forms for slots, forms in _TABLE.items() for slot in slots.split()}
"""For each slot, its value after the noun, and its question as a main and as a subordinate clause, if any."""
_MANY = {" in it": " in them", "that lasts": "that last", "that costs": "that cost"}
"""Singular phrases to their plural forms."""


@dataclass(frozen=True)
class Noun:
    """The noun for items, with the verb for consuming them."""

    one: str
    many: str
    use: str
    """Verb, as in "something to watch"."""
    used: str
    """Past participle, as in "I have seen it"."""


NOUNS = {
    "movie": Noun("movie", "movies", "watch", "seen"),
    "book": Noun("book", "books", "read", "read"),
    "game": Noun("game", "games", "play", "played"),
    "item": Noun("item", "items", "try", "tried"),
}


@lru_cache(maxsize=256)
def slot_key(slot: str) -> str:
    """Normalise a slot's name to the key of its phrases: lower case, singular."""
    key = slot.lower()
    return key[:-1] if key.endswith("s") and key[:-1] in _FORMS else key


def slot_words(slot: str) -> str:
    """Return a slot's name in words: `release_date` is "release date"."""
    return slot.lower().replace("_", " ").replace(".", " ").strip()


def describe_item(noun: Noun, pairs: Sequence[tuple[str, str]], many: bool = False) -> str:
    """Describe an item, or items, with these values, such as "a horror movie from 2014"."""
    before: list[str] = []
    values: dict[str, list[str]] = {}
    for slot, value in dict.fromkeys(pairs):
        key = slot_key(slot)
        (before if key in BEFORE else values.setdefault(key, [])).append(value)
    after = [_after(key, join_words(said), many) for key, said in values.items()]
    front = noun.many if many else noun.one
    if before:
        front = f"{join_words(before)} {front}"
    if not many:
        front = f"{'an' if front[:1].lower() in 'aeiou' else 'a'} {front}"
    return " ".join([front, *after])


@lru_cache(maxsize=4_096)
def trait(slot: str, value: str) -> str:
    """Word one attribute value of an item: "Horror", "with Ada Abara in it", "from 2014"."""
    key = slot_key(slot)
    return value if key in BEFORE or key in TITLES else _after(key, value)


def _after(key: str, values: str, many: bool = False) -> str:
    form = _FORMS.get(key, (f"with the {slot_words(key)} {{}}",))[0]
    for one, several in _MANY.items() if many else ():
        form = form.replace(one, several)
    return form.replace("{}", values, 1)


def question_forms(slot: str, item: str) -> tuple[str, str]:
    """Return the question for a slot as main and subordinate clause, without question mark or capital."""
    name, (_, *forms) = slot_words(slot), _FORMS.get(slot_key(slot), ("",))
    if not forms:
        return f"what is the {name} of {item}", f"what the {name} of {item} is"
    return forms[0].replace("{}", item, 1), forms[1].replace("{}", item, 1)
