"""Dialogue sessions with systems under test, the same for every connector."""

import asyncio
import uuid
from collections.abc import Mapping
from typing import Any, Protocol

from openiir.core.errors import EndpointError, InputError
from openiir.core.hashing import canonical
from openiir.core.systems.declaration import Exchange, SystemSpec
from openiir.core.systems.faults import SystemFault
from openiir.core.systems.replies import SystemReply, kept_values, read_system_reply, replace_surrogates
from openiir.core.systems.template import fill

_NAMESPACE = uuid.UUID("6f1f4b52-9d0b-5f0e-8a55-3d1f0e3b7c11")


def session_id(name: str) -> str:
    """Derive a UUID (version 5, RFC 9562) from the name alone, so that a repeated run uses the same id."""
    return str(uuid.uuid5(_NAMESPACE, name))


class Transport(Protocol):
    """Interface of a connector's transport: open, exchange messages, close."""

    async def open(self) -> None:
        """Open the connection or start the process of a session; raises SystemFault or InputError."""

    async def ask(self, exchange: Exchange, message: Any, values: Mapping[str, Any]) -> str | None:
        """Send the message (None: nothing to send) and return the raw answer ("" if none is expected).

        None means that the system closed the conversation itself. Raises SystemFault. Neither the answer nor
        the fault holds a secret that the system gave back.
        """

    async def close(self) -> None:
        """Release all resources; never raises."""


class Session:
    """A session with a declared system under test; one exchange at a time, further ones wait.

    Beside the request's own keys, a turn's template may use `{session}` (an id made from the session's name),
    `{session_name}`, `{history}` (the texts so far, the greeting included), `{messages}` (the same and the
    present text, as `{"role": "user" | "assistant", "content": ...}`), and what `keep` has kept.
    """

    def __init__(self, spec: SystemSpec, name: str, transport: Transport) -> None:
        self.opening: SystemReply | None = None
        """Answer to the opening request, such as a greeting; None if there was none."""
        self.id = session_id(name)
        self._spec, self._transport = spec, transport
        self._known: dict[str, Any] = {"session": self.id, "session_name": name}
        self._spoken: list[tuple[str, str]] = []
        self._turn = Exchange(request=spec.request, response=spec.response or None, keep=spec.keep)
        # Whole histories are made only for templates that ask for them, since they slow a long dialogue.
        self._asked = frozenset(spec.placeholders)
        self._lock = asyncio.Lock()
        self._closed = False

    async def start(self) -> None:
        """Open the session as declared, releasing all resources on failure."""
        try:
            await self._transport.open()
            if self._spec.open is not None:
                self.opening = await self._exchange(self._spec.open, {})
        except BaseException:
            self._closed = True
            await self._transport.close()
            raise
        if self.opening and self.opening.text:
            self._spoken.append(("assistant", self.opening.text))

    async def send(self, request: Mapping[str, Any]) -> SystemReply:
        """Send one turn: `text` and all other values that the declaration's template needs.

        Raises SystemFault (an EndpointError) for a system that fails, InputError for a placeholder without a
        value. After a failure of WebSocket, Socket.IO or stdio the session is over.
        """
        async with self._lock:
            if self._closed:
                raise SystemFault(self._spec.label, "the session was closed", "open a new one")
            reply = await self._exchange(self._turn, request)
            if isinstance(request.get("text"), str):
                self._spoken.append(("user", request["text"]))
            self._spoken.append(("assistant", reply.text))
            return reply

    async def close(self) -> str | None:
        """Send the declared closing request and release all resources; may be called twice.

        Returns what went wrong with the closing request, if anything: a dialogue that was held is not lost by
        it.
        """
        async with self._lock:
            if self._closed:
                return None
            self._closed = True
            try:
                if self._spec.close is not None:
                    await self._exchange(self._spec.close, {}, lenient=True)
            except EndpointError as exc:
                return str(exc)
            finally:
                await self._transport.close()
            return None

    def _values(self, request: Mapping[str, Any]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if "history" in self._asked:
            values["history"] = [text for _, text in self._spoken]
        if "messages" in self._asked:
            now = [("user", request["text"])] if isinstance(request.get("text"), str) else []
            values["messages"] = [{"role": role, "content": text} for role, text in (*self._spoken, *now)]
        return {**values, **request, **self._known}

    async def _exchange(
        self, exchange: Exchange, request: Mapping[str, Any], lenient: bool = False
    ) -> SystemReply:
        values = self._values(request)
        raw = await self._transport.ask(exchange, self._message(exchange, request, values), values)
        if raw is None:
            return SystemReply(text="", ended=True, raw="")
        if lenient or not exchange.reply:
            return SystemReply(text="", raw=replace_surrogates(raw))
        data = self._spec.data if exchange is self._turn else None
        where = self._spec.paths if exchange.response is None else exchange.response
        reply, whole = read_system_reply(self._spec, raw, where, data)
        self._known.update(kept_values(self._spec, exchange.keep, reply.raw, whole))
        return reply

    def _message(self, exchange: Exchange, request: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
        if exchange.request is not None:
            message = fill(exchange.request, values)
        elif exchange is not self._turn:
            return None
        elif self._spec.format == "text":
            message = fill("{text}", values)
        else:
            message = {**request, "session": self.id}
        try:
            canonical(message)
        except (TypeError, ValueError) as exc:
            raise InputError(
                f"{self._spec.label}: the request cannot be written as JSON ({exc}); mend the value"
            ) from None
        return message
