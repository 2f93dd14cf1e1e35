"""Embeddings of items from their titles, genres and descriptions, without a model endpoint."""

import numpy as np
from threadpoolctl import threadpool_limits

from openiir.kit.items import Collection
from openiir.kit.items.ratings import Floats
from openiir.plugin import quantise

DIMENSIONS = 64


def embed(collection: Collection, dimensions: int = DIMENSIONS) -> Floats:
    """Embed items, (items, d), by latent semantic analysis of the TF-IDF of their words.

    Deerwester et al., JASIS 1990. d is at most `dimensions`, and as much less as few items or words allow;
    rows have length 1, or 0 for an item without words. One thread and a fixed start, on the grid of 2^-20:
    the same texts give the same vectors.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [item_text(collection, item) for item in range(len(collection))]
    try:
        weights = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit_transform(texts)
    except ValueError:  # no item has a word
        return np.zeros((len(collection), 1))
    most = min(dimensions, weights.shape[0] - 1, weights.shape[1] - 1)
    if most < 1:
        vectors = weights.toarray()
    else:
        with threadpool_limits(1):
            vectors = np.asarray(TruncatedSVD(most, random_state=0).fit_transform(weights))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(quantise(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-9)))


def item_text(collection: Collection, item: int) -> str:
    """Join the text of an item: title, genres, and its description or else its summary."""
    described = collection.text("descriptions", item) or collection.text("summaries", item)
    return " ".join([collection.titles[item], *collection.values("genre", item), described])
