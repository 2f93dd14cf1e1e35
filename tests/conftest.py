"""What holds for every test (no network but loopback), and what tests of runs share."""

import asyncio
import hashlib
import ipaddress
import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from openiir.core.files import InputLimits
from openiir.testing.standin import Behaviour, StandIn

# Without limits on time, which a machine at work on something else exceeds.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True, scope="session")
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep views, permissions and receipts in folders of the tests instead of the user's."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            patch.setenv(variable, str(tmp_path_factory.getbasetemp() / variable))
        yield


@pytest.fixture(scope="session")
def own() -> Callable[..., Path]:
    """Gives a copied run, and perhaps its study, the receipt of one that was made here."""
    from openiir.core.storage import receipts

    def issue(folder: Path, study: Path | None = None) -> Path:
        receipts.write_receipt(folder, study)
        return folder

    return issue


RUNS = Path(__file__).parent / "runs"

STUDY = """type = "parlour"
name = "evening"
seed = 11
personas = "people.toml"

[world]
sources = ["sea.md", "land.md"]
chunk_words = 20
dimensions = 4
"""
PEOPLE = "".join(
    f'[[persona]]\nid = "{name.lower()}"\nname = "{name}"\nbio = "{name} has fished for {years} years."\n\n'
    for name, years in (("Ada", 7), ("Ben", 19), ("Cleo", 31))
)
SEA = """Ropes should be checked every day because worn ropes part without a sound.

A harbour that dredges its channel each spring loses fewer boats, but dredging costs the town a great deal.

Tide tables are printed in winter and are wrong by summer, so older skippers do not trust them.
"""
LAND = """Farmers near the coast dry their ropes indoors and say that they last for years.

Checking every day is not needed on land, because no tide pulls at a barn.
"""


