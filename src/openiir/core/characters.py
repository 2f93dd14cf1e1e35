"""Pattern of control characters."""

CONTROLS = "\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
"""Regular expression of control characters: C0 and C1 except newline, tab and CR before LF; bidirectional overrides."""
