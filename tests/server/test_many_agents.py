"""A run of more agents than one page names: all can be found, and each knows its views."""

import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from openiir.core.storage import Log, RunFile
from openiir.runs.settings import Settings
from openiir.server import surface_cards
from openiir.server.app import build_app
from openiir.server.guard import Access

GOLDEN = Path(__file__).parents[1] / "golden" / "generations"


@pytest.fixture
def client(tmp_path, monkeypatch):
    """A server that names few agents at once."""
    shutil.copytree(GOLDEN, tmp_path / "many")
    monkeypatch.setattr(surface_cards, "MOST", 3)
    return TestClient(
        build_app(tmp_path, Access(), Settings()),
        base_url="http://127.0.0.1:8317",
        headers={"X-Openiir": "1"},
    )


@pytest.fixture
def people(client):
    with RunFile.open(GOLDEN) as run:
        found = [[persona.id, persona.name] for persona in Log(run).personas]
    assert len(found) > 6
    return found


def test_all_agents_are_listed_page_by_page(client, people):
    found, after = [], "0"
    while after is not None:
        page = client.get("/api/runs/many/agents", params={"after": after, "limit": 2}).json()
        assert page["total"] == len(people)
        found, after = [*found, *page["agents"]], page["next"]
    assert found == people


def test_agents_are_found_by_part_of_a_name_or_an_id(client, people):
    id, name = people[-1]
    for sought in (id, id.upper(), name):
        found = client.get("/api/runs/many/agents", params={"q": sought, "limit": 500}).json()["agents"]
        assert [id, name] in found and len(found) < len(people)
    assert client.get("/api/runs/many/agents", params={"q": "nobody at all"}).json()["total"] == 0


def test_a_view_names_its_own_agents_and_says_how_many(client, people):
    views = {one["name"]: one for one in client.get("/api/runs/many").json()["surfaces"]}
    known = client.get("/api/runs/many/agents", params={"view": "genomes", "limit": 500}).json()
    assert len(views["genomes"]["agents"]) == 3 < views["genomes"]["agent_count"] == known["total"]
    pairs = client.get("/api/runs/many/agents", params={"view": "pairs", "limit": 500}).json()
    assert pairs["agents"] == [one for one in known["agents"] if "producer" in one[0]]
    assert client.get("/api/runs/many/agents", params={"view": "none"}).status_code == 404


def test_the_last_agent_of_a_view_knows_its_views(client):
    known = client.get(
        "/api/runs/many/agents", params={"view": "genomes", "q": "detector", "limit": 500}
    ).json()
    views = client.get(f"/api/runs/many/agents/{known['agents'][-1][0]}").json()["views"]
    assert {"lineage", "genomes"} <= set(views) and "pairs" not in views
