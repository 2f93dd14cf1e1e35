from types import SimpleNamespace

import numpy as np

from openiir.kit.networks import build_graph
from openiir.plugin import Persona
from openiir.scenarios.social_media.run.summing import log_cast


def test_a_profile_names_the_two_topics_of_most_interest():
    rows = []
    stage = SimpleNamespace(
        config=SimpleNamespace(topics=("trams", "rents", "trees"), profiles="reddit"),
        row=lambda table, **cells: rows.append(cells),
        columns=lambda table, cells: None,
    )
    interests = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]])
    traits = SimpleNamespace(graph=build_graph(2, [0], [1]).graph, start=np.zeros(2), interests=interests)
    log_cast(stage, traits, {0: Persona(id="ada", name="Ada", bio="Reads the news.")})
    assert {"member": 0, "attribute": "communities", "value": "rents, trees"} in rows
