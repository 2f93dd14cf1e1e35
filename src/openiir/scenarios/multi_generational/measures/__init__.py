"""Measures of a run, from its log alone."""
