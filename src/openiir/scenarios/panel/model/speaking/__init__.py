"""Utterances of offline panelists, worded from quoted sentences."""
