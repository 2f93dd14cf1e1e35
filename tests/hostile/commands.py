"""Runs commands in turn within budgets of memory and time: `commands.py < COMMANDS`, JSON lists of words.

Prints a JSON list of [code, output, error]; a command that takes too long has the code 98.
"""

import contextlib
import io
import json
import resource
import signal
import sys

from openiir.cli import main

SECONDS, CPU_SECONDS = 60, 10
BYTES = 3_000_000_000


class TooLong(BaseException):
    """A command's time is up."""


def stop(number: int, frame: object) -> None:
    raise TooLong


def run(words: list[str]) -> tuple[int, str, str]:
    sys.argv = ["openiir", *words]
    out, err = io.StringIO(), io.StringIO()
    code = 0
    signal.alarm(SECONDS)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as left:
            code = int(left.code or 0)
        except TooLong:
            code = 98
        finally:
            signal.alarm(0)
            signal.setitimer(signal.ITIMER_PROF, 0)
    return code, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, stop)
    signal.signal(signal.SIGPROF, stop)
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000_000, 100_000_000))
    done = [run(words) for words in json.load(sys.stdin)]
    print(json.dumps(done))
