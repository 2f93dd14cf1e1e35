"""Dialogues with declared systems in lanes:
what goes out and is recorded, failures, and replays without the system."""

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.core.seeds import Draw
from openiir.core.storage import Log, RunFile
from openiir.plugin import Step
from openiir.runs.settings import Settings
from openiir.runs.systems import strip_quotes

Command = Callable[..., Any]
Talks = Callable[..., Path]


def told(folder: Path, lane: str = "") -> list[dict[str, Any]]:
    with RunFile.open(folder) as run:
        return [event.payload for event in Log(run).events("talker.told") if lane in ("", event.lane)]


def count(folder: Path, table: str) -> int:
    with RunFile.open(folder) as run:
        return int(run.db.execute(f"select count(*) from {table}").fetchone()[0])


def test_a_dialogue_is_a_session_of_its_lane_and_is_replayed_without_the_system(
    talks, bot, openiir, tmp_path
):
    ran = openiir("run", talks(bot=bot.url), "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    assert len(bot.sessions) == len(bot.closed) == 5 and bot.open_at_once == 0
    said = told(tmp_path / "run", "ada")
    assert said[0]["text"].startswith("1 [2J of ") and said[1]["text"].startswith(
        "2 [2J of "
    )  # no control characters
    with RunFile.open(tmp_path / "run") as run:
        calls = [call for call in run.calls() if (call.place.lane, call.place.kind) == ("ada", "talker.say")]
    requests = [json.loads(call.request) for call in calls]
    assert requests[0] == {"to": "bot", "said": "", "values": {"user": "ada"}}
    assert all(request.keys() == {"to", "said", "values"} for request in requests), "no history, no prompt"
    heard = [one for one in bot.requests if one.get("user") == "ada"]
    assert [one["text"] for one in heard] == [request["said"] for request in requests[1:]]
    assert json.loads(calls[0].reply) == {"text": said[0]["text"], "ended": False, "fault": ""}
    bot.stop()
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_a_system_that_remembers_never_meets_an_old_session(talks, bot, sit, tmp_path):
    study = talks(bot=bot.url)
    assert sit(study, tmp_path / "one") == sit(study, tmp_path / "two")
    assert len(bot.sessions) == 10


def test_a_failing_system_ends_the_dialogue_and_no_other(talks, bot, openiir, tmp_path):
    ways = {"ada": "500", "ben": "html", "cleo": "drop", "dan": "end"}
    bot.misbehave = lambda user, number: ways.get(user, "") if number == 3 else ""
    ran = openiir("run", talks("[config]\nturns = 6", bot=bot.url), "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    ends = {name: told(tmp_path / "run", name)[-1] for name in (*ways, "eve")}
    assert ends["ada"]["fault"] == "answered status 500"
    assert ends["ben"]["fault"] == "answered an HTML page where JSON was declared"
    assert ends["cleo"]["fault"].startswith("the connection broke")
    assert not ends["dan"]["fault"] and not ends["eve"]["fault"]
    assert [len(told(tmp_path / "run", name)) for name in ways] == [3] * 4
    with RunFile.open(tmp_path / "run") as run:
        noted = list(run.db.execute("select lane, what from transport order by lane"))
    assert [lane for lane, _ in noted] == ["ada", "ben", "cleo"] and "Traceback at 1" in noted[0][1]
    bot.stop()
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_what_a_reply_cannot_hold_is_a_failure_of_the_system(talks, bot, openiir, tmp_path):
    bot._said = lambda session: "la " * 300
    ran = openiir("run", talks(bot=bot.url), "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    assert len(told(tmp_path / "run")) == 5
    assert all(one["fault"].startswith("its answer cannot be used: text") for one in told(tmp_path / "run"))


def test_a_run_stops_at_a_system_that_was_never_reached_and_can_be_resumed(
    talks, new_bot, openiir, sit, tmp_path
):
    bot = new_bot()
    study = talks(bot=bot.url)
    port = bot.server.server_port
    bot.stop()
    ran = openiir("run", study, "--out", tmp_path / "run")
    assert ran.code == 1 and "no connection to 127.0.0.1" in ran.err and "start the system" in ran.err
    assert count(tmp_path / "run", "call") == 0
    new_bot(port)
    resumed = openiir("resume", tmp_path / "run")
    assert resumed.content == sit(study, tmp_path / "whole")


def test_once_reached_a_system_that_is_gone_ends_dialogues(talks, new_bot, openiir, tmp_path):
    here, gone = new_bot(), new_bot()
    gone.misbehave = lambda user, number: "drop" if gone.server.socket.close() is None else ""
    study = talks('[config]\nsystems = ["gone", "here"]\n', gone=gone.url, here=here.url)
    ran = openiir("run", study, "--set", "config.opened=false", "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    faults = [one["fault"] for one in told(tmp_path / "run") if one["system"] == "gone"]
    assert len(faults) == 5 and all(faults)
    assert not any(one["fault"] for one in told(tmp_path / "run") if one["system"] == "here")


@pytest.mark.parametrize("leaves", [True, False])
def test_neither_width_nor_latency_matters_and_no_lane_waits_for_ever(leaves, talks, new_bot, sit, tmp_path):
    left, right = new_bot(), new_bot()
    tables = f'[config]\nsystems = ["left", "right"]\nleaves = {str(leaves).lower()}'
    study, contents = talks(tables, left=left.url, right=right.url), set()
    for width in (1, 2, 32):
        left.most_at_once = right.most_at_once = 0
        for bot in (left, right):
            bot.wait = lambda number, width=width: 0.003 * Draw(width, "latency").uniform(item=number)
        settings = Settings.model_validate(
            {"systems": {name: {"width": width} for name in ("left", "right")}}
        )
        contents.add(sit(study, tmp_path / f"w{width}", settings))
        assert left.most_at_once <= width and (not leaves or right.most_at_once <= width)
        assert left.open_at_once == right.open_at_once == 0, "a life's end closes what was not left"
    assert len(contents) == 1


def test_stopped_at_a_limit_and_resumed_a_run_holds_its_dialogues_anew(talks, bot, openiir, sit, tmp_path):
    study = talks("[config]\nsteps = 2", bot=bot.url)
    content = sit(study, tmp_path / "whole")
    calls = count(tmp_path / "whole", "call")
    limits = tmp_path / "limits.toml"
    limits.write_text(f"[limits]\ncalls = {calls // 2 + 3}\n")
    stopped = openiir("run", study, "--settings", limits, "--out", tmp_path / "run")
    assert stopped.code == 1 and "limit" in stopped.err
    bot.requests.clear()
    assert openiir("resume", tmp_path / "run").content == content
    assert 0 < count(tmp_path / "run", "abandoned") < calls and count(tmp_path / "run", "call") == calls
    assert len([one for one in bot.requests if one["path"] == "/turn"]) < calls, (
        "what was complete is not asked again"
    )
    assert openiir("measure", tmp_path / "run").out == openiir("measure", tmp_path / "whole").out
    assert openiir("show", tmp_path / "run").code == openiir("show", tmp_path / "whole").code
    assert openiir("replay", tmp_path / "run").content == content


COUNTING = """
import sys


class Bot:
    heard = ()

    def __call__(self, text):
        self.heard += (text,)
        return f"{len(self.heard)} from {' / '.join(self.heard)}"[:400]


if __name__ == "__main__":
    bot = Bot()
    for line in sys.stdin:
        print(bot(line.strip()), flush=True)
"""


@pytest.mark.parametrize("connector", ["python", "stdio"])
def test_what_lives_in_its_session_alone_is_talked_with_anew(
    connector, talks, openiir, tmp_path, monkeypatch
):
    (tmp_path / "counting_bot.py").write_text(COUNTING)
    monkeypatch.syspath_prepend(tmp_path)
    how = {
        "python": 'callable = "counting_bot:Bot"',
        "stdio": f'command = ["{sys.executable}", "{tmp_path / "counting_bot.py"}"]\nformat = "text"',
    }
    study = talks(
        f'[system.bot]\nconnector = "{connector}"\nrequest = "{{text}}"\n{how[connector]}\n[config]\nopened '
        "= false\n"
    )
    whole = openiir("run", study, "--trust", "--out", tmp_path / "whole")
    assert [one["text"] for one in told(tmp_path / "whole", "ada")][0] == "1 from hello"
    limits = tmp_path / "limits.toml"
    limits.write_text("[limits]\ncalls = 9\n")
    assert openiir("run", study, "--trust", "--settings", limits, "--out", tmp_path / "run").code == 1
    assert openiir("resume", tmp_path / "run", "--trust").content == whole.content
    assert count(tmp_path / "run", "abandoned") > 0


@pytest.mark.parametrize("ends", [True, False])
def test_no_checkpoint_is_written_amid_a_dialogue_of_the_main_lane(
    ends, talks, parlour, bot, sit, tmp_path, monkeypatch
):
    kept = []

    async def schedule(self, stage):
        while stage.step <= 2:
            await stage.ask("system:bot", parlour.Say("hello", "ada", ()))
            if ends:
                await stage.end_dialogue("system:bot")
            stage.keep()
            yield Step(f"turn {stage.step}")
            kept.append(sorted(path.name for path in (tmp_path / "run" / "checkpoints").glob("*")))

    monkeypatch.setattr(parlour.Talker, "schedule", schedule)
    sit(talks(bot=bot.url), tmp_path / "run", Settings(checkpoint_every=1))
    assert kept == ([["000001.npz"], ["000002.npz"]] if ends else [[], []])


def test_a_command_that_is_none_stops_the_run(talks, openiir, tmp_path):
    study = talks(
        '[system.bot]\nconnector = "stdio"\ncommand = ["no-such-bot"]\nformat = "text"\nrequest = "{text}"\n'
    )
    ran = openiir("run", study, "--trust", "--out", tmp_path / "run")
    assert ran.code == 1 and "no-such-bot: cannot be started" in ran.err and "correct command" in ran.err


def test_what_was_set_aside_was_paid_for(talks, bot, openiir, tmp_path):
    limits = tmp_path / "limits.toml"
    limits.write_text("[limits]\ncalls = 8\n")
    openiir("run", talks(bot=bot.url), "--settings", limits, "--out", tmp_path / "run")
    again = openiir("resume", tmp_path / "run", "--settings", limits)
    assert again.code == 1 and "has used 8 of its limit of 8 calls" in again.err


def test_a_fork_shares_the_dialogues_before_it(talks, bot, openiir, tmp_path):
    study = talks("[config]\nsteps = 2", bot=bot.url)
    ran = openiir("run", study, "--out", tmp_path / "run")
    bot.requests.clear()
    forked = openiir("fork", tmp_path / "run", "--step", "2", "--set", "turns=2", "--out", tmp_path / "fork")
    assert forked.code == 0 and forked.content != ran.content
    assert 5 <= len([one for one in bot.requests if one["path"] == "/open"]) == len(bot.closed) - 10 == 5
    with RunFile.open(tmp_path / "run") as run, RunFile.open(tmp_path / "fork") as fork:
        first = [[(e.lane, e.payload) for e in Log(one, until=1).events()] for one in (run, fork)]
    assert first[0] == first[1]
    bot.stop()
    assert openiir("replay", tmp_path / "fork").content == forked.content


def test_a_recording_plays_the_dialogues(talks, bot, openiir, tmp_path):
    study = talks(bot=bot.url)
    openiir("run", study, "--out", tmp_path / "one")
    bot.stop()
    play = (
        "--set",
        'answers={default="offline", kind={"talker.say"="recording"}}',
        "--recording",
        tmp_path / "one",
    )
    played = openiir("run", study, *play, "--out", tmp_path / "two")
    assert played.code == 0, played.err
    assert told(tmp_path / "two") == told(tmp_path / "one")
    assert openiir("replay", tmp_path / "two").content == played.content


def test_words_for_a_failure_leave_out_what_it_quotes():
    said = f"answered status 500: 'Error at {time.time()}' ... (900 characters in all)"
    assert strip_quotes(said) == "answered status 500"
    assert (
        strip_quotes("answered status 302, a redirect to 'http://localhost:49152/?t=1'")
        == "answered status 302, a redirect"
    )
    assert (
        strip_quotes("the exchange is no proper HTTP (BadStatus: 3)")
        == "the exchange is no proper HTTP (BadStatus)"
    )
    assert strip_quotes("no answer within 30 s") == "no answer within 30 s"
    assert not re.search(r"\d{5}", strip_quotes("raised KeyError: 1732222222 (bot.py, line 3)"))
