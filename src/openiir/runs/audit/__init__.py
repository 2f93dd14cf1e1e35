"""Audit a type of study: whether each declared key changes a run, and each control shows what it must."""

from openiir.runs.audit.auditing import KeyVerdict, Status, audit_keys
from openiir.runs.audit.controls import ControlVerdict, run_controls

__all__ = ["ControlVerdict", "KeyVerdict", "Status", "audit_keys", "run_controls"]
