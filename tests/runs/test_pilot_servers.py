"""Forecasts after a pilot against runs by servers: every type by the stand-in, one by llama.cpp.

What prefix caches save is compared with what llama.cpp's server counts.
"""

import asyncio
import json
import urllib.request

import pytest
from piloted_runs import BY_MODEL, run_piloted

from openiir.core.llm import Endpoint, connect
from openiir.core.llm.speed import measure_speed
from openiir.runs.engine import Watcher, drive
from openiir.runs.forecast import forecast_run
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.runs.types import list_types
from openiir.testing.standin import StandIn

pytestmark = pytest.mark.extras
SYSTEMS = '[{name="popularity", by="popularity"}]'
SINGLE = 'config.simulators=["single", "agenda"]'
STUDIES = {
    "asymmetric_memory": (2, ["config.rounds=6"]),
    "conversational": (36, ["config.dialogues=16", "config.turns=6", "config.judge.dialogues=2", SINGLE]),
    "coordination_emergent": (2, ["config.rounds=6"]),
    "curated_feed": (1, ["config.users=30", "config.weeks=3", "config.promoted=3", "config.beside=[]"]),
    "feedback_outage": (4, ["config.rounds=16", "event=[]"]),
    "multi_generational": (
        2,
        ["config.controls=[]", "config.generations=3", "config.producers=2", "config.detectors=2"]
        + ["config.pairs=2", "config.matrix.generations=0"],
    ),
    "open_web": (2, ["config.shares=[0.4]", "config.rounds=6"]),
    "panel": (8, []),
    "recommender": (
        6,
        ["config.users=20", f"config.systems={SYSTEMS}", "config.data.synthetic={users=30, items=40}"]
        + ["config.visitors.persona=false", "config.page.most=3"],
    ),
    "social_media": (4, ["config.members=60", "config.rounds=9", "event=[]"]),
    "tiered_capability": (3, ["config.rounds=8"]),
    "twin_ecosystem": (2, ["config.rounds=6"]),
}


@pytest.fixture(scope="module")
def standin():
    with StandIn() as server:
        yield Settings(endpoint=(Endpoint(url=server.url, width=16),))


def test_every_type_is_compared():
    own = {known.name for known in list_types() if known.origin.startswith("openiir ")}
    assert set(STUDIES) == own


@pytest.mark.parametrize("name", STUDIES)
def test_a_pilot_forecasts_calls_and_prompts_within_a_quarter(name, standin, tmp_path):
    size, sets = STUDIES[name]
    found = run_piloted(name, size, sets, standin, tmp_path / "run")
    assert found.piloting < 0.8 * found.calls
    assert max(map(abs, found.errors(found.piloted))) < 0.25, found.errors(found.piloted)


@pytest.fixture
def tiny():
    """The server of a tiny model, which keeps 256 MiB of prompts."""
    pytest.importorskip("xllamacpp", reason="needs llama.cpp's server (the xllamacpp wheel)")
    from tiny_model import tiny_model_server

    with tiny_model_server(cache=256) as url:
        yield url


def test_a_pilot_by_a_model_counts_as_its_tokenizer_does(tiny, tmp_path):
    settings = Settings(endpoint=(Endpoint(url=tiny, width=1),))
    sets = ["model.max_tokens=120", "config.rounds=2"]
    found = run_piloted("twin_ecosystem", 1, sets, settings, tmp_path / "run")
    without, piloted = found.errors(found.rehearsed), found.errors(found.piloted)
    assert max(map(abs, piloted)) < 0.25 < max(map(abs, without)), (without, piloted)
    assert found.replies_hold


def test_a_prefix_cache_saves_at_most_what_the_forecast_says(tiny, tmp_path):
    with StandIn() as answering:
        settings = Settings(endpoint=(Endpoint(url=answering.url, width=1),))
        study = load_study("twin_ecosystem", [*BY_MODEL, "config.rounds=3"])
        with prepare_run(study, tmp_path / "run", settings) as run:
            (forecast,) = asyncio.run(forecast_run(run, settings))
            asyncio.run(drive(run, settings, Watcher()))
            sent = [json.loads(call.request)["messages"] for call in run.calls()]
    usage = [_ask(tiny, messages) for messages in sent]
    cached = sum(one["prompt_tokens_details"]["cached_tokens"] for one in usage)
    share = cached / sum(one["prompt_tokens"] for one in usage)
    assert 0 < forecast.own.total() < forecast.earlier.total()
    assert 0.05 < share < 1.1 * forecast.earlier.total() / forecast.prompt_tokens


def _ask(url, messages):
    """Ask llama.cpp's server for one token; gives what it counts."""
    told = [{"role": one["role"], "content": one["text"]} for one in messages]
    body = json.dumps({"model": "tiny-random", "max_tokens": 1, "messages": told}).encode()
    request = urllib.request.Request(f"{url}/chat/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["usage"]


def test_the_speed_of_an_endpoint_is_measured(tiny):
    async def measure():
        async with connect(Endpoint(url=tiny)) as connection:
            return await measure_speed(connection, 2)

    speed = asyncio.run(measure())
    assert (speed.model, speed.context, speed.width) == ("tiny-random", 8192, 2)
    assert 1 < speed.reply < speed.prompt
    assert speed.together > speed.reply / 4
