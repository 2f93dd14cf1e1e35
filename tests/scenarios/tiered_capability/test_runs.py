"""Arms share needs and eyes, tiers search as their lines say, and measures are those of plain loops."""

import asyncio
import math
import shutil
from collections import defaultdict

import numpy as np
import pytest
from scipy import stats

from openiir.core.world import World
from openiir.plugin import InputError
from openiir.runs.study import load_study
from openiir.scenarios.tiered_capability import TieredCapability
from openiir.scenarios.tiered_capability.measures import TierMeasuring, tier_measures
from openiir.scenarios.tiered_capability.model.divide import MIXED, Divide, rank_pages
from openiir.scenarios.tiered_capability.model.visits import Opened
from openiir.scenarios.tiered_capability.views import list_lookups, tabulate_arms, tabulate_gaps, trace_tiers
from openiir.testing.offline import run_loaded, run_with_stops

SMALL = ("config.members=60", "config.rounds=4")
TIERS = ("T0", "T1", "T2", "T3")
ALIKE = 'config.tiers={T0={mode="keyword", depth=5, web=3}, T1={mode="keyword", depth=5, web=3}}'
SEATS = "config.seats=1"


def values(run):
    return {name: one.value for name, one in tier_measures(run.log).items()}


def rows_of(log, table, arm):
    return [row for row in log.table(table) if row["arm"] == arm]


def discount(place):
    return 1 / math.log2(1 + place)


def naive_ndcg(grades, documents):
    best = sorted(grades.values(), reverse=True)[:10]
    ideal = sum(grade * discount(n) for n, grade in enumerate(best, 1))
    return sum(grades.get(one, 0) * discount(n) for n, one in enumerate(documents, 1)) / ideal


def judged_in(log):
    found = defaultdict(dict)
    for row in log.table("judged"):
        found[row["need"]][row["document"]] = row["grade"]
    return found


class TestArms:
    def test_all_arms_have_the_same_needs_and_members(self, play):
        record = Divide.read(play().log)
        needs = [one.columns["need"] for one in record.arms.values()]
        assert list(record.arms) == [MIXED, *TIERS] and all((one == needs[0]).all() for one in needs)

    def test_a_member_fares_among_all_tiers_as_where_all_have_its_own(self, play):
        """Without limits nobody is in another's way, so that a gap is the tools' alone."""
        record = Divide.read(play().log)
        for n, name in enumerate(TIERS):
            own = record.members(n)
            assert (
                own.any() and (record.arms[MIXED].outcome[:, own] == record.arms[name].outcome[:, own]).all()
            )
        assert values(play())["mixed/spillover"] == values(play())["mixed/rivalrous"] == 0

    def test_one_tier_under_two_names_is_one_in_every_row(self, play):
        log = play(ALIKE).log
        for table in ("visits", "exposure", Opened.table()):
            one, other = ([{**row, "arm": ""} for row in rows_of(log, table, arm)] for arm in ("T0", "T1"))
            assert one == other and one
        found = values(play(ALIKE))
        assert found["T1/lead"] == 0 and math.isnan(found["T1/lead.low"]), "no need differs at all"
        assert found["mixed/gap.low"] < 0 < found["mixed/gap.high"], "between members there is chance"

    def test_shares_say_who_has_which_tier(self, play):
        log = play("config.members=2000", "config.rounds=1").log
        counts = np.bincount(log.columns("members")["tier"], minlength=4) / 2000
        assert counts == pytest.approx([0.4, 0.3, 0.2, 0.1], abs=0.03)
        few = play().log.columns("members")["tier"]
        assert (few == log.columns("members")["tier"][:60]).all(), "more members change nobody's tier"

    def test_a_persona_changes_no_row_of_the_log(self, play):
        bare, peopled = play("personas=[]").log, play().log
        assert len(peopled.personas) == 4 and not bare.personas
        for table in ("visits", "exposure", Opened.table(), "members", "pages"):
            assert bare.table(table) == peopled.table(table)


