"""Arms of a run share their noise, sources keep to their capacity, and what is planted is found."""

import numpy as np
import pytest

from openiir.scenarios.coordination_emergent.measures import co_access_measures
from openiir.scenarios.coordination_emergent.model.access import COUNTS, DENIED, HIDDEN, NAMES, Requested
from openiir.scenarios.coordination_emergent.model.co_access import CoAccessMeasuring, displace
from openiir.scenarios.coordination_emergent.model.record import ArmRecord
from openiir.scenarios.coordination_emergent.views import (
    draw_network,
    list_requests,
    tabulate_arms,
    tabulate_clusters,
    trace_excess,
)


def rows_of(log, arm):
    done = Requested.columns(log)
    return {name: column[done["arm"] == arm] for name, column in done.items() if name != "arm"}


class TestArms:
    def test_no_social_weight_makes_all_arms_one(self, run):
        log = run(**{"choice.social": 0.0}).log
        hidden = rows_of(log, HIDDEN)
        for arm in (COUNTS, NAMES):
            other = rows_of(log, arm)
            assert all((hidden[name] == other[name]).all() for name in hidden)
        assert co_access_measures(log)["names/over_hidden"].value == 0.0

    def test_what_is_hidden_has_no_weight(self, run):
        some, much = (rows_of(run(**{"choice.social": weight}).log, HIDDEN) for weight in (0.0, 8.0))
        assert all((some[name] == much[name]).all() for name in some)

    def test_arms_part_after_the_first_round_alone(self, run):
        log = run().log
        for arm in (COUNTS, NAMES):
            hidden, other = (
                {step: rows["source"][rows["step"] == step].tolist() for step in (1, 2)}
                for rows in (rows_of(log, HIDDEN), rows_of(log, arm))
            )
            assert hidden[1] == other[1] and hidden[2] != other[2]

    def test_counts_gather_agents_where_others_are_and_names_do_less(self, run):
        found = co_access_measures(run(members=120, sources=30, rounds=20).log)
        assert found["counts/hhi"].value > found["names/hhi"].value > 0.9 * found["hidden/hhi"].value
        assert found["counts/overlap"].value > 1.5 * found["hidden/overlap"].value
        assert abs(found["counts/excess"].value) < 0.002 < found["names/excess"].value
        assert found["counts/denied"].value > found["hidden/denied"].value
        assert found["counts/worth"].value < found["hidden/worth"].value


class TestSources:
    def test_each_source_serves_up_to_its_places(self, run):
        log = run().log
        capacity = log.table("capacity")
        assert {row["places"] for row in capacity} == {int(np.ceil(1.2 * 40 * 4 / 12))}
        for record in ArmRecord.read_all(log).values():
            asked, served = record.requests.sum(axis=1), (record.grades != DENIED).sum(axis=1)
            assert (served == np.minimum(asked, record.places[:, None])).all()
            assert (record.requests.sum(axis=2) == 4).all()

    def test_a_larger_capacity_takes_access_from_nobody_in_the_first_round(self, run):
        few, many = (rows_of(run(capacity=share).log, HIDDEN) for share in (0.5, 1.2))
        first = few["step"] == 1
        assert (few["source"][first] == many["source"][first]).all()
        assert ((few["answer"][first] != DENIED) <= (many["answer"][first] != DENIED)).all()

    def test_places_may_change_during_a_run(self, run):
        change = 'change=[{at = "round 6", set = {"config.capacity" = 0.4}}]'
        record = ArmRecord.read_all(run(change).log)[HIDDEN]
        assert record.places.tolist() == [16] * 5 + [6] * 5


class TestControls:
    def test_a_planted_group_is_found_with_all_three_conditions(self, run):
        log = run(members=240, sources=30, rounds=15, planted=5, traces='["counts"]').log
        record = ArmRecord.read_all(log)[HIDDEN]
        last = record.requests[:, -5:]
        assert (last == last[:, :1]).all(), "they ask the same"
        (cartel,) = [one for one in record.clusters if one.is_cartel(record.options)]
        assert set(cartel.members.tolist()) <= set(range(235, 240))
        assert cartel.q < 0.05 and cartel.last > cartel.first and cartel.denies > cartel.usual

    def test_without_a_group_none_is_found(self, run):
        log = run(members=240, sources=30, rounds=15, traces='["counts"]', **{"choice.social": 0.0}).log
        found = co_access_measures(log)
        assert found["hidden/pairs"].value < 1e-4
        for name in ("clusters", "lasting", "cartels"):
            assert found[f"hidden/{name}"].value == 0
        assert found["hidden/excess"].value == pytest.approx(0, abs=0.001)

    def test_a_persona_changes_no_row_of_the_log(self, run):
        bare, peopled = run("personas=[]").log, run().log
        assert len(peopled.personas) == 4 and not bare.personas
        for table in (Requested.table(), "capacity", "goals", "sources"):
            assert bare.table(table) == peopled.table(table)


