"""Text extraction from HTML pages and PDFs, in a separate process with limited time and memory.

A page of a stranger can keep a parser busy for ever or make it take all memory there is. The process is
started with the first document, serves all that follow, and is started again after one that was too much for
it.
"""

import atexit
import json
import os
import pickle
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock

from openiir.core.files import InputLimits, limits, too_large
from openiir.core.world.text import BadSource

_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
_PATIENCE = 10
"""Seconds of wall-clock time allowed per second of processor time, for busy machines."""
_START = 500_000_000
"""Bytes of address space that the libraries take before reading anything."""
_ALONE = Lock()
_process: subprocess.Popen[bytes] | None = None


def extract_text(media: str, data: bytes, encoding: str | None) -> str:
    """Extract the text of an HTML page or a PDF; raises BadSource, also if it exceeds the limits."""
    with _ALONE:
        process = _get_process()
        assert process.stdin is not None and process.stdout is not None
        with suppress(BrokenPipeError):  # where it ended, there is no answer either
            pickle.dump((media, data, encoding, limits()), process.stdin)
            process.stdin.flush()
        answer = process.stdout.readline()
        if not answer.endswith(b"\n"):
            raise BadSource(_why_ended(process.wait()))
        text, reason, heavy = json.loads(answer)
        if heavy:
            stop_extraction()  # with what it holds; the next document is not to pay for this one
    if reason:
        raise BadSource(reason)
    return str(text)


def stop_extraction() -> None:
    """End the process that extracts text of documents, if there is one; the next document starts another."""
    global _process
    if _process is not None:
        _process.kill()
        with _process:  # closes its pipes and waits
            _process = None


atexit.register(stop_extraction)


def _get_process() -> subprocess.Popen[bytes]:
    global _process
    if _process is None or _process.poll() is not None:
        stop_extraction()
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
        _process = subprocess.Popen(
            [sys.executable, "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | {"PYTHONPATH": path},
        )
    return _process


def _why_ended(code: int) -> str:
    """Explain why a process ended without an answer."""
    if sys.platform != "win32" and -code in (signal.SIGPROF, signal.SIGALRM):
        return _limit_message(f"{limits().document_seconds:g} seconds", "document_seconds")
    return f"ends the program that reads it (exit code {code}); leave it out, or save it anew"


def _limit_message(what: str, limit: str) -> str:
    allow = f"raise {limit} in the table [inputs] of the settings"
    return f"takes more than {what} to read; leave it out, or {allow}"


def serve_extraction() -> None:
    """Serve as the extraction process: read documents, write their text or an error, until input ends."""
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # what a parser prints must not get among the answers
        while True:
            try:
                media, data, encoding, most = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            _set_limits(most.document_seconds, most.document_memory)
            text, reason = _extract_text(media, data, encoding, most)
            _set_limits(0, most.document_memory)
            heavy = _peak_memory() > most.document_memory
            if heavy:
                text, reason = (
                    "",
                    _limit_message(f"{most.document_memory:,} bytes of memory", "document_memory"),
                )
            out.write(json.dumps((text, reason, heavy)).encode() + b"\n")
            out.flush()


_SERVE = f"from {__name__} import {serve_extraction.__name__} as serve; serve()"


def _extract_text(media: str, data: bytes, encoding: str | None, most: InputLimits) -> tuple[str, str]:
    """Extract the text of a document; returns (text, "") or ("", error)."""
    from openiir.core.world.html_text import from_html
    from openiir.core.world.pdf_text import from_pdf

    try:
        text = from_html(data, encoding) if media == "text/html" else from_pdf(data)
    except BadSource as error:
        return "", str(error)
    except MemoryError:
        return "", _limit_message(f"{most.document_memory:,} bytes of memory", "document_memory")
    size = len(text.encode())
    return (text, "") if size <= most.document_bytes else ("", too_large(size, "document_bytes", most))


def _set_limits(seconds: float, memory: int) -> None:
    """Limit processor time (0 seconds: no limit) and memory; beyond it the system ends this process.

    macOS does not hold a process to its memory, and Windows knows none of these limits; `_peak_memory` is
    asked afterwards.
    """
    if sys.platform == "win32":
        return
    import resource

    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE * seconds)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _START + 2 * memory
    resource.setrlimit(
        resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
    )


def _peak_memory() -> int:
    """Return the peak memory of this process in bytes.

    On Linux `ru_maxrss` of a process also counts what the one that started it held, so its own peak is read
    first.
    """
    if sys.platform == "win32":
        return 0
    import resource

    status = Path("/proc/self/status")
    if own := re.search(r"^VmHWM:\s+(\d+) kB", status.read_text() if status.exists() else "", re.MULTILINE):
        return int(own[1]) * 1024
    found = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return found if sys.platform == "darwin" else found * 1024
