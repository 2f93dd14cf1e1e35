"""Measures of a panel, from its log alone."""
