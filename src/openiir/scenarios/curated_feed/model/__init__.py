"""Feeds, items from a world and off-policy estimates: what the kit would hold if a second type used it."""
