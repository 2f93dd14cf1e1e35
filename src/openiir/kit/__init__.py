"""Building blocks shared by the study types: measures, statistics, rankers, items, beliefs, feeds,
networks, cascades and fitting."""
