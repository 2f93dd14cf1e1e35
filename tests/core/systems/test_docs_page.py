"""The page "Connect a system" says nothing that is not so."""

import asyncio
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from aiohttp import web

from openiir.core.systems import Exchange, SystemSpec, probe_system, read_system

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "connect-a-system.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


SETTINGS = "[systems."
"""How a block of the settings file begins; all others are declarations."""


@pytest.mark.parametrize("block", [block for block in blocks("toml") if not block.startswith(SETTINGS)])
def test_every_declaration_can_be_read(block):
    read_system(tomllib.loads(block))


def test_the_python_block_runs():
    (block,) = blocks("python")
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("hello\nsystem textwrap:dedent\n")
    assert done.stderr == ""


@pytest.mark.parametrize("key", [*SystemSpec.model_fields, *Exchange.model_fields])
def test_every_key_is_explained(key):
    assert re.search(rf"`\[?{key}\b|^\[?{key}\b", PAGE, re.MULTILINE)


@pytest.mark.parametrize("key", ["timeout", "tries", "backoff", "repeatable"])
def test_the_defaults_are_the_ones_that_hold(key):
    (said,) = re.findall(rf"\| `{key}` \| (\S+) \|", PAGE)
    assert tomllib.loads(f"x = {said}")["x"] == SystemSpec.model_fields[key].default


def test_the_doctor_prints_what_the_page_shows(web_server):
    (shown,) = blocks("text")
    answers = iter(("What do you like?", "Something else than that."))

    async def chat(request):
        assert (await request.json()).keys() == {"question", "user"}
        return web.json_response({"answer": {"text": next(answers)}})

    async def main():
        async with web_server(chat) as url:
            table = tomllib.loads(blocks("toml")[0]) | {"url": f"{url}/chat"}
            lines = (await probe_system(read_system(table))).lines()
            return "".join(f"{line}\n" for line in lines).replace(url, "http://127.0.0.1:5000")

    assert asyncio.run(main()) == shown
