"""Recommenders and the guard of held-out ratings: what the kit would hold if a second type used it."""
