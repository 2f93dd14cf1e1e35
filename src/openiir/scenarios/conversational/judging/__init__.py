"""Judging of dialogues by five aspects."""
