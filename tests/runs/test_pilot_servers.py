"""Forecasts after a pilot against runs by servers: every type by the stand-in, one by a real model.

What prefix caches save is compared with what llama.cpp's server counts.
"""

import asyncio
import json
import urllib.request

import pytest
from piloted_runs import BY_MODEL, run_piloted

from openiir.core.llm import Endpoint
from openiir.core.sums import int_sum
from openiir.runs.forecast import Forecast, forecast_by_pilot, forecast_run
from openiir.runs.forecast.rehearsal import rehearse
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study
from openiir.runs.types import list_types
from openiir.testing.standin import StandIn

pytestmark = pytest.mark.extras
SYSTEMS = '[{name="popularity", by="popularity"}]'
STUDIES = {
    "asymmetric_memory": (2, ["config.rounds=6"]),
    "conversational": (12, ["config.dialogues=8", "config.turns=6", "config.judge.dialogues=8"]),
    "coordination_emergent": (2, ["config.rounds=6"]),
    "curated_feed": (1, ["config.users=30", "config.weeks=3", "config.promoted=3", "config.beside=[]"]),
    "feedback_outage": (4, ["config.rounds=16", "event=[]"]),
    "multi_generational": (
        2,
        ["config.controls=[]", "config.generations=3", "config.producers=2", "config.detectors=2"]
        + ["config.pairs=2", "config.matrix.generations=0"],
    ),
    "open_web": (2, []),
    "panel": (8, []),
    "recommender": (
        6,
        ["config.users=20", f"config.systems={SYSTEMS}", "config.data.synthetic={users=30, items=40}"]
        + ["config.visitors.persona=false", "config.page.most=3"],
    ),
    "social_media": (4, ["config.members=40", "config.rounds=9", "event=[]"]),
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
