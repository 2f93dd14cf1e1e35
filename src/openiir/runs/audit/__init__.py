"""Whether every declared key of a type does something."""

from openiir.runs.audit.auditing import KeyVerdict, Status, audit

__all__ = ["Status", "KeyVerdict", "audit"]
