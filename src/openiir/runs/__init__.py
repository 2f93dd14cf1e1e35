"""Prepare, execute, resume, replay, fork, audit and compare runs of studies."""
