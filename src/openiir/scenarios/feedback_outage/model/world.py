"""What all platforms share: who asks what, how relevant documents are now, and what is judged by that."""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.measures.discounted_gain import ndcg, random_ndcg
from openiir.kit.measures.judgements import roc_auc
from openiir.kit.signals import Channels
from openiir.plugin import Arm, Draw, Own, first_largest, quantise
from openiir.scenarios.feedback_outage.model.material import SearchMaterial, draw_normal, grade_relevance
from openiir.scenarios.feedback_outage.model.platform import (
    CHANNELS,
    CLICKS,
    DOUBT,
    READING,
    SHORT,
    SPAM,
    USUAL_RATE,
    ClickPlatform,
    ResultPages,
    SearchRound,
    position_chances,
    rank_documents,
    taking_chances,
)

GAINS = (0.0, 1.0, 3.0, 7.0)
"""Gain of each grade, 2^grade - 1 (Burges et al., ICML 2005)."""
HEAD, TORSO = 0.1, 0.4
"""Shares of the queries, those most asked first, at which the head and the torso end."""


@dataclass(eq=False)
class OutageWorld(Arm):
    """What platforms share: queries, documents, how relevant these are just now, and channels that fail."""

    material: SearchMaterial
    content: Floats
    """(Q, D) the ranker's content score."""
    spam: Bools
    """(Q, D)"""
    relevance: Own[Floats]
    """(Q, D) latent relevance, which drifts."""
    best_since: Own[Ints]
    """(Q,) round since which the most relevant document has been that."""
    channels: Channels = field(init=False, default_factory=lambda: Channels(CHANNELS, READING))

    @classmethod
    def build(cls, material: SearchMaterial, content: float, draw: Draw) -> "OutageWorld":
        """Make the world as it is before the first round; scores correlate with the signal by `content`."""
        signal, shape = material.signal, material.signal.shape
        noise = draw_normal(draw.at("content"), shape)
        score = np.asarray(quantise(content * signal + math.sqrt(1 - content**2) * noise))
        spam = draw.at("spam").chance(SPAM, item=np.arange(signal.size)).reshape(shape)
        return cls(material, score, spam, material.relevance, np.zeros(len(signal), dtype=np.int64))

    @cached_property
    def demand(self) -> Floats:
        """(Q,) share of searches for each query, by Zipf's law."""
        share = 1.0 / np.arange(1, len(self.relevance) + 1)
        return np.asarray(share / share.sum())

    def draw_queries(self, unit: Floats) -> Ints:
        """Convert uniform draws to the numbers of queries asked."""
        return np.minimum(np.searchsorted(quantise(np.cumsum(self.demand)), unit), len(self.demand) - 1)

    def drift(self, share: float, draw: Draw, step: int) -> None:
        """Let relevance drift during a round: a stationary AR(1) that keeps 1 - `share` of it."""
        kept, best = 1 - share, first_largest(self.relevance, axis=1)
        noise = draw_normal(draw, self.relevance.shape)
        self.relevance = np.asarray(quantise(kept * self.relevance + math.sqrt(1 - kept**2) * noise))
        self.best_since = np.where(first_largest(self.relevance, axis=1) == best, self.best_since, step)

    def rank(self, platform: ClickPlatform, trust: float, judging: float) -> ResultPages:
        """Rank by content and clicks, and look up how the results, and an answer, strike searchers."""
        order = rank_documents(self.content, platform.clicks, platform.looks)
        relevance = np.take_along_axis(self.relevance, order, axis=1)
        grades = grade_relevance(relevance)
        taking = taking_chances(grades[:, 0], trust, judging)
        return ResultPages(order, grades, CLICKS.attraction(relevance, np.zeros(1)), taking)

    def evaluate(self, platform: ClickPlatform, searches: SearchRound, step: int) -> dict[str, float]:
        """Judge everything that is made of signals, by the names of READERS.

        What is clicked in fact is less by what pages answer. Added is `lead`, the mean difference of nDCG
        from what a random order is expected to have.
        """
        pages, taken = searches.pages, searches.taken
        demand, chances = self.demand, position_chances(pages.order.shape[1])
        gains = np.array(GAINS)[grade_relevance(self.relevance)]
        quality = ndcg(gains, pages.order)
        head, torso, tail = np.split(quality, [round(share * len(demand)) for share in (HEAD, TORSO)])
        rates = np.minimum((platform.clicks + DOUBT * USUAL_RATE) / (platform.looks + DOUBT), 1.0)
        error = np.take_along_axis(rates, pages.order, axis=1) - pages.attraction * (1 - taken)[:, None]
        late = pages.order[:, 0] != first_largest(self.relevance, axis=1)
        worst = np.minimum((platform.short + DOUBT * SHORT) / (platform.visits + DOUBT), 1.0)
        return {
            "ndcg_head": _mean(head),
            "ndcg_torso": _mean(torso),
            "ndcg_tail": _mean(tail),
            "ndcg": _mean(quality, demand),
            "calibration": float((demand * (np.abs(error) @ chances)).sum() / chances.sum()),
            "suggestions": float((platform.asked >= 1).mean()),
            "freshness": float((demand * late * (step - self.best_since)).sum()),
            "spam": roc_auc(worst.ravel(), self.spam.ravel()),
            "price": float((demand * np.abs(error @ chances)).sum()),
            "lead": _mean(quality - random_ndcg(gains, len(chances))),
        }


def _mean(values: Floats, weights: Floats | None = None) -> float:
    """Average the values that there are; NaN where there is none."""
    there = ~np.isnan(values)
    share = there * (1.0 if weights is None else weights)
    return float((share * np.where(there, values, 0.0)).sum() / share.sum()) if there.any() else math.nan
