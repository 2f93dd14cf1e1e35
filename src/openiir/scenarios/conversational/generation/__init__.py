"""From acts to words: by templates, by training data, or by a model."""
