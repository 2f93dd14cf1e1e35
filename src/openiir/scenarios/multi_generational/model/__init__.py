"""Births, descent and credibility: what the kit would hold if a second type used it."""
