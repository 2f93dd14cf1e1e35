"""What a run keeps of its dialogues with systems under test beside the ledger: sessions opened, replies set aside."""

import sqlite3

from openiir.core.records import Place

_OPENING = "insert into opening values (?, ?, ?, ?, ?)"
_OPENED = "select count(*) from opening where system = ? and lane = ? and asker = ? and step = ?"
_LIFE = "select coalesce(max(life), 0) + 1 from abandoned where lane = ? and step = ?"
_SET_ASIDE = "insert into abandoned select *, ? from call where lane = ? and step = ?"
_CLEAR = "delete from call where lane = ? and step = ?"


def note_opening(db: sqlite3.Connection, system: str, place: Place) -> int:
    """Note that a session is about to be opened; its number among those of its lane, asker and step, from 1."""
    key = (system, place.lane, place.asker, place.step)
    number = int(db.execute(_OPENED, key).fetchone()[0]) + 1
    db.execute(_OPENING, (*key, number))
    return number


def set_aside(db: sqlite3.Connection, lane: str, step: int) -> None:
    """Move a lane's replies in a step to those that were abandoned."""
    (life,) = db.execute(_LIFE, (lane, step)).fetchone()
    db.execute(_SET_ASIDE, (life, lane, step))
    db.execute(_CLEAR, (lane, step))
