"""Type aliases for NumPy arrays of floats, integers and booleans."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Int32s = NDArray[np.int32]
"""Columns of which there may be many millions of rows."""
