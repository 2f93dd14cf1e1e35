"""Measures of feeds, from the log alone."""
