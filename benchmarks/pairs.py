"""CPU time of the hot paths at two commits, measured in turns: ratios with 95 % bootstrap intervals.

    python benchmarks/pairs.py COMMIT [OTHER]                 # OTHER: the working tree, if left out
    python benchmarks/pairs.py COMMIT --only feed --only replay --turns 9 --shared

Each commit is installed from a worktree of its own into an environment of its own. With `--shared`, only the
package is, over the libraries of this environment, which saves minutes where both commits can use them. What
is timed are whole `openiir` processes with their workers, on studies that are written here, so that commits
may differ in their modules. A workload runs at two sizes and the difference counts, which leaves the start
out; the start itself is measured by the two workloads of one size. Ratios above 1.05 are marked: OTHER is
slower. A workload that one of the commits cannot run is named and left out.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from sysconfig import get_path
from typing import Annotated, Any

import numpy as np
import tomli_w
import typer

from bare import standin
from measuring import ONE_THREAD, run_command

ROOT = Path(__file__).resolve().parents[1]
SLOWER = 1.05
MODEL = {"answers": "model", "model": {"name": "standin", "max_tokens": 200}}
POSTS = {"statement": "The bridge should be closed", "topics": ["traffic", "noise"], "members": 2_000}


@dataclass(frozen=True)
class Workload:
    """A study at two sizes; with one size, the whole process is timed."""

    study: dict[str, Any]
    key: str
    sizes: tuple[int, ...]
    command: str = "run"
    """`run`, or `replay` for replaying a run that was recorded before."""


def dialogues(system: str, acts: bool) -> Workload:
    """Build the workload of offline dialogues of an agenda user with a reference system."""
    simulator = {"name": "agenda", "by": "agenda", "acts": acts}
    config = {"systems": [system], "simulators": [simulator], "data": {"name": "synthetic"}}
    return Workload({"type": "conversational", "config": config}, "dialogues", (50, 450))


ASKED = {"type": "curated_feed", **MODEL, "config": {"users": 60, "promoted": 60, "topics": 4}}
FEED = {
    "ranker": "similarity",
    "beside": ["history", "popularity", "random", "none"],
    "evaluate": ["popularity"],
}
VISITS = {"systems": [{"name": "popularity", "by": "popularity"}], "data": {"name": "synthetic"}}
ARENA = {"log": "summaries", "matrix": {"generations": 0}, "pairs": 10}
WORKLOADS = {
    "acts": dialogues("attribute", acts=True),
    "words": dialogues("attribute", acts=False),
    "random": dialogues("random", acts=True),
    "feed": Workload({"type": "curated_feed", "config": FEED}, "weeks", (2, 8)),
    "visits": Workload({"type": "recommender", "config": VISITS}, "users", (20, 120)),
    "asking": Workload(ASKED, "weeks", (1, 5)),
    "replay": Workload(ASKED, "weeks", (1, 5), "replay"),
    "medium": Workload({"type": "social_media", "config": POSTS}, "rounds", (4, 52)),
    "generations": Workload({"type": "multi_generational", "config": ARENA}, "generations", (4, 12)),
    "help": Workload({}, "", (0,), "--help"),
    "panel": Workload({"type": "panel"}, "", (0,)),
}


@dataclass
class Commit:
    """One commit, installed, with the seconds of each turn by workload."""

    name: str
    program: Path
    folder: Path
    seconds: dict[str, list[float]] = field(default_factory=dict)


def install(name: str, source: Path, folder: Path, shared: bool) -> Commit:
    """Install the package of a source tree into a new environment in `folder`."""
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv/bin/python"
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if shared:
        asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
        libraries = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
        Path(libraries, "shared.pth").write_text(get_path("purelib"))
        pip += ["--no-deps", "--no-build-isolation"]
    else:
        pip += ["-c", source / "constraints.txt"]
    subprocess.run([*pip, source], check=True)
    (folder / "work").mkdir()
    return Commit(name, folder / "venv/bin/openiir", folder / "work")


@contextmanager
def installed(revisions: Sequence[str], scratch: Path, shared: bool) -> Iterator[list[Commit]]:
    """Install these revisions, "" being the working tree, and take their worktrees away at the end."""
    git = ["git", "-C", str(ROOT), "worktree"]
    trees, commits = [], []
    try:
        for number, revision in enumerate(revisions):
            folder = scratch / str(number)
            folder.mkdir()
            source = ROOT
            if revision:
                source = folder / "tree"
                subprocess.run([*git, "add", "--quiet", "--detach", source, revision], check=True)
                trees.append(source)
            commits.append(install(revision or "working tree", source, folder, shared))
        yield commits
    finally:
        for tree in trees:
            subprocess.run([*git, "remove", "--force", tree], check=True)


def run_timed(commit: Commit, arguments: Sequence[str], url: str) -> tuple[float, str]:
    """Run `openiir`; return CPU seconds of it and its workers, and its last line if it failed."""
    settings = commit.folder / "openiir.toml"
    settings.write_text(tomli_w.dumps({"endpoint": {"url": url}, "checkpoint_every": 0}))
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    places = {f"XDG_{name}_HOME": str(commit.folder / name) for name in ("CACHE", "STATE", "DATA", "CONFIG")}
    with tempfile.TemporaryFile("w+") as printed:
        process = subprocess.Popen(
            [commit.program, *arguments],
            cwd=commit.folder,
            env={**kept, **ONE_THREAD, **places, "OPENIIR_SETTINGS": str(settings)},
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        last = "".join(printed.read().strip().splitlines()[-1:])
    return used.ru_utime + used.ru_stime, last if status else ""


def arguments_of(commit: Commit, name: str, size: int) -> list[str]:
    """Write the workload's study at this size; return the arguments of its command."""
    work = WORKLOADS[name]
    if work.command == "--help":
        return ["--help"]
    run = commit.folder / f"{name}-{size}"
    if work.command == "replay":
        return ["replay", str(run)]
    if "config" not in work.study:
        return ["run", work.study["type"], "--out", str(run), "--again"]
    study = commit.folder / f"{name}-{size}.toml"
    config = {**work.study["config"], work.key: size}
    study.write_text(tomli_w.dumps({"name": name, "seed": 7, **work.study, "config": config}))
    return ["run", str(study), "--out", str(run), "--again"]


