"""The social medium keeps the contract of every type, with a cast, events and a crowd."""

import pytest

from openiir.scenarios.social_media import SocialMedia
from openiir.testing import ScenarioContract

SMALL = (
    "config.members=60",
    "config.rounds=4",
    "config.followees=8",
    "config.activity.posts=0.1",
    "config.follows.rate=1.0",
    "config.follows.leave=1.0",
    "world.dimensions=8",
)
EVENTS = """event=[
{at='round 1', kind='post', post='rumour', member='user-000032', text='The town of Lindau went bankrupt.',
valence=-0.7, veracity='false'},
{at='round 1', kind='post', post='report', member='user-000033', text='Lindau kept its offices open.',
valence=0.7, veracity='true'},
{at='round 2', kind='note', post='rumour', text='Lindau ended the year with a surplus.', delay=10},
{at='round 2', kind='promote', member='user-000040', name='Ada Berg', bio='Repairs lifts.'},
{at='round 3', kind='milestone', activity=3.0},
{at='round 3', kind='leave', member='user-000050'},
{at='round 4', kind='remove', post='report'},
]""".replace("\n", "")


class TestContract(ScenarioContract):
    type = SocialMedia
    sets = (*SMALL, EVENTS)

    @pytest.fixture(autouse=True)
    def short_audit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Audit keys with fewer, busier rounds than the reference study needs."""
        monkeypatch.setattr(SocialMedia, "audited", {"members": 120, "rounds": 5, "activity.posts": 0.3})
