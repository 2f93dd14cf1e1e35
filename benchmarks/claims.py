"""Accuracy of claim analysis without a model, compared with baselines: stance, relation types, hand-labelled
pairs.

    OPENIIR_DATA=... python benchmarks/claims.py

Needs args-ibm-claim-stance, args-argkp2021 and args-microtexts under OPENIIR_DATA (see
docs/reference/claims.md); the hand-labelled pairs ship with the package.
"""

import csv
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

import openiir.core.claims
from measuring import data_folder, print_table, run_command, spend
from openiir.core.claims import claimhood, extract_claims, relate, stance
from openiir.core.claims.extract import CANDIDATE, EarlierClaim
from openiir.core.claims.similarity import cosine, tf_idf
from openiir.core.claims.topic import analyse_topic
from openiir.core.claims.valence import vader_compound

PAIRS = Path(openiir.core.claims.__file__).parent / "data" / "pairs.tsv"
LABELS = ("supports", "counters", "refines", "questions", "none")


def score(gold: Sequence[str], said: Sequence[str], classes: Sequence[str]) -> tuple[str, str]:
    """Compute accuracy and macro F1 over the classes; an answer outside them counts as wrong."""
    _, _, f1 = score_classes(gold, said, classes)
    return f"{accuracy_score(gold, said):.3f}", f"{f1.mean():.3f}"


def score_classes(gold: Sequence[str], said: Sequence[str], classes: Sequence[str]):
    """Compute precision, recall and F1 of each class; 0 where undefined."""
    return precision_recall_fscore_support(gold, said, labels=classes, zero_division=0)[:3]


# Stance


class Argument(NamedTuple):
    topic: str
    text: str
    gold: str


Reader = Callable[[Argument], float]
READERS: dict[str, Reader] = {
    "VADER alone": lambda a: vader_compound(a.text),
    "VADER x sign of topic's target": lambda a: vader_compound(a.text) * analyse_topic(a.topic).polarity,
    "ours": lambda a: stance(a.text, a.topic),
}


def print_stance(root: Path) -> None:
    ibm = list(ibm_claims(root / "args-ibm-claim-stance" / "claim_stance_train.csv"))
    points = root / "args-argkp2021"
    sets = {
        "IBM claim stance, even topicId (tuned on)": [a for number, a in ibm if number % 2 == 0],
        "IBM claim stance, odd topicId (left out)": [a for number, a in ibm if number % 2],
        "ArgKP arguments, train topics (tuned on)": arguments(points / "kpm_data" / "arguments_train.csv"),
        "ArgKP arguments, dev topics (left out)": arguments(points / "kpm_data" / "arguments_dev.csv"),
        "ArgKP arguments, test topics (left out)": arguments(points / "test_data" / "arguments_test.csv"),
    }
    for name, items in sets.items():
        gold = [a.gold for a in items]
        most = Counter(gold).most_common(1)[0][0]
        always = score(gold, [most] * len(gold), ("pro", "con"))
        rows = [(f"majority ({most})", *always, "1.000", always[0])]
        rows += [(reader, *stance_row(items, read)) for reader, read in READERS.items()]
        print(f"## Stance: {name}, {len(items)} claims on {len({a.topic for a in items})} topics\n")
        print_table("| accuracy | macro-F1 | takes a side | accuracy where it does", rows)
        print()
    texts = [a for _, a in ibm]
    stance.cache_clear()
    ours = spend(lambda: [(claimhood(a.text), stance(a.text, a.topic)) for a in texts]).cpu
    alone = spend(lambda: [vader_compound(a.text) for a in texts]).cpu
    each = 1e3 * ours / len(texts)
    ratio = f"{ours / alone:.2f} x VADER's compound score"
    print(f"Claimhood and stance: {each:.3f} ms of CPU a sentence, {ratio}\n")


def stance_row(items: Sequence[Argument], read: Reader) -> tuple[str, ...]:
    values = [read(a) for a in items]
    said = ["pro" if v > 0 else "con" if v < 0 else "none" for v in values]
    sided = [a.gold == s for a, s, v in zip(items, said, values, strict=True) if abs(v) > 0.05]
    scores = score([a.gold for a in items], said, ("pro", "con"))
    return *scores, f"{len(sided) / len(items):.3f}", f"{sum(sided) / max(1, len(sided)):.3f}"


def ibm_claims(path: Path) -> Iterable[tuple[int, Argument]]:
    with path.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            text, gold = row["claims.claimCorrectedText"], row["claims.stance"].lower()
            yield int(row["topicId"]), Argument(row["topicText"], text, gold)


def arguments(path: Path) -> list[Argument]:
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return [Argument(r["topic"], r["argument"], "pro" if r["stance"] == "1" else "con") for r in rows]


# Edges


class Pair(NamedTuple):
    topic: str
    earlier: str
    later: str
    gold: str
    group: str
    """Topic of the text, or half (dev or held-out) of the hand-labelled pairs."""
    adjacent: bool = False
    likeness: float = 1.0
    """TF-IDF cosine within the text, by which the extractor selects earlier claims to relate to."""


def print_edges(folder: Path) -> None:
    for half, name in ((0, "tuned on"), (1, "left out")):
        pairs = [p for p in microtext_pairs(folder) if half_of(p.group) == half]
        related = [p for p in pairs if p.gold != "none"]
        print(f"## Edges: microtexts part 1, {name}: {len(related)} related pairs, type given a relation\n")
        report(related, ("supports", "counters"), as_reply)
        print(f"## Edges: microtexts part 1, {name}: all {len(pairs)} pairs of segments\n")
        report(pairs, ("supports", "counters", "none"), as_found)


def half_of(group: str) -> int:
    """Return the half that a topic is in, by the length of its name: 0 tuned on, 1 held out."""
    return len(group) % 2


