"""Small runs of the reference study, each executed once for all tests of the type."""

from collections.abc import Callable, Iterator

import pytest

from openiir.scenarios.tiered_capability import TieredCapability
from openiir.testing import Finished, run_offline

SMALL = ("config.members=60", "config.rounds=4")


@pytest.fixture(scope="session")
def play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Finished]]:
    """Run the reference study, or another of its folder, small, with these settings."""
    made: dict[tuple[str, ...], Finished] = {}

    def run(*sets: str, study: str = "study.toml") -> Finished:
        if (study, *sets) not in made:
            file, folder = TieredCapability.reference / study, tmp_path_factory.mktemp("study")
            made[study, *sets] = run_offline(file, folder, *SMALL, *sets)
        return made[study, *sets]

    yield run
    for one in made.values():
        one.run.close()
