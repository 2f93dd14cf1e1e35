"""Systems under test as answerers: the prompt goes out by declaration, the reply comes back as text."""

import asyncio
from collections import Counter, defaultdict

from openiir.core.asking import Asked
from openiir.core.errors import EndpointError
from openiir.core.records import Message
from openiir.core.systems import Session, SystemSpec, open_session


class Talks:
    """One session a persona with a declared system; a session that failed is followed by a fresh one."""

    def __init__(self, spec: SystemSpec, label: str) -> None:
        self.spec = spec
        self.label = label
        self._sessions: dict[str, Session] = {}
        self._opened: Counter[str] = Counter()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def give(self, asked: Asked, messages: tuple[Message, ...]) -> str:
        """The system's reply to a prompt; templates may use `text`, `system`, `persona`, `kind` and `subject`."""
        who = asked.place.asker
        role = [m.text for m in messages if m.role == "system"]
        request = {
            "text": messages[-1].text,
            "system": role[0] if role else "",
            "persona": who,
            "kind": asked.place.kind,
            "subject": asked.place.subject,
        }
        async with self._turns[who]:
            session = await self._session(who)
            try:
                return (await session.send(request)).text
            except EndpointError:
                await self._sessions.pop(who).close()
                raise

    async def _session(self, who: str) -> Session:
        if who not in self._sessions:
            self._opened[who] += 1
            name = f"{self.label}/{who}/{self._opened[who]}"
            self._sessions[who] = await open_session(self.spec, name)
        return self._sessions[who]

    async def aclose(self) -> None:
        for session in self._sessions.values():
            await session.close()
