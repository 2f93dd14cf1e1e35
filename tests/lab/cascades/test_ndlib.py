"""Independent cascade and linear threshold beside an independent implementation, NDlib's."""

import networkx as nx
import numpy as np
import pytest

from lab.cascades.spreading import Contagion, Threshold, spread_items
from openiir.core.seeds import Draw
from openiir.kit.networks import power_law_graph, to_networkx

pytestmark = [pytest.mark.extras, pytest.mark.filterwarnings("ignore")]
DRAW = Draw(1, "test.ndlib")
GRAPH = power_law_graph(300, DRAW, 2.2, 3)
RUNS, STARTERS = 400, 5


def theirs(kind: str, graph: nx.DiGraph, parameter: float, runs: int) -> list[int]:
    """Sizes of cascades from the members 0 to 4, over edges from who is followed to who follows."""
    pytest.importorskip("ndlib", reason="NDlib is an optional extra: make test-extras")
    from ndlib.models import ModelConfig
    from ndlib.models.epidemics import IndependentCascadesModel, ThresholdModel

    sizes = []
    for seed in range(runs):
        model = {"cascade": IndependentCascadesModel, "threshold": ThresholdModel}[kind](graph, seed=seed)
        config = ModelConfig.Configuration()
        config.add_model_initial_configuration("Infected", list(range(STARTERS)))
        if kind == "cascade":
            for edge in graph.edges():
                config.add_edge_configuration("threshold", edge, parameter)
        else:
            for node in graph.nodes():
                config.add_node_configuration("threshold", node, parameter)
        model.set_initial_status(config)
        before = -1
        while (
            now := sum(status > 0 for status in model.status.values())
        ) != before or model.actual_iteration < 2:
            before = now
            model.iteration(node_status=False)
        sizes.append(now)
    return sizes


def test_independent_cascades_are_as_large() -> None:
    graph = to_networkx(GRAPH).reverse()
    items = np.repeat(np.arange(RUNS), STARTERS)
    found = spread_items(GRAPH, np.tile(np.arange(STARTERS), RUNS), Contagion(0.2), DRAW, items)
    a, b = np.bincount(found.shares.item, minlength=RUNS), theirs("cascade", graph, 0.2, RUNS)
    assert abs(a.mean() - np.mean(b)) < 3 * np.sqrt((a.var() + np.var(b)) / RUNS)
    assert abs(a.std() / np.std(b) - 1) < 0.2


@pytest.mark.parametrize("threshold", [0.2, 0.35, 0.5])
def test_one_threshold_moves_the_same_number(threshold: float) -> None:
    graph = to_networkx(GRAPH).reverse()
    found = spread_items(
        GRAPH, np.arange(STARTERS), Threshold(GRAPH, threshold), DRAW, np.zeros(STARTERS, dtype=int)
    )
    assert [len(found.shares.item)] == theirs("threshold", graph, threshold, 1)
