"""Pattern of control characters."""

CONTROLS = "\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
"""Pattern of control characters: bidirectional overrides, C0 and C1 but newline, tab, CR before LF."""
