"""Starts, stops, saves, repeats and compares runs."""
