"""Grading of dialogues by five aspects."""
