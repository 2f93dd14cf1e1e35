"""Standard input/output connector: one process per session, one line per turn and per answer."""

import asyncio
import contextlib
import os
import signal
from typing import Any

from openiir.core.hashing import canonical
from openiir.core.systems.declaration import Exchange, SystemSpec
from openiir.core.systems.faults import LARGEST, ConnectionFailed, SystemFault, quote_start, too_long
from openiir.core.systems.incoming import End, MessageTransport
from openiir.core.transport import describe_failure

_LAST_WORDS = 2_000
_GRACE_SECONDS = 0.5
_INHERITED = ("PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH")
"""Environment variables passed to every command; others may hold secrets and must be declared."""
_UNCOMPILED = {"PYTHONDONTWRITEBYTECODE": "1"}
"""So that a Python program leaves no compiled files in the study's folder, which its permission covers."""


class StdioTransport(MessageTransport):
    """Transport to a process in its own process group, so that its child processes end with it."""

    def __init__(self, spec: SystemSpec) -> None:
        super().__init__(spec)
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._reader: asyncio.Task[None] | None = None
        self._complaints = bytearray()

    async def open(self) -> None:
        """Start the command; raises ConnectionFailed if it cannot be started."""
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *(self._spec.command or ()),
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                cwd=self._spec.folder,
                env=_UNCOMPILED
                | {
                    name: os.environ[name]
                    for name in (*_INHERITED, *self._spec.variables)
                    if name in os.environ
                },
                limit=LARGEST,
                start_new_session=True,
            )
        except (OSError, ValueError) as exc:
            why = describe_failure(exc) if isinstance(exc, OSError) else "a null character in it"
            remedy = "correct command (and folder); it is started without a shell"
            raise ConnectionFailed(self._spec.label, f"cannot be started ({why})", remedy) from None
        listener = asyncio.create_task(self._listen(self._process))
        self._reader = asyncio.create_task(self._read(self._process))
        self._tasks = (listener, asyncio.create_task(_end_leftovers(self._process)))

    async def close(self) -> None:
        """Close the process's input, wait half a second for it to end, then kill it and its children."""
        process = self._process
        if process is None:
            return
        if self._reader is not None:
            self._reader.cancel()
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait(self._tasks, timeout=_GRACE_SECONDS)
        finally:
            if not all(task.done() for task in self._tasks):
                _kill_group(process)
                await asyncio.wait(self._tasks, timeout=_GRACE_SECONDS)
            # The only way to close pipes whose other ends a process that left the group still holds.
            process._transport.close()  # type: ignore[attr-defined]
        await asyncio.wait(self._tasks)

    def write_message(self, exchange: Exchange, message: Any) -> str | None:
        """Write the line that carries a message; None if nothing is to be sent."""
        if message is None:
            return None
        return " ".join(str(message).splitlines()) if self._spec.format == "text" else canonical(message)

    async def send(self, text: str) -> bool:
        """Write a line; always returns True, since `check_end` detects whether the process is gone."""
        assert self._process is not None and self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._process.stdin.write(f"{text}\n".encode("utf-8", "replace"))
            await self._process.stdin.drain()
        return True

    def explain_silence(self) -> tuple[str, str]:
        """Return the description of a turn without an answer, and the advice for the user."""
        return "no line", (
            f"have it flush its output after each line (python -u), or raise timeout{self._quote_errors()}"
        )

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                await self.put(line.decode("utf-8", "replace").rstrip("\r\n"))
        except ValueError:
            await self.put(End(too_long(self._spec.label, "a line is", LARGEST)))
            return
        await asyncio.wait(self._tasks, timeout=_GRACE_SECONDS)
        code = process.returncode
        how = "closed its output" if code is None else f"ended with code {code}"
        saw = f"{how} instead of answering{self._quote_errors()}"
        remedy = (
            "mend what it complains of; if this is how it ends a session, declare end = { closed = true }"
        )
        await self.put(End(SystemFault(self._spec.label, saw, remedy), regular=code == 0))

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        while process.stderr is not None and (some := await process.stderr.read(2**16)):
            self._complaints += some
            del self._complaints[:-_LAST_WORDS]

    def _quote_errors(self) -> str:
        words = self._complaints.decode("utf-8", "replace").strip()
        return f"; its last words on standard error: {quote_start(words[-200:])}" if words else ""


async def _end_leftovers(process: asyncio.subprocess.Process) -> None:
    """Kill a process's leftover children once it has ended, while its group number is not yet reused."""
    await process.wait()
    _kill_group(process)


def _kill_group(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
