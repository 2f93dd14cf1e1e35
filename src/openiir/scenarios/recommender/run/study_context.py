"""What a run has set up before its experiment: data, split, visitors and fitted models."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from openiir.kit.items import DataSet, Split
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import Persona
from openiir.scenarios.recommender.behaviour.visit_context import VisitContext
from openiir.scenarios.recommender.behaviour.visitor import Visitor
from openiir.scenarios.recommender.model.attraction import to_five_stars


@dataclass(eq=False)
class StudyContext:
    """Data, split, visitors and fitted models of a study, updated when its configuration changes."""

    data: DataSet
    split: Split
    users: Ints
    """(visitors,) user indices of the visitors; personas of the study come last."""
    own: Sequence[Persona]
    """The study's own personas."""
    visit_context: VisitContext
    folder: Path
    """Folder of the study, where relative paths start."""
    visitors: tuple[Visitor, ...] = ()

    def baselines(self, users: Ints, items: Ints) -> dict[str, Floats]:
        """Predict ratings, 1 to 5, of (user, item) pairs by two baselines: item mean, and biases."""
        train, bias = self.split.train, self.visit_context.model.bias
        biased = to_five_stars(bias.mean + bias.users[users] + bias.items[items], train.scale)
        means = np.where(np.isnan(train.item_means), train.mean, train.item_means)[items]
        return {"item_mean": to_five_stars(means, train.scale), "bias": np.clip(biased, 1, 5)}

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all users: as in the data, then of the study's personas."""
        return (*self.data.users, *(persona.id for persona in self.own))

    @cached_property
    def known(self) -> Any:
        """CSR mask (users, items) of training and validation ratings, whose items are never recommended."""
        return self.split.train.seen + self.split.validation.seen
