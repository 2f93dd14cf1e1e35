"""Simulated feeds: populations of users, the slates served to them, their clicks and beliefs, and the log."""
