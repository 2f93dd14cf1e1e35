"""The map of the house (docs/start/the-house.md): its two walks are those that a run takes."""

import re
import sys
import traceback
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from openiir.cli import main
from openiir.runs.settings import Settings
from openiir.scenarios.panel.questions.speaking import PanelSpeech
from openiir.scenarios.panel.run.actions import Spoke
from openiir.server.app import build_app
from openiir.server.guard import Access

PAGE = Path(__file__).parents[2] / "docs" / "start" / "the-house.md"
WALKS = [
    re.findall(r"^\| `(openiir[\w.]*)` ", part, re.M) for part in PAGE.read_text("utf-8").split("\n## ")[1:]
]


def rooms_on_the_way():
    """The modules that called each other up to here, each once."""
    frames = [frame for frame, _ in traceback.walk_stack(sys._getframe(2))][::-1]
    names = [str(frame.f_globals.get("__name__")) for frame in frames]
    return list(dict.fromkeys(name for name in names if name.startswith("openiir")))


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """A short panel run by the command, with the rooms that its first utterance passed on the way."""
    folder, ways = tmp_path_factory.mktemp("walk") / "runs" / "panel", []

    def speak(self, draw, say=PanelSpeech.offline):
        ways.append([*rooms_on_the_way(), PanelSpeech.__module__])
        return say(self, draw)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PanelSpeech, "offline", speak)
        patch.setattr(sys, "argv", ["openiir", "run", "panel", "--out", str(folder)])
        with pytest.raises(SystemExit) as ended:
            main()
    assert not ended.value.code
    return folder, ways[0]


def test_from_the_command_to_the_words(walked):
    assert walked[1] == WALKS[0] and len(WALKS[0]) <= 12


def test_from_the_browser_to_the_log(walked, monkeypatch):
    ways = []

    def read(kind, payload, said=Spoke.model_validate):
        ways.append(rooms_on_the_way())
        return said(payload)

    app = build_app(walked[0].parent, Access(token="a-token"), Settings())
    monkeypatch.setattr(Spoke, "model_validate", classmethod(read))
    with TestClient(app, base_url="http://127.0.0.1:8317", headers={"X-Openiir": "1"}) as client:
        assert client.get("/api/runs/panel/surfaces/transcript").status_code == 200
    assert ways[0] == WALKS[1] and len(WALKS[1]) <= 8
