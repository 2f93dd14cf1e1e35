"""Whether every declared key of a type does something."""

from openiir.runs.audit.auditing import Status, Verdict, audit

__all__ = ["Status", "Verdict", "audit"]
