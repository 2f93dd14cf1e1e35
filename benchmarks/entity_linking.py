"""Precision and recall of title linking on INSPIRED's dialogues, with the titles of MovieLens 25M.

    python benchmarks/entity_linking.py [--part test] [--errors] [--fit]

The gold standard of an utterance are the titles in the column `movies`, compared by key
(openiir.scenarios.conversational.model.titles.title_index) and without their years. A mention is right where
the name it was found by is a gold title of its utterance. Recall counts gold titles that are a name in the
catalogue. A title counts once an utterance. The Linker sees the text of an utterance and, where said so, what
it linked earlier in the dialogue; nothing else. Intervals: 95 %, percentile bootstrap over dialogues.

The column was filled by a matcher: many titles that are there are not marked, and words are marked that name
nothing (the month November, "it"). So every mention and every gold title that did not fit was read, and
`entity_linking_read.csv` says of each (by a hash of dialogue, utterance and title) whether its text names a
film of that name; numbers "as read" follow it.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from pprint import pformat
from typing import NamedTuple

import numpy as np

from measuring import data_folder, run_command
from openiir.kit.items import Collection
from openiir.scenarios.conversational.model.titles.evidence import Span, signs
from openiir.scenarios.conversational.model.titles.linking import Linker
from openiir.scenarios.conversational.model.titles.title_index import key, read_title

CATALOGUE = "crs/items/ml25m_movies_w_keywords.csv"
READ = Path(__file__).with_name("entity_linking_read.csv")
RESAMPLES = 2_000
FITTED_BY = 3.0
"""Inverse strength of the ridge penalty, chosen by ten-fold cross-validation on the dialogues of dev."""


def load_films(data: Path) -> Collection:
    """Load the 13,816 films of the MovieLens 25M sample, with genres."""
    with (data / CATALOGUE).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    genres = tuple(tuple(filter(None, row["genres"].split("|"))) for row in rows)
    ids, titles = tuple(row["movieId"] for row in rows), tuple(row["title"] for row in rows)
    return Collection("movie", ids, titles, {"genre": genres})


@dataclass(frozen=True)
class AnnotatedUtterance:
    """An utterance and the titles annotated in it."""

    dialogue: str
    number: str
    text: str
    gold: frozenset[str]


def utterances(data: Path, part: str) -> Iterator[AnnotatedUtterance]:
    """Yield the utterances of a part of INSPIRED, in order."""
    with (data / f"crs/inspired/{part}.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            marked = (title.strip() for title in row["movies"].split(";"))
            gold = frozenset(key(read_title(title).names[0]) for title in marked if title)
            text = row["text"].replace("QUOTATION_MARK", '"')
            yield AnnotatedUtterance(row["dialog_id"], row["utt_id"], text, gold)


def correct_by_verdicts(
    part: str, said: list[AnnotatedUtterance], linker: Linker
) -> list[AnnotatedUtterance]:
    """Correct the annotated titles by the manual verdicts."""
    with READ.open(encoding="utf-8", newline="") as file:
        verdicts = {row["mark"]: row["named"] == "1" for row in csv.DictReader(file) if row["part"] == part}
    corrected = []
    for one in said:
        titles = one.gold | {span.name.key for span in linker.spans(one.text)}
        marks = {title: verdicts.get(verdict_key(one.dialogue, one.number, title)) for title in titles}
        named = {title for title, mark in marks.items() if mark or (mark is None and title in one.gold)}
        corrected.append(replace(one, gold=frozenset(named)))
    return corrected


def verdict_key(dialogue: str, number: str, title: str) -> str:
    """Hash a title in an utterance to its key in the file of verdicts, which contains no data."""
    return sha256(f"{dialogue}\t{number}\t{title}".encode()).hexdigest()[:16]


class Error(NamedTuple):
    """A title wrongly linked or missed."""

    kind: str
    title: str
    said: AnnotatedUtterance


@dataclass
class Counts:
    """Counts of one dialogue for precision and recall."""

    linked: int = 0
    right: int = 0
    wanted: int = 0
    outside: int = 0
    """Annotated titles that are not in the catalogue."""
    linked_beside: int = 0
    """Wrong mentions in utterances with such a title."""


def count_links(
    linker: Linker, said: list[AnnotatedUtterance], context: bool
) -> tuple[dict[str, Counts], list[Error]]:
    """Link the titles of all utterances; return counts by dialogue, and the errors."""
    counts: dict[str, Counts] = {}
    errors: list[Error] = []
    known: dict[str, set[int]] = {}
    names = set(linker.names.keys.values())
    for one in said:
        count, before = counts.setdefault(one.dialogue, Counts()), known.setdefault(one.dialogue, set())
        mentions = linker.link(one.text, before if context else ())
        before.update(item for mention in mentions for item in mention.items)
        linked, wanted, outside = {mention.title for mention in mentions}, one.gold & names, one.gold - names
        count.linked += len(linked)
        count.right += len(linked & one.gold)
        count.wanted += len(wanted)
        count.outside += len(outside)
        count.linked_beside += len(linked - one.gold) if outside else 0
        errors += [Error("wrong", title, one) for title in sorted(linked - one.gold)]
        errors += [Error("missed", title, one) for title in sorted(wanted - linked)]
    return counts, errors


def precision_and_recall(counts: list[Counts]) -> tuple[float, float]:
    """Compute precision and recall."""
    right = sum(c.right for c in counts)
    return right / max(1, sum(c.linked for c in counts)), right / max(1, sum(c.wanted for c in counts))


def intervals(counts: list[Counts]) -> list[tuple[float, float]]:
    """Compute 95 % bootstrap intervals of precision and recall."""
    columns = np.array([(c.right, c.linked, c.wanted) for c in counts], dtype=float)
    rows = np.random.default_rng(0).integers(len(columns), size=(RESAMPLES, len(columns)))
    right, linked, wanted = columns[rows].sum(axis=1).T
    return [tuple(np.quantile(right / of, [0.025, 0.975])) for of in (linked, wanted)]


def fit_weights(linker: Linker, said: list[AnnotatedUtterance]) -> str:
    """Fit the classifier weights on these utterances, ignoring spans within an annotated title."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    rows, named = [], []
    known: dict[str, set[int]] = {}
    for one in said:
        before = known.setdefault(one.dialogue, set())
        spans = linker.spans(one.text)
        right = [span for span in spans if span.name.key in one.gold]
        for span in spans:
            if not any(_within(span, other) for other in right):
                rows.append(dict.fromkeys(signs(span, not before.isdisjoint(span.name.items)), 1.0))
                named.append(span in right)
        before.update(item for span in right for item in span.name.items)
    vectorizer = DictVectorizer()
    columns = vectorizer.fit_transform(rows)
    model = LogisticRegression(C=FITTED_BY, max_iter=3_000).fit(columns, named)
    weights = dict(zip(vectorizer.get_feature_names_out(), model.coef_[0].tolist(), strict=True))
    told = {sign: round(weight, 2) for sign, weight in weights.items() if abs(weight) >= 0.05}
    return pformat({"bias": round(float(model.intercept_[0]), 2), **told})


