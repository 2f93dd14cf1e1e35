"""The built-in types, each a folder of its own; they do not know each other."""
