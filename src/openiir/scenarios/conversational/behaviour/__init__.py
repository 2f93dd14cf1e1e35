"""What decides around the questions: simulated users, their needs and state, and the reference systems."""