def _within(span: Span, other: Span) -> bool:
    inside = other.begin <= span.begin and span.last <= other.last
    return inside and span.last - span.begin < other.last - other.begin


def report(linker: Linker, part: str, errors: bool) -> None:
    """Print precision and recall by annotation and by manual verdicts, and optionally the errors."""
    marked = list(utterances(data_folder(), part))
    for label, said in (("by the column", marked), ("as read", correct_by_verdicts(part, marked, linker))):
        for context in (False, True):
            counts, wrong = count_links(linker, said, context)
            found = zip(precision_and_recall([*counts.values()]), intervals([*counts.values()]), strict=True)
            scores = (f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, (low, high) in found)
            total = Counter[str]()
            for count in counts.values():
                total.update(vars(count))
            print(
                f"{part}, {label}, {'with' if context else 'without'} the dialogue so far:",
                "precision {}, recall {}".format(*scores),
            )
            print(f"    {', '.join(f'{what} {n}' for what, n in total.items())}")
            for kind, title, one in sorted(wrong, key=lambda error: error[:2]) if errors else ():
                print(f"    {kind}\t{title}\t{one.dialogue}\t{one.number}\t{one.text}")


def main(part: str = "test", errors: bool = False, fit: bool = False) -> None:
    """Measure a part, `dev` or `test`; with `fit`, print weights fitted to dev as read instead."""
    linker = Linker(load_films(data_folder()))
    if fit:
        print(fit_weights(linker, correct_by_verdicts("dev", list(utterances(data_folder(), "dev")), linker)))
    else:
        report(linker, part, errors)


if __name__ == "__main__":
    run_command(main)