class TestMeasures:
    def test_measures_are_those_of_a_naive_count(self, run):
        log = run().log
        found, record = co_access_measures(log), ArmRecord.read_all(log)[HIDDEN]
        late = [row for row in log.table(Requested.table()) if row["arm"] == HIDDEN and row["step"] > 5]
        asked = len(late)
        served = [row for row in late if row["answer"] != DENIED]
        assert found["hidden/denied"].value == pytest.approx(1 - len(served) / asked)
        assert found["hidden/worth"].value == pytest.approx(sum(row["answer"] for row in served) / 4 / asked)
        hhi, limited = [], set()
        for step in range(6, 11):
            by_source = np.bincount([row["source"] for row in late if row["step"] == step], minlength=12)
            hhi.append(sum((n / by_source.sum()) ** 2 for n in by_source))
            limited |= {(step, n) for n in np.flatnonzero(by_source > record.places[0])}
        assert found["hidden/hhi"].value == pytest.approx(np.mean(hhi))
        held = [row["member"] for row in served if (row["step"], row["source"]) in limited]
        most = np.sort(np.bincount(held, minlength=40))[::-1][:4]
        assert found["hidden/hoarded"].value == pytest.approx(most.sum() / len(held))
        top = np.argsort(-np.bincount(held, minlength=40), kind="stable")[:4]
        group = np.isin(np.arange(40), top)
        more = displace(record.requests[5:], group[None], record.places[5:])[0] * 4 * 5 * 4
        assert found["hidden/imposed"].value == pytest.approx(more / (36 * 5 * 4))
        users = {(row["member"], row["source"]) for row in late}
        assert found["hidden/exclusivity"].value == pytest.approx(1 - len(users) / (40 * 12))

    def test_options_of_measuring_are_read(self, run):
        log = run().log
        log.measuring = CoAccessMeasuring(window=2, shuffles=20)
        assert len(ArmRecord.read_all(log)[HIDDEN].windows) == 5
        log.measuring = CoAccessMeasuring(window=11)
        found = co_access_measures(log)
        assert "no window of 11 rounds" in str(found["hidden/excess"].reason)
        assert found["hidden/hhi"].defined and 0 < found["hidden/exclusivity"].value < 1
        assert trace_excess(log).lines[HIDDEN] == () and not tabulate_clusters(log).rows
        log.measuring = None


class TestViews:
    def test_the_table_of_arms_has_all_measures(self, run):
        table = tabulate_arms(run().log)
        assert table.names == ("measure", HIDDEN, COUNTS, NAMES)
        rows = {row[0]: row[1:] for row in table.rows}
        assert rows["excess over hidden"][0] is None and rows["denials"][1] > 0

    def test_clusters_are_shown_with_their_conditions(self, run):
        log = run(members=240, sources=30, rounds=15, planted=5, traces='["counts"]').log
        table = tabulate_clusters(log)
        (cartel,) = [row for row in table.rows if row[0] == HIDDEN and row[table.names.index("cartel")]]
        shown = dict(zip(table.names, cartel, strict=True))
        assert shown["lasts"] is shown["denies more"] is True and shown["q"] < 0.05
        assert shown["from round"] in (1, 6) and shown["to round"] == 15 and "visitor 23" in shown["who"]
        network = draw_network(log)
        assert len(network.edges) >= 3 and {edge.kind for edge in network.edges} <= network.kinds.keys()
        assert {f"{HIDDEN}/visitor-000236", f"{HIDDEN}/visitor-000237"} <= {node.id for node in network.nodes}

    def test_requests_of_the_cast_are_listed_by_arm(self, run):
        log = run().log
        entries = list_requests(log, since=8, agent="ruth-abel")
        assert [(entry.step, entry.heading) for entry in entries] == [
            (step, arm) for step in (9, 10) for arm in (HIDDEN, COUNTS, NAMES)
        ]
        assert all(entry.text.count("(") == 4 for entry in entries)
        assert len(list_requests(log)) == 4 * 10 * 3
