"""compose.yaml keeps to the specification and to rules of its own; docker-compose accepts every profile."""

import importlib.resources
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import jsonschema
import pytest
import yaml
from test_pages import parse

from openiir.runs.settings import load_settings

ROOT = Path(__file__).parents[2]
PROFILES = ("web", "run", "ollama", "searxng", "postgres", "neo4j", "all")
SECRETS = ("POSTGRES_PASSWORD", "NEO4J_PASSWORD", "SEARXNG_SECRET")
ROOT_INSIDE = {"ollama"}
"""Services whose image writes as root to its volume; they have no capability."""
ONCE = {"openiir", "pull"}
"""Services that end, and so have no health."""


@pytest.mark.parametrize("name", ["compose.yaml", "docker/gpu.yaml"])
def test_the_file_keeps_to_the_compose_specification(name):
    schemas = importlib.resources.files("check_jsonschema") / "builtin_schemas" / "vendor"
    schema = json.loads((schemas / "compose-spec.json").read_text("utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    content = yaml.safe_load((ROOT / name).read_text("utf-8"))
    assert not [error.message for error in validator.iter_errors(content)]
    assert [error.message for error in validator.iter_errors({"services": {"web": {"imag": "x"}}})]


def test_every_service_is_pinned_confined_and_watched(stack):
    for name, service in stack["services"].items():
        tag = service["image"].partition(":")[2]
        assert tag and tag != "latest", name
        assert service["profiles"] == ["run"] or service["profiles"][1:] == ["all"], name
        assert name in ROOT_INSIDE or service["user"].partition(":")[0] not in ("", "0", "root"), name
        assert service["mem_limit"] and service["logging"]["options"]["max-size"], name
        checked = "test" in service["healthcheck"]
        assert checked != (name in ONCE), name
        assert service["restart"] == ("unless-stopped" if checked else service["restart"]), name
        assert all(port.startswith("127.0.0.1:${") for port in service.get("ports", ())), name
    own = [service for service in stack["services"].values() if service["image"] == "openiir:local"]
    assert len(own) == 2 and all(one["read_only"] and one["tmpfs"] == ["/tmp"] for one in own)


def test_volumes_are_declared_and_files_of_the_host_are_read_only(stack):
    named = set()
    for service in stack["services"].values():
        for volume in service.get("volumes", ()):
            source, _, rest = re.sub(r"\$\{\w+:-(.*?)\}", r"\1", volume).partition(":")
            if source.startswith("."):
                assert (ROOT / source).exists() and rest.endswith(":ro"), volume
            else:
                named.add(source)
    assert named == set(stack["volumes"])


def test_a_service_waits_only_for_what_its_profiles_start(stack):
    for name, service in stack["services"].items():
        for other, waited in service.get("depends_on", {}).items():
            assert set(service["profiles"]) <= set(stack["services"][other]["profiles"]), name
            assert waited["condition"] == "service_healthy" and other not in ONCE, name


def test_no_secret_has_a_default_or_stands_in_a_file(stack):
    found = {}
    for service in stack["services"].values():
        for key, value in service["environment"].items():
            if re.search("PASSWORD|SECRET|AUTH$", key):
                found[key] = re.fullmatch(r"(?:neo4j/)?\$\{(\w+):\?\1 is not set\. [^}]+\}", value)[1]
    assert set(found.values()) == set(SECRETS) and found["PGPASSWORD"] == found["POSTGRES_PASSWORD"]
    assert "PGPASSWORD" not in stack["services"]["web"]["environment"]


def test_the_settings_lead_to_services_of_the_stack(stack):
    settings = load_settings(ROOT / "docker" / "openiir.toml")
    (endpoint,) = settings.endpoint
    ports = {"ollama": 11434, "searxng": 8080, "postgres": 5432}
    for address in (endpoint.url, settings.search.url, settings.mirror):
        parts = urlsplit(address)
        assert parts.hostname in stack["services"] and parts.port == ports[parts.hostname], address
        assert parts.password is None


@pytest.fixture
def docker_compose(tmp_path):
    """Runs docker-compose, which needs no daemon to read its files, with the variables given alone."""
    program = shutil.which("docker-compose")
    if program is None:
        pytest.skip("docker-compose is not installed: apt-get install --no-install-recommends docker-compose")

    (nothing := tmp_path / "nothing.env").touch()

    def run(*words, **variables):
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **variables}
        command = [program, "--env-file", str(nothing), *words]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)

    return run


@pytest.mark.extras
@pytest.mark.parametrize("profile", PROFILES)
def test_docker_compose_accepts_each_profile(docker_compose, stack, profile):
    files = ("-f", "compose.yaml", "-f", "docker/gpu.yaml")
    told = docker_compose(*files, "--profile", profile, "config", **dict.fromkeys(SECRETS, "of-a-test"))
    assert told.returncode == 0, told.stderr
    services = yaml.safe_load(told.stdout)["services"]
    expected = {name for name, service in stack["services"].items() if profile in service["profiles"]}
    assert expected <= set(services) and expected
    assert "${" not in told.stdout


@pytest.mark.extras
@pytest.mark.parametrize("missing", SECRETS)
def test_docker_compose_refuses_a_secret_that_is_not_set(docker_compose, missing):
    told = docker_compose("--profile", "all", "config", **{s: "x" for s in SECRETS if s != missing})
    assert told.returncode != 0
    assert f"{missing} is not set. Write the secrets to .env first" in told.stderr


def test_the_page_names_profiles_services_and_commands_that_there_are(stack):
    page = (ROOT / "docs" / "how-to" / "run-with-compose.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith("$ docker compose ")]
    asked = 0
    for words in map(shlex.split, lines):
        named = {words[n + 1] for n, word in enumerate(words) if word == "--profile"}
        assert named <= set(PROFILES), words
        if "run" in words:
            service, *rest = (word for word in words[words.index("run") + 1 :] if word != "--rm")
            assert service in ONCE, words
            if service == "openiir":
                parse(rest)
                asked += 1
    assert asked > 3
    rows = re.findall(r"^\| `(\w+)` \| ", page, re.MULTILINE)
    assert tuple(rows) == PROFILES
    for variable in re.findall(r"`([A-Z0-9]+_[A-Z0-9_]+)`", page):
        assert variable in (ROOT / "compose.yaml").read_text("utf-8"), variable
