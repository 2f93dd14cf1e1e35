"""Compare finished runs and sweeps: arms (runs with equal settings) side by side, paired by seed."""

from openiir.runs.compare.comparison import ComparisonOptions, compare
from openiir.runs.compare.records import Comparison

__all__ = ["Comparison", "ComparisonOptions", "compare"]
