"""Agents with persona, budget and memory, and how many are asked at once."""
