"""What happens in a run: rounds, what the cast writes and remembers, and what is logged."""
