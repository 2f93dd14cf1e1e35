"""Grades of dialogues by rules, which stand in for a judge offline and beside one."""
