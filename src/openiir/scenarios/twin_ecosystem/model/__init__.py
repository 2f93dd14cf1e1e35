"""The model: judged documents of providers, a world with its ranker, and the outcomes of what it shows."""
