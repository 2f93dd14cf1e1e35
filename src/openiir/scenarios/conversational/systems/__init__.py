"""Conversational recommenders of our own to compare others with, from a random one to one that knows the answer."""
