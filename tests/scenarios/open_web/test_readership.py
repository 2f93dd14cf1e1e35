"""Who is shown, trusted, followed and left, against closed forms and counts."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from openiir.plugin import Draw
from openiir.scenarios.open_web.model.articles import Article, list_articles, word_standing
from openiir.scenarios.open_web.model.outcomes import find_stayed, measure_looks, sum_looks
from openiir.scenarios.open_web.model.readership import NOBODY, Readership, choose_piece, decide
from openiir.scenarios.open_web.model.retreat import RetreatRule
from openiir.scenarios.open_web.model.spaces import SpaceMap, SpaceRule, TrustRule, draw_beta, find_reputation

TOPICS = [("tea", [Article(f"Tea {n}", "") for n in range(7)]), ("ink", [Article("Ink", "")] * 9)]
PEOPLE, SPACES, WRITERS, PIECES = 4_000, 4, 5, 6
TRUST, RETREAT = TrustRule(influence=0.0), RetreatRule(detection=1.0, false_alarms=0.0)


def lay_out(people=PEOPLE, trust=TRUST, retreat=RETREAT):
    rule = SpaceRule(number=SPACES, writers=WRITERS, pieces=PIECES)
    return SpaceMap.lay_out(people, rule, trust, retreat, TOPICS, Draw(5, "start"))


def answers(size, **columns):
    nothing = {"piece": 0, "follows": 0, "opens": False, "worth": False, "leaves": False}
    return {name: np.full(size, columns.get(name, value)) for name, value in nothing.items()}


def pages_of(readers, agents, step=1, trust=TRUST):
    return readers.draw_pages(np.full(SPACES, agents), PIECES, trust, RETREAT, Draw(5, "page", step=step))


def test_each_person_has_a_space_and_each_account_a_number_that_does_not_tell_what_it_is():
    map_ = lay_out()
    assert np.bincount(map_.space).tolist() == [PEOPLE // SPACES] * SPACES
    assert (map_.accounts[:, :WRITERS] < PEOPLE).all() and (map_.accounts[:, WRITERS:] >= PEOPLE).all()
    assert (map_.space[map_.accounts[:, :WRITERS]] == np.arange(SPACES)[:, None]).all()
    assert len(np.unique(map_.accounts)) == map_.accounts.size and map_.size == PEOPLE + SPACES * WRITERS
    assert (np.sort(map_.handles, axis=1) == np.arange(1, 2 * WRITERS + 1)).all()
    low = (map_.handles[:, :WRITERS] <= WRITERS).sum()
    assert 0 < low < SPACES * WRITERS
    assert [topic for topic, _ in map_.topics] == ["tea", "ink", "tea", "ink"]


def test_writers_are_as_good_as_their_kind_is_on_average():
    good = lay_out(people=40_000, trust=TrustRule(people=0.8, agents=0.3)).worth
    assert good.shape == (SPACES, 2 * WRITERS)
    many = draw_beta(np.repeat([0.8, 0.3], 20_000), 10.0, Draw(1, "x"), np.arange(40_000))
    assert many[:20_000].mean() == pytest.approx(0.8, abs=0.01)
    assert many[20_000:].mean() == pytest.approx(0.3, abs=0.01)
    assert many[20_000:].var() == pytest.approx(0.3 * 0.7 / 11, rel=0.05)


def test_pages_hold_agents_in_proportion_to_what_they_write():
    readers = Readership(lay_out())
    for share in (0.0, 0.25, 0.7, 1.0):
        pages = pages_of(readers, share)
        assert pages.by_agent.mean() == pytest.approx(share, abs=0.01)
        assert ((pages.account >= PEOPLE) == pages.by_agent).all()
        own = readers.map.accounts[readers.map.space[pages.rows]]
        assert (pages.account[:, :, None] == own[:, None, :]).any(axis=2).all(), "writers of another space"


def test_as_people_leave_agents_write_a_larger_share_of_what_is_left():
    readers = Readership(lay_out())
    gone = readers.map.accounts[:, : WRITERS - 1].ravel()
    readers.present[gone] = False
    assert pages_of(readers, 0.5).by_agent.mean() == pytest.approx(0.5 / (0.5 + 0.5 / WRITERS), abs=0.01)
    readers.present[readers.map.accounts[:, :WRITERS]] = False
    assert pages_of(readers, 0.01).by_agent.all(), "only agents still write"
    assert not pages_of(readers, 0.0).by_agent.any(), "what people wrote stays where nobody else writes"


def test_followers_make_a_writer_seen():
    readers = Readership(lay_out())
    star = readers.map.accounts[0, 0]
    fans = np.arange(100, 163)
    readers.graph = readers.graph.follow(fans, np.full(len(fans), star), 1)
    pages = pages_of(readers, 0.0, trust=TrustRule(influence=0.5))
    mine = pages.account[readers.map.space[pages.rows] == 0]
    assert (mine == star).mean() == pytest.approx(8 / (8 + WRITERS - 1), abs=0.02)


def test_no_article_comes_twice_on_a_page_while_there_are_enough():
    article = pages_of(Readership(lay_out()), 0.3).article
    assert all(len(set(row)) == PIECES for row in article.tolist())
    assert article[0::4].max() == 6 and article[1::4].max() == 8


def test_reputation_is_beta_and_fades():
    assert find_reputation(np.array([0.0, 3.0]), np.array([0.0, 1.0])).tolist() == [0.5, 4 / 6]
    readers = Readership(lay_out(people=40))
    pages = pages_of(readers, 0.5)
    said = answers(40, piece=2, worth=True)
    said["worth"][::2] = False
    readers.settle(pages, said, TRUST.half_life, 1)
    praise, blame = np.zeros(SPACES * 2 * WRITERS), np.zeros(SPACES * 2 * WRITERS)
    for row, place in enumerate(pages.place[:, 1].tolist()):
        (praise if row % 2 else blame)[place] += 1
    assert readers.judgements.tolist() == [praise.tolist(), blame.tolist()]
    readers.settle(pages_of(readers, 0.5, 2), answers(40), TRUST.half_life, 2)
    assert readers.judgements == pytest.approx(0.98 * np.array([praise, blame]), abs=1e-6)
    assert TrustRule(decay=1.0).half_life == math.inf and TrustRule(decay=0.5).half_life == 1.0


def test_follows_are_kept_and_go_with_their_follower():
    readers = Readership(lay_out(people=40))
    pages = pages_of(readers, 0.5)
    logged = readers.settle(pages, answers(40, follows=3), math.inf, 1)
    pairs = {(row, whom) for row, whom in enumerate(pages.account[:, 2].tolist()) if row != whom}
    links = readers.graph.following
    assert set(zip(links.owners().tolist(), links.member.tolist(), strict=True)) == pairs
    assert logged["follows"].tolist() == pages.account[:, 2].tolist()
    leaving = answers(40)
    leaving["leaves"][[3, 8]] = True
    readers.settle(pages_of(readers, 0.5, 2), leaving, math.inf, 2)
    links = readers.graph.following
    assert set(zip(links.owners().tolist(), links.member.tolist(), strict=True)) == {
        pair for pair in pairs if pair[0] not in (3, 8)
    }
    assert np.flatnonzero(~readers.present).tolist() == [3, 8]
    assert 3 not in pages_of(readers, 0.5, 3).rows


def test_without_a_usable_answer_nothing_is_read_judged_or_followed():
    readers = Readership(lay_out(people=40))
    logged = readers.settle(pages_of(readers, 0.5), answers(40), TRUST.half_life, 1)
    assert set(logged["writer"]) == set(logged["follows"]) == {NOBODY}
    assert not readers.judgements.any() and not readers.graph.links and readers.present.all()


def test_a_reader_leaves_after_three_rounds_above_its_threshold():
    readers, rule = Readership(lay_out(people=40)), RetreatRule(recall=0.0, rounds=3)
    for step, share in enumerate((1.0, 1.0, 0.0, 1.0, 1.0, 1.0), 1):
        columns = readers.take_impressions(pages_of(readers, share, step), rule, step)
        streak = {1: 1, 2: 2, 3: 0, 4: 1, 5: 2, 6: 3}[step]
        assert set(columns["streak"]) == {streak}, "who sees agents alone is above any threshold"
        columns["chance"] = np.zeros(40)
        asked = decide(columns, TRUST, rule, Draw(1, "ask", agent=np.arange(40), step=step))
        assert asked["leaves"].all() == (step == 6) == asked["leaves"].any()


def test_offline_readers_choose_in_proportion_to_reputation_and_follow_by_fame():
    size = 40_000
    columns = {
        "reputation": np.tile([0.2, 0.3, 0.5], (size, 1)),
        "followers": np.tile([15.0, 0.0, 0.0], (size, 1)),
        "good": np.tile([0.0, 1.0, 0.5], (size, 1)),
        "streak": np.zeros(size, np.int64),
        "chance": np.full(size, 0.15),
    }
    trust = TrustRule(follow=0.5, popularity=0.5)
    found = decide(columns, trust, RETREAT, Draw(2, "ask", agent=np.arange(size)))
    assert np.bincount(found["piece"])[1:] / size == pytest.approx([0.2, 0.3, 0.5], abs=0.01)
    followed = np.bincount(found["follows"]) / size
    assert followed == pytest.approx([0.5, 0.5 * 0.8 / 1.6, 0.5 * 0.3 / 1.6, 0.5 * 0.5 / 1.6], abs=0.01)
    assert found["opens"].mean() == pytest.approx(0.15, abs=0.01)
    for piece, good in ((1, 0.0), (2, 1.0), (3, 0.5)):
        assert found["worth"][found["piece"] == piece].mean() == pytest.approx(good, abs=0.02)


def test_one_reader_chooses_as_the_crowd_does():
    utilities = np.log([[0.2, 0.3, 0.5]] * 50)
    crowd = choose_piece(Draw(2, "ask", agent=np.arange(50)), utilities)
    alone = [choose_piece(Draw(2, "ask", agent=np.array([n])), utilities[:1])[0] for n in range(50)]
    assert crowd.tolist() == alone


def test_sums_by_space_are_those_of_a_loop():
    readers = Readership(lay_out(people=43))
    pages = pages_of(readers, 0.4)
    looked = readers.settle(pages, answers(43, piece=1), math.inf, 1)
    sums = sum_looks({"member": pages.rows, **looked}, 43, SPACES, PIECES)
    for space in range(SPACES):
        own = [n for n in range(43) if n % SPACES == space]
        agents = sum(int(pages.by_agent[n].sum()) for n in own)
        assert sums["human"][space] == pytest.approx(1 - agents / (PIECES * len(own)))
        assert sums["read_agents"][space] == sum(bool(pages.by_agent[n, 0]) for n in own)
    measured = measure_looks(sums)
    assert measured["contamination"].value == pytest.approx(pages.by_agent[:, 0].mean())
    assert measured["trust_gap"].value == pytest.approx(0), "nobody is known yet"
    nobody = measure_looks(
        sum_looks({k: v[:0] for k, v in {"member": pages.rows, **looked}.items()}, 43, 4, 6)
    )
    assert not any(one.defined for one in nobody.values())


def test_the_share_that_stayed_is_of_each_space_s_own_people():
    assert find_stayed(np.array([0, 4, 1]), 9, 4).tolist() == [1 - 2 / 3, 0.5, 1, 1]


def test_documents_are_articles_of_the_topic_that_their_folder_names():
    chunks = [
        SimpleNamespace(source=f"x/{name}", text=text)
        for name, text in (
            ("wind_power/Feed-in_tariff.txt", "A tariff. " + "More of it. " * 40),
            ("wind_power/Feed-in_tariff.txt", "The second passage of it."),
            ("old-ink/why-it-fades.md", "Light."),
        )
    ]
    (wind, tariffs), (ink, fading) = list_articles(chunks)
    assert (wind, ink) == ("wind power", "old ink")
    assert [one.title for one in tariffs] == ["Feed in tariff"] and fading == [
        Article("Why it fades", "Light.")
    ]
    assert tariffs[0].opening.startswith("A tariff. More") and len(tariffs[0].opening) <= 200


def test_standings_rise_with_reputation():
    assert len({word_standing(one) for one in (0.2, 0.5, 0.7, 0.9)}) == 4
    assert word_standing(0.5) == "not well known yet", "what is said of a writer nobody has judged"
