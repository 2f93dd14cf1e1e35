"""Parts that two or more types reach: items, rankers, clicks, beliefs, networks, evolution, measures, statistics."""
