"""Scenario in which simulated users test conversational recommenders by dialogues (UserSimCRS v2)."""

from openiir.scenarios.conversational.scenario import Conversational

__all__ = ["Conversational"]
