"""Audit a type of study: find out whether each declared configuration key changes a run."""

from openiir.runs.audit.auditing import KeyVerdict, Status, audit

__all__ = ["Status", "KeyVerdict", "audit"]
