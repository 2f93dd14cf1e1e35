"""What `openiir personas check` says of a file: every mistake, and what would make a dull or silent cast."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from openiir.core.personas.findings import Finding
from openiir.core.personas.reading import read_file
from openiir.core.records import Persona

UTTERANCE_TOKENS = 90
"""Reply tokens that an ordinary utterance needs (three or four sentences)."""

Entry = tuple[int, Persona]


def check(path: str | Path, utterance_tokens: int = UTTERANCE_TOKENS) -> list[Finding]:
    """All findings of a persona file, errors first; an empty list is a file without a blemish.

    Personas that are right are checked for warnings even where others are wrong. Nothing is raised.
    """
    reading = read_file(path)
    file, entries = str(path), reading.entries
    warnings = chain(
        _of_each(file, entries, utterance_tokens),
        _of_names_and_bios(file, entries),
        _of_stances(file, entries),
    )
    return [*reading.findings, *warnings]


def _warning(file: str, entry: Entry, key: str, text: str) -> Finding:
    return Finding(file, text, level="warning", entry=entry[0], persona=entry[1].id, key=key)


def _of_each(file: str, entries: Sequence[Entry], utterance_tokens: int) -> Iterator[Finding]:
    for entry in entries:
        persona = entry[1]
        if not any(word.strip() for word in persona.interests):
            yield _warning(
                file,
                entry,
                "interests",
                "interests is blank, so its first look-ups are the topic's "
                "own words; add a few words that occur in the sources",
            )
        elif not all(word.strip() for word in persona.interests):
            yield _warning(
                file, entry, "interests", "interests has a blank word, which finds nothing; take it out"
            )
        if persona.tokens < utterance_tokens:
            yield _warning(
                file,
                entry,
                "tokens",
                f"tokens = {persona.tokens} allows fewer than one utterance of "
                f"about {utterance_tokens} tokens; raise it, or expect silence",
            )
        if len(persona.bio.split()) < 8:
            yield _warning(
                file,
                entry,
                "bio",
                "bio has fewer than eight words; say in a paragraph what the persona does and cares about",
            )
        if persona.activity is not None and not persona.activity.active_hours:
            yield _warning(
                file,
                entry,
                "activity.active_hours",
                "active_hours is empty, so the persona is never "
                "active on a platform; name some hours or leave the key out",
            )


def _of_names_and_bios(file: str, entries: Sequence[Entry]) -> Iterator[Finding]:
    for key in ("name", "bio"):
        first: dict[str, Persona] = {}
        for entry in entries:
            text = str(getattr(entry[1], key)).casefold()
            if text in first:
                yield _warning(
                    file, entry, key, f"{key} is the same as that of {first[text].id!r}; tell them apart"
                )
            first.setdefault(text, entry[1])


def _of_stances(file: str, entries: Sequence[Entry]) -> Iterator[Finding]:
    stances = [persona.stance for _, persona in entries if persona.stance is not None]
    if len(stances) < 2:
        return
    if min(stances) > 0 or max(stances) < 0:
        side = "above" if min(stances) > 0 else "below"
        yield Finding(
            file,
            f"all {len(stances)} stances are {side} 0, so nobody argues the other side; "
            "spread them over -1 to 1",
            "warning",
            key="stance",
        )