class TestPages:
    def test_pages_are_those_of_look_ups(self, play):
        """Each document is one passage here, so that a tier's page is what an agent's look-up shows."""
        log = play().log
        names, queries = log.columns("documents")["name"], log.columns("needs")["query"]
        lines = {"T0": ("match", 3), "T1": ("keyword", 5), "T2": ("hybrid", 10), "T3": ("rerank", 10)}
        chunks = [chunk for chunk in log.chunks() if chunk.world == "main"]
        assert len(chunks) == len({chunk.source for chunk in chunks}) == 26
        world = asyncio.run(World.build("main", chunks))
        pages = log.table("pages")
        for tier, (mode, depth) in lines.items():
            for need, query in enumerate(queries):
                hits = asyncio.run(world.lookup(query, depth, mode))
                shown = [
                    names[row["document"]]
                    for row in pages
                    if (row["tier"], row["world"], row["need"]) == (tier, "main", need)
                ]
                assert set(shown) == {hit.chunk.source for hit in hits}
                scores = {hit.chunk.source: hit.score for hit in hits}
                assert [scores[one] for one in shown] == sorted(scores.values(), reverse=True)

    def test_the_web_shows_what_the_first_page_did_not(self, play):
        shown = defaultdict(set)
        for row in play().log.table("pages"):
            shown[row["tier"], row["need"], row["world"]].add(row["document"])
        web = [key for key in shown if key[2] == "web"]
        assert len({key[0] for key in web}) == 4
        assert all(not shown[key] & shown[key[0], key[1], "main"] for key in web)
        log, names = play().log, play().log.columns("documents")["name"]
        local = {one for key, found in shown.items() if key[2] == "main" for one in found}
        assert not any(names[one].startswith("sources/web/") for one in local)
        spent = [row for row in rows_of(log, "visits", "T3") if row["web"]]
        opened = {
            (row["step"], row["member"]): names[row["document"]]
            for row in rows_of(log, Opened.table(), "T3")
            if names[row["document"]].startswith("sources/web/")
        }
        assert opened and opened.keys() <= {(row["step"], row["member"]) for row in spent}
        assert not any(row["web"] for arm in TIERS[:3] for row in rows_of(log, "visits", arm))

    def test_nobody_searches_the_web_more_often_than_the_budget_has_it(self, play):
        some = 'config.tiers={T0={mode="none"}, T1={mode="match", depth=1, web=2}}'.replace("none", "match")
        log = play(some, "config.rounds=8").log
        searches = np.zeros(60, dtype=int)
        for row in rows_of(log, "visits", "T1"):
            searches[row["member"]] += row["web"]
        assert searches.max() == 2 and (searches == 2).mean() > 0.9
        own = log.columns("members")["tier"] == 0
        mixed = np.array([row["web"] for row in rows_of(log, "visits", MIXED)]).reshape(8, 60)
        assert not mixed[:, own].any() and mixed[:, ~own].any()

    def test_a_random_order_is_one_order_for_all_who_have_it(self, play):
        some = 'config.tiers={T0={mode="random"}, T1={mode="random", depth=5}}'
        log = play(some, "config.needs=20", "config.qrels=''", "config.rounds=2").log
        whole, cut = (rank_pages(log, n) for n in (0, 1))
        assert len(whole.rows) == 20 * 10 and whole.first(5).rows != cut.rows
        assert [(one.topic, one.item) for one in whole.first(5).rows] == [(r.topic, r.item) for r in cut.rows]
        found = Divide.read(log).arms["T0"].columns["page"]
        due = sum(discount(n) for n in range(1, 11)) / 26
        assert 0 < found.mean() < 2 * due, "of 26 documents, one of which is looked for"

    def test_a_change_of_a_line_puts_other_pages_in_force(self, play):
        change = 'change=[{at="round 3", set={"config.tiers.T0.mode"="rerank", "config.tiers.T0.depth"=10}}]'
        log = play(change).log
        pages = log.table("pages")
        assert {(row["step"], row["tier"]) for row in pages} == {(1, tier) for tier in TIERS} | {(3, "T0")}
        record = Divide.read(log)
        before, after = (slice(0, 2), slice(2, 4))
        first, last = (record.arms[name].columns["page"] for name in ("T0", "T3"))
        assert (first[before] != last[before]).any() and (first[after] == last[after]).all()
        same = [[(r.topic, r.rank, r.item) for r in rank_pages(log, tier).rows] for tier in (0, 3)]
        assert same[0] == same[1]
        assert (Divide.read(play().log).arms["T0"].outcome[before] == record.arms["T0"].outcome[before]).all()

    def test_a_tier_searches_by_an_engine_of_the_study_which_is_asked_once_a_need(self, play, tmp_path):
        """Its pages are in checkpoints, so that a run that goes on does not ask it again."""
        folder = shutil.copytree(TieredCapability.reference, tmp_path / "study")
        log = play().log
        needs, names = log.table("needs"), [n for n in log.columns("documents")["name"] if "/web/" not in n]
        (folder / "topics.tsv").write_text("".join(f"{row['id']}\t{row['query']}\n" for row in needs))
        lines = [
            f"{row['id']} Q0 {names[(3 * n + k) % len(names)]} {k + 1} {9 - k} own\n"
            for n, row in enumerate(needs)
            for k in range(4)
        ]
        (folder / "own.run").write_text("".join(lines))
        engine = 'world.main.retriever={run="own.run", topics="topics.tsv", unit="source"}'
        sets = (*SMALL, engine, 'config.tiers={T0={mode="match"}, T1={mode="own", depth=3}}')
        loaded = load_study(str(folder), sets)
        whole = run_loaded(loaded, tmp_path / "whole")
        with whole.run:
            pages = rank_pages(whole.log, 1)
            assert [(one.topic, one.item) for one in pages.rows] == [
                tuple(line.split()[:3:2]) for line in lines if int(line.split()[3]) <= 3
            ]
            assert sum(call.place.kind == "world.lookup" for call in whole.run.calls()) == len(needs)
        assert run_with_stops(loaded, tmp_path / "stopped", [2], checkpoints=True) == whole.content

    def test_a_change_makes_no_tier(self, play):
        with pytest.raises(InputError, match="makes the tiers T0, T1, T2, T3, T9, and the run began"):
            play('change=[{at="round 2", set={"config.tiers.T9.mode"="match"}}]')

    def test_a_change_may_let_a_tier_search_the_web(self, play):
        log = play('change=[{at="round 3", set={"config.tiers.T0.web"=1}}]').log
        searched = {row["step"] for row in rows_of(log, "visits", "T0") if row["web"]}
        assert searched == {3, 4}
        with pytest.raises(InputError, match="needs the world web"):
            alone = 'world={main={sources=["sources"]}}', 'config.tiers={T0={}, T1={mode="match"}}'
            play(*alone, 'change=[{at="round 2", set={"config.tiers.T0.web"=1}}]')

    def test_what_the_web_has_counts_whether_or_not_a_tier_searches_it(self, play):
        """So that a tier with and without web searches is judged by the same."""
        found = [Divide.read(play(*sets).log).arms["T3"] for sets in ((), ("config.tiers.T3.web=0",))]
        assert (found[0].columns["page"] == found[1].columns["page"]).all()
        assert found[0].outcome.mean() > found[1].outcome.mean() and not found[1].columns["web"].any()


