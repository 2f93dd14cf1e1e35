"""Columns of one length that grow in batches."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


class GrowingColumns:
    """Columns of one length, by name, to which batches of rows are appended.

    Memory doubles when it is full, so that a batch costs no more than its own size on average.
    """

    def __init__(self, start: Mapping[str, NDArray[Any]]) -> None:
        """Begin with columns of one length, empty ones or those of a checkpoint; they fix the types."""
        self._columns = {name: np.array(values) for name, values in start.items()}
        self._rows = len(next(iter(self._columns.values())))

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column, read-only; rows that are appended later are not in it."""
        values = self._columns[name][: self._rows]
        values.flags.writeable = False
        return values

    def _append(self, rows: int, values: Mapping[str, ArrayLike]) -> None:
        """Append rows; a column is given by a value for each, or one for all."""
        end = self._rows + rows
        for name, column in self._columns.items():
            if end > len(column):
                column = np.empty((max(end, 2 * len(column)), *column.shape[1:]), dtype=column.dtype)
                column[: self._rows] = self._columns[name][: self._rows]
                self._columns[name] = column
            column[self._rows : end] = values[name]
        self._rows = end
