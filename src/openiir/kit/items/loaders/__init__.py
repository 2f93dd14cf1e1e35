"""Loaders that convert a publisher's files to a data set."""