@pytest.fixture
def limit_inputs(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets the limits of this process on the files it reads, for one test."""
    return lambda **most: monkeypatch.setattr("openiir.core.files._find", lambda: InputLimits(**most))


class Everything:
    """Holds whatever it is asked for."""

    def __contains__(self, name: object) -> bool:
        return True


@pytest.fixture
def every_callable() -> Iterator[None]:
    """Python code is trusted, as it is outside of studies where a program says so."""
    from openiir.core import callables

    token = callables._trusted.set(Everything())  # type: ignore[arg-type]
    yield
    callables._trusted.reset(token)


def write_study(place: Path, top: str = "", tables: str = "") -> Path:
    place.mkdir(exist_ok=True)
    (place / "people.toml").write_text(PEOPLE)
    (place / "sea.md").write_text(SEA)
    (place / "land.md").write_text(LAND)
    (place / "study.toml").write_text(f"{top}\n{STUDY}\n{tables}\n")
    return place / "study.toml"


@dataclass(frozen=True)
class Result:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def content(self) -> str:
        """The hash on the last line."""
        assert self.code == 0, self.err
        return self.out.strip().splitlines()[-1].removeprefix("content: ")


@pytest.fixture(scope="session")
def parlour() -> Any:
    """The module of the small types that the tests of runs use."""
    import small_types

    return small_types


@pytest.fixture
def with_parlour(parlour: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers the small type beside the installed ones."""
    parlour.register("parlour", patch=monkeypatch)


@pytest.fixture
def evening(tmp_path: Path, with_parlour: None) -> Callable[..., Path]:
    """Writes a small study (further TOML lines, and tables, may be added) and gives its file."""

    def write(top: str = "", tables: str = "", folder: str = "study") -> Path:
        return write_study(tmp_path / folder, top, tables)

    return write


@pytest.fixture
def by_model(evening: Callable[..., Path]) -> Path:
    """The small study, answered by a model."""
    return evening('answers = "model"', '[model]\nname = "standin"')


@pytest.fixture
def sit() -> Callable[..., str]:
    """Runs a study in this process and gives its content hash."""
    from openiir.runs.engine import Watcher, drive
    from openiir.runs.prepare import prepare_run
    from openiir.runs.settings import Settings
    from openiir.runs.study import load_study, study_permissions
    from openiir.runs.trust import Trust

    def run(study: Path, out: Path, settings: Settings | None = None, *sets: str) -> str:
        trust = Trust().with_leave(study_permissions(str(study), sets))
        settings = (settings or Settings()).model_copy(update={"trust": trust})
        with prepare_run(load_study(str(study), sets, trust=trust), out, settings) as begun:
            return asyncio.run(drive(begun, settings, Watcher()))

    return run


@pytest.fixture
def trusted() -> Callable[[Path], Path]:
    """Gives a study the permissions it needs, as `openiir trust` does, and gives it back."""
    from openiir.runs.study import study_permissions
    from openiir.runs.trust import add_trusted

    def trust(study: Path) -> Path:
        add_trusted(study_permissions(str(study)))
        return study

    return trust


@pytest.fixture
def openiir(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """The command, in this process."""
    from openiir.cli import main

    def command(*words: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["openiir", *map(str, words)])
        capfd.readouterr()
        code: Any = 0
        try:
            main()
        except SystemExit as left:
            code = left.code or 0
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return command


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[..., tuple[StandIn, Path]]]:
    """Starts a stand-in with the ways given; gives it, and a settings file that leads to it."""
    started: list[StandIn] = []

    def start(lines: str = "", **ways: Any) -> tuple[StandIn, Path]:
        server = StandIn(Behaviour(**ways)).__enter__()
        started.append(server)
        file = tmp_path / f"settings-{len(started)}.toml"
        endpoint = f'[endpoint]\nurl = "{server.url}"\nfirst_wait = 0.001\ntimeout = 0.5\n'
        file.write_text(lines if "[endpoint]" in lines else endpoint + lines)
        if "[endpoint]" in lines:
            file.write_text(lines.replace("URL", server.url))
        return server, file

    yield start
    for server in started:
        server.__exit__(None, None, None)


@pytest.fixture
def fingerprints() -> Callable[[Path], dict[str, str]]:
    """The hash of every file below a folder, by its path there."""

    def read(folder: Path) -> dict[str, str]:
        return {
            str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    return read


@pytest.fixture(scope="session")
def lab() -> Iterator[Any]:
    """A PostgreSQL server that the tests started, as `lab_server` describes it."""
    from lab_server import lab_server

    with lab_server() as server:
        yield server


@pytest.fixture(scope="session")
def sitter(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[subprocess.Popen[str]]":
    """A process that has all loaded and forks for each job; see runs/sitter.py."""
    study = write_study(tmp_path_factory.mktemp("warm"))
    words = [sys.executable, str(RUNS / "sitter.py"), str(study)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process


@pytest.fixture
def sittings(tmp_path: Path, sitter: "subprocess.Popen[str]") -> Callable[..., list[dict[str, Any]]]:
    """Run commands in processes of their own, one after the other; runs/sitter.py describes a job."""

    def sit(*jobs: dict[str, Any]) -> list[dict[str, Any]]:
        assert sitter.stdin is not None and sitter.stdout is not None
        sitter.stdin.write(json.dumps([{"cwd": str(tmp_path), **job} for job in jobs]) + "\n")
        sitter.stdin.flush()
        return list(json.loads(sitter.stdout.readline()))

    return sit


@pytest.fixture
def sitter_words() -> list[str]:
    """How a command begins that is to run in a process of its own, which knows the small type."""
    script = (
        f"import sys; sys.path.insert(0, {str(RUNS.with_name('shared'))!r}); import small_types; "
        "small_types.register('parlour'); import openiir.cli; openiir.cli.main()"
    )
    return [sys.executable, "-c", script]


def _is_loopback(address):
    if not isinstance(address, tuple):
        return True  # a local socket: a path
    host = address[0]
    if host in ("localhost", "", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class NetworkRefused(Exception):
    """A test tried to leave this machine."""


def _refusing(method):
    def connect(self, address, *rest):
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address):
            raise NetworkRefused(
                f"a test tried to reach {address}; mark it `network`, or use a stand-in server"
            )
        return method(self, address, *rest)

    return connect


def _knowing_loopback_alone(getaddrinfo):
    def look_up(host, *args, **kwargs):
        if host in (None, "", "localhost", b"localhost") or _is_address(host):
            return getaddrinfo(host, *args, **kwargs)
        raise socket.gaierror(socket.EAI_NONAME, f"tests look no names up, and so not {host!r}")

    return look_up


def _is_address(host):
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return True
    try:
        socket.inet_aton(host)  # takes the odd spellings too, such as 127.1
    except (OSError, TypeError):
        return False
    return True


@pytest.fixture(autouse=True)
def loopback_only(request, monkeypatch):
    """Connects to nothing but loopback and looks no names up; the marker `network` lifts it."""
    if request.node.get_closest_marker("network"):
        return
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, _refusing(getattr(socket.socket, name)))
    monkeypatch.setattr(socket, "getaddrinfo", _knowing_loopback_alone(socket.getaddrinfo))
