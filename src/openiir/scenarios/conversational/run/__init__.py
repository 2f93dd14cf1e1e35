"""What happens in a run: set-up, dialogues, judging, and the events that are logged."""
