"""A real SearXNG starts with the stack's settings, and openiir's client reads its answers.

Its engines are replaced by one that asks a small server on loopback.
"""

import asyncio
import os
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from small_server import SmallServer

from openiir.core.errors import EndpointError
from openiir.core.storage import Log, RunFile
from openiir.core.world import SearXNG
from openiir.testing.standin import StandIn

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "docker" / "searxng" / "settings.yml"
PROGRAM = Path(sys.prefix, "searxng")
FOUND = {"title": "Ropes", "url": "https://example.org/r", "content": "Worn ropes part at sea."}


@contextmanager
def started_searxng(folder, settings, port):
    """Start SearXNG with the settings given on loopback and wait until it is healthy; gives its address."""
    (file := folder / "settings.yml").write_text(yaml.safe_dump(settings))
    variables = {
        **os.environ,
        "PYTHONPATH": str(PROGRAM),
        "SEARXNG_SETTINGS_PATH": str(file),
        "SEARXNG_SECRET": "of-a-test",
        "SEARXNG_PORT": str(port),
        "TMPDIR": str(folder),
    }
    command = [sys.executable, "-P", "-m", "searx.webapp"]
    address = f"http://127.0.0.1:{port}"
    log = folder / "log"
    with log.open("w") as told, subprocess.Popen(command, env=variables, stdout=told, stderr=told) as own:
        try:
            last = time.monotonic() + 30
            while not _answers(f"{address}/healthz"):
                if time.monotonic() > last or own.poll() is not None:
                    pytest.fail(log.read_text())
                time.sleep(0.05)
            yield address
        finally:
            own.kill()


def _answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


@pytest.fixture
def settings():
    """The stack's settings with one engine, on loopback."""
    if not PROGRAM.is_dir():
        pytest.skip("SearXNG is not installed: make test-extras")
    found = yaml.safe_load(SETTINGS.read_text("utf-8"))
    found["use_default_settings"] = {"engines": {"keep_only": ["loopback"]}}
    return found


@pytest.mark.extras
def test_a_panel_searches_by_a_searxng_of_the_stack(tmp_path, settings, free_port, openiir):
    asked = []

    def answer(path, body):
        asked.append(path)
        return 200, {"found": [FOUND]}

    with SmallServer(answer) as engine, StandIn() as ollama:
        settings["engines"] = [
            {
                "name": "loopback",
                "engine": "json_engine",
                "shortcut": "lo",
                "categories": ["general"],
                "search_url": f"{engine.url}/?q={{query}}",
                "results_query": "found",
                "url_query": "url",
                "title_query": "title",
                "content_query": "content",
                "enable_http": True,
            }
        ]
        with started_searxng(tmp_path, settings, free_port()) as address:
            (hit,) = asyncio.run(SearXNG(address).search("worn ropes", 5))
            own = (ROOT / "docker" / "openiir.toml").read_text("utf-8")
            own = own.replace("http://searxng:8080", address).replace("http://ollama:11434/v1", ollama.url)
            (tmp_path / "openiir.toml").write_text(own)
            by_model = ("--set", "answers=model", "--set", "model.name=standin", "--set", "web_search=true")
            words = ("panel", *by_model, "--settings", tmp_path / "openiir.toml")
            ran = openiir("run", *words, "--out", tmp_path / "run")
            assert ran.code == 0, ran.err
    assert (hit.title, hit.url, hit.text) == ("Ropes", FOUND["url"], FOUND["content"])
    assert asked[0] == "/?q=worn+ropes"
    with RunFile.open(tmp_path / "run") as run:
        searches = [search for search in Log(run).searches() if search.refused is None]
    assert searches and len(asked) == 1 + len(searches)


@pytest.mark.extras
def test_without_our_formats_it_refuses_and_the_remedy_is_said(tmp_path, settings, free_port):
    del settings["search"]["formats"]
    refused = pytest.raises(EndpointError, match=r"status 403; .* `json` is among `search\.formats`")
    with started_searxng(tmp_path, settings, free_port()) as address, refused:
        asyncio.run(SearXNG(address).search("worn ropes", 5))
