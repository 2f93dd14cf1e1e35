"""A search platform that learns from clicks, its documents, and what an outage does to it."""
