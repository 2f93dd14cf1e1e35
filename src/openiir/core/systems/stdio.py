"""The standard input and output connector: one process a session, one line a turn and one for its answer."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from enum import Enum
from typing import Any

from openiir.core.hashing import canonical
from openiir.core.systems.declaration import Exchange, SystemSpec
from openiir.core.systems.faults import LARGEST, SystemFault, Unreached, excerpt
from openiir.core.systems.intake import Intake
from openiir.core.systems.reasons import reason

_LAST_WORDS = 2_000
_GRACE_SECONDS = 0.5
_INHERITED = ("PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH")
"""Environment variables that every command gets; others may hold secrets, and are declared."""


class _Output(Enum):
    """How a process's output ended for us."""

    OVER = "no more came"
    TOO_LONG = "a line is longer than is read"


class StdioWire:
    """A process in a group of its own, so that whatever it started ends with it."""

    def __init__(self, spec: SystemSpec) -> None:
        self._spec = spec
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._intake: Intake[_Output] = Intake(spec)
        self._reader: asyncio.Task[None] | None = None
        self._complaints = bytearray()
        self._broken = ""

    async def open(self) -> None:
        """Start the command."""
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *(self._spec.command or ()),
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                cwd=self._spec.folder,
                env={
                    name: os.environ[name]
                    for name in (*_INHERITED, *self._spec.variables)
                    if name in os.environ
                },
                limit=LARGEST,
                start_new_session=True,
            )
        except (OSError, ValueError) as exc:
            why = reason(exc) if isinstance(exc, OSError) else "a null character in it"
            remedy = "correct command (and folder); it is started without a shell"
            raise Unreached(self._spec.label, f"cannot be started ({why})", remedy) from None
        listener = asyncio.create_task(self._listen(self._process))
        self._reader = asyncio.create_task(self._read(self._process))
        self._tasks = (listener, asyncio.create_task(_clear_away(self._process)))

    async def ask(self, exchange: Exchange, message: Any, values: Mapping[str, Any]) -> str | None:
        """The next line that is not to be ignored. Raises SystemFault."""
        if self._process is None:
            raise RuntimeError("the wire was asked before it was opened")
        if self._broken:
            raise SystemFault(self._spec.label, f"the session is over: {self._broken}", "open a new one")
        self._broken = "an exchange was cut short"
        try:
            answer = await self._exchange(self._process, exchange, message)
        except SystemFault as fault:
            self._broken = fault.saw
            raise
        self._broken = "the system ended" if answer is None else ""
        return answer

    async def close(self) -> None:
        """Close the process's input, give it half a second to end by itself, then kill it and what it started."""
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
            # The only way to close the pipes where a process that left the group still holds their other ends.
            process._transport.close()  # type: ignore[attr-defined]
        await asyncio.wait(self._tasks)

    async def _exchange(
        self, process: asyncio.subprocess.Process, exchange: Exchange, message: Any
    ) -> str | None:
        said = [] if message is None else await self._intake.unasked()
        earlier = len(said)
        try:
            async with asyncio.timeout(self._spec.timeout):
                if message is not None:
                    await self._tell(process, message)
                answer = await self._intake.answer(said) if exchange.reply else ""
        except TimeoutError:
            # How far it got differs from time to time, and what was seen is recorded.
            if len(said) > earlier:
                saw, remedy = (
                    f"was not silent within {self._spec.timeout:g} s",
                    "lower settle, or raise timeout",
                )
            else:
                saw = f"no line within {self._spec.timeout:g} s"
                remedy = f"have it flush its output after each line (python -u), or raise timeout{self._last_words()}"
            raise SystemFault(self._spec.label, saw, remedy) from None
        if answer is _Output.TOO_LONG:
            saw = f"a line is longer than {LARGEST // 2**20} MiB"
            raise SystemFault(self._spec.label, saw, "have the system answer with less")
        if answer is _Output.OVER:
            await self._account_for_end(process, exchange)
            return None
        return answer

    async def _tell(self, process: asyncio.subprocess.Process, message: Any) -> None:
        text = " ".join(str(message).splitlines()) if self._spec.format == "text" else canonical(message)
        # A process that is gone is told apart below, by what it leaves unanswered.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if process.stdin is not None:
                process.stdin.write(f"{text}\n".encode("utf-8", "replace"))
                await process.stdin.drain()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        if process.stdout is None:
            raise RuntimeError("the process has no standard output")
        try:
            while line := await process.stdout.readline():
                await self._intake.put(line.decode("utf-8", "replace").rstrip("\r\n"))
            await self._intake.finish(_Output.OVER)
        except ValueError:
            await self._intake.finish(_Output.TOO_LONG)

    async def _account_for_end(self, process: asyncio.subprocess.Process, exchange: Exchange) -> None:
        await asyncio.wait(self._tasks, timeout=_GRACE_SECONDS)
        expected = exchange is self._spec.close or (self._spec.end is not None and self._spec.end.closed)
        if process.returncode == 0 and expected:
            return
        how = "closed its output" if process.returncode is None else f"ended with code {process.returncode}"
        saw = f"{how} instead of answering{self._last_words()}"
        remedy = (
            "mend what it complains of; if this is how it ends a session, declare end = { closed = true }"
        )
        raise SystemFault(self._spec.label, saw, remedy)

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        while process.stderr is not None and (some := await process.stderr.read(2**16)):
            self._complaints += some
            del self._complaints[:-_LAST_WORDS]

    def _last_words(self) -> str:
        words = self._complaints.decode("utf-8", "replace").strip()
        return f"; its last words on standard error: {excerpt(words[-200:])}" if words else ""


async def _clear_away(process: asyncio.subprocess.Process) -> None:
    """Once the process has ended, end what it left running, while its group's number is surely still its own."""
    await process.wait()
    _kill_group(process)


def _kill_group(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
