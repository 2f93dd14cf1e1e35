"""The autoencoder's gradients against differences, and its likelihood against one spelled out."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from openiir.kit.items import Ratings
from openiir.scenarios.recommender.model.recommenders import multvae
from openiir.scenarios.recommender.model.recommenders.multvae import Adam, Weights, initial_weights, loss

NOISE = np.random.default_rng(5)


@pytest.fixture
def net() -> tuple[Weights, csr_array, np.ndarray, np.ndarray]:
    weights = {
        name: w.astype(np.float64) for name, w in initial_weights(np.random.default_rng(2), 7, 4, 3).items()
    }
    for name in weights:
        if name.startswith("b"):
            weights[name] += 0.1
    rows = csr_array((NOISE.random((5, 7)) < 0.4).astype(np.float64))
    return weights, rows, (NOISE.random(rows.nnz) > 0.3) / 0.7, NOISE.normal(size=(5, 3))


def naive(weights: Weights, rows: csr_array, kept: np.ndarray, noise: np.ndarray, beta: float) -> float:
    """User by user."""
    entering = rows.copy()
    entering.data = rows.data * kept
    total = 0.0
    for x, seen, e in zip(entering.toarray(), rows.toarray(), noise, strict=True):
        x = x / np.sqrt(max(seen.sum(), 1))
        h = np.tanh(x @ weights["w1"] + weights["b1"])
        m, s = (h @ weights[f"w{n}"] + weights[f"b{n}"] for n in ("2", "2s"))
        z = m + e * np.exp(s / 2)
        logits = np.tanh(z @ weights["w3"] + weights["b3"]) @ weights["w4"] + weights["b4"]
        shares = np.exp(logits) / np.exp(logits).sum()
        total -= seen @ np.log(shares) - beta * 0.5 * (m**2 + np.exp(s) - s - 1).sum()
    return total / len(noise)


def test_the_loss_is_the_negative_evidence_bound(net: tuple) -> None:
    assert loss(*net, beta=0.3)[0] == pytest.approx(naive(*net, beta=0.3))


def test_every_gradient_is_what_a_small_step_changes(net: tuple) -> None:
    weights, *rest = net
    _, gradients = loss(weights, *rest, beta=0.3)
    assert gradients.keys() == weights.keys()
    for name, weight in weights.items():
        for place in list(np.ndindex(weight.shape))[:: max(1, weight.size // 12)]:
            before = weight[place]
            ends = []
            for step in (1e-5, -1e-5):
                weight[place] = before + step
                ends.append(naive(weights, *rest, beta=0.3))
            weight[place] = before
            assert gradients[name][place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-6), (
                name,
                place,
            )


def test_what_is_not_hidden_stands_in_for_what_is(monkeypatch: pytest.MonkeyPatch) -> None:
    entered: list[float] = []

    def keep(weights: Weights, rows: csr_array, kept: np.ndarray, noise: np.ndarray, beta: float) -> object:
        entered.extend(kept.tolist())
        return loss(weights, rows, kept, noise, beta)

    monkeypatch.setattr(multvae, "loss", keep)
    users, items = np.divmod(np.arange(60), 6)
    options = multvae.MultVaeOptions(hidden=2, latent=2, dropout=0.2, epochs=4)
    multvae.MultVae(options, 1).fit(Ratings(10, 6, users, items, np.full(60, 5.0)))
    assert set(entered) == {0.0, 1.25} and abs(np.mean(entered) - 1) < 0.1


def test_single_precision_stays_single(net: tuple) -> None:
    weights, rows, kept, noise = net
    single = {name: w.astype(np.float32) for name, w in weights.items()}
    found = loss(single, rows.astype(np.float32), kept.astype(np.float32), noise.astype(np.float32), 0.3)
    assert {g.dtype for g in found[1].values()} == {np.dtype(np.float32)}


def test_adam_steps_by_its_rate_at_first_and_finds_a_minimum() -> None:
    weights = {"w": np.array([3.0, -2.0], dtype=np.float32)}
    adam = Adam(weights)
    adam.step(weights, {"w": 2 * weights["w"]}, 0.1)
    np.testing.assert_allclose(weights["w"], [2.9, -1.9], atol=1e-4)
    for _ in range(300):
        adam.step(weights, {"w": 2 * weights["w"]}, 0.1)
    np.testing.assert_allclose(weights["w"], 0, atol=1e-2)
