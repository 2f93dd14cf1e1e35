"""What decides around the questions: matching of personas, visitors and their memory, captions, systems under test."""
