"""Cascades beside those of a run: a branching process, observed trees, size laws, comparison at equal
size."""
