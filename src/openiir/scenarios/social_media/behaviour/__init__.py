"""What decides around the questions: the members' traits, and what is done about posts."""
