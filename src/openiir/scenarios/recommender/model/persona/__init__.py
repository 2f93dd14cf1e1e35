"""Habits and personas of users, read from their ratings."""
