"""Personas: their files, the check before a run, and generation from a world."""

from openiir.core.personas.check import check
from openiir.core.personas.findings import PersonaFinding
from openiir.core.personas.generate import generate
from openiir.core.personas.library import Library, load_personas, save_personas, to_toml
from openiir.core.personas.questions import DraftPersona, PersonaDraft

__all__ = [
    "DraftPersona",
    "PersonaFinding",
    "Library",
    "PersonaDraft",
    "check",
    "generate",
    "load_personas",
    "save_personas",
    "to_toml",
]
