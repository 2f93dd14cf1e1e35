"""Queries and their documents: synthetic ones, or those of a world with judgements."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from openiir.kit.arrays import Floats, Ints
from openiir.kit.items.retrieval import arrange_grades, read_judgements, read_queries, retrieval_scores
from openiir.kit.prompting import cut_text
from openiir.plugin import Draw, InputError, Stage, order_by, quantise
from openiir.plugin.arguments import sentences

GRADES = (0.0, 0.84, 1.64)
"""Relevance from which a document has grade 1, 2 and 3: the upper half, fifth and twentieth of a normal."""
MIDDLES = (-0.8, 0.4, 1.2, 2.06)
"""Mean relevance of a standard normal within each grade."""

SUBJECTS = tuple(
    "bicycle lights,sourdough bread,tenancy deposits,tomato seedlings,night trains,hearing aids,roof tiles,"
    "school meals,wasp nests,dry stone walls,heat pumps,library cards,second-hand pianos,rabbit hutches,"
    "winter tyres,passport photos,canal boats,rain barrels,reading glasses,town archives,kitchen knives,"
    "allotment gardens,piano lessons,blood donation,old photographs".split(",")
)
NEEDS = tuple(
    "price,repair,opening hours,rules,beginners' mistakes,waiting times,storage,insurance,second opinions,"
    "the law,safety,history,suppliers,cleaning,size,permits,courses,noise,recycling,grants".split(",")
)
TELLS = (
    "Names {subject} and says nothing on {need}.",
    "A little on {need}, among much else about {subject}.",
    "Most of what there is to know on {need} where it comes to {subject}.",
    "All on {need} where it comes to {subject}, in full and up to date.",
)
"""What a synthetic document says of itself, by its grade."""
OUTLETS = (
    "the Courier",
    "Town Hall",
    "a trade union",
    "a museum",
    "a shop",
    "a radio station",
    "a club",
    "Anna",
)
KINDS = ("a guide", "questions and answers", "a leaflet", "a notebook", "a film")


@dataclass(frozen=True, eq=False)
class SearchMaterial:
    """Queries, those most asked first, and D candidate documents of each."""

    queries: tuple[str, ...]
    titles: tuple[tuple[str, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    """Passage of each document; empty for synthetic ones, whose words follow their grade."""
    signal: Floats
    """(Q, D) what their contents tell of relevance: relevance itself, or a standardised retrieval score."""
    relevance: Floats
    """(Q, D) latent relevance at the start, on the scale of a standard normal."""

    def show_page(self, query: int, order: Sequence[int], grades: Sequence[int]) -> list[tuple[str, str]]:
        """Show documents of these grades as they stand on a page: title, and what bears on the query."""
        subject, need = _split(query)
        told = [TELLS[grade].format(subject=subject, need=need) for grade in grades]
        passages = [self.texts[query][one] for one in order] if self.texts else told
        return [(self.titles[query][one], words) for one, words in zip(order, passages, strict=True)]


def _split(query: int) -> tuple[str, str]:
    return SUBJECTS[query % len(SUBJECTS)], NEEDS[(query + 2 * (query // len(SUBJECTS))) % len(NEEDS)]


def draw_material(queries: int, documents: int, draw: Draw) -> SearchMaterial:
    """Make synthetic queries and documents, whose latent relevance is standard normal."""
    relevance = quantise(draw_normal(draw, (queries, documents)))
    asked = [_split(n) for n in range(queries)]
    names = [
        f"{KINDS[n % len(KINDS)]} from {OUTLETS[n // len(KINDS) % len(OUTLETS)]}" for n in range(documents)
    ]
    return SearchMaterial(
        tuple(f"{subject} {need}" for subject, need in asked),
        tuple(tuple(f"{subject.capitalize()}, {name}" for name in names) for subject, _ in asked),
        (),
        relevance,
        relevance,
    )


async def build_material(stage: Stage, folder: Path) -> SearchMaterial:
    """Draw queries and documents, or take those of a collection, judged by a file below `folder` or its own.

    Documents of `[world]`, written by somebody else, are each query's relevant ones, then the best found.
    Queries come in the collection's order, or in that of their ids. Contents tell the scores of the world's
    search. Grades are stretched to 1 to 3. Raises InputError for fewer documents than asked for and for a
    query without a relevant one.
    """
    queries, documents = stage.config.queries, stage.config.documents
    if isinstance(queries, int):
        return draw_material(queries, documents, stage.draw("feedback_outage.material", step=0))
    queries = read_queries(queries if isinstance(queries, str) else dict(sorted(queries.items())))
    judged = read_judgements(stage.config.qrels, "config.qrels = ", folder)
    first = {chunk.source: chunk.text for chunk in reversed(stage.world().chunks)}
    ids = sorted(first)
    scores = await retrieval_scores(stage, [*queries.values()], ids)
    if len(ids) < documents:
        raise InputError(f"[world] has {len(ids)} documents for config.documents = {documents}; add some")
    most = max([1, *(one.relevance for one in judged)])
    grade = np.ceil(3 * np.maximum(arrange_grades(judged, queries, ids), 0) / most).astype(np.int64)
    if without := [id for id, best in zip(queries, grade.max(axis=1), strict=True) if not best]:
        raise InputError(
            f"no document of [world] is judged relevant for the query {without[0]!r}; leave it out of "
            "config.queries"
        )
    picked = order_by(-grade, -scores, axis=1)[:, :documents]
    found, worth = np.take_along_axis(scores, picked, 1), np.take_along_axis(grade, picked, 1)
    spread = np.maximum(found.std(axis=1, keepdims=True), 2.0**-20)
    titles, texts = zip(*(_headline(first[id]) for id in ids), strict=True)
    return SearchMaterial(
        tuple(queries.values()),
        tuple(tuple(titles[n] for n in row) for row in picked.tolist()),
        tuple(tuple(texts[n] for n in row) for row in picked.tolist()),
        quantise((found - found.mean(axis=1, keepdims=True)) / spread),
        np.array(MIDDLES)[worth],
    )


def _headline(text: str) -> tuple[str, str]:
    """Split a document's beginning into a title and a passage."""
    end = next((end for _, end in sentences(text)), len(text))
    return cut_text(text[:end].strip(), 100), cut_text(text[end:].strip() or text, 240)


def grade_relevance(relevance: Floats) -> Ints:
    """Convert latent relevance to grades from 0 to 3."""
    return np.digitize(relevance, GRADES)


def draw_normal(draw: Draw, shape: tuple[int, ...]) -> Floats:
    """Draw a standard normal for each query and document."""
    return np.asarray(draw.normal(agent=np.arange(shape[0])[:, None], item=np.arange(shape[1])))
