"""Audit a type of study: find out whether each declared configuration key changes a run."""

from openiir.runs.audit.auditing import KeyVerdict, Status, audit_keys

__all__ = ["Status", "KeyVerdict", "audit_keys"]
