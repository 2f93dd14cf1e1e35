"""A social medium without its questions: what the kit would hold if a second type used it."""
