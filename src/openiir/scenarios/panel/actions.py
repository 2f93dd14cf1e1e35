"""What happens in a panel, as entries of its log."""

from typing import ClassVar

from openiir.plugin import Action, Citation
from openiir.scenarios.panel.config import Act


class RoundOpened(Action):
    """The moderator opened a round."""

    kind: ClassVar[str] = "panel.round"
    name: str
    goal: str
    cap: int


class RoundClosed(Action):
    """A round ended."""

    kind: ClassVar[str] = "panel.round-closed"
    name: str
    reason: str
    turns: int


class Spoke(Action):
    """A panelist said something."""

    kind: ClassVar[str] = "panel.speak"
    number: int
    round: str
    act: Act
    text: str
    address: str
    """The claim addressed; empty for the round's goal."""
    cites: tuple[Citation, ...]
    stance: float
    """The speaker's own, when it spoke."""
    claims: tuple[str, ...]
    """Ids of the new claims found in it."""
    tokens_left: int


class Passed(Action):
    """A panelist whose turn it was said nothing."""

    kind: ClassVar[str] = "panel.pass"
    round: str
    reason: str
