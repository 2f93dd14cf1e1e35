"""Items from a world: their topics, words and relevance, and what personas believe of topics."""
