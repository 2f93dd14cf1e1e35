"""Feeds: populations in columns that a ranker serves, what they click and come to believe, and the log of it."""
