"""Rankers of a feed, how they serve, and with which probabilities they showed what they showed."""
