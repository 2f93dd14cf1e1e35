"""Rules for observed shares, and the rumours of Twitter15 read by them."""

import os
import tarfile
from pathlib import Path

import numpy as np
import pytest

from lab.cascades.observed_shares import clean_shares
from lab.cascades.rumour_trees import read_rumour_trees
from openiir.core.errors import InputError
from openiir.scenarios.social_media.model.cascades import NOBODY

ROWS = [  # item, member, shown_by, time
    (0, 1, NOBODY, 10.0),
    (0, 2, 1, 12.0),
    (0, 2, 1, 11.0),  # a repeat, earlier
    (0, 3, 2, 9.0),  # earlier than its sharer: counts as 11
    (0, 4, 3, 10.5),  # and so does this one
    (0, 4, 4, 2.0),  # shown by itself
    (0, 5, 3, 20.0),
    (0, 5, 2, 20.0),  # nearer to the root than member 3
    (0, 6, 7, 30.0),
    (0, 7, 6, 30.0),  # 6 and 7 name each other, but 7 was also shown it by the source
    (0, 7, 1, 30.0),
    (1, 2, NOBODY, 0.0),
]


@pytest.mark.parametrize("seed", range(5))
def test_the_rules_hold_in_any_order_of_rows(seed):
    order = np.random.default_rng(seed).permutation(len(ROWS))
    item, member, shown_by, time = zip(*(ROWS[n] for n in order), strict=True)
    cleaned = clean_shares(item, member, shown_by, time)
    shares = cleaned.trees.shares
    kept = {(a, b): (c, d) for a, b, c, d in zip(*(column.tolist() for column in shares), strict=True)}
    assert kept == {
        (0, 1): (NOBODY, 10.0),
        (0, 2): (1, 11.0),
        (0, 3): (2, 11.0),
        (0, 4): (3, 11.0),
        (0, 5): (2, 20.0),
        (0, 7): (1, 30.0),
        (0, 6): (7, 30.0),
        (1, 2): (NOBODY, 0.0),
    }
    assert (cleaned.self_shown, cleaned.repeats, cleaned.early) == (1, 3, 2)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(0, 1, NOBODY, 0), (0, 2, 3, 1), (0, 3, 2, 1)], "leads back to the same member"),
        ([(0, 1, NOBODY, 0), (0, 2, 9, 1)], "member 9, who never shared it"),
        ([(0, 1, 1, 0)], None),
    ],
)
def test_what_no_rule_mends_is_refused(rows, words):
    columns = zip(*rows, strict=True)
    if words is None:
        assert len(clean_shares(*columns).trees) == 0
        return
    with pytest.raises(InputError, match=words):
        clean_shares(*columns)


LINES = """['ROOT', 'ROOT', '0.0']->['ann', '1', '0.0']
['ann', '1', '0.0']->['ben', '2', '1.5']
['ben', '2', '1.5']->['cleo', '3', '-0.25']
"""


@pytest.fixture
def rumours(tmp_path):
    def write(text=LINES, labels="false:1\ntrue:8\n"):
        for name in ("1", "8"):
            (tmp_path / f"{name}.txt").write_text(text)
        (tmp_path / "small_label.txt").write_text(labels)
        with tarfile.open(tmp_path / "small_tree.tar.gz", "w:gz") as archive:
            for name in ("8", "1"):
                archive.add(tmp_path / f"{name}.txt", f"tree/{name}.txt")
        return tmp_path

    return write


def test_files_of_rumours_are_read(rumours):
    found = read_rumour_trees(rumours(), "small")
    assert (found.sources, found.labels) == (("1", "8"), ("false", "true"))
    assert found.cleaned.trees.size.tolist() == [3, 3] and found.cleaned.early == 2
    assert found.cleaned.trees.shares.time.tolist() == [0.0, 1.5, 1.5] * 2


@pytest.mark.parametrize(
    ("text", "labels", "words"),
    [
        ("['a', 'b']->['c', 'd', '0']\n", "false:1\ntrue:8", "is not \\['account'"),
        (LINES, "false:1\n", "no label of the tree 8"),
        (LINES, "false 1\n", "is not label:source"),
        (
            LINES.replace("['ben', '2', '1.5']->", "['dan', '2', '1']->"),
            "a:1\nb:8",
            "account dan shows a tweet",
        ),
        (LINES + LINES.replace("ann", "eve"), "a:1\nb:8", "2 tree files hold 4 sources"),
    ],
)
def test_bad_files_of_rumours_are_refused(rumours, text, labels, words):
    with pytest.raises(InputError, match=words):
        read_rumour_trees(rumours(text, labels), "small")


def test_the_rumours_of_twitter15_become_trees():
    folder = Path(os.environ.get("OPENIIR_DATA") or "") / "social-twitter15"
    if not os.environ.get("OPENIIR_DATA") or not folder.exists():
        pytest.skip("OPENIIR_DATA holds no social-twitter15")
    found = read_rumour_trees(folder)
    cleaned = found.cleaned
    assert len(cleaned.trees) == 1_490 and cleaned.trees.size.sum() == 624_458 - 1_218 - 24_044
    assert (cleaned.self_shown, cleaned.repeats) == (1_218, 24_044)
    assert {label: found.labels.count(label) for label in set(found.labels)} == {
        "false": 370,
        "true": 372,
        "unverified": 374,
        "non-rumor": 374,
    }
    roots = cleaned.trees.shares.time[cleaned.trees.roots]
    assert (roots <= 0).all() and (roots == 0).sum() == 1_482
