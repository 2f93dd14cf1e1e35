"""Credibility: pairs of true and false texts, what can be found about a text, and how its words look to a reader."""
