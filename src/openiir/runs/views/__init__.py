"""Views of runs: found by name, drawn as text, HTML or pictures, and written in formats that other programs read."""