def warm_up(commit: Commit, name: str, url: str) -> str:
    """Record what is replayed, and run everything once; return why the commit cannot, or ""."""
    work = WORKLOADS[name]
    for size in work.sizes:
        arguments = arguments_of(commit, name, size)
        if work.command == "replay":
            recorded = arguments_of(commit, "asking", size)
            recorded[recorded.index("--out") + 1] = arguments[-1]
            if failed := run_timed(commit, recorded, url)[1]:
                return failed
        if failed := run_timed(commit, arguments, url)[1]:
            return failed
    return ""


def measure_turn(commit: Commit, name: str, url: str) -> None:
    """Add the CPU seconds of one turn: those of the large size beyond those of the small one."""
    used = []
    for size in WORKLOADS[name].sizes:
        seconds, failed = run_timed(commit, arguments_of(commit, name, size), url)
        if failed:
            sys.exit(f"{name} ran once at {commit.name} and then failed: {failed}")
        used.append(seconds)
    commit.seconds.setdefault(name, []).append(used[-1] - (used[0] if len(used) > 1 else 0.0))


def ratio_interval(before: Sequence[float], after: Sequence[float]) -> tuple[float, float, float]:
    """Ratio of the medians, with a 95 % interval by resampling turns."""
    turns = np.array([before, after])
    drawn = np.random.default_rng(0).integers(turns.shape[1], size=(5_000, turns.shape[1]))
    first, second = np.median(turns[:, drawn], axis=2)
    low, high = np.quantile(second / first, (0.025, 0.975))
    return float(np.median(after) / np.median(before)), float(low), float(high)


def compare(commits: Sequence[Commit], name: str, turns: int, url: str) -> str:
    """Measure a workload in turns; return its row."""
    for commit in commits:
        if failed := warm_up(commit, name, url):
            return f"{name:12} left out, {commit.name} cannot run it: {failed}"
    for turn in range(turns):
        for commit in commits if turn % 2 else commits[::-1]:
            measure_turn(commit, name, url)
    before, after = (commit.seconds[name] for commit in commits)
    ratio, low, high = ratio_interval(before, after)
    mark = "  SLOWER" if ratio > SLOWER else ""
    seconds = f"{np.median(before):9.2f}{np.median(after):9.2f}"
    return f"{name:12}{seconds}{ratio:8.2f}   {low:.2f} to {high:.2f}{mark}"


def main(
    commit: str,
    other: Annotated[str, typer.Argument()] = "",
    only: list[str] = (),
    turns: int = 7,
    shared: bool = False,
) -> None:
    if unknown := set(only) - set(WORKLOADS):
        sys.exit(f"no workload is called {unknown.pop()}; known: {', '.join(WORKLOADS)}")
    with (
        tempfile.TemporaryDirectory() as scratch,
        installed([commit, other], Path(scratch), shared) as commits,
        standin(0.0) as url,
    ):
        before, after = (commit.name for commit in commits)
        print(f"CPU seconds of {before} and {after}, {turns} turns, load {os.getloadavg()[0]:.1f}")
        print(f"{'':12}{'before':>9}{'after':>9}{'ratio':>8}   95 % interval", flush=True)
        for name in only or WORKLOADS:
            print(compare(commits, name, turns, url), flush=True)


if __name__ == "__main__":
    run_command(main)
