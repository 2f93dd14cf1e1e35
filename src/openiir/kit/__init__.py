"""Parts that two or more types share."""
