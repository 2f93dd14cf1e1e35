"""Deffuant beside an independent implementation: NDlib's algorithmic-bias model without bias."""

import numpy as np
import pytest

from openiir.core.seeds import Draw
from openiir.scenarios.panel.model.beliefs.classic import clusters, deffuant

pytestmark = pytest.mark.extras
PEOPLE, SEEDS, ROUNDS = 60, 6, 60


def theirs(epsilon: float) -> list[int]:
    pytest.importorskip("ndlib", reason="NDlib is an optional extra: make test-extras")
    import networkx as nx
    from ndlib.models import ModelConfig
    from ndlib.models.opinions import AlgorithmicBiasModel

    ends = []
    for seed in range(SEEDS):
        model = AlgorithmicBiasModel(nx.complete_graph(PEOPLE), seed=seed)
        config = ModelConfig.Configuration()
        config.add_model_parameter("epsilon", epsilon)
        config.add_model_parameter("gamma", 0.0)
        model.set_initial_status(config)
        for _ in range(ROUNDS):
            model.iteration(node_status=False)
        ends.append(len(clusters(list(model.status.values()), share=0.05)))
    return ends


def ours(epsilon: float) -> list[int]:
    ends = []
    for seed in range(SEEDS):
        draw = Draw(seed, "test.ndlib")
        start = draw.uniform(agent=np.arange(PEOPLE))
        x = deffuant(start, epsilon, 0.5, PEOPLE * ROUNDS, draw)
        ends.append(len(clusters(x, share=0.05)))
    return ends


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("epsilon", [0.5, 0.2])
def test_deffuant_ends_in_as_many_major_clusters(epsilon: float) -> None:
    a, b = ours(epsilon), theirs(epsilon)
    spread = np.sqrt((np.var(a) + np.var(b)) / SEEDS)
    assert abs(np.mean(a) - np.mean(b)) <= 3 * spread + 0.5
