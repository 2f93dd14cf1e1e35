"""How members react to a post: a multinomial logit over ignoring, liking, disliking, commenting, reposting.

With the agreement a of reader and post (stance times valence), its novelty n and arousal e, the reposts r by
which the reader gets it, the score s (likes minus dislikes, at least 0) that it shows, and the weight w of
its author:

    U(repost), U(comment) = base + a + .5 n + .5 e + .3 ln(1 + r) + .25 ln w
    U(like)               = base + a + .5 n + .5 e + h 2 s / (1 + s) + .25 ln w
    U(dislike)            = base - a + .5 n + .5 e                 + .25 ln w

h is herding: one random up-vote raises the chance of a positive vote by 32 % (Muchnik, Aral & Taylor, Science
2013); down-votes are corrected there and have no effect here. Many votes count at most as two first ones (our
choice: without a bound, likes would cause likes without end). The other weights are defaults without a
published value.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from openiir.kit.arrays import Floats
from openiir.plugin import ConfigTable, InputError, quantise

ACTIONS = ("ignore", "like", "dislike", "comment", "repost")
"""What a reader may do, in the order of the columns of utilities and probabilities."""
_TIMES, _CLOSE, _LARGEST = 500, 1e-12, 50.0
_MOST = 0.9
"""Largest share of exposures that are reacted to: the calibration slows down as it nears 1."""


class ReactionFeatures(NamedTuple):
    """Predictors of reactions, arrays over impressions, such as (n,) or (readers, slots).

    Arrays are broadcast: one number holds for all exposures.
    """

    agreement: ArrayLike
    """Stance of the reader times valence of the post, -1 to 1."""
    novelty: ArrayLike
    arousal: ArrayLike
    score: ArrayLike = 0
    """Likes minus dislikes that the post shows."""
    reposts: ArrayLike = 0
    """Reposts by which the reader gets the post: by others than its author, of those it follows."""
    weight: ArrayLike = 1.0
    """Weight of the author, above 0."""


class ReactionRule(ConfigTable):
    """How often members react to what they are shown, and to what."""

    like: float = Field(0.03, gt=0, lt=0.5)
    """Share of exposures that are liked, before anybody's likes are seen."""
    dislike: float = Field(0.003, gt=0, lt=0.5)
    """Share of exposures that are disliked."""
    comment: float = Field(0.004, gt=0, lt=0.5)
    """Share of exposures that are commented on."""
    agreement: float = Field(1.0, ge=0, le=20)
    """Weight of the agreement of reader and post; with the opposite sign for dislikes."""
    novelty: float = Field(0.5, ge=0, le=20)
    """Weight of a post's novelty."""
    arousal: float = Field(0.5, ge=0, le=20)
    """Weight of a post's emotional arousal."""
    proof: float = Field(0.3, ge=0, le=20)
    """Weight of the logarithm of 1 + reposts that the reader gets in the decision to comment or repost."""
    author: float = Field(0.25, ge=0, le=20)
    """Weight of the logarithm of the author's weight."""
    herding: float = Field(1.32, ge=1, le=10)
    """How many times as likely a like is at a score of 1 as at 0."""

    def calibrate(self, sample: ReactionFeatures, repost: float) -> "ReactionModel":
        """Find base utilities at which a sample is reposted at the rate `repost`, liked at `like`, and so on.

        Rates are those at a score and number of reposts of 0. For a reproduction number, `repost` is that
        number divided by the mean number of members to whom a repost is shown
        (`social_media.model.cascades.p_for_reproduction`, if all followers). Found by the contraction of
        Berry (RAND J. Econ. 1994). Raises InputError where hardly any exposure is left to ignore.
        """
        shares = np.array([self.like, self.dislike, self.comment, repost])
        if not (repost > 0 and shares.sum() <= _MOST):
            raise InputError(
                f"reactions of {', '.join(map(str, shares.tolist()))} of all exposures were asked for; give "
                f"shares above 0 that add up to at most {_MOST}, such as by a smaller reproduction number"
            )
        fresh = sample._replace(score=0, reposts=0)
        base = np.log(shares / (1 - shares.sum()))
        for _ in range(_TIMES):
            found = _mean_shares(ReactionModel(self, tuple(base.tolist()), 0.0), fresh)[1:]
            step = np.log(shares / found)
            base += step
            if np.abs(step).max() < _CLOSE:
                break
        plain = ReactionModel(self, tuple(quantise(base).tolist()), 0.0)
        return ReactionModel(self, plain.base, _find_herding(plain, fresh))


