"""Loaders: from a publisher's files to a data set."""
