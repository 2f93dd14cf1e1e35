"""The image of docker/Dockerfile, made without Docker, works as another user on a read-only root."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from container_image import bubblewrap, build_image, read_instructions

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "docker" / "Dockerfile"
WHOLE = bool(os.environ.get("OPENIIR_TEST_IMAGE"))
"""Whether all that the image holds is installed, in a minute or two, and not taken from these tests."""
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


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    if bubblewrap() is None:
        pytest.skip("needs root and bubblewrap that may make namespaces: make test-extras, as root")
    set_here = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    # pip reads the second as "do not isolate", though it says false.
    quick = {} if WHOLE else {"PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "false"}
    variables = {**set_here, **quick, "HOME": os.environ["HOME"]}
    found = build_image(DOCKERFILE, ROOT, tmp_path_factory.mktemp("image"), variables)
    if not WHOLE:
        (packages,) = (found.folder / "app" / "lib").glob("python3.*/site-packages")
        (own,) = Path(sys.prefix, "lib").glob("python3.*/site-packages")
        (packages / "others.pth").write_text(f"{own}\n")
    return found


@pytest.fixture
def inside(image):
    def run(*words):
        command = image.sandbox(*words, writes=("/data",), host=() if WHOLE else (sys.prefix,))
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    return run


@pytest.mark.extras
def test_nothing_but_the_volume_can_be_written(inside):
    tried = inside("sh", "-c", "id -u; touch /data/x /tmp/x; touch /app/x; touch /x; touch /usr/x")
    assert tried.stdout == "10001\n"
    assert tried.stderr.count("Read-only file system") == 3, tried.stderr


@pytest.mark.extras
def test_it_runs_replays_and_exports_a_study(image, inside):
    def command(*words):
        done = inside(*image.command("ENTRYPOINT"), *words)
        assert done.returncode == 0, done.stderr
        assert "Read-only" not in done.stderr and "Permission" not in done.stderr
        return done.stdout

    content = command("run", "panel").splitlines()[-1]
    assert content.startswith("content: sha256:")
    (run,) = (image.folder / "data/runs").iterdir()
    assert command("replay", f"runs/{run.name}").splitlines()[-1] == content
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
