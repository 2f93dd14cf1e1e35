"""Signals that a platform receives from its members by channels, of which outages lose a share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import Field

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import Arm, Draw, InputError, Own, Record, UnknownName, quantise, round_floats


class Outage(Record):
    """From here on a share of a channel's signals is lost."""

    channel: str
    share: float = Field(1.0, ge=0, le=1)


class Restoration(Record):
    """From here on a channel's signals arrive again."""

    channel: str


@dataclass(eq=False)
class Channels(Arm):
    """Channels of signals, such as clicks and query logs, with the share of each that is lost.

    `readers` names what is computed from signals, each with the channels that it may read. So what an outage
    can reach is declared: a reader that asks for another channel is refused.
    """

    names: tuple[str, ...]
    readers: Mapping[str, frozenset[str]]
    lost: Own[Floats] = field(init=False)
    """(channels,) share of each channel's signals that is lost, 0 to 1; this is all the state there is."""

    def __post_init__(self) -> None:
        self.lost = np.zeros(len(self.names))
        for reader, channels in self.readers.items():
            for channel in channels - set(self.names):
                raise UnknownName(f"channel that {reader} reads", channel, self.names)

    def apply(self, *events: Record) -> None:
        """Carry out what of a study's events is for channels; raises UnknownName for one that is not here."""
        for event in events:
            if isinstance(event, Outage | Restoration):
                if event.channel not in self.names:
                    raise UnknownName("channel", event.channel, self.names)
                self.lost[self.names.index(event.channel)] = event.share if isinstance(event, Outage) else 0.0

    def share_lost(self, channel: str) -> float:
        """Return the share of a channel's signals that is lost."""
        return float(self.lost[self.names.index(channel)])

    def arriving(self, reader: str, channel: str, signals: Any, draw: Draw) -> Bools:
        """Draw which signals of a channel arrive, for a reader that declared it.

        `signals` are their numbers, by which the draws are named: what is lost at one share is lost at any
        larger one, and in every arm.
        """
        if channel not in self.readers[reader]:
            raise InputError(
                f"{reader} reads the channel {channel!r} and is declared to read "
                f"{', '.join(sorted(self.readers[reader])) or 'none'}; add it to `readers`"
            )
        return ~np.asarray(draw.at(channel).chance(self.share_lost(channel), item=np.asarray(signals)))


@dataclass(eq=False)
class DecayedCounts:
    """Counts that fade: what was counted `half_life` rounds ago weighs half."""

    half_life: float
    values: Floats
    """The counts, of any shape; this is all the state there is."""

    def fade(self) -> None:
        """Let a round pass."""
        self.values = round_floats(quantise(self.values * 0.5 ** (1.0 / self.half_life)))

    def add(self, places: Ints, amounts: Any = 1.0) -> None:
        """Count amounts at flat places, which may repeat."""
        added = np.bincount(places, np.broadcast_to(amounts, np.shape(places)), self.values.size)
        self.values = round_floats(quantise(self.values + added.reshape(self.values.shape)))
