"""Recommender visits as a plain Python loop without logging, the baseline of `visits.py`. Not a benchmark
itself.

The same visitors at the same system with the same taste, under the same rules: memory of the graph (3 titles
nearest of the 200 of each item, with what the visitor itself rated), episodic memory (the 5 nearest of all
its records, in front of a page and before a move), watching, rating, growth of both memories, satisfaction,
reading more, going back, and three insights after a page that gave something. There are no words, no
questions, no log and no record to read back; memories are vectors of 32 numbers, and noise is Python's own.
"""

import math
import random

import numpy as np

from openiir.scenarios.recommender.model.graph.retrieval import STEP
from openiir.scenarios.recommender.run.visit import Visit

ALPHA, WIDTH, RECALLED, SIMILAR = 0.8, 32, 5, 3
PICKY, ACTIVE, PATIENCE = (-0.4, 0.0, 0.4), (-0.3, 0.0, 0.5), (2.5, 4.0, 8.0)


class SharedData:
    """Data of a run's visits that all visitors share, as arrays."""

    def __init__(self, visit: Visit) -> None:
        common, memory = visit.state.context, visit.state.visitor.graph
        assert memory is not None
        retriever, of = memory._retriever, common.collection
        every = np.arange(len(of))
        self.near, self.near_scores = retriever.neighbours.items, retriever.neighbours.steps * STEP
        """Nearest items of each item, and their scores, (items, 200)."""
        self.similar = np.empty((len(of), len(of)), dtype=np.float32)
        for rows in np.array_split(every, 16):
            self.similar[rows] = retriever.shared_scores(rows, every) * STEP
        vectors = retriever._directions[:, :WIDTH].astype(np.float32)
        self.vectors = np.pad(vectors, ((0, 0), (0, WIDTH - vectors.shape[1])))
        self.means, self.known = retriever.mean_list, common.known.tolist()
        self.genres = [of.values("genre", item) for item in range(len(of))]
        self.scales, self.reminded = common.scales, common.reminded
        self.page, self.most = common.page.items, common.page.most


class PlainVisitor:
    """State of one visitor."""

    def __init__(self, visit: Visit, ground: SharedData) -> None:
        visitor, memory = visit.state.visitor, visit.state.visitor.graph
        assert memory is not None
        self.temper, self.usual = visitor.temper, visitor.usual
        self.pull, self.expected = visitor.pull, visitor.expected
        self.lift = memory.lift * STEP
        self.own = dict(memory.ratings)
        self.rated: list[int] = []
        self.records = np.zeros((50 + 5 * ground.most * ground.page, WIDTH), dtype=np.float32)
        history = list(self.own)[:50]
        self.count = len(history)
        self.records[: self.count] = ground.vectors[history]
        self.served = visit.system._lists[visitor.user]  # type: ignore[attr-defined]
        self.random = random.Random(visitor.user)

    def remember(self, vector: np.ndarray) -> None:
        self.records[self.count] = vector
        self.count += 1

    def recall(self, query: np.ndarray) -> list[int]:
        scores = self.records[: self.count] @ query
        few = min(RECALLED, self.count)
        top = np.argpartition(-scores, few - 1)[:few]
        return top[np.argsort(-scores[top])].tolist()


def nearest(ground: SharedData, guest: PlainVisitor, item: int) -> list[tuple[int, float, float]]:
    """Recall the most similar titles: (item, score, rating)."""
    near = ground.near[item]
    scores = ground.near_scores[item] + guest.lift[near]
    if guest.rated:
        near = np.concatenate([near, guest.rated])
        scores = np.concatenate([scores, ground.similar[item, guest.rated] + guest.lift[guest.rated]])
    top = np.argpartition(-scores, SIMILAR - 1)[:SIMILAR]
    top = top[np.argsort(-scores[top])]
    return [
        (i, s, guest.own.get(i, ground.means[i]))
        for i, s in zip(near[top].tolist(), scores[top].tolist(), strict=True)
    ]


