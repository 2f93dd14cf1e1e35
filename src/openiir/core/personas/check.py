"""Check of persona files (`openiir personas check`): all errors, and warnings about weak casts."""

import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from openiir.core.personas.findings import PersonaFinding
from openiir.core.personas.persona_file import read_persona_file
from openiir.core.records import Persona

UTTERANCE_TOKENS = 90
"""Reply tokens of an ordinary utterance (three or four sentences)."""

NumberedPersona = tuple[int, Persona]


def check_persona_file(path: str | Path) -> list[PersonaFinding]:
    """List all errors and warnings of a persona file, errors first.

    Valid personas are checked for warnings even if others are wrong. Raises nothing.
    """
    reading = read_persona_file(path)
    file, entries = str(path), reading.entries
    weak = (_warning(file, entry, text) for entry in entries for text in _weak_points(entry[1]))
    return [*reading.findings, *weak, *_check_repeats(file, entries), *_check_stances(file, entries)]


def _warning(file: str, entry: NumberedPersona, text: str) -> PersonaFinding:
    return PersonaFinding(file, text, level="warning", entry=entry[0], persona=entry[1].id)


def _weak_points(persona: Persona) -> Iterator[str]:
    """Say which keys of a persona will not do what their author expects, and what to do."""
    if not any(word.strip() for word in persona.interests):
        instead = "so its first look-ups are the topic's own words; add a few words that occur in the sources"
        yield f"interests is blank, {instead}"
    elif not all(word.strip() for word in persona.interests):
        yield "interests has a blank word, which finds nothing; take it out"
    if persona.tokens < UTTERANCE_TOKENS:
        few = f"allows fewer than one utterance of about {UTTERANCE_TOKENS} tokens"
        yield f"tokens = {persona.tokens} {few}; raise it, or expect silence"
    if len(persona.bio.split()) < 8:
        remedy = "say in a paragraph what the persona does and cares about"
        yield f"bio has fewer than eight words; {remedy}"
    if persona.activity is not None and not persona.activity.active_hours:
        never = "so the persona is never active on a platform; name some hours or leave the key out"
        yield f"active_hours is empty, {never}"


def _check_repeats(file: str, entries: Sequence[NumberedPersona]) -> Iterator[PersonaFinding]:
    for key in ("name", "bio"):
        first: dict[str, Persona] = {}
        for entry in entries:
            text = _as_it_looks(str(getattr(entry[1], key)))
            if text in first:
                yield _warning(
                    file, entry, f"{key} is the same as that of {first[text].id!r}; tell them apart"
                )
            first.setdefault(text, entry[1])


def _as_it_looks(text: str) -> str:
    """Fold differences of a text that nobody sees: case, composed and invisible characters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")


def _check_stances(file: str, entries: Sequence[NumberedPersona]) -> Iterator[PersonaFinding]:
    stances = [persona.stance for _, persona in entries if persona.stance is not None]
    if len(stances) < 2:
        return
    if min(stances) > 0 or max(stances) < 0:
        side = "above" if min(stances) > 0 else "below"
        yield PersonaFinding(
            file,
            f"all {len(stances)} stances are {side} 0, so nobody argues the other side; "
            "spread them over -1 to 1",
            "warning",
        )
