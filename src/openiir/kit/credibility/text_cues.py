"""Stub."""
import re

import numpy as np

CUES = ("citation", "hedging", "numbers", "anecdote", "authority", "urgency")
_P = [re.compile(x) for x in (r"according to|says|source", r"perhaps|may|seems|probably", r"\d", r"\bI\b|my ", r"expert|As an? ", r"now|share|!")]
def measure_cues(texts):
    return np.array([[min(1.0, len(p.findall(t))/2) for p in _P] for t in texts]).reshape(len(texts), 6)
