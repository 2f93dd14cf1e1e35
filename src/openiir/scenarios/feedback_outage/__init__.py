"""Feedback-Outage: study what collapses first on a search platform when its members stop clicking."""

from openiir.scenarios.feedback_outage.scenario import FeedbackOutage

__all__ = ["FeedbackOutage"]