class TestCrowding:
    def test_a_document_opens_to_as_many_as_there_are_seats(self, play):
        served = defaultdict(int)
        wanted = defaultdict(int)
        for row in play(SEATS).log.table(Opened.table()):
            key = row["arm"], row["step"], row["document"]
            served[key] += row["granted"]
            wanted[key] += 1
        assert served == dict.fromkeys(wanted, 1) and max(wanted.values()) > 5

    def test_who_has_better_tools_then_takes_from_those_who_have_not(self, play):
        limited = 'config.tiers={T0={mode="match", depth=2, share=0.5}, T3={mode="rerank", share=0.5}}'
        found = values(play(limited, "config.seats=2", "config.rounds=12"))
        assert found["mixed/denied"] > 0.3 and found["mixed/spillover"] != 0
        free = values(play(limited, "config.rounds=12"))
        assert free["mixed/spillover"] == 0 and found["mixed/outcome"] < free["mixed/outcome"]


class TestMeasures:
    @pytest.mark.parametrize("sets", [(), (SEATS,)])
    def test_outcomes_are_those_of_a_plain_loop(self, play, sets):
        log = play(*sets).log
        judged, opened, pages = judged_in(log), defaultdict(list), defaultdict(list)
        for row in log.table(Opened.table()):
            opened[row["arm"], row["step"], row["member"]].append(row)
        for row in log.table("pages"):
            if row["world"] == "main":
                pages[row["tier"], row["need"]].append(row["document"])
        tier = [TIERS[n] for n in log.columns("members")["tier"]]
        for row in log.table("visits"):
            grades = judged[row["need"]]
            read = opened[row["arm"], row["step"], row["member"]]
            got = [one["document"] if one["granted"] else None for one in read]
            assert row["outcome"] == pytest.approx(naive_ndcg(grades, got), abs=2e-6)
            own = tier[row["member"]] if row["arm"] == MIXED else row["arm"]
            assert row["page"] == pytest.approx(naive_ndcg(grades, pages[own, row["need"]]), abs=2e-6)
            best = max(grades.values())
            assert row["correct"] == any(grades.get(one) == best for one in got)
            assert row["opened"] == len(read) and row["denied"] == got.count(None)
            looked, line = 1 + row["web"], TIERS.index(own)
            assert row["cost"] == (1, 2, 5, 10)[line] * looked
            assert row["latency"] == pytest.approx((0.1, 0.2, 0.5, 1.5)[line] * looked)

    def test_gaps_are_those_of_members_and_leads_those_of_needs(self, play):
        log, found = play().log, values(play())
        tier = log.columns("members")["tier"]
        by_member, by_need = defaultdict(list), defaultdict(lambda: defaultdict(list))
        for row in log.table("visits"):
            by_need[row["arm"]][row["need"]].append(row["outcome"])
            if row["arm"] == MIXED:
                by_member[row["member"]].append(row["outcome"])
        means = np.array([np.mean(by_member[n]) for n in range(60)])
        least, most = means[tier == 0], means[tier == 3]
        assert found["mixed/gap"] == pytest.approx(most.mean() - least.mean())
        u = stats.mannwhitneyu(most, least).statistic
        assert found["mixed/delta"] == pytest.approx(2 * u / (len(most) * len(least)) - 1)
        needs = sorted(by_need["T0"])
        first, last = ([np.mean(by_need[arm][need]) for need in needs] for arm in ("T0", "T3"))
        assert found["T3/lead"] == pytest.approx(np.mean(last) - np.mean(first))
        assert found["T3/lead.low"] < found["T3/lead"] < found["T3/lead.high"]
        groups = [means[tier == n] for n in range(4)]
        whole = sum(x / means.mean() * np.log(x / means.mean()) for x in means if x) / 60
        between = sum(
            len(own) / 60 * own.mean() / means.mean() * np.log(own.mean() / means.mean()) for own in groups
        )
        assert found["mixed/between"] == pytest.approx(between / whole)

    def test_knowledge_is_what_was_ever_met(self, play):
        log, found = play().log, values(play())
        met, curve, tier = defaultdict(set), defaultdict(list), log.columns("members")["tier"]
        for row in rows_of(log, "visits", MIXED):
            if row["correct"]:
                met[row["member"]].add(row["need"])
            curve[row["member"]].append(len(met[row["member"]]) / 12)
        assert found["mixed/known"] == pytest.approx(np.mean([curve[n][-1] for n in range(60)]))
        lines = np.array([curve[n] for n in range(60)]).T
        gaps = lines[:, tier == 3].mean(axis=1) - lines[:, tier == 0].mean(axis=1)
        assert found["mixed/known_gap"] == pytest.approx(gaps.mean())
        assert found["mixed/known_trend"] == pytest.approx(10 * stats.linregress(range(4), gaps).slope)
        shown = trace_tiers(log, "known", "share").lines
        assert [y for _, y in shown["T3"]] == pytest.approx(lines[:, tier == 3].mean(axis=1))

    def test_attention_is_discounted_by_place_and_compared_with_merit(self, play):
        log, found = play().log, values(play())
        judged, pages = judged_in(log), defaultdict(list)
        for row in log.table("pages"):
            pages[row["tier"], row["world"], row["need"]].append((row["place"], row["document"]))
        attention, merit = defaultdict(float), defaultdict(float)
        for row in rows_of(log, "visits", "T3"):
            for world in ("main", "web")[: 1 + row["web"]]:
                for place, document in pages["T3", world, row["need"]]:
                    attention[document] += discount(place)
            for document, grade in judged[row["need"]].items():
                merit[document] += grade
        logged = defaultdict(float)
        for row in rows_of(log, "exposure", "T3"):
            logged[row["document"]] += row["attention"]
        assert logged == pytest.approx(attention, abs=1e-4)
        seen, due = sum(attention.values()), sum(merit.values())
        apart = [attention[n] / seen - merit[n] / due for n in range(36)]
        assert found["T3/misplaced"] == pytest.approx(sum(max(one, 0) for one in apart), abs=1e-5)
        assert found["T3/concentration"] < found["T0/concentration"]

    def test_what_others_lose_is_a_share_of_what_some_gain(self, play):
        limited = 'config.tiers={T0={mode="match", depth=2, share=0.5}, T3={mode="rerank", share=0.5}}'
        run = play(limited, "config.seats=2", "config.rounds=12")
        log, found = run.log, values(run)
        tier, outcome = log.columns("members")["tier"], defaultdict(lambda: defaultdict(list))
        for row in log.table("visits"):
            outcome[row["arm"]][row["member"]].append(row["outcome"])
        gain = [np.mean(outcome[MIXED][n]) - np.mean(outcome["T0"][n]) for n in range(60)]
        least, others = (
            sum(g for g, t in zip(gain, tier, strict=True) if (t == 0) == own) for own in (True, False)
        )
        assert found["mixed/spillover"] == pytest.approx(least / (tier == 0).sum())
        assert found["mixed/rivalrous"] == pytest.approx(-least / others)

    def test_first_pages_are_measured_by_ir_measures_as_here(self, play):
        """nDCG of trec_eval, on the exported lists and grades, is the mean that the arm's own page has."""
        pytest.importorskip("ir_measures")
        log = play().log
        log.measuring = TierMeasuring(retrieval=("nDCG@10", "RR"))
        found, judged = values(play()) | {n: m.value for n, m in tier_measures(log).items()}, judged_in(log)
        log.measuring = None
        pages = defaultdict(list)
        for row in log.table("pages"):
            if (row["tier"], row["world"]) == ("T2", "main"):
                pages[row["need"]].append(row["document"])
        naive = [naive_ndcg(grades, pages[need]) for need, grades in judged.items()]
        assert found["T2/nDCG@10"] == pytest.approx(np.mean(naive)) and found["T2/RR"] > found["T0/RR"] > 0

    def test_before_a_round_has_ended_nothing_is_measured(self, play):
        log = type(play().log)(play().run, until=0)
        assert tier_measures(log) == {
            "mixed/gap": (pytest.approx(math.nan, nan_ok=True), "no round has ended")
        }
        assert not tabulate_arms(log).rows and not tabulate_gaps(log).rows[1:] and not rank_pages(log, 0).rows


