"""The image of docker/Dockerfile, made without Docker, works as another user on a read-only root."""

import json
import signal
from pathlib import Path

import pytest
from container_image import read_instructions

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "docker" / "Dockerfile"
SERVE = """
import json, signal, subprocess, sys, time
serve, check = json.loads(sys.argv[1])
with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
    address = server.stdout.readline()
    last = time.monotonic() + 30
    while (tried := subprocess.run(check, capture_output=True)).returncode and time.monotonic() < last:
        time.sleep(0.1)
    server.send_signal(signal.SIGTERM)
    print(json.dumps([address, tried.returncode, server.wait(10)]))
"""


def test_the_image_is_small_by_what_it_copies_and_never_root():
    said = read_instructions(DOCKERFILE)
    bases = [rest for word, rest in said if word == "FROM"]
    last = said[max(n for n, (word, _) in enumerate(said) if word == "FROM") :]
    assert len(bases) == 2 and all("${PYTHON}" in base for base in bases)
    assert ("ARG", "PYTHON=3.12-slim-bookworm") in said
    assert [rest for word, rest in last if word == "COPY"] == ["--from=build /app /app"]
    (user,) = (rest for word, rest in last if word == "USER")
    assert user == "10001:10001"
    copied = [rest.split()[:-1] for word, rest in said if word == "COPY" and "--from" not in rest]
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line[0] == "!"}
    assert {name for names in copied for name in names} == kept


@pytest.mark.extras
def test_nothing_but_the_volume_can_be_written(inside):
    tried = inside("sh", "-c", "id -u; touch /data/x /tmp/x; touch /app/x; touch /x; touch /usr/x")
    assert tried.stdout == "10001\n"
    assert tried.stderr.count("Read-only file system") == 3, tried.stderr


@pytest.mark.extras
def test_it_runs_and_exports_a_study(image, inside):
    def command(*words):
        done = inside(*image.command("ENTRYPOINT"), *words)
        assert done.returncode == 0, done.stderr
        assert "Read-only" not in done.stderr and "Permission" not in done.stderr
        return done.stdout

    assert "content: sha256:" in command("run", "panel")
    (run,) = (image.folder / "data/runs").iterdir()
    command("export", f"runs/{run.name}", "--out", "run.html", "--without", "prompts")
    assert (image.folder / "data/run.html").stat().st_size > 100_000
    assert (image.folder / "data/.local/state/openiir").is_dir()


@pytest.mark.extras
def test_it_serves_is_healthy_and_stops_in_time(image, inside):
    serve = image.command("ENTRYPOINT") + image.command("CMD")
    tried = inside("python", "-c", SERVE, json.dumps([serve, image.command("HEALTHCHECK")]))
    assert tried.returncode == 0, tried.stderr
    address, unhealthy, code = json.loads(tried.stdout)
    assert address.startswith("http://127.0.0.1:8317/#token=")
    assert (unhealthy, code) == (0, -signal.SIGTERM)
