"""Runs openiir commands in forked processes, for tests that kill them: `sitter.py STUDY`.

Each line of its input is a list of jobs, each line of its output their results.
A job is {"argv": [...], "cwd": folder}, or {"argvs": [[...], ...]} for several commands in one process, among
which ["rm", file] deletes and ["fill", file, n] writes a file; with, if wanted, one of
  "kill": n        SIGKILL to itself at the nth moment (before, amid and after each thing written);
  "count": true    reports how many moments there are, and the name of each;
  "after": s       SIGKILL from outside after s seconds;
  "interrupt": n   SIGINT to itself at the nth moment;
  "file_size": b   no file may grow beyond b bytes (RLIMIT_FSIZE);
  "read_only": d   the folder d cannot be written to: a mount of the process's own, gone when it ends;
  "small": [d, k]  the folder d is a disk of k kilobytes, likewise.
Each is answered by {"code", "codes", "signal", "out", "err", "moments", "seconds"}; a machine that lets us
mount nothing answers with code 77.
"""

import asyncio
import contextlib
import ctypes
import functools
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import openiir.cli.run
import openiir.cli.show  # noqa: F401
from openiir.core.llm import Endpoint, Request, connect
from openiir.core.records import Message
from openiir.core.storage import RunFile, checkpoints, database, live_file, tables
from openiir.runs import run_io

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import small_types  # noqa: E402  it lies beside the tests


class Moments:
    """Numbers everything that is written, and does something at one of the numbers."""

    def __init__(self, at: int, number: int) -> None:
        self.names: list[str] = []
        self._at = at
        self._number = number
        self._calls = 1
        """Replies that are written together: as many moments as if each came alone, however they come."""

    def pass_by(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) == self._at:
            os.kill(os.getpid(), self._number)

    def around(self, owner: Any, name: str, label: str) -> None:
        inner = getattr(owner, name)

        @functools.wraps(inner)
        def watched(*args: Any, **more: Any) -> Any:
            self.pass_by(f"before {label}")
            result = inner(*args, **more)
            self.pass_by(f"after {label}")
            return result

        setattr(owner, name, watched)

    def watch(self) -> None:
        """The database's transactions amid, everything else before and after."""
        live_file.SECONDS = float("inf")  # how often progress is written would hang on the clock
        self._each_call(RunFile.record_call)
        self.around(RunFile, "note_opening", "opening")
        self.around(RunFile, "abandon", "abandoning")
        self.around(RunFile, "commit_step", "step")
        self.around(RunFile, "set_state", "state")
        self.around(RunFile, "declare", "declaration")
        self.around(tables, "write_part", "part")
        self.around(checkpoints, "write_checkpoint", "checkpoint")
        self.around(checkpoints, "delete_other_checkpoints", "old checkpoints")
        self.around(database, "create_unnamed", "creation")
        self.around(database, "rename_finished", "seal")
        self.around(run_io, "content_hash", "content hash")
        self.around(Path, "replace", "renaming")
        self._amid(database)

    def _each_call(self, inner: Any) -> None:
        def watched(run: RunFile, *calls: Any, **beside: Any) -> None:
            for _ in calls:
                self.pass_by("before call")
            self._calls = len(calls)
            inner(run, *calls, **beside)
            self._calls = 1
            for _ in calls:
                self.pass_by("after call")

        RunFile.record_call = watched  # type: ignore[method-assign]

    def _amid(self, module: Any) -> None:
        inner = module.transaction

        @contextlib.contextmanager
        def watched(connection: Any, path: Path) -> Any:
            with inner(connection, path) as db:
                yield db
                for _ in range(self._calls):
                    self.pass_by("amid transaction")

        module.transaction = watched


def main() -> None:
    small_types.register("parlour", "talker", "village")
    warm_up(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps([run(job) for job in json.loads(line)]), flush=True)


def warm_up(study: str) -> None:
    """Load all that a run needs, once for all children:
    by a run, and by a call that finds nobody listening."""
    with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(sys.stderr):
        sys.argv = ["openiir", "run", study, "--out", f"{scratch}/warm"]
        with contextlib.suppress(SystemExit):
            openiir.cli.main()

    async def call() -> None:
        async with connect(Endpoint(url="http://127.0.0.1:9/v1", tries=1, timeout=1.0)) as nobody:
            with contextlib.suppress(Exception):
                await nobody.complete(Request("none", (Message(role="user", text="?"),)))

    asyncio.run(call())


def run(job: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        files = {name: Path(scratch) / name for name in ("out", "err", "moments", "codes")}
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            sitting(job, files)
        if "after" in job:
            time.sleep(job["after"])
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        seconds = time.monotonic() - started
        told = {name: path.read_text() if path.exists() else "" for name, path in files.items()}
    told |= {"moments": told["moments"].splitlines(), "seconds": seconds}
    told["codes"] = json.loads(told["codes"] or "[]")
    return told | {
        "code": os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
    }


def sitting(job: dict[str, Any], files: dict[str, Path]) -> None:
    """The child's life; never returns."""
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(files[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), number)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    moments = Moments(
        job.get("kill") or job.get("interrupt") or 0, signal.SIGKILL if "kill" in job else signal.SIGINT
    )
    if {"kill", "count", "interrupt"} & job.keys():
        moments.watch()
    os.chdir(job["cwd"])
    os.environ.update(job.get("env", {}))
    if "file_size" in job:
        resource.setrlimit(resource.RLIMIT_FSIZE, (job["file_size"], job["file_size"]))
    if "read_only" in job:
        mount(["--bind", "-o", "ro", job["read_only"], job["read_only"]])
    if "small" in job:
        folder, kilobytes = job["small"]
        mount(["-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder])
    codes = [command(argv) for argv in job.get("argvs") or [job["argv"]]]
    sys.stdout.flush()
    sys.stderr.flush()
    files["codes"].write_text(json.dumps(codes))
    if "count" in job:
        files["moments"].write_text("\n".join(moments.names))
    os._exit(codes[-1])


def command(argv: list[str]) -> int:
    """One command's exit code."""
    if argv[0] in ("rm", "fill"):
        Path(argv[1]).unlink() if argv[0] == "rm" else Path(argv[1]).write_bytes(bytes(int(argv[2])))
        return 0
    sys.argv = ["openiir", *argv]
    try:
        openiir.cli.main()
    except SystemExit as left:
        return int(left.code or 0)
    except BaseException as error:
        print("ESCAPED", repr(error), file=sys.stderr)
        return 99
    return 0


def mount(words: list[str]) -> None:
    """Mount in a name space of this process's own (CLONE_NEWNS, which Python 3.11 has no name for)."""
    alone = ctypes.CDLL(None).unshare(0x00020000) == 0
    steps = (["mount", "--make-rprivate", "/"], ["mount", *words])
    if not alone or any(subprocess.run(step, capture_output=True).returncode for step in steps):
        os._exit(77)


if __name__ == "__main__":
    main()
