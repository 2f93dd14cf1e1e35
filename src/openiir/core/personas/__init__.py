"""Personas: persona files, checks before a run, and generation from a world."""

from openiir.core.personas.check import check_persona_file
from openiir.core.personas.generate import generate_personas
from openiir.core.personas.library import PersonaLibrary, load_personas, personas_to_toml, save_personas
from openiir.core.personas.questions import DraftPersona, PersonaDraft
