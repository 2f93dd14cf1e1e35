"""Measures of visits and of ratings."""
