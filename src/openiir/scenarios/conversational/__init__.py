"""Users that test a conversational recommender: dialogues held, judged and compared (UserSimCRS v2)."""

from openiir.scenarios.conversational.scenario import Conversational

__all__ = ["Conversational"]
