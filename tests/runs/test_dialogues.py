"""Dialogues with declared systems in lanes: what goes out and is recorded, failures, and replays without the system."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openiir.core.storage import Log, RunFile

Command = Callable[..., Any]


def test_a_dialogue_is_a_session_of_its_lane_and_is_replayed_without_the_system(
    talks: Callable[..., Path], bot: Any, openiir: Command, tmp_path: Path
) -> None:
    study = talks(bot=bot.url)
    ran = openiir("run", study, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    assert len(bot.sessions) == len(bot.closed) == 5 and bot.open_at_once == 0
    with RunFile.open(tmp_path / "run") as run:
        told = [json.loads(event.payload) if isinstance(event.payload, str) else event.payload
                for event in Log(run).events("talker.told", actor="ada")]
        calls = [call for call in run.calls() if call.place.kind == "talker.say"]
    assert told[0]["text"].startswith("1 [2J of ") and told[1]["text"].startswith("2 [2J")
    requests = [json.loads(call.request) for call in calls if call.place.lane == "ada"]
    assert requests[0] == {"to": "bot", "said": "", "values": {"user": "ada"}}
    assert all(request.keys() == {"to", "said", "values"} for request in requests)
    bot.stop()
    assert openiir("replay", tmp_path / "run").content == ran.content
