"""Lexical, vector and hybrid retrieval: pure functions over arrays."""
