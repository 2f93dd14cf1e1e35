"""A lab's PostgreSQL database that holds many runs: its schema, sending a run to it, and reading one back."""
