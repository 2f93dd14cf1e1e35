"""A catalogue of made-up and awkward titles that the tests of understanding share."""

import json
import os
from pathlib import Path

import pytest

from openiir.kit.items import Collection
from openiir.scenarios.conversational.model.understanding.catalogue import CatalogueReader

ROWS = [
    ("Harbour Lights (1999)", ("Drama", "Romance"), "Mara Quint", ("Ole Brandt", "Ida Fenn"), "1999"),
    ("Bye Bye Blackbird (2005)", ("Drama",), "Ole Brandt", ("Ida Fenn",), "2005"),
    ("Good, the Bad and the Damp, The (1971)", ("Western",), "Tom Kessel", ("Ulla Marsh",), "1971"),
    ("Schumann's List (1993)", ("Drama", "War"), "Tom Kessel", ("Ulla Marsh", "Ole Brandt"), "1993"),
    ("It (2017)", ("Horror",), "Mara Quint", ("Ida Fenn",), "2017"),
    ("Night of the Lizards (2012)", ("Horror", "Comedy"), "Jo Silva", ("Rex Howe",), "2012"),
    ("Orbital Mechanics (2001)", ("Sci-Fi", "Comedy"), "Jo Silva", ("Rex Howe", "Ulla Marsh"), "2001"),
    ("Two Weeks in Tromso (2008)", ("Comedy",), "Ada Lund", ("Rex Howe",), "2008"),
]


def format_acts(acts):
    """Acts in one line: `DISCLOSE(genre="Horror",year)|BYE()`."""

    def part(slot):
        name = slot.slot if slot.slot.isidentifier() else f'"{slot.slot}"'
        return name if slot.value is None else f'{name}="{slot.value}"'

    return "|".join(f"{act.intent}({','.join(map(part, act.slots))})" for act in acts)


@pytest.fixture(scope="session")
def catalogue():
    titles, genres, directors, actors, years = zip(*ROWS, strict=True)
    return Collection(
        kind="movie",
        ids=tuple(f"m{n}" for n in range(len(ROWS))),
        titles=titles,
        attributes={
            "genre": genres,
            "director": tuple((name,) for name in directors),
            "actor": actors,
            "year": tuple((year,) for year in years),
        },
    )


@pytest.fixture(scope="session")
def reader(catalogue):
    return CatalogueReader(catalogue)


@pytest.fixture(scope="session")
def films():
    """A reader of ReDial's films; for tests that need OPENIIR_DATA."""
    file = Path(os.environ["OPENIIR_DATA"]) / "crs/redial/id2info.json"
    rows = [(id, row) for id, row in json.loads(file.read_text()).items() if row["name"].strip()]
    slots = {"genre": "genre", "actor": "star", "director": "director"}
    return CatalogueReader(
        Collection(
            kind="movie",
            ids=tuple(id for id, _ in rows),
            titles=tuple(row["name"] for _, row in rows),
            attributes={
                slot: tuple(tuple(dict.fromkeys(row[key])) for _, row in rows) for slot, key in slots.items()
            },
        )
    )
