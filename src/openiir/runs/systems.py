"""Systems under test as answerers: the prompt goes out by declaration, the reply comes back as text."""

import asyncio
from collections import Counter, defaultdict
from typing import Any
from zlib import crc32

from openiir.core.asking import PlacedQuestion, failure_text, record_schema
from openiir.core.hashing import canonical
from openiir.core.llm import report_try
from openiir.core.records import Message, Place, Record
from openiir.core.systems import (
    ConnectionDropped,
    ConnectionFailed,
    Session,
    SystemFault,
    SystemReply,
    SystemSpec,
    open_session,
    paths,
)
from openiir.runs.dialogues import strip_quotes

LINES = 16
"""Sessions side by side with a service that is asked in its own name; each lane keeps to one."""


class SystemSessions:
    """One session a persona with a declared system; a session that failed is followed by a fresh one.

    A system asked in its own name has one session, or by HTTP, where that costs nothing, `LINES` of them.
    """

    def __init__(self, spec: SystemSpec, label: str) -> None:
        self.spec = spec
        self.label = label
        self._sessions: dict[str, Session] = {}
        self._opened: Counter[str] = Counter()
        self._reached = False
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def give(self, asked: PlacedQuestion, messages: tuple[Message, ...]) -> str:
        """The system's reply to a prompt, as the question's reply is read.

        Raises SystemFault where it fails and the question does not tolerate that, or where it was never reached.
        Templates may use `text`, `system`, `persona`, `kind`, `subject`, and what the question offers by `request`.
        """
        who = self._partner(asked.place)
        role = [m.text for m in messages if m.role == "system"]
        request = {
            **asked.question.request(),
            "text": messages[-1].text,
            "system": role[0] if role else "",
            "persona": asked.place.asker,
            "kind": asked.place.kind,
            "subject": asked.place.subject,
        }
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
                if not isinstance(
                    fault, ConnectionFailed | ConnectionDropped
                ):  # of those each try is reported
                    report_try(1, fault.saw, 0.0)
                return failure_text(strip_quotes(fault.saw))
            self._reached = True
            return reply_text(self.spec, answer, asked.question.Reply)

    def _partner(self, place: Place) -> str:
        """Whose session a question belongs to."""
        if place.asker != f"system:{self.label}" or self.spec.connector != "http":
            return place.asker
        return f"{place.asker}/{crc32(place.lane.encode()) % LINES}"

    async def _session(self, who: str) -> Session:
        if who not in self._sessions:
            self._opened[who] += 1
            name = f"{self.label}/{who}/{self._opened[who]}"
            self._sessions[who] = await open_session(self.spec, name, report_try)
        return self._sessions[who]

    async def aclose(self) -> None:
        for session in self._sessions.values():
            await session.close()


def reply_text(spec: SystemSpec, answer: SystemReply, reply: type[Record]) -> str:
    """A system's answer as text in which a question's reply can be found.

    Where a list is all that the reply holds, a list is all that the system need answer: it stands at the declared
    `data`, or where the text does. Whole numbers in a list of texts, as ids often are, become texts.
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
    """What stands where the declaration points."""
    if spec.data is not None:
        return answer.data
    found = (answer.data if path == paths.RAW else paths.look_up(answer.data, path) for path in spec.paths)
    return next((one for one in found if one is not None and one is not paths.MISSING), None)
