"""How much an idea is liked offline, beside the formula worked out by hand."""

import pytest

from openiir.scenarios.panel.questions.ideas import idea_utility

TOPIC = "The city should build more bicycle lanes"


@pytest.mark.parametrize(
    ("interests", "support", "novelty", "liked"),
    [((), 0.0, 0.0, 0.0), (("umbrellas",), 0.0, 0.0, 0.6), ((), 1.0, 0.0, 0.8), ((), 0.0, 1.0, 0.5)],
)
def test_affinity_support_and_novelty_add_up(interests, support, novelty, liked) -> None:
    assert idea_utility(TOPIC, "Umbrellas", 0.0, interests, support, novelty) == pytest.approx(
        liked, abs=1e-5
    )


def test_agreement_counts_half_of_affinity() -> None:
    text = "More bicycle lanes would save lives."
    for_it, against_it = (idea_utility(TOPIC, text, leaning, (), 0.0, 0.0) for leaning in (1.0, -1.0))
    assert 0 < for_it <= 0.6 and against_it == -for_it
