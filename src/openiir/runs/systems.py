"""Let systems under test answer: by prompts in single sessions, or in dialogues, one for each lane."""

import asyncio
import re
import secrets
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from openiir.core.asking import OnTry, PlacedQuestion, SystemAnswer, failure_text, record_schema
from openiir.core.asking.placed_question import persona_words
from openiir.core.hashing import canonical
from openiir.core.records import Message, Place, Record
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
    paths,
)
from openiir.core.transport import listen_to_tries, report_try
from openiir.runs.session_limits import SessionLimits

LINES = 16
"""Number of parallel sessions with a service that is asked in its own name; each lane uses one of them."""

_QUOTED = re.compile(r": | (?:to )?(?=['\"])")


def _request(asked: PlacedQuestion, text: str, system: str) -> dict[str, Any]:
    """Build the values for request templates, with the question's own."""
    place = asked.place
    told = {
        "text": text,
        "system": system,
        "persona": place.asker,
        "kind": place.kind,
        "subject": place.subject,
    }
    return {**asked.question.facts_only.request(), **told}


def _note_fault(fault: SystemFault, on_try: OnTry) -> str:
    """Log a system's failure in full; returns it without the system's own words, which may vary."""
    if not isinstance(fault, ConnectionFailed | ConnectionDropped):  # of those each try is noted
        on_try(1, fault.saw, 0.0)
    return strip_quotes(fault.saw)


class SystemSessions:
    """Sessions with a declared system, one for each persona; a failed one is replaced.

    A system asked in its own name has one session, or by HTTP, where sessions cost nothing, `LINES` of them.
    """

    def __init__(self, spec: SystemSpec, label: str) -> None:
        self.spec = spec
        self.label = label
        self._sessions: dict[str, Session] = {}
        self._opened: Counter[str] = Counter()
        self._reached = False
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def give(self, asked: PlacedQuestion, messages: tuple[Message, ...]) -> str:
        """Send a prompt to the system under test and return its reply as text.

        Raises SystemFault where it fails and the question does not tolerate that, or where it was never
        reached. Templates may use `text`, `system`, `persona`, `kind`, `subject`, and what the question
        offers by `request`.
        """
        who = self._partner(asked.place)
        role = next((m.text for m in messages if m.role == "system"), "")
        request = _request(asked, messages[-1].text, role)
        async with self._turns[who]:
            try:
                session = await self._session(who)
                answer = await session.send(request)
            except SystemFault as fault:
                if who in self._sessions:
                    await self._sessions.pop(who).close()
                self._reached |= not isinstance(fault, ConnectionFailed)
                if not (asked.question.tolerates_failure and self._reached):
                    raise
                return failure_text(_note_fault(fault, report_try))
            self._reached = True
            return reply_text(self.spec, answer, asked.question.Reply)

    def _partner(self, place: Place) -> str:
        """Return the name of the session in which a question is sent."""
        if place.asker != f"system:{self.label}" or self.spec.connector != "http":
            return place.asker
        return f"{place.asker}/{crc32(place.lane.encode()) % LINES}"

    async def _session(self, who: str) -> Session:
        if who not in self._sessions:
            self._opened[who] += 1
            name = f"{self.label}/{who}/{self._opened[who]}"
            self._sessions[who] = await open_session(self.spec, name)
        return self._sessions[who]

    async def aclose(self) -> None:
        for session in self._sessions.values():
            await session.close()


def reply_text(spec: SystemSpec, answer: SystemReply, reply: type[Record]) -> str:
    """Return a system's answer as text from which a question's reply can be read.

    Where a list is all that the reply holds, the system may answer with the list alone, at the declared
    `data` or in place of the text. Whole numbers in a list of texts, as ids often are, become texts.
    """
    fields = record_schema(reply).get("properties", {})
    found = _find_data(spec, answer)
    if len(fields) != 1 or not isinstance(found, list):
        return answer.text
    ((name, field),) = fields.items()
    if field.get("type") != "array":
        return answer.text
    texts = field["items"].get("type") == "string"
    return canonical({name: [str(one) if texts and type(one) is int else one for one in found]})


def _find_data(spec: SystemSpec, answer: SystemReply) -> Any:
    """Return the data of a reply at the first path of the declaration that exists."""
    if spec.data is not None:
        return answer.data
    found = (answer.data if path == paths.RAW else paths.value_at(answer.data, path) for path in spec.paths)
    return next((one for one in found if one is not None and one is not paths.MISSING), None)