class TestKnownItems:
    def test_each_item_is_looked_for_and_is_all_that_is_relevant(self, play):
        log = play(study="known.toml").log
        judged = log.table("judged")
        assert len(judged) == 20 == len(log.columns("needs")["id"]) and {row["grade"] for row in judged} == {
            1
        }
        outcomes = {row["outcome"] for row in log.table("visits")}
        assert outcomes <= {0.0, *(round(discount(n) * 2**20) / 2**20 for n in range(1, 11))}
        found = values(play(study="known.toml"))
        assert found["T3/correct"] > found["T0/correct"] > 0


class TestViews:
    def test_tables_have_the_measures(self, play):
        table, found = tabulate_arms(play().log), values(play())
        rows = {row[0]: row[1:] for row in table.rows}
        assert table.names == ("measure", MIXED, *TIERS)
        assert rows["cost"][4] == pytest.approx(found["T3/cost"], abs=1e-4)
        gaps = {row[0]: row[1:4] for row in tabulate_gaps(play().log).rows}
        assert gaps["gap, mixed"][0] == pytest.approx(found["mixed/gap"], abs=1e-4)
        assert gaps["lead, T2"][1] == pytest.approx(found["T2/lead.low"], abs=1e-4)
        assert gaps["spillover, mixed"] == (0.0, None, None)

    def test_what_the_cast_opened_is_listed_by_arm(self, play):
        log = play(SEATS).log
        entries = list_lookups(log, since=2, agent="greta-holm")
        assert [(one.step, one.heading) for one in entries] == [
            (n, arm) for n in (3, 4) for arm in (MIXED, *TIERS)
        ]
        text = " ".join(one.text for one in list_lookups(log))
        assert "(taken)" in text and "opened nothing" in text and "sources/" in text

    def test_lists_are_of_judged_needs(self, play):
        pages = rank_pages(play().log, -1)
        assert {row.tag for row in pages.rows} == {"T3"} and len({row.topic for row in pages.rows}) == 12
        assert pages.rows[0].topic == play().log.columns("needs")["id"][0] == "bike"


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("config.members=3", "has no room for a cast of 4"),
        ("config.needs=5", "known items, which nobody judges; leave it out"),
        ("config.qrels=''", "config.needs are queries; name theirs"),
        ("config.qrels=nowhere.txt", "nowhere.txt"),
        ('config.needs={other="another thing"}', "none of the 34 judgements"),
        ("config.needs=ir_datasets:nowhere", "no collection of ir_datasets is called 'nowhere'"),
        ("config.tiers={T0={}}", "at least 2"),
        ("config.tiers={T0={}, mixed={}}", "'mixed' is the arm in which all tiers are"),
        ("config.tiers={T0={share=0}, T1={share=0}}", "no tier has a share"),
        ('config.tiers={T0={mode="best"}, T1={}}', "mode"),
        ("config.tiers.T0.depth=11", "depth"),
        ("world.web.sources=[]", "web"),
    ],
)
def test_a_study_with_a_mistake_says_what_to_do(play, setting, words):
    with pytest.raises(InputError) as refused:
        play(setting)
    assert words in str(refused.value)


def test_more_known_items_than_documents_are_refused(play):
    with pytest.raises(InputError, match="config.needs = 40 known items, and 36 documents have words"):
        play("config.needs=40", study="known.toml")
