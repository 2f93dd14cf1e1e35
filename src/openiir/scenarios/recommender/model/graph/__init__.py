"""Knowledge graph of ratings and item attributes, and the retrieval of similar items from it."""
