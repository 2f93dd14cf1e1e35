"""Members of a run, cast and crowd, under one id space."""

from collections.abc import Mapping

from openiir.core.errors import InputError, UnknownName
from openiir.core.records import Persona


class Members:
    """Ids and names of all members of a run by row number, from 0; some members have a persona.

    A member keeps its row for the whole run, and its row stands for it in tables. One without a persona has
    an id made of a word and its row, such as `reader-000017`, and keeps that id if it is given a persona
    later.
    """

    def __init__(self, size: int, word: str, cast: Mapping[int, Persona]) -> None:
        if len(cast) > size:
            raise InputError(
                f"a population of {size} has no room for a cast of {len(cast)}; make it larger, or choose "
                "from the personas with the key cast"
            )
        self.size = size
        self.word = word
        self.personas: dict[int, Persona] = {}
        """Personas of those who have one, by row."""
        self._rows: dict[str, int] = {}
        for row, persona in cast.items():
            self.add(row, persona)

    def add(self, row: int, persona: Persona) -> None:
        """Record that the member in this row has a persona; raises InputError for another member's id."""
        taken = self._rows.get(persona.id, self._row_of_crowd(persona.id))
        if taken not in (None, row):
            raise InputError(
                f"the persona {persona.id!r} has the id of the member in row {taken}; give it another one"
            )
        self.personas[row] = persona
        self._rows[persona.id] = row

    def id(self, row: int) -> str:
        """Return a member's id."""
        row = self._check(row)
        return self.personas[row].id if row in self.personas else self._crowd_id(row)

    def name(self, row: int) -> str:
        """Return a member's display name: the persona's, or word and number, such as `reader 17`."""
        row = self._check(row)
        return self.personas[row].name if row in self.personas else f"{self.word} {row}"

    def row(self, id: str) -> int:
        """Return the row of the member with this id; raises UnknownName."""
        row = self._rows.get(id, self._row_of_crowd(id))
        if row is None:
            raise UnknownName("member of this run", id, self._rows)
        return row

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and (id in self._rows or self._row_of_crowd(id) is not None)

    def __len__(self) -> int:
        return self.size

    def _row_of_crowd(self, id: str) -> int | None:
        word, _, number = id.rpartition("-")
        if word != self.word or not (number.isascii() and number.isdecimal()):
            return None
        row = int(number)
        known = row < self.size and row not in self.personas and id == self._crowd_id(row)
        return row if known else None

    def _crowd_id(self, row: int) -> str:
        return f"{self.word}-{row:06d}"

    def _check(self, row: int) -> int:
        if not 0 <= row < self.size:
            raise InputError(f"there is no member in row {row}; the {self.size} members have rows from 0")
        return int(row)
