"""Persona files, and the library folder of personas shared by studies."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

import tomli_w

from openiir.core.errors import InputError, StorageFull, UnknownName
from openiir.core.personas.findings import PersonaFinding, raise_errors
from openiir.core.personas.persona_file import read_persona_file, read_personas
from openiir.core.records import Persona


def load_personas(path: str | Path) -> tuple[Persona, ...]:
    """Load the personas of a TOML file (in file order) or of a library folder (sorted by id).

    Raises InputError with all mistakes, one a line, each with file, line, key and remedy.
    """
    if Path(path).is_dir():
        return PersonaLibrary(path).list()
    reading = read_persona_file(path)
    raise_errors(reading.findings)
    return reading.personas


def personas_to_toml(personas: Iterable[Persona]) -> str:
    """Write personas as TOML text, checking that it reads back to equal personas.

    Raises InputError for a persona that TOML cannot hold, such as one with a NaN among its traits.
    """
    cast = tuple(personas)
    text = tomli_w.dumps({"persona": [persona.model_dump(exclude_none=True) for persona in cast]})
    reading = read_personas(text, "the personas to be written")
    raise_errors(reading.findings)
    if reading.personas != cast:
        raise InputError(
            "these personas would not come back from TOML as they are; give them plain texts and numbers"
        )
    return text


def save_personas(path: str | Path, personas: Iterable[Persona]) -> Path:
    """Write a persona file atomically: readers see either the old file or the new one."""
    target = Path(path)
    text = personas_to_toml(personas)
    temporary = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=target.parent, suffix=".part", encoding="utf-8", delete=False
        ) as file:
            temporary = file.name
            file.write(text)
        Path(temporary).chmod(0o644)  # others may read a shared library
        Path(temporary).replace(target)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise StorageFull(
            f"{target} could not be written ({error.strerror}); make space or choose another folder"
        ) from None
    return target


class PersonaLibrary:
    """A folder of persona files, with ids unique in the folder."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def list(self) -> tuple[Persona, ...]:
        """Load all personas, sorted by id; raises InputError with every error of every file."""
        return tuple(persona for _, persona in sorted(_read_folder(self.folder).items()))

    def get(self, id: str) -> Persona:
        """Load one persona; raises UnknownName with the nearest id."""
        known = _read_folder(self.folder)
        if id not in known:
            raise UnknownName(f"persona in {self.folder}", id, known)
        return known[id]

    def save(self, persona: Persona) -> Path:
        """Save a persona to its own file, `<id>.toml`, replacing an earlier one.

        Raises InputError if another file, or a file with several personas, holds the id: files written by
        hand are not rewritten.
        """
        target = self.folder / f"{persona.id}.toml"
        if self.folder.is_dir():
            for path in _persona_files(self.folder):
                reading = read_persona_file(path)
                holds = [other.id for other in reading.personas]
                if (path == target and holds != [persona.id]) or (path != target and persona.id in holds):
                    raise InputError(
                        f"{path} is written by hand or holds {persona.id!r} beside others; "
                        f"change the persona there, or give this one another id"
                    )
        return save_personas(target, [persona])


def _persona_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix == ".toml" and path.is_file())


def _read_folder(folder: Path) -> dict[str, Persona]:
    if not folder.is_dir():
        raise InputError(f"there is no persona library {folder}; make the folder or name another")
    found: dict[str, Persona] = {}
    homes: dict[str, Path] = {}
    findings: list[PersonaFinding] = []
    for path in _persona_files(folder):
        reading = read_persona_file(path)
        findings.extend(reading.findings)
        for entry, persona in reading.entries:
            if persona.id in found:
                text = f"id {persona.id!r} is taken in {homes[persona.id]}; give each its own id"
                findings.append(PersonaFinding(str(path), text, entry=entry, persona=persona.id))
            found[persona.id], homes[persona.id] = persona, path
    raise_errors(findings)
    return found
