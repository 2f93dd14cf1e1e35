"""Comparing finished runs and sweeps: arms side by side, paired by seed."""

from openiir.runs.compare.comparison import ComparisonOptions, compare
from openiir.runs.compare.records import Comparison

__all__ = ["Comparison", "ComparisonOptions", "compare"]
