"""Lists of types and personas."""

from pathlib import Path

from openiir.core.personas import Library, load_personas
from openiir.core.records import Persona
from openiir.runs.settings import load_settings
from openiir.runs.terminal import say
from openiir.runs.types import list_types


def print_types() -> None:
    """One line a type; a broken plug-in with its reason."""
    for listed in list_types():
        what = f"broken: {listed.broken}" if listed.scenario is None else _first_line(listed.scenario)
        say(f"{listed.name:20} {what}  ({listed.origin})")


def _first_line(scenario: type) -> str:
    return (scenario.__doc__ or "").strip().partition("\n")[0]


def print_personas(file: Path | None, settings_file: Path | None) -> None:
    """A readable roster: what a participant would want to see of their persona."""
    place = file or load_settings(settings_file).library.expanduser()
    found = load_personas(place) if file else Library(place).list()
    if not found:
        say(f"the library {place} is empty; `openiir personas check FILE --keep` puts personas into it")
    for persona in found:
        say(roster_entry(persona))


def roster_entry(persona: Persona) -> str:
    """A persona as a paragraph."""
    stance = "left to the bio" if persona.stance is None else f"{persona.stance:+.2f}"
    factors = ", ".join(f"{name} {value:.2f}" for name, value in persona.big_five.model_dump().items())
    interests = ", ".join(persona.interests) or "none named"
    return (
        f"{persona.name} ({persona.id})\n  {persona.bio}\n"
        f"  stance {stance} (-1 against, +1 for); influence {persona.influence:g}; "
        f"{persona.tokens} tokens, {persona.searches} searches\n"
        f"  interests: {interests}\n  {factors}\n"
    )
