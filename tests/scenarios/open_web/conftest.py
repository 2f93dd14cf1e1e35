"""Small runs of the reference study."""

from collections.abc import Callable, Iterator

import pytest

from openiir.testing import Finished, run_offline

SMALL = ("people=120", "spaces.number=4", "spaces.writers=6", "economy.publishers=80")


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Finished]]:
    """Runs the reference study, small, with these keys of its configuration; each set of them once."""
    made: dict[tuple[str, ...], Finished] = {}

    def run(*sets: str) -> Finished:
        if sets not in made:
            keys = [f"config.{key}" for key in (*SMALL, *sets)]
            made[sets] = run_offline("open_web", tmp_path_factory.mktemp("study"), *keys)
        return made[sets]

    yield run
    for one in made.values():
        one.run.close()