def microtext_pairs(folder: Path) -> Iterable[Pair]:
    """Yield all pairs of argumentative segments of each text, in text order, with their gold relation.

    sup and exa are supports, reb is counters. An undercut attacks an inference: it counters the segment that
    inference starts from. A linked premise (add) supports or counters what the edge it joins leads to.
    Direction is dropped, since our edges always run from the later claim to the earlier one.
    """
    for path in sorted(folder.glob("*.xml")):
        graph = ET.parse(path).getroot()
        topic = (graph.get("topic_id") or "").replace("_", " ")
        edus = {e.get("id"): (e.text or "").strip() for e in graph.iter("edu")}
        edges = {e.get("id"): e for e in graph.iter("edge")}
        segments: dict[str, list[str]] = {}
        for edge in edges.values():
            if edge.get("type") == "seg":
                segments.setdefault(str(edge.get("trg")), []).append(edus[edge.get("src")])
        gold = {frozenset(ends): kind for ends, kind in relations(edges)}
        order = [str(adu.get("id")) for adu in graph.iter("adu")]
        texts = [" ".join(segments[adu]) for adu in order]
        vectors = tf_idf(texts)
        for i, j in combinations(range(len(order)), 2):
            kind = gold.get(frozenset((order[i], order[j])), "none")
            yield Pair(topic, texts[i], texts[j], kind, topic, j == i + 1, cosine(vectors[i], vectors[j]))


def relations(edges: dict[str | None, ET.Element]) -> Iterable[tuple[tuple[str, str], str]]:
    def kind_of(edge: ET.Element) -> str:
        joined = edges.get(edge.get("trg"))
        if edge.get("type") == "add" and joined is not None:
            return kind_of(joined)
        return "counters" if edge.get("type") in ("reb", "und") else "supports"

    def target_of(edge: ET.Element) -> str:
        joined = edges.get(edge.get("trg"))
        if joined is None:
            return str(edge.get("trg"))
        return target_of(joined) if edge.get("type") == "add" else str(joined.get("src"))

    for edge in edges.values():
        if edge.get("type") != "seg":
            yield (str(edge.get("src")), target_of(edge)), kind_of(edge)


def report(pairs: Sequence[Pair], classes: Sequence[str], ours: Callable[[Pair], str]) -> None:
    gold = [p.gold for p in pairs]
    most = Counter(gold).most_common(1)[0][0]
    systems = {f"majority ({most})": [most] * len(pairs)}
    if any(p.adjacent for p in pairs):
        order = ["supports" if p.adjacent else "none" for p in pairs]
        systems["order (each supports the one before)"] = order
    systems["ours"] = [ours(p) for p in pairs]
    rows = []
    for name, said in systems.items():
        by_class = zip(*score_classes(gold, said, classes), strict=True)
        cells = (f"{p:.2f} / {r:.2f} / {f:.2f}" for p, r, f in by_class)
        rows.append((name, *score(gold, said, classes), *cells))
    print_table(f"| accuracy | macro-F1 | {' | '.join(f'{c} P / R / F1' for c in classes)}", rows)
    print()
    counts = confusion_matrix(gold, systems["ours"], labels=LABELS)
    of = (LABELS.index(label) for label in classes)
    print_table(f"label \\ ours | {' | '.join(LABELS)}", ((LABELS[n], *counts[n]) for n in of))
    print()


def as_reply(pair: Pair) -> str:
    """Predict the relation of a claim known to reply to the earlier one; supports if no rule applies."""
    relation = relate(pair.later, pair.earlier, pair.topic, replying=True)
    return relation.type if relation else "supports"


def as_candidate(pair: Pair) -> str:
    """Predict the relation of two claims by rules, without knowing whether one replies to the other."""
    relation = relate(pair.later, pair.earlier, pair.topic)
    return relation.type if relation else "none"


def as_found(pair: Pair) -> str:
    """Predict relations within a text: adjacent segments count as replies, others must be similar."""
    if not pair.adjacent and pair.likeness < CANDIDATE:
        return "none"
    relation = relate(pair.later, pair.earlier, pair.topic, replying=pair.adjacent)
    return relation.type if relation else "none"


# The hand-labelled pairs


def print_pairs() -> None:
    with PAIRS.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    parts = {
        "tuned on": [row for row in rows if row["half"] == "dev"],
        "left out": [row for row in rows if row["half"] == "held-out"],
        "left out, without connectives": [
            row for row in rows if row["half"] == "held-out" and row["connective"] == "0"
        ],
    }
    names = ("topic", "earlier", "later", "label", "half")
    groups = {name: [Pair(*(row[key] for key in names)) for row in part] for name, part in parts.items()}
    for name, items in groups.items():
        print(f"## Hand-labelled pairs, {name}: {len(items)} pairs, whether and how they are related\n")
        report(items, LABELS, as_candidate)
        related = [p for p in items if p.gold != "none"]
        print(f"## Hand-labelled pairs, {name}: the {len(related)} related ones, type given a relation\n")
        report(related, LABELS[:-1], as_reply)
    kept = [p for p in groups["left out"] if p.gold == "none" and linked(p)]
    print(f"Unrelated pairs, left out, that the extractor links when no reply is named: {len(kept)} of 20")


def linked(pair: Pair) -> bool:
    """Whether the extractor relates the later claim to the earlier one when it is not marked as a reply."""
    found = extract_claims(pair.later, pair.topic, [EarlierClaim("k001", pair.earlier)])
    return any(claim.edges for claim in found)


def main() -> None:
    print_stance(data_folder())
    print_edges(data_folder() / "args-microtexts" / "part1")
    print_pairs()


if __name__ == "__main__":
    run_command(main)
