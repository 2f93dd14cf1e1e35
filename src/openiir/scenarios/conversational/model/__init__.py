"""What the type builds on and other types could use: dialogues and their formats, readers and writers of
words, tastes, formulas."""
