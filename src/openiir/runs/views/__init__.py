"""Views of runs: find them by name, draw them as text, HTML or pictures, write them for other programs."""
