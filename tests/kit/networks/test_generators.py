"""Generators beside plain loops and the distributions they are to have."""

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from openiir.core.errors import InputError
from openiir.core.seeds import Draw
from openiir.kit.networks import attraction_graph, block_graph, label_assortativity, power_law_graph
from openiir.kit.networks.generators import _bernoulli, draw_power_law

DRAW = Draw(5, "test.generators")
MAKERS = {
    "power law": lambda draw: power_law_graph(200, draw),
    "mutual": lambda draw: power_law_graph(200, draw, directed=False),
    "blocks": lambda draw: block_graph(np.arange(200) % 3, draw, 4, 0.8),
    "attraction": lambda draw: attraction_graph(np.arange(200) % 2, draw, 4, 0.8),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_draw_gives_one_graph_and_another_draw_another(make):
    first, again, other = make(DRAW), make(DRAW), make(DRAW.at("other"))
    assert np.array_equal(first.following.member, again.following.member)
    assert not np.array_equal(first.following.member, other.following.member)
    assert not first.follows(np.arange(200), np.arange(200)).any()


def test_numbers_of_a_power_law_are_distributed_so():
    found = draw_power_law(50_000, DRAW, 2.3, 2, 400)
    values = np.arange(2, 401)
    share = values**-2.3 / (values**-2.3).sum()
    edges = [2, 3, 4, 5, 7, 10, 20, 50, 401]
    seen = np.histogram(found, edges)[0]
    wanted = [
        50_000 * share[(values >= a) & (values < b)].sum() for a, b in zip(edges, edges[1:], strict=False)
    ]
    assert chisquare(seen, wanted).pvalue > 0.01


def test_followers_follow_a_power_law_and_following_does_not():
    graph = power_law_graph(20_000, DRAW)
    audience, following = graph.followers.degrees, graph.following.degrees
    drawn = draw_power_law(20_000, DRAW.at("degree"), 2.3, 2, 19_999)
    assert (audience <= drawn).all() and audience.sum() > 0.95 * drawn.sum()
    assert audience.max() > 50 * following.max() / 2 and following.max() < 40
    assert abs(np.corrcoef(audience, following)[0, 1]) < 0.03


def test_an_undirected_power_law_is_mutual():
    graph = power_law_graph(2_000, DRAW, directed=False)
    assert graph.follows(graph.following.member, graph.following.owners()).all()
    drawn = draw_power_law(2_000, DRAW.at("degree"), 2.3, 2, 1_999)
    assert (graph.followers.degrees <= drawn).all() and graph.links > 0.85 * drawn.sum()


def test_cells_come_up_with_their_chance():
    found = [_bernoulli(40, 0.3, DRAW.at(step=run)) for run in range(2_000)]
    counts = np.bincount(np.concatenate(found), minlength=40)
    assert chisquare(counts).pvalue > 0.01
    sizes = np.bincount([len(cells) for cells in found], minlength=41)
    wanted = binom.pmf(np.arange(41), 40, 0.3) * 2_000
    kept = wanted > 20
    assert np.abs((sizes - wanted)[kept] / np.sqrt(wanted[kept])).max() < 4
    assert _bernoulli(5, 1.0, DRAW).tolist() == [0, 1, 2, 3, 4]
    assert not len(_bernoulli(5, 0.0, DRAW)) and not len(_bernoulli(0, 0.5, DRAW))


def test_blocks_have_the_follows_and_the_homophily_asked_for():
    labels = np.array(["left", "right"])[np.arange(4_000) % 2]
    graph = block_graph(labels, DRAW, 12, 0.8)
    assert graph.links == pytest.approx(48_000, abs=4 * np.sqrt(48_000))
    own = (labels[graph.following.owners()] == labels[graph.following.member]).mean()
    assert own == pytest.approx(0.8, abs=0.01)
    assert label_assortativity(graph, labels) == pytest.approx(0.6, abs=0.02)
    whole = block_graph(labels, DRAW, 12, 1.0)
    assert label_assortativity(whole, labels) == pytest.approx(1.0)
    assert label_assortativity(block_graph(labels, DRAW, 12, 0.5), labels) == pytest.approx(0, abs=0.02)


def test_unequal_blocks_follow_alike():
    labels = np.repeat([3, 1, 2], [100, 700, 1_200])
    graph = block_graph(labels, DRAW, 20, 0.6)
    for label in (1, 2, 3):
        assert graph.following.degrees[labels == label].mean() == pytest.approx(20, abs=2)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: power_law_graph(10, DRAW, least=10), "1 <= least <= most < members"),
        (lambda: power_law_graph(10, DRAW, alpha=1.0), "an exponent above 1"),
        (lambda: power_law_graph(10, DRAW, most=10), "among 10 members"),
        (lambda: block_graph([0, 0], DRAW, 1, 0.5), "two labels or more"),
        (lambda: block_graph([0, 1], DRAW, 1, 1.5), "from 0 to 1"),
        (lambda: block_graph([0, 0, 1, 1], DRAW, 3, 1.0), "members labelled 0 cannot follow 3 of 1 members"),
    ],
)
def test_what_cannot_be_generated_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_attraction_gives_hubs_and_homophily():
    n, alpha = 40_000, 2.3
    labels = np.arange(n) < 15_000
    graph = attraction_graph(labels, DRAW, 12, 0.8, alpha)
    assert graph.links / n == pytest.approx(12, rel=0.05)  # a little less: who is drawn twice counts once
    own = labels[graph.following.owners()] == labels[graph.following.member]
    assert own.mean() == pytest.approx(0.8, abs=0.02)
    followers = np.sort(graph.followers.degrees)[::-1].astype(float)
    tail = followers[followers >= 60]
    hill = (
        1 + len(tail) / np.log(tail / 59.5).sum()
    )  # maximum likelihood of a discrete tail (Clauset et al. 2009)
    assert hill == pytest.approx(alpha, abs=0.2)
    with pytest.raises(InputError, match="exponent above 2"):
        attraction_graph(labels, DRAW, 12, 0.8, 2.0)
