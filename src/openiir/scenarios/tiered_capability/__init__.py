"""Tiered-Capability: study whether search agents of different tiers divide those who have them."""

from openiir.scenarios.tiered_capability.scenario import TieredCapability

__all__ = ["TieredCapability"]
