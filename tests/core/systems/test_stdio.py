import asyncio
import os
import sys
import textwrap
import time
from pathlib import Path

import pytest

from openiir.core.systems import SystemFault, open_session, read_system

ECHO = """
    import json, sys
    for line in sys.stdin:
        print(json.dumps({"reply": json.loads(line)["text"].upper()}), flush=True)
"""


def declared(program, **keys):
    command = [sys.executable, "-c", textwrap.dedent(program)]
    return read_system({"connector": "stdio", "command": command, "response": "reply", "timeout": 20} | keys)


def talk(spec, *texts):
    async def main():
        session = await open_session(spec, "test")
        try:
            return [await session.send({"text": text}) for text in texts]
        finally:
            await session.close()

    return asyncio.run(main())


def gone(pid):
    """Whether a process has ended and was reaped: a zombie is not gone."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def dead(pid):
    """Whether a process has ended, be it that its new parent has not buried it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_line_a_turn_to_one_process_a_session():
    assert [r.text for r in talk(declared(ECHO), "hi", "line\nbreak", "ünï")] == ["HI", "LINE\nBREAK", "ÜNÏ"]


def test_raw_lines_are_one_line_whatever_the_text_holds():
    program = "import sys\nfor line in sys.stdin: print(len(line), line, end='', flush=True)"
    spec = declared(program, format="text", response="text")
    assert [r.text for r in talk(spec, "a\nb\r\nc", "next")] == ["6 a b c", "5 next"]


def test_a_greeting_and_log_lines():
    program = """
        import sys
        print("welcome", flush=True)
        for line in sys.stdin:
            print("LOG thinking", flush=True)
            print("ok", flush=True)
    """

    async def main():
        spec = declared(program, format="text", response="text", open={}, ignore={"text": "LOG"})
        session = await open_session(spec, "test")
        assert session.opening is not None
        assert session.opening.text == "welcome"
        assert (await session.send({"text": "hi"})).text == "ok"
        await session.close()

    asyncio.run(main())


POET = """
import sys
for line in sys.stdin:
    for word in line.split():
        print(word, flush=True)
"""


def test_lines_are_gathered_until_the_process_falls_silent():
    spec = declared(POET, format="text", response="[*]", settle=0.1)
    assert [r.text for r in talk(spec, "one two", "three")] == ["one\ntwo", "three"]


def test_last_lines_are_heard_before_the_end():
    spec = declared(
        "input(); print('good'); print('bye')",
        format="text",
        response="[*]",
        settle=0.1,
        end={"closed": True},
    )
    assert [(r.text, r.ended) for r in talk(spec, "hi", "hm")] == [("good\nbye", False), ("", True)]


def test_a_process_that_dies_is_quoted_and_the_session_is_over():
    program = "import sys; sys.stdin.readline(); sys.exit('no model at /models/x')"

    async def main():
        session = await open_session(declared(program), "test")
        with pytest.raises(
            SystemFault, match="ended with code 1 instead of answering.*no model at /models/x"
        ):
            await session.send({"text": "hi"})
        with pytest.raises(SystemFault, match="the session is over: ended with code 1"):
            await session.send({"text": "hi"})
        assert await session.close() is None

    asyncio.run(main())


def test_ending_well_is_the_end_where_it_is_declared_so():
    program = "import sys; sys.stdin.readline()"
    assert talk(declared(program, end={"closed": True}), "hi")[0].ended
    with pytest.raises(SystemFault, match="ended with code 0 instead of answering"):
        talk(declared(program), "hi")
    with pytest.raises(SystemFault, match="ended with code 3"):
        talk(declared(program + "; sys.exit(3)", end={"closed": True}), "hi")


def test_a_program_that_does_not_exist_is_named():
    spec = read_system({"connector": "stdio", "command": "/no/such/bot -v", "response": "text"})
    with pytest.raises(
        SystemFault, match="/no/such/bot -v: cannot be started .no such file.*correct command"
    ):
        talk(spec)


def test_a_line_that_is_no_json_is_quoted():
    with pytest.raises(SystemFault, match="no JSON where JSON was declared: 'Loading model...'"):
        talk(declared("input(); print('Loading model...', flush=True); input()"), "hi")


def test_a_complaining_process_does_not_block_on_its_standard_error():
    program = """
        import sys
        for line in sys.stdin:
            sys.stderr.write("x" * 300_000)
            print('{"reply": "still here"}', flush=True)
    """
    assert talk(declared(program), "hi")[0].text == "still here"


def test_a_silent_process_is_given_up_on_and_killed_even_if_it_resists():
    program = """
        import os, signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print(os.getpid(), flush=True)
        time.sleep(600)
    """

    async def main():
        spec = declared(program, format="text", response="text", open={})
        session = await open_session(spec, "test")
        assert session.opening is not None
        pid = int(session.opening.text)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(session.send({"text": "hi"}), 0.05)
        assert not gone(pid)
        await session.close()
        return pid

    assert gone(asyncio.run(main()))


def test_a_time_out_says_that_the_output_may_not_be_flushed():
    program = """
        import sys
        with open(1, "w", buffering=4096) as out:
            for line in sys.stdin:
                out.write("ok")
    """
    with pytest.raises(SystemFault, match="no line within 0.2 s.*flush"):
        talk(declared(program, format="text", response="text", timeout=0.2), "hi")


def test_what_a_process_started_ends_with_it():
    program = """
        import subprocess, sys
        child = subprocess.Popen(["sleep", "600"])
        print(child.pid, flush=True)
    """

    async def main():
        spec = declared(program, format="text", response="text", open={})
        session = await open_session(spec, "test")
        assert session.opening is not None
        await session.close()
        return int(session.opening.text)

    pid = asyncio.run(main())
    for _ in range(500):  # a kill takes its time
        if dead(pid):
            break
        time.sleep(0.01)
    assert dead(pid)


def test_a_closing_line_is_heard_before_the_process_ends(tmp_path):
    program = f"""
        import sys
        for line in sys.stdin:
            if "quit" in line:
                open({str(tmp_path / "heard")!r}, "w").write(line)
                sys.exit(0)
    """

    async def main():
        session = await open_session(declared(program, close={"request": {"do": "quit"}}), "test")
        return await session.close()

    assert asyncio.run(main()) is None
    assert (tmp_path / "heard").read_text() == '{"do":"quit"}\n'


def test_many_sessions_leave_no_zombie():
    program = """
        import os, sys
        for line in sys.stdin:
            print(os.getpid(), flush=True)
    """

    async def one(number):
        session = await open_session(declared(program, format="text", response="text"), f"test {number}")
        reply = await session.send({"text": "who are you?"})
        await session.close()
        return int(reply.text)

    async def main():
        return await asyncio.gather(*(one(n) for n in range(4)))

    pids = asyncio.run(main())
    assert len(set(pids)) == 4
    assert all(gone(pid) for pid in pids)


def test_a_line_too_long_to_be_an_answer_is_refused(monkeypatch):
    monkeypatch.setattr("openiir.core.systems.stdio.LARGEST", 2**20)
    program = "input(); print('x' * (2**20 + 1), flush=True); input()"
    with pytest.raises(SystemFault, match="a line is longer than 1 MiB"):
        talk(declared(program), "hi")
