"""Small runs of the reference study."""

from collections.abc import Callable, Iterator

import pytest

from openiir.testing import Finished, run_offline

SMALL = ("config.searchers=120", "config.rounds=5")


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Finished]]:
    """Runs the reference study, small, with these settings; each set of them once."""
    made: dict[tuple[str, ...], Finished] = {}

    def run(*sets: str) -> Finished:
        if sets not in made:
            made[sets] = run_offline("twin_ecosystem", tmp_path_factory.mktemp("study"), *SMALL, *sets)
        return made[sets]

    yield run
    for one in made.values():
        one.run.close()
