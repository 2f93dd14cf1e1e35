"""A small social medium: its configuration, a rumour, a persona."""

from collections.abc import Callable, Mapping
from typing import Any

from openiir.plugin import Measure
from openiir.testing import Finished

CONFIG: dict[str, Any] = {
    "statement": "The bridge should be closed",
    "topics": ["traffic", "noise"],
    "members": 300,
    "rounds": 8,
    "followees": 15,
    "hubs": 10.0,
    "reproduction": 2.0,
    "activity": {"posts": 0.02, "hours": [1.0] * 24},
}
RUMOUR = {
    "at": "round 1",
    "kind": "post",
    "post": "rumour",
    "member": "user-000007",
    "text": "The bridge fell into the river.",
    "veracity": "false",
}
ADA: dict[str, Any] = {"id": "ada", "name": "Ada", "bio": "Repairs lifts.", "stance": 0.6}
Run = Callable[..., tuple[Finished, Mapping[str, Measure]]]
