"""Views of a run, and interviews with its agents."""
