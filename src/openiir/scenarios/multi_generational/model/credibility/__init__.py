"""Credibility: pairs of true and false texts, evidence about a text, and how its words look to a reader."""