def decide(ground: SharedData, guest: PlainVisitor, item: int) -> tuple[float, int | None]:
    """Compute the probability of watching a title, and its rating if watched."""
    temper = guest.temper
    found = nearest(ground, guest, item)
    expected, weight = float(guest.expected[item]), sum(abs(score) for _, score, _ in found)
    if weight:
        expected += ground.reminded * (sum(score * rating for _, score, rating in found) / weight - expected)
    drawn = float(guest.pull[item]) + 0.15 * (temper.openness - 1) * (1 - ground.known[item])
    p = 1 / (1 + math.exp(0.875 - 1.3 * (drawn - PICKY[temper.picky]) - ACTIVE[temper.engaged]))
    if guest.random.random() >= p:
        return p, None
    scales, noise = ground.scales, guest.random.gauss(0, 1)
    fit = math.sqrt(scales.r2) * (expected - scales.mean) / scales.spread
    latent = fit + math.sqrt(1 - scales.r2) * noise
    return p, 1 + sum(latent + 0.1 * (temper.agreeableness - 1) > cut for cut in scales.cuts)


def remember_watched(ground: SharedData, guest: PlainVisitor, item: int, rating: int) -> None:
    """Add a watched title to both memories."""
    guest.own[item] = float(rating)
    guest.rated.append(item)
    guest.remember(ground.vectors[item])
    if rating >= 4:
        guest.lift = guest.lift + (1 - ALPHA) * ground.similar[item] / len(guest.own)


def insights(ground: SharedData, guest: PlainVisitor, taken: list[tuple[int, int]]) -> None:
    """Store the three genres whose ratings deviate most from the visitor's mean."""
    by_genre: dict[str, list[int]] = {}
    for item, rating in taken[-24:]:
        for genre in ground.genres[item]:
            by_genre.setdefault(genre, []).append(rating)
    usual = guest.usual
    apart = {genre: (sum(rs) + 3 * usual) / (len(rs) + 3) - usual for genre, rs in by_genre.items()}
    for genre in sorted(apart, key=lambda g: (-abs(apart[g]), g))[:3]:
        members = [item for item, _ in taken[-24:] if genre in ground.genres[item]]
        guest.remember(ground.vectors[members].mean(axis=0))


def simulate_visit(ground: SharedData, guest: PlainVisitor) -> tuple[int, int, int, float]:
    """Simulate one visit through all pages; return pages, titles shown, titles watched, and satisfaction."""
    ratings: dict[int, int | None] = {}
    taken: list[tuple[int, int]] = []
    opened: set[int] = set()
    gains, satisfied, at, returned = [], 0.5, 0, 0
    starts = range(0, ground.most * ground.page, ground.page)
    pages = [guest.served[n : n + ground.page] for n in starts]
    patience = PATIENCE[guest.temper.engaged] * (1.15, 1.0, 0.87)[guest.temper.age]
    for gone in range(1, ground.most + 1):
        items, at = pages[at], at + 1
        if not items:
            break
        query, before, chances = ground.vectors[items].mean(axis=0), len(taken), {}
        guest.recall(query)
        for item in items:
            chances[item], rating = decide(ground, guest, item)
            if ratings.get(item) is None:
                ratings[item] = rating
                if rating is not None:
                    taken.append((item, rating))
                    remember_watched(ground, guest, item, rating)
        gains.append(sum(0.15 if ratings[i] is None else (ratings[i] - 1) / 4 for i in items) / len(items))
        last, satisfied = satisfied, 0.6 * satisfied + 0.4 * gains[-1]
        guest.recall(query)
        unsure = [i for i in items if ratings[i] is None and i not in opened and abs(chances[i] - 0.5) < 0.1]
        if unsure:
            guest.recall(ground.vectors[unsure[0]])
            opened.add(unsure[0])
            rating = decide(ground, guest, unsure[0])[1]
            if rating is not None:
                ratings[unsure[0]] = rating
                taken.append((unsure[0], rating))
                remember_watched(ground, guest, unsure[0], rating)
            gains[-1] = sum(0.15 if ratings[i] is None else (ratings[i] - 1) / 4 for i in items) / len(items)
            satisfied = 0.6 * last + 0.4 * gains[-1]
            guest.recall(query)
        if len(taken) > before:
            insights(ground, guest, taken)
        guest.remember(query)
        tired = 1 - math.exp(-gone / patience)
        _ = 1 / (1 + math.exp(2.2 - 3.2 * (0.45 - satisfied) - 3.0 * tired))
        passed = [i for i in pages[at - 2] if ratings[i] is None] if at > 1 and returned < 2 else []
        if passed and max(guest.pull[i] for i in passed) > max(guest.pull[i] for i in items) + 0.5:
            at, returned = at - 2, returned + 1
    return len(gains), len(ratings), len(taken), 1 + 9 * (0.5 * max(gains) + 0.5 * gains[-1])
