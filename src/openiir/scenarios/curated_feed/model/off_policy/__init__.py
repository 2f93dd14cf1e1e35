"""Estimates of what another ranker would have got from the log of one."""
