"""Personas: the files that hold them, the check before a run, and their generation from a world."""

from openiir.core.personas.findings import Finding
from openiir.core.personas.library import Library, load_personas, save_personas, to_toml

__all__ = ["Finding", "Library", "load_personas", "save_personas", "to_toml"]
