"""The articles whose titles pages show, by topic, and what is said of their writers."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np

from openiir.kit.prompting import cut_text
from openiir.plugin import Chunk, InputError

_LEVELS = (0.4, 0.6, 0.75)
STANDINGS = ("disliked by most readers", "not well known yet", "liked by most readers", "liked by nearly all")
"""What is said of writers whose reputation is below 0.4, below 0.6, below 0.75, and above."""


class Article(NamedTuple):
    """A piece that may be on a page: its title and its opening."""

    title: str
    opening: str


def word_standing(reputation: float) -> str:
    """Say what readers hold of a writer with a reputation."""
    return STANDINGS[int(np.searchsorted(_LEVELS, reputation, side="right"))]


def list_articles(chunks: Sequence[Chunk]) -> list[tuple[str, list[Article]]]:
    """List a world's documents by topic, the name of their folder; a title is the name of a file.

    Raises InputError where there are none.
    """
    found: dict[str, dict[str, Article]] = {}
    for chunk in chunks:
        path = PurePosixPath(chunk.source)
        title, topic = (name.replace("-", " ").replace("_", " ") for name in (path.stem, path.parent.name))
        article = Article(
            f"{title[:1].upper()}{title[1:]}", cut_text(" ".join(chunk.text.split()).lstrip(". "), 200)
        )
        found.setdefault(topic, {}).setdefault(chunk.source, article)
    if not found:
        raise InputError("the world has no documents, whose titles pages show; name some in [world]")
    return [(topic, list(articles.values())) for topic, articles in found.items()]
