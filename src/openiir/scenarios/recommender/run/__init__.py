"""What happens in a run: set-up, visits page by page, the experiments, and what they log."""
