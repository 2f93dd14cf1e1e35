"""Pairs of members and posts beside a set of tuples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.errors import InputError
from openiir.scenarios.social_media.model.posts.sites import SeenPosts

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), max_size=12)


def columns(pairs):
    return np.array([who for who, _ in pairs], dtype=np.int64), np.array(
        [what for _, what in pairs], dtype=np.int64
    )


@settings(deadline=None)
@given(st.lists(PAIRS, max_size=8))
def test_pairs_are_those_of_a_set(batches):
    seen, plain = SeenPosts(), set()
    everybody, every = np.arange(6)[:, None], np.arange(-1, 7)[None, :]
    for batch in batches:
        seen.add(*columns(batch))
        plain |= set(batch)
        found = seen.contains(everybody, every)
        assert found.tolist() == [[(who, what) in plain for what in range(-1, 7)] for who in range(6)]
    restored = SeenPosts(seen.state())
    assert np.array_equal(restored.contains(everybody, every), seen.contains(everybody, every))
    assert restored.state().tolist() == seen.state().tolist()


def test_many_batches_stay_few_arrays():
    seen = SeenPosts()
    for post in range(1_000):
        seen.add([1, 2, 3], post)
    assert len(seen._runs) <= 10 and len(seen.state()) == 3_000
    assert seen.contains([1, 4], 999).tolist() == [True, False]


@pytest.mark.parametrize("pair", [(-1, 0), (2**31, 0), (0, -1), (0, 2**31)])
def test_pairs_beyond_the_keys_are_refused(pair):
    with pytest.raises(InputError, match="numbered from 0"):
        SeenPosts().add(*pair)
