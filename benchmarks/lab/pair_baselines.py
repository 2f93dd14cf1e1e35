"""Surface cues of pairs: how well detectors tell versions apart that see no evidence."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from openiir.kit.arrays import Floats, Ints
from openiir.kit.statistics import Estimate, cluster_bootstrap
from openiir.plugin import Draw, InputError, quantise
from openiir.scenarios.multi_generational.model.credibility.pairs import ClaimPair

FOLDS = 5
"""Largest number of folds; sets with more topics put several topics in a fold."""
Cue = Literal["words", "length"]
_DRAW = Draw(0, "multi_generational.baseline")


class Baseline(NamedTuple):
    """What a detector without evidence reaches; 0.5 is chance for both."""

    accuracy: Estimate
    """Share of single texts whose label is predicted, with an interval over topics."""
    paired: Estimate
    """Share of pairs whose false version gets the higher score, ties half, with an interval over topics."""


def score_baseline(pairs: Sequence[ClaimPair], cue: Cue) -> Baseline:
    """Cross-validate a logistic regression on surface cues, with whole topics held out.

    `words` uses TF-IDF of words and word pairs, `length` the numbers of words and characters. Raises
    InputError for fewer than two topics.
    """
    topics, topic = np.unique([pair.topic for pair in pairs], return_inverse=True)
    if len(topics) < 2:
        raise InputError("a baseline needs pairs of at least 2 topics, one to train on and one to test")
    true, false = _scores(pairs, topic, min(len(topics), FOLDS), cue)
    right = (true < 0).astype(np.float64) + (false > 0) + ((true == 0) + (false == 0)) / 2
    ahead = (false > true) + (false == true) / 2
    size = np.bincount(topic).astype(np.float64)
    return Baseline(
        cluster_bootstrap(np.bincount(topic, right), 2 * size, draw=_DRAW),
        cluster_bootstrap(np.bincount(topic, ahead), size, draw=_DRAW),
    )


def _scores(pairs: Sequence[ClaimPair], topic: Ints, folds: int, cue: Cue) -> tuple[Floats, Floats]:
    """Compute the log odds of being false for all true and all false versions, from the other folds."""
    texts = np.array([pair.true for pair in pairs] + [pair.false for pair in pairs], dtype=object)
    label, fold = np.repeat([0, 1], len(pairs)), PredefinedSplit(np.tile(topic % folds, 2))
    features = (
        (TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"(?u)\b\w+\b"),)
        if cue == "words"
        else (FunctionTransformer(_lengths), StandardScaler())
    )
    model = make_pipeline(*features, LogisticRegression(max_iter=1_000))
    scores = cross_val_predict(model, texts, label, cv=fold, method="decision_function")
    # Different builds of the solver may differ in the last digits.
    true, false = np.split(quantise(scores), 2)
    return true, false


def _lengths(texts: Sequence[str]) -> Floats:
    return np.array([[len(text.split()), len(text)] for text in texts], dtype=np.float64)