@dataclass(frozen=True)
class ReactionModel:
    """Multinomial logit of reactions: a rule with its calibrated base utilities."""

    rule: ReactionRule
    base: tuple[float, ...]
    """Utilities of like, dislike, comment and repost where all features are 0; that of ignoring is 0."""
    herding: float
    """Utility of a like at a score of 1; at a high score it is twice that."""

    def utilities(self, features: ReactionFeatures) -> Floats:
        """Compute the utility of each of the 5 ACTIONS for each impression, as a last axis."""
        columns = (np.asarray(column, dtype=np.float64) for column in features)
        agreement, novelty, arousal, score, reposts, weight = np.broadcast_arrays(*columns)
        rule = self.rule
        appeal = rule.novelty * novelty + rule.arousal * arousal + rule.author * np.log(weight)
        liking = appeal + rule.agreement * agreement
        sharing = liking + rule.proof * np.log1p(reposts)
        up = np.maximum(score, 0)
        herding = self.herding * 2 * up / (1 + up)
        like, dislike, comment, repost = self.base
        found = np.zeros((*agreement.shape, len(ACTIONS)))
        found[..., 1] = like + liking + herding
        found[..., 2] = dislike + appeal - rule.agreement * agreement
        found[..., 3] = comment + sharing
        found[..., 4] = repost + sharing
        return found

    def probabilities(self, features: ReactionFeatures) -> Floats:
        """Compute the probability of each of the 5 ACTIONS for each impression, as a last axis."""
        utilities = self.utilities(features)
        odds = np.exp(utilities - utilities.max(axis=-1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=-1, keepdims=True))

    def find_emotion_gap(self, sample: ReactionFeatures, ratio: float = 1.7) -> float:
        """Find how much to raise novelty and arousal so that a sample is reposted `ratio` times as often.

        Falsehood was 70 % more likely to be reposted than truth, and more novel (Vosoughi, Roy & Aral,
        Science 2018): give false posts the novelty and arousal of true ones plus this. It is near ln(ratio)
        where both have a weight of .5 and reactions are rare. Raises InputError where no difference has that
        effect.
        """
        wanted = ratio * _mean_shares(self, sample)[4]
        novelty, arousal = np.asarray(sample.novelty), np.asarray(sample.arousal)

        def excess(gap: float) -> float:
            raised = sample._replace(novelty=novelty + gap, arousal=arousal + gap)
            return float(_mean_shares(self, raised)[4] - wanted)

        return _find_root(excess, f"reposts {ratio:g} times as likely; choose a lower ratio from 1")


def _mean_shares(model: ReactionModel, features: ReactionFeatures) -> Floats:
    """Compute the mean probability of each of the ACTIONS."""
    return np.asarray(model.probabilities(features).reshape(-1, len(ACTIONS)).mean(axis=0))


def _find_herding(model: ReactionModel, fresh: ReactionFeatures) -> float:
    """Find the utility of a score of 1 that multiplies the mean chance of a like by the rule's `herding`."""
    wanted = model.rule.herding * _mean_shares(model, fresh)[1]

    def excess(herding: float) -> float:
        raised = ReactionModel(model.rule, model.base, herding)
        return float(_mean_shares(raised, fresh._replace(score=1))[1] - wanted)

    return _find_root(excess, f"likes {model.rule.herding:g} times as likely; lower `herding` or `like`")


def _find_root(excess: Callable[[float], float], what: str) -> float:
    """Find where a function that increases from 0 on is 0; raises InputError if nowhere."""
    from scipy.optimize import brentq

    if not excess(0.0) <= 0 <= excess(_LARGEST):
        raise InputError(f"no utility makes {what}")
    return float(quantise(brentq(excess, 0.0, _LARGEST, xtol=_CLOSE)))


NOTE_EFFECT = np.log1p([0.0, -0.435, 0.0, -0.229, -0.457])
"""Change of the log-odds of each of the ACTIONS by a note that is shown (Slaughter et al., PNAS 2025)."""
