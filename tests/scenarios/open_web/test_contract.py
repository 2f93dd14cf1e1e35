"""The open web keeps the contract of every type."""

from openiir.scenarios.open_web import OpenWeb
from openiir.testing import ScenarioContract

SMALL = tuple(
    f"config.{key}"
    for key in (
        "people=60",
        "spaces.number=3",
        "spaces.writers=4",
        "rounds=4",
        "shares=[0.4, 0.8]",
        "prices=[0.01]",
        "visits.summaries=0.5",
        "economy.publishers=40",
    )
)


class TestContract(ScenarioContract):
    type = OpenWeb
    sets = SMALL
    lives_apart = True
