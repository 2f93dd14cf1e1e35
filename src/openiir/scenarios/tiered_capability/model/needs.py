"""Needs, and how far the documents of a study's worlds serve them: as judged, or as known items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.items.retrieval import arrange_grades, read_judgements, read_queries
from openiir.kit.measures.trec import Judgement
from openiir.kit.prompting import cut_text
from openiir.plugin import Draw, InputError, Stage, order_by, quantise
from openiir.plugin.arguments import content_words

WORDS, NOISE = 4, 0.2
"""Words of a known item's query, and the chance of each to be of another document (our numbers)."""


@dataclass(frozen=True, eq=False)
class JudgedNeeds:
    """Needs with their queries, the documents of all worlds, and how far each serves each need."""

    ids: tuple[str, ...]
    queries: tuple[str, ...]
    documents: tuple[str, ...]
    texts: tuple[str, ...]
    """Title and opening of each document, as a result page shows it."""
    grades: Ints
    """(needs, documents) judged grade; 0 for what does not serve a need, or is not judged."""

    @cached_property
    def gains(self) -> Floats:
        """(needs, documents) grades as shares of the largest."""
        shares: Floats = quantise(self.grades / self.grades.max())
        return shares

    @cached_property
    def best(self) -> Bools:
        """(needs, documents) whether no document serves a need better."""
        return np.asarray((self.grades > 0) & (self.grades == self.grades.max(axis=1, keepdims=True)))

    def title(self, document: int) -> str:
        """Return the title of a document, in quotation marks."""
        return f'"{self.texts[document].partition(chr(10))[0]}"'

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return the columns of the tables by which a log holds this."""
        need, document = np.nonzero(self.grades)
        return {
            "needs": {"id": self.ids, "query": self.queries},
            "documents": {"name": self.documents},
            "judged": {"need": need, "document": document, "grade": self.grades[need, document]},
        }


def read_needs(stage: Stage, worlds: Sequence[str], folder: Path) -> JudgedNeeds:
    """Read the needs of a study, or draw known items; raises InputError where no document serves any need.

    Needs that no document serves are left out.
    """
    config, parts = stage.config, dict[str, list[str]]()
    for chunk in {
        (one.source, one.text): one for name in worlds for one in stage.world(name).chunks
    }.values():
        parts.setdefault(chunk.source, []).append(chunk.text)
    queries: Mapping[str, str]
    judged: Sequence[Judgement]
    if isinstance(config.needs, int):
        queries, judged = draw_known_items(parts, config.needs, stage.draw("tiered_capability.known", step=0))
    else:
        queries = read_queries(config.needs)
        judged = read_judgements(config.qrels, "config.qrels = ", folder)
    grades = np.maximum(arrange_grades(judged, queries, parts), 0).astype(np.int64)
    served = np.flatnonzero(grades.any(axis=1))
    if not len(served):
        raise InputError(
            f"none of the {len(judged)} judgements calls one of these {len(parts)} documents relevant to one "
            f"of {len(queries)} needs; documents have names such as {next(iter(parts))!r}"
        )
    ids, words = list(queries), list(queries.values())
    return JudgedNeeds(
        tuple(ids[n] for n in served),
        tuple(words[n] for n in served),
        tuple(parts),
        tuple(describe_document(texts[0]) for texts in parts.values()),
        grades[served],
    )


def describe_document(text: str) -> str:
    """Describe a document as a result page does: its first line, and the opening of the rest below."""
    title, _, rest = text.partition("\n")
    return f"{cut_text(title, 90)}\n   {cut_text(' '.join(rest.split()), 130)}".rstrip()


def draw_known_items(
    parts: Mapping[str, Sequence[str]], number: int, draw: Draw
) -> tuple[dict[str, str], list[Judgement]]:
    """Draw documents that somebody looks for again, each with a query, by the passages of all documents.

    Words are drawn as often as a document has them, or all documents (Azzopardi, de Rijke & Balog, "Building
    simulated queries for known-item topics", SIGIR 2007). The document alone serves the need. Raises
    InputError for more items than documents with words.
    """
    words = {name: own for name, texts in parts.items() if (own := content_words(" ".join(texts)))}
    if number > len(words):
        raise InputError(f"config.needs = {number} known items, and {len(words)} documents have words")
    names, every = list(words), [word for own in words.values() for word in own]
    queries, judged = {}, []
    for n in order_by(draw.at("item").uniform(item=np.arange(len(names))))[:number].tolist():
        own, places = words[names[n]], np.arange(WORDS)
        first = order_by(draw.at("word").uniform(agent=n, item=np.arange(len(own)))).tolist()
        picked = list(dict.fromkeys(own[at] for at in first))[:WORDS]
        wrong = draw.at("wrong").chance(NOISE, agent=n, item=places).tolist()
        others = draw.at("other").below(len(every), agent=n, item=places).tolist()
        query = [every[at] if no else word for word, no, at in zip(picked, wrong, others, strict=False)]
        queries[f"item-{n}"] = " ".join(dict.fromkeys(query))
        judged.append(Judgement(f"item-{n}", names[n], 1))
    return queries, judged