@dataclass
class _Dialogue:
    """One asker's dialogue with the system in one lane."""

    exchange: asyncio.Lock = field(default_factory=asyncio.Lock)
    session: Session | None = None
    counted: bool = False
    """Whether its session counts towards the limit on open sessions."""
    on_record: bool = False
    """Whether turns of the dialogue were answered from the record."""
    failed: bool = False
    on_try: OnTry = field(default=lambda number, what, waited: None)
    """Callback for failed tries of the last exchange."""


class SystemDialogues:
    """All dialogues of a run with one declared system under test."""

    def __init__(self, spec: SystemSpec, label: str, run: RunFile, slots: SessionLimits) -> None:
        self._spec, self._label, self._run, self._slots = spec, label, run, slots
        self._beside: set[str] = set()
        """Lanes that run concurrently with others."""
        self._held: dict[str, dict[str, _Dialogue]] = {}
        """Dialogues by lane and asker."""
        self._reached = False
        self._missing: ConnectionFailed | None = None
        """The failed connection for which the run is about to stop; None where there is none."""
        self._connections = SharedConnections()
        self._run_id = ""
        """Id of this run for systems that talk with several runs;
        kept in the run's state, outside its content."""

    async def turn(self, asked: PlacedQuestion, words: str, on_try: OnTry) -> SystemAnswer:
        """Send a turn and return the system's answer; an empty first turn asks the system to open.

        A failure of the system is an answer, and ends the dialogue; raises ConnectionFailed for a system that
        this process has never reached. The full text of a failure goes to `on_try`, since it may differ each
        time.
        """
        dialogue = self._dialogue(asked.place)
        async with dialogue.exchange:
            if dialogue.failed:
                return SystemAnswer("", fault="the session was over, after an earlier failure")
            dialogue.on_try = on_try
            try:
                with listen_to_tries(on_try):
                    return await self._exchange(dialogue, asked, words)
            except SystemFault as fault:
                await self._end(asked.place.lane, dialogue)
                if isinstance(fault, ConnectionFailed) and not self._reached:
                    self._missing = fault
                    raise
                dialogue.failed = self._reached = True
                return SystemAnswer("", fault=_note_fault(fault, on_try))

    async def _exchange(self, dialogue: _Dialogue, asked: PlacedQuestion, words: str) -> SystemAnswer:
        if dialogue.session is None:
            session = dialogue.session = await self._open(dialogue, asked.place)
            # HTTP connects with the first request alone.
            self._reached |= session.opening is not None or self._spec.connector != "http"
            if not words:
                return _read_reply(session.opening or SystemReply(text="", raw=""))
        role = asked.question.facts_only.system() or (persona_words(asked.persona) if asked.persona else "")
        reply = await dialogue.session.send(_request(asked, words, role))
        self._reached = True
        return _read_reply(reply)

    async def _open(self, dialogue: _Dialogue, place: Place) -> Session:
        """Open a session with a unique name, also after the run was killed and resumed."""
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
        return await open_session(self._spec, name, self._connections)

    def note_recorded(self, place: Place) -> None:
        """Note that a turn of a dialogue was answered from the ledger."""
        self._dialogue(place).on_record = True

    def is_only_recorded(self, place: Place) -> bool:
        """Whether a dialogue so far came from the ledger only, in a lane that can be executed again."""
        dialogue = self._held.get(place.lane, {}).get(place.asker)
        return (
            dialogue is not None
            and dialogue.on_record
            and dialogue.session is None
            and place.lane in self._beside
        )

    def has_dialogue(self, lane: str) -> bool:
        """Whether a lane is in a dialogue with the system, open, recorded or failed."""
        return bool(self._held.get(lane))

    def enter_lane(self, lane: str) -> None:
        """Note that a lane (a concurrent part of a step) begins."""
        self._beside.add(lane)

    async def leave(self, lane: str, asker: str | None) -> None:
        """Close a lane's dialogue with one asker, or all its dialogues if `asker` is None."""
        held = self._held.get(lane, {})
        for name in [asker] if asker is not None else list(held):
            if name in held:
                await self._end(lane, held.pop(name))
        if asker is None:
            self._beside.discard(lane)
            self._held.pop(lane, None)

    async def aclose(self) -> None:
        """Close all sessions and connections."""
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
                with listen_to_tries(dialogue.on_try):
                    await dialogue.session.close()
        finally:
            dialogue.session = None
            if dialogue.counted:
                dialogue.counted = False
                self._slots.give(self._label, lane)


def _read_reply(reply: SystemReply) -> SystemAnswer:
    return SystemAnswer(reply.text, reply.data, reply.ended)


def strip_quotes(saw: str) -> str:
    """Remove a system's own words from the text of a failure, since they may hold times, ids or addresses."""
    words = _QUOTED.split(saw)[0]
    return words + ")" * (words.count("(") - words.count(")"))
