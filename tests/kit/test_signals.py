"""Channels lose their share, nested over shares, and only declared readers read; counts fade by half."""

import numpy as np
import pytest

from openiir.kit.signals import Channels, DecayedCounts, Outage, Restoration
from openiir.plugin import DepartureEvent, Draw, InputError, UnknownName
from openiir.plugin.checkpoint import check_arrays

DRAW = Draw(3, "signals", step=1)
SIGNALS = np.arange(20_000)


@pytest.fixture
def channels():
    return Channels(("click", "dwell"), {"ranker": frozenset({"click"}), "nobody": frozenset()})


def test_all_arrives_without_an_outage(channels):
    assert channels.arriving("ranker", "click", SIGNALS, DRAW).all()


def test_an_outage_loses_its_share_and_no_other_channel(channels):
    channels.apply(Outage(channel="click", share=0.3))
    assert channels.lost.tolist() == [0.3, 0.0]
    assert channels.arriving("ranker", "click", SIGNALS, DRAW).mean() == pytest.approx(0.7, abs=0.01)


def test_the_whole_channel_can_be_lost_and_restored(channels):
    channels.apply(Outage(channel="click"))
    assert not channels.arriving("ranker", "click", SIGNALS, DRAW).any()
    channels.apply(Restoration(channel="click"))
    assert channels.arriving("ranker", "click", SIGNALS, DRAW).all()


def test_other_events_of_a_study_leave_channels_alone(channels):
    channels.apply(DepartureEvent(member="reader-000001"), Outage(channel="dwell", share=0.5))
    assert [channels.share_lost(one) for one in channels.names] == [0.0, 0.5]


def test_what_is_lost_at_a_share_is_lost_at_a_larger_one(channels):
    arrived = []
    for share in (0.2, 0.6):
        channels.apply(Outage(channel="click", share=share))
        arrived.append(channels.arriving("ranker", "click", SIGNALS, DRAW))
    assert (arrived[1] <= arrived[0]).all()


def test_a_signal_fares_alike_whatever_comes_with_it(channels):
    channels.apply(Outage(channel="click", share=0.5))
    some = SIGNALS[100:200]
    assert (
        channels.arriving("ranker", "click", some, DRAW)
        == channels.arriving("ranker", "click", SIGNALS, DRAW)[100:200]
    ).all()


def test_only_declared_channels_are_read(channels):
    with pytest.raises(InputError, match="declared to read click"):
        channels.arriving("ranker", "dwell", SIGNALS, DRAW)
    with pytest.raises(InputError, match="declared to read none"):
        channels.arriving("nobody", "click", SIGNALS, DRAW)


def test_unknown_channels_are_refused(channels):
    with pytest.raises(UnknownName, match="smell"):
        channels.apply(Outage(channel="smell"))
    with pytest.raises(UnknownName, match="smell"):
        Channels(("click",), {"ranker": frozenset({"smell"})})


def test_counts_fade_by_half_in_their_half_life():
    counts = DecayedCounts(4, np.zeros((2, 3)))
    counts.add(np.array([0, 5, 5]))
    counts.add(np.array([1]), 2.0)
    assert counts.values.tolist() == [[1, 2, 0], [0, 0, 2]]
    for _ in range(4):
        counts.fade()
    assert counts.values == pytest.approx(np.array([[0.5, 1, 0], [0, 0, 1]]), abs=1e-5)


def test_large_counts_can_be_kept_for_a_checkpoint():
    counts = DecayedCounts(40, np.array([9_000.123456789, 0.1]))
    counts.fade()
    counts.add(np.array([0]), 12_345.678)
    check_arrays({"counts": counts.values})
    assert counts.values[0] == pytest.approx(9_000.123456789 * 0.5 ** (1 / 40) + 12_345.678)


def test_nothing_is_counted_at_no_place():
    counts = DecayedCounts(2, np.ones(3))
    counts.add(np.zeros(0, dtype=np.int64))
    assert counts.values.tolist() == [1, 1, 1]
