"""Pieces of prompts and replies that every type needs: lists as people write them, and a field for thoughts."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

Thoughts = Annotated[
    str, Field(max_length=600, description="what goes through your mind, at most 60 words; nobody sees it")
]
"""The first field of a person's reply."""


def number_lines(entries: Sequence[object]) -> str:
    """Entries a line each, numbered from 1, as they are answered by."""
    return "\n".join(f"{number}. {entry}" for number, entry in enumerate(entries, 1))


def bullet_lines(entries: Sequence[object]) -> str:
    """Entries a line each, behind a dash."""
    return "\n".join(f"- {entry}" for entry in entries)


def join_words(words: Sequence[str]) -> str:
    """Words in a row with commas, the last after `and`."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
