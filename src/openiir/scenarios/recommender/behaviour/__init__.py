"""What decides around the questions: matching of personas, visitors, and systems under test."""
