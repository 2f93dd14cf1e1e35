"""Mult-VAE: a variational autoencoder with a multinomial likelihood, with gradients in NumPy.

Liang, Krishnan, Hoffman & Jebara, "Variational Autoencoders for Collaborative Filtering", WWW 2018.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from threadpoolctl import threadpool_limits

from openiir.kit.items import Ratings
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import Record

Array = NDArray[np.floating[Any]]
Weights = dict[str, Array]


class MultVaeOptions(Record):
    """Options of the recommender `multvae`."""

    hidden: int = Field(default=600, ge=1, le=10_000)
    latent: int = Field(default=200, ge=1, le=10_000)
    beta: float = Field(default=0.3, ge=0, le=1)
    """Final weight of the Kullback-Leibler term, which grows linearly over the training steps."""
    dropout: float = Field(default=0.5, ge=0, lt=1)
    """Share of a user's items that is hidden in each training step."""
    epochs: int = Field(default=30, ge=1, le=10_000)
    batch: int = Field(default=250, ge=1, le=100_000)
    """Number of users in a training step."""
    rate: float = Field(default=2e-3, gt=0, le=1)
    """Initial step size of Adam, which falls linearly towards 0 over the training steps."""


class MultVae:
    """Mult-VAE recommender: scores are the decoder's logits for the mean code of the user's items.

    Trained by Adam (Kingma & Ba, ICLR 2015) in float32 for a fixed number of epochs. A rating of any value
    counts as 1.
    """

    name = "multvae"

    def __init__(self, options: MultVaeOptions, seed: int) -> None:
        self._options = options
        self._seed = seed
        self._seen: Any = None
        self._weights: Weights = {}

    def fit(self, train: Ratings) -> None:
        options = self._options
        self._seen = train.seen.astype(np.float32)
        known = np.flatnonzero(np.diff(self._seen.indptr))
        generator = np.random.default_rng(self._seed)
        self._weights = initial_weights(generator, train.items, options.hidden, options.latent)
        adam = Adam(self._weights)
        steps, step = options.epochs * max(1, -(-len(known) // options.batch)), 0
        with threadpool_limits(1):
            for _ in range(options.epochs):
                order = generator.permutation(known)
                for start in range(0, len(order), options.batch):
                    step += 1
                    rows = self._seen[order[start : start + options.batch]]
                    noise = generator.standard_normal((rows.shape[0], options.latent), dtype=np.float32)
                    shown = generator.random(rows.nnz, dtype=np.float32) >= options.dropout
                    kept = shown.astype(np.float32) / np.float32(1 - options.dropout)
                    _, gradients = loss(self._weights, rows, kept, noise, options.beta * step / steps)
                    adam.step(self._weights, gradients, options.rate * (1 - (step - 1) / steps))

    def scores(self, users: Ints) -> Floats:
        weights = self._weights
        with threadpool_limits(1):
            rows = self._seen[users]
            hidden = np.tanh(_normalise(rows, rows.data) @ weights["w1"] + weights["b1"])
            mean = hidden @ weights["w2"] + weights["b2"]
            logits = np.tanh(mean @ weights["w3"] + weights["b3"]) @ weights["w4"] + weights["b4"]
        return np.asarray(logits, dtype=np.float64)


def initial_weights(generator: np.random.Generator, items: int, hidden: int, latent: int) -> Weights:
    """Draw initial weights by Glorot & Bengio (AISTATS 2010), uniform; biases are 0.

    `w2` and `w2s` give the code's mean and log-variance.
    """
    sizes = {
        "1": (items, hidden),
        "2": (hidden, latent),
        "2s": (hidden, latent),
        "3": (latent, hidden),
        "4": (hidden, items),
    }
    weights: Weights = {}
    for layer, (rows, columns) in sizes.items():
        limit = np.sqrt(6 / (rows + columns))
        weights[f"w{layer}"] = generator.uniform(-limit, limit, (rows, columns)).astype(np.float32)
        weights[f"b{layer}"] = np.zeros(columns, dtype=np.float32)
    return weights


def loss(weights: Weights, rows: Any, kept: Array, noise: Array, beta: float) -> tuple[float, Weights]:
    """Compute the negative evidence lower bound, averaged over users, and its gradient by the weights.

    `rows` is a CSR of users x items, `kept` what each of its entries is multiplied by going in (0: hidden),
    `noise` (users, latent) standard normal.
    """
    users = rows.shape[0]
    x = _normalise(rows, rows.data * kept)
    h1 = np.tanh(x @ weights["w1"] + weights["b1"])
    mean = h1 @ weights["w2"] + weights["b2"]
    log_variance = h1 @ weights["w2s"] + weights["b2s"]
    spread = np.exp(0.5 * log_variance)
    code = mean + noise * spread
    h3 = np.tanh(code @ weights["w3"] + weights["b3"])
    logits = h3 @ weights["w4"] + weights["b4"]
    logits -= logits.max(axis=1, keepdims=True)
    shares = np.exp(logits)
    totals = shares.sum(axis=1, keepdims=True)
    at = (np.repeat(np.arange(users), np.diff(rows.indptr)), rows.indices)
    likelihood = float((rows.data * (logits[at] - np.log(totals)[at[0], 0])).sum())
    divergence = float(0.5 * (mean**2 + spread**2 - log_variance - 1).sum())

    # Backwards, layer by layer; `shares` becomes the gradient by the logits.
    shares *= rows.sum(axis=1)[:, None] / totals / users
    shares[at] -= rows.data / users
    by_h3 = (shares @ weights["w4"].T) * (1 - h3**2)
    by_code = by_h3 @ weights["w3"].T
    by_mean = by_code + beta * mean / users
    by_log_variance = 0.5 * (by_code * noise * spread + beta * (spread**2 - 1) / users)
    by_h1 = (by_mean @ weights["w2"].T + by_log_variance @ weights["w2s"].T) * (1 - h1**2)
    steps = {
        "1": (x, by_h1),
        "2": (h1, by_mean),
        "2s": (h1, by_log_variance),
        "3": (code, by_h3),
        "4": (h3, shares),
    }
    gradients: Weights = {}
    for layer, (before, after) in steps.items():
        gradients[f"w{layer}"] = before.T @ after
        gradients[f"b{layer}"] = after.sum(axis=0)
    return (beta * divergence - likelihood) / users, gradients


def _normalise(rows: Any, data: Array) -> Any:
    """Replace the values of a CSR matrix by `data`, divided by the root of each row's length."""
    normed = rows.copy()
    lengths = np.sqrt(np.maximum(np.diff(rows.indptr), 1)).astype(data.dtype)
    normed.data = data / np.repeat(lengths, np.diff(rows.indptr))
    return normed


class Adam:
    """Adam optimiser (Kingma & Ba) with its usual decay rates, which updates weights in place."""

    def __init__(self, weights: Weights) -> None:
        self._taken = 0
        self._first = {name: np.zeros_like(weight) for name, weight in weights.items()}
        self._second = {name: np.zeros_like(weight) for name, weight in weights.items()}

    def step(self, weights: Weights, gradients: Weights, rate: float) -> None:
        """Update the weights by one step against their gradients."""
        self._taken += 1
        rate = rate * np.sqrt(1 - 0.999**self._taken) / (1 - 0.9**self._taken)
        for name, gradient in gradients.items():
            first, second = self._first[name], self._second[name]
            first += np.float32(0.1) * (gradient - first)
            second += np.float32(0.001) * (gradient**2 - second)
            weights[name] -= np.float32(rate) * first / (np.sqrt(second) + np.float32(1e-8))
