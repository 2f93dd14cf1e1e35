"""Multi-Generational: the evaluation set of paired true and false versions on which producers and detectors meet."""
