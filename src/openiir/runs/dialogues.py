"""Dialogues with a declared system: a session for each lane, opened at its first turn, closed when it leaves."""

import asyncio
import re
import secrets
from dataclasses import dataclass, field

from openiir.core.asking import OnTry, PlacedQuestion, SystemAnswer
from openiir.core.asking.placed_question import persona_words
from openiir.core.records import Place
from openiir.core.storage import RunFile
from openiir.core.systems import (
    ConnectionDropped,
    ConnectionFailed,
    Session,
    SharedConnections,
    SystemFault,
    SystemReply,
    SystemSpec,
    open_session,
)
from openiir.runs.session_limits import SessionLimits

_QUOTED = re.compile(r": | (?:to )?(?=['\"])")


@dataclass
class _Dialogue:
    """One asker's dialogue with the system in one lane."""

    exchange: asyncio.Lock = field(default_factory=asyncio.Lock)
    session: Session | None = None
    counted: bool = False
    """Whether its session takes one of the lanes' slots."""
    on_record: bool = False
    """Whether turns of it were answered from the record."""
    failed: bool = False
    on_try: OnTry = field(default=lambda number, what, waited: None)
    """Where tries of the exchange under way are noted that brought nothing."""

    def told(self, number: int, what: str, waited: float) -> None:
        self.on_try(number, what, waited)


class Dialogues:
    """The dialogues that a run holds with one declared system."""

    def __init__(self, spec: SystemSpec, label: str, run: RunFile, slots: SessionLimits) -> None:
        self._spec, self._label, self._run, self._slots = spec, label, run, slots
        self._beside: set[str] = set()
        """Lanes that live beside others."""
        self._held: dict[str, dict[str, _Dialogue]] = {}
        """By lane and asker."""
        self._reached = False
        self._missing: ConnectionFailed | None = None
        """Why the run is about to stop."""
        self._connections = SharedConnections()
        self._run_id = ""
        """Names this run to systems that other runs talk with too; kept in its state, outside its content."""

    async def turn(self, asked: PlacedQuestion, words: str, on_try: OnTry) -> SystemAnswer:
        """What the system answers to these words; empty ones on the first turn ask for what it says first.

        A failure of the system is an answer, and ends the dialogue; raises Unreached for a system that this process
        has never reached. What it said of its failure in full goes to `on_try`, since it may differ each time.
        """
        dialogue = self._dialogue(asked.place)
        async with dialogue.exchange:
            if dialogue.failed:
                return SystemAnswer("", fault="the session was over, after an earlier failure")
            dialogue.on_try = on_try
            try:
                return await self._exchanged(dialogue, asked, words)
            except SystemFault as fault:
                await self._end(asked.place.lane, dialogue)
                if isinstance(fault, ConnectionFailed) and not self._reached:
                    self._missing = fault
                    raise
                dialogue.failed = self._reached = True
                if not isinstance(fault, ConnectionFailed | ConnectionDropped):  # of those each try is noted
                    on_try(1, fault.saw, 0.0)
                return SystemAnswer("", fault=strip_quotes(fault.saw))

    async def _exchanged(self, dialogue: _Dialogue, asked: PlacedQuestion, words: str) -> SystemAnswer:
        if dialogue.session is None:
            session = dialogue.session = await self._open(dialogue, asked.place)
            # HTTP connects with the first request alone.
            self._reached |= session.opening is not None or self._spec.connector != "http"
            if not words:
                return _read_reply(session.opening or SystemReply(text="", raw=""))
        role = asked.question.facts.system() or (persona_words(asked.persona) if asked.persona else "")
        request = {
            **asked.question.request(),
            "text": words,
            "system": role,
            "persona": asked.place.asker,
            "kind": asked.place.kind,
            "subject": asked.place.subject,
        }
        reply = await dialogue.session.send(request)
        self._reached = True
        return _read_reply(reply)

    async def _open(self, dialogue: _Dialogue, place: Place) -> Session:
        """A session under a name that no other one has, also not one of a sitting that was killed."""
        if place.lane in self._beside:
            await self._slots.take(self._label, place.lane)
            dialogue.counted = True
        if self._missing is not None and not self._reached:
            raise self._missing
        if not self._run_id:
            self._run_id = self._run.state("sessions") or secrets.token_hex(8)
            self._run.set_state(sessions=self._run_id)
        number = self._run.note_opening(self._label, place)
        name = f"{self._run_id}/{self._label}/{place.lane}/{place.asker}/{place.step}/{number}"
        return await open_session(self._spec, name, dialogue.told, self._connections)

    def note_recorded(self, place: Place) -> None:
        """Note that a turn was answered from the record."""
        self._dialogue(place).on_record = True

    def behind(self, place: Place) -> bool:
        """Whether a dialogue of a lane that can start anew stands on record and in no session."""
        dialogue = self._held.get(place.lane, {}).get(place.asker)
        return (
            dialogue is not None
            and dialogue.on_record
            and dialogue.session is None
            and place.lane in self._beside
        )

    def enter(self, lane: str) -> None:
        """A lane begins to live beside others."""
        self._beside.add(lane)

    async def leave(self, lane: str, asker: str | None) -> None:
        """Close a lane's session with one asker, or all of them where the lane is over."""
        held = self._held.get(lane, {})
        for name in [asker] if asker is not None else list(held):
            if name in held:
                await self._end(lane, held.pop(name))
        if asker is None:
            self._beside.discard(lane)
            self._held.pop(lane, None)

    async def aclose(self) -> None:
        """Close all that is open."""
        await asyncio.gather(*(self.leave(lane, None) for lane in list(self._held)))
        await self._connections.close()

    def _dialogue(self, place: Place) -> _Dialogue:
        held = self._held.setdefault(place.lane, {})
        if place.asker not in held:
            held[place.asker] = _Dialogue()
        return held[place.asker]

    async def _end(self, lane: str, dialogue: _Dialogue) -> None:
        try:
            if dialogue.session is not None:
                await dialogue.session.close()
        finally:
            dialogue.session = None
            if dialogue.counted:
                dialogue.counted = False
                self._slots.give(self._label, lane)


def _read_reply(reply: SystemReply) -> SystemAnswer:
    return SystemAnswer(reply.text, reply.data, reply.ended)


def strip_quotes(saw: str) -> str:
    """A failure without what it quotes of the system's own words, which may hold times, ids or addresses."""
    words = _QUOTED.split(saw)[0]
    return words + ")" * (words.count("(") - words.count(")"))
