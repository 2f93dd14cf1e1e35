"""Text helpers for prompts (lists, counts, cuts) and a reply field for thoughts."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from openiir.plugin import Record, UnusableAnswer
from openiir.plugin.arguments import sentences

Thoughts = Annotated[
    str, Field(max_length=600, description="what goes through your mind, at most 60 words; nobody sees it")
]
"""Type of a reply's first field, in which the agent states its thoughts."""


class ThoughtfulReply(Record):
    """A reply that begins with the thoughts of the person asked; a type adds its own fields."""

    thoughts: Thoughts = ""


def number_lines(entries: Sequence[object]) -> str:
    """Format entries as numbered lines, from 1."""
    return "\n".join(f"{number}. {entry}" for number, entry in enumerate(entries, 1))


def bullet_lines(entries: Sequence[object]) -> str:
    """Format entries as lines that begin with a dash."""
    return "\n".join(f"- {entry}" for entry in entries)


def join_parts(place: str, told: Mapping[str, str], task: str) -> str:
    """Join a prompt: where one is, what is told there below its titles, where there is anything, the task."""
    return "\n\n".join([place, *(f"{title}:\n{words}" for title, words in told.items() if words), task])


def count_noun(n: int, noun: str) -> str:
    """Format a number with its noun, in the plural unless it is 1."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def join_words(words: Sequence[str]) -> str:
    """Join words with commas, and the last with `and`."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def choose_words(value: float, words: Sequence[str]) -> str:
    """Choose the words for a value from 0 to 1, of which each stands for as wide a part of that range."""
    return words[min(max(int(value * len(words)), 0), len(words) - 1)]


def cut_text(text: str, most: int) -> str:
    """Cut a text to `most` characters: whole sentences, else whole words and three dots, else nothing."""
    if len(text) <= most:
        return text
    if fitting := [end for _, end in sentences(text) if end <= most]:
        return text[: fitting[-1]].rstrip()
    words = text[: max(0, most - 3)].rpartition(" ")[0]
    return f"{words}..." if words else ""


def check_numbers(given: Sequence[int], n: int, what: str) -> None:
    """Raise UnusableAnswer unless each number from 1 to n occurs once."""
    if sorted(given) != list(range(1, n + 1)):
        raise UnusableAnswer(f"give one {what} for each number from 1 to {n}, each once; these came: {given}")
