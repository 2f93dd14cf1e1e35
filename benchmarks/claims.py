"""Accuracy of claim analysis without a model, compared with baselines: stance, relation types, hand-labelled
pairs.

    OPENIIR_DATA=... python benchmarks/claims.py

Needs args-ibm-claim-stance, args-argkp2021 and args-microtexts under OPENIIR_DATA (see
docs/reference/claims.md); the hand-labelled pairs ship with the package and are measured without it.
"""

import csv
import os
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import openiir.core.claims
from openiir.core.claims import claimhood, extract_claims, relate, stance
from openiir.core.claims.extract import CANDIDATE, EarlierClaim
from openiir.core.claims.similarity import cosine, tf_idf
from openiir.core.claims.topic import analyse_topic
from openiir.core.claims.valence import vader_compound

PAIRS = Path(openiir.core.claims.__file__).parent / "data" / "pairs.tsv"
LABELS = ("supports", "counters", "refines", "questions", "none")


class Scores(NamedTuple):
    accuracy: float
    macro_f1: float


def main() -> None:
    root = os.environ.get("OPENIIR_DATA")
    if root:
        stance_section(Path(root))
        edge_section(Path(root) / "args-microtexts" / "part1")
    else:
        print("OPENIIR_DATA is not set: stance and microtexts are not measured\n")
    pair_section()


def score(gold: Sequence[str], said: Sequence[str], classes: Sequence[str]) -> Scores:
    """Compute accuracy and macro F1 over the classes; an answer outside them counts as wrong."""
    f1 = [row[2] for row in per_class(gold, said, classes)]
    hits = sum(a == b for a, b in zip(gold, said, strict=True))
    return Scores(hits / len(gold), sum(f1) / len(f1))


def per_class(
    gold: Sequence[str], said: Sequence[str], classes: Sequence[str]
) -> list[tuple[float, float, float]]:
    """Compute precision, recall and F1 of each class; 0 where undefined."""
    rows = []
    for label in classes:
        both = sum(a == b == label for a, b in zip(gold, said, strict=True))
        precision = both / max(1, said.count(label))
        recall = both / max(1, gold.count(label))
        rows.append((precision, recall, 2 * precision * recall / (precision + recall) if both else 0.0))
    return rows


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


def stance_section(root: Path) -> None:
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
        print(f"## Stance: {name}, {len(items)} claims on {len({a.topic for a in items})} topics\n")
        print("| | accuracy | macro-F1 | takes a side | accuracy where it does |\n|---|---|---|---|---|")
        gold = [a.gold for a in items]
        share = Counter(gold).most_common(1)[0]
        always = score(gold, [share[0]] * len(gold), ("pro", "con"))
        print(
            f"| majority ({share[0]}) | {always.accuracy:.3f} | {always.macro_f1:.3f} | 1.000 | "
            f"{always.accuracy:.3f} |"
        )
        for reader, read in READERS.items():
            print(f"| {reader} | {stance_row(items, read)} |")
        print()
    speed(ibm)


def stance_row(items: Sequence[Argument], read: Reader) -> str:
    values = [read(a) for a in items]
    said = ["pro" if v > 0 else "con" if v < 0 else "none" for v in values]
    got = score([a.gold for a in items], said, ("pro", "con"))
    sided = [(a.gold, s) for a, s, v in zip(items, said, values, strict=True) if abs(v) > 0.05]
    right = sum(a == b for a, b in sided) / max(1, len(sided))
    return f"{got.accuracy:.3f} | {got.macro_f1:.3f} | {len(sided) / len(items):.3f} | {right:.3f}"


def ibm_claims(path: Path) -> Iterable[tuple[int, Argument]]:
    with path.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            text, gold = row["claims.claimCorrectedText"], row["claims.stance"].lower()
            yield int(row["topicId"]), Argument(row["topicText"], text, gold)


def arguments(path: Path) -> list[Argument]:
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return [Argument(r["topic"], r["argument"], "pro" if r["stance"] == "1" else "con") for r in rows]


def speed(ibm: Sequence[tuple[int, Argument]]) -> None:
    texts = [a for _, a in ibm]
    stance.cache_clear()
    begin = time.process_time()
    for a in texts:
        claimhood(a.text)
        stance(a.text, a.topic)
    ours = time.process_time() - begin
    begin = time.process_time()
    for a in texts:
        vader_compound(a.text)
    alone = time.process_time() - begin
    each = 1e3 * ours / len(texts)
    print(
        f"Claimhood and stance: {each:.3f} ms of CPU a sentence, {ours / alone:.2f} x VADER's compound "
        f"score\n"
    )


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


def edge_section(folder: Path) -> None:
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
        systems["order (each supports the one before)"] = [
            "supports" if p.adjacent else "none" for p in pairs
        ]
    systems["ours"] = [ours(p) for p in pairs]
    print("| | accuracy | macro-F1 |" + "".join(f" {c} P / R / F1 |" for c in classes))
    print("|---|---|---|" + "---|" * len(classes))
    for name, said in systems.items():
        got = score(gold, said, classes)
        cells = "".join(f" {p:.2f} / {r:.2f} / {f:.2f} |" for p, r, f in per_class(gold, said, classes))
        print(f"| {name} | {got.accuracy:.3f} | {got.macro_f1:.3f} |{cells}")
    print()
    confusion(gold, systems["ours"], classes)


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


def confusion(gold: Sequence[str], said: Sequence[str], classes: Sequence[str]) -> None:
    counts = Counter(zip(gold, said, strict=True))
    print("| label \\ ours |" + "".join(f" {c} |" for c in LABELS))
    print("|---|" + "---|" * len(LABELS))
    for label in classes:
        print(f"| {label} |" + "".join(f" {counts[label, c]} |" for c in LABELS))
    print()


# The hand-labelled pairs


def pair_section() -> None:
    with PAIRS.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    pairs = [
        (row["connective"], Pair(row["topic"], row["earlier"], row["later"], row["label"], row["half"]))
        for row in rows
    ]
    groups = {
        "tuned on": [p for _, p in pairs if p.group == "dev"],
        "left out": [p for _, p in pairs if p.group == "held-out"],
        "left out, without connectives": [p for c, p in pairs if p.group == "held-out" and c == "0"],
    }
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


if __name__ == "__main__":
    sys.exit(main())
