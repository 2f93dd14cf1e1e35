import asyncio
from importlib.metadata import EntryPoint

import pytest

SEEDS = range(1, 7)


def sit(study, out, *sets):
    from openiir.runs.engine import Watcher, drive
    from openiir.runs.prepare import prepare_run
    from openiir.runs.settings import Settings
    from openiir.runs.study import load_study

    with prepare_run(load_study(str(study), sets), out, Settings()) as run:
        asyncio.run(drive(run, Settings(), Watcher()))
    return out


@pytest.fixture(scope="session")
def evenings(parlour, tmp_path_factory):
    """Runs of the small type for the seeds 1 to 6.

    `warm-N` is `cold-N` with every score 3 higher; `long-N` has a second step, so its scores differ by
    chance.
    """
    from openiir.runs import types

    place = tmp_path_factory.mktemp("evenings")
    (place / "people.toml").write_text(
        "".join(f'[[persona]]\nid = "{n}"\nname = "{n}"\nbio = "{n} fishes."\n\n' for n in ("ada", "ben"))
    )
    (place / "sea.md").write_text(
        "Ropes should be checked every day because worn ropes part without a sound.\n"
    )
    (place / "study.toml").write_text(
        'type = "parlour"\nname = "evening"\npersonas = "people.toml"\n[world]\nsources = '
        '["sea.md"]\ndimensions = 2\n'
        "[config]\nsteps = 1\n"
    )
    entry = EntryPoint("parlour", f"{parlour.__name__}:Parlour", types.GROUP)
    installed = types._entries()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(types, "_entries", lambda: [*installed, entry])
        for seed in SEEDS:
            for name, warmth, steps in (("cold", 0.2, 1), ("warm", 0.8, 1), ("long", 0.2, 2)):
                keys = (f"seed={seed}", f"config.warmth={warmth}", f"config.steps={steps}")
                sit(place / "study.toml", place / f"{name}-{seed}", *keys)
    return place


@pytest.fixture
def arms(evenings, with_parlour):
    """The folders of both arms, the cold one first."""
    return [evenings / f"{name}-{seed}" for name in ("cold", "warm") for seed in SEEDS]


@pytest.fixture
def longer(evenings, with_parlour):
    """The folders of the cold arm and of the long one."""
    return [evenings / f"{name}-{seed}" for name in ("cold", "long") for seed in SEEDS]


@pytest.fixture
def another(evenings, with_parlour, tmp_path):
    """Runs one more evening, with keys replaced."""

    def run(name, *sets):
        return sit(evenings / "study.toml", tmp_path / name, *sets)

    return run
