"""The library of personas, and their generation from a world."""
