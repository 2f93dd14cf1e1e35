"""Tiers of machines for models: what each can run, how fast, and what the reference studies take on it."""

from openiir.runs.tiers.machine import Machine, find_machine
from openiir.runs.tiers.studies import ReferenceStudy, reference_studies
from openiir.runs.tiers.tiers import TIERS, MachineTier, Pace, nearest_tier, tier_of

__all__ = [
    "TIERS",
    "Machine",
    "Pace",
    "ReferenceStudy",
    "MachineTier",
    "find_machine",
    "nearest_tier",
    "reference_studies",
    "tier_of",
]
