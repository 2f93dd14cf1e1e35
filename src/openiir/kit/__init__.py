"""Parts that two or more types reach: items, rankers, clicks, networks, evolution, measures, statistics."""
