"""Titles found in what people say: INSPIRED's dialogues against the titles of MovieLens 25M.

    python benchmarks/entity_linking.py [--part test] [--errors] [--fit]

The gold standard of an utterance are the titles in the column `movies`, compared by key (openiir.kit.items.titling)
and without their years. A mention is right where the name it was found by is a gold title of its utterance. Recall
counts gold titles that are a name of an item of the catalogue. The Linker sees the text of the utterance and what it
linked earlier in the dialogue, nothing else. Intervals: 95 %, percentile bootstrap over dialogues.
"""

import argparse
import csv
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from openiir.kit.items import Collection, Linker
from openiir.kit.items.titling import key, read_title

CATALOGUE = "crs/items/ml25m_movies_w_keywords.csv"
RESAMPLES = 2_000


def catalogue(data: Path) -> Collection:
    """The films of the sample of MovieLens 25M, 13,816."""
    with (data / CATALOGUE).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return Collection("movie", tuple(row["movieId"] for row in rows), tuple(row["title"] for row in rows))


@dataclass(frozen=True)
class Said:
    """An utterance and the titles marked in it."""

    dialogue: str
    text: str
    gold: frozenset[str]


def utterances(data: Path, part: str) -> Iterator[Said]:
    """The utterances of a part of INSPIRED, in order."""
    with (data / f"crs/inspired/{part}.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            gold = frozenset(key(read_title(title.strip()).names[0]) for title in row["movies"].split(";") if title.strip())
            yield Said(row["dialog_id"], row["text"].replace("QUOTATION_MARK", '"'), gold)


@dataclass
class Counts:
    """What a dialogue adds up to."""

    linked: int = 0
    right: int = 0
    wanted: int = 0
    outside: int = 0
    """Gold titles that are not in the catalogue."""


def measured(linker: Linker, said: list[Said], context: bool) -> tuple[dict[str, Counts], list[tuple[str, str, str]]]:
    """The counts of each dialogue, and the errors: which kind, the title, the text."""
    counts: dict[str, Counts] = {}
    errors = []
    known: dict[str, set[int]] = {}
    names = {name.key for name in linker.names.by_letters.values()}
    for one in said:
        count = counts.setdefault(one.dialogue, Counts())
        before = known.setdefault(one.dialogue, set())
        mentions = linker.link(one.text, before if context else ())
        before.update(item for mention in mentions for item in mention.items)
        linked = {mention.title for mention in mentions}
        wanted = one.gold & names
        count.linked += len(linked)
        count.right += len(linked & one.gold)
        count.wanted += len(wanted)
        count.outside += len(one.gold - names)
        errors += [("wrong" if not one.gold - names else "wrong?", title, one.text) for title in sorted(linked - one.gold)]
        errors += [("missed", title, one.text) for title in sorted(wanted - linked)]
    return counts, errors


def rates(counts: list[Counts]) -> tuple[float, float]:
    """Precision and recall."""
    return (
        sum(c.right for c in counts) / max(1, sum(c.linked for c in counts)),
        sum(c.right for c in counts) / max(1, sum(c.wanted for c in counts)),
    )


def intervals(counts: list[Counts]) -> list[tuple[float, float]]:
    """The 95 % interval of each rate."""
    columns = np.array([(c.right, c.linked, c.wanted) for c in counts], dtype=float)
    rows = np.random.default_rng(0).integers(len(columns), size=(RESAMPLES, len(columns)))
    right, linked, wanted = columns[rows].sum(axis=1).T
    return [tuple(np.quantile(right / of, [0.025, 0.975])) for of in (linked, wanted)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", default="test", choices=["dev", "test"])
    parser.add_argument("--errors", action="store_true", help="list them")
    parser.add_argument("--fit", action="store_true", help="print weights fitted to dev")
    options = parser.parse_args()
    data = Path(os.environ["OPENIIR_DATA"])
    linker = Linker(catalogue(data))
    said = list(utterances(data, options.part))
    for context in (False, True):
        counts, errors = measured(linker, said, context)
        all_counts = list(counts.values())
        (precision, recall), ((p_low, p_high), (r_low, r_high)) = rates(all_counts), intervals(all_counts)
        total = Counter[str]()
        for count in all_counts:
            total.update(vars(count))
        print(f"{options.part}, {'with' if context else 'without'} the dialogue so far: precision {precision:.3f} [{p_low:.3f}, {p_high:.3f}], "
              f"recall {recall:.3f} [{r_low:.3f}, {r_high:.3f}]; {dict(total)}")  # fmt: skip
    if options.errors:
        for kind, title, text in sorted(errors):
            print(f"  {kind:7} {title!r:30} {text}")


if __name__ == "__main__":
    main()
