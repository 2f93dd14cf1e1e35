"""What happens in a run of feeds: set-up, weeks, and what they log."""
