"""Pictures: their features, words for them, their appeal, variants, and synthetic posters."""
