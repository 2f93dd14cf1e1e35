"""The catalogue of a run that goes on from a checkpoint, as the log has it."""

import numpy as np

from openiir.kit.items import INJECTED, Catalogue
from openiir.plugin import Log


def read_catalogue(log: Log, coming: Catalogue) -> Catalogue:
    """Rebuild the catalogue from the log, injected items included."""
    rows = log.columns("catalogue")
    theta = np.stack([rows[f"topic_{topic + 1}"] for topic in range(coming.k)], axis=1)
    names = None if coming.names is None else tuple(rows["id"])
    injected, week = rows["injected"], rows["week"].astype(np.int64)
    numbers = np.where(injected, INJECTED + np.cumsum(injected), np.cumsum(~injected)) - 1
    return Catalogue(coming.topics, theta, rows["valence"], rows["quality"], week, names, numbers)
