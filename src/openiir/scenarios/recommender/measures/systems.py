"""Measures of visits: SimUSER's five (table 3) for each system, and agreement with offline measures."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from openiir.kit.measures.per_user import UserMean
from openiir.kit.statistics.estimate import Estimate
from openiir.kit.statistics.order import order_agreement
from openiir.kit.statistics.resampling import divide_arrays
from openiir.plugin import Log, Measure, undefined_measure
from openiir.scenarios.recommender.behaviour.systems import PageFailed
from openiir.scenarios.recommender.config import FIRST, LIKED
from openiir.scenarios.recommender.measures.consistency import check_visits, refuse
from openiir.scenarios.recommender.measures.definitions import average_users
from openiir.scenarios.recommender.measures.visits import visit_measures
from openiir.scenarios.recommender.model.topn import top_n
from openiir.scenarios.recommender.questions.act import VisitAct
from openiir.scenarios.recommender.run.actions import OfflineListMeasures, VisitJudged

Columns = Mapping[str, np.ndarray]
LIST_MEASURES = ("ndcg", "f1")


def visits_measures(log: Log) -> dict[str, Measure]:
    """Compute the measures of each system's visits.

    P_view, N_like, P_like, N_exit, S_sat, failures, failed pages, the judge's grade, and nDCG offline and
    simulated.
    """
    found: dict[str, Measure] = {}
    lost = failed_pages(log)
    for system, columns in (read_visits(log) | visits_by_answerer(log)).items():
        means = visit_means(columns)
        for name, mean in means.items():
            found |= _with_interval(f"{system}/{name}", mean)
        view, like = means["P_view"].value, means["P_like"].value
        if not np.isnan(view):
            refuse(check_visits(view, like), f"the visits to {system}")
        found[f"{system}/failures"] = Measure(float(columns["failures"].sum()))
        found[f"{system}/ran_out"] = Measure(float(count_exhausted_visits(columns)))
        found[f"{system}/failed_pages"] = Measure(float(lost[system]))
    found |= {
        f"{one}/{what}.less_{other}": mean.measure
        for (one, what, other), mean in compare_systems(log).items()
    }
    for system, grade in judge_grades(log).items():
        found |= _with_interval(f"{system}/human_likeness", grade)
    for system, both in top_n_measures(log).items():
        found |= {f"{system}/{name}": measure for name, measure in both.items()}
    for name, agreement in order_agreements(log).items():
        found |= _with_interval(f"order.{name}", agreement)
    return found


def _with_interval(name: str, found: UserMean | Estimate) -> dict[str, Measure]:
    """Convert an estimate to measures: its value and, where it has one, its interval's ends."""
    value = Measure(found.value, found.reason if np.isnan(found.value) else None)
    if np.isnan(found.low) or np.isnan(found.high):
        return {name: value}
    return {name: value, f"{name}.low": Measure(found.low), f"{name}.high": Measure(found.high)}


def system_names(log: Log) -> list[str]:
    """List the names of the systems under test in the order of the study."""
    return [system["name"] for system in log.study["config"]["systems"]]


def group_by_system(log: Log, table: str) -> dict[str, dict[str, np.ndarray]]:
    """Group a table by system, in the order of the study; a system without rows is left out."""
    columns = log.columns(table)
    rows = {name: columns["system"] == name for name in system_names(log)} if columns else {}
    return {
        name: {key: column[mask] for key, column in columns.items()}
        for name, mask in rows.items()
        if mask.any()
    }


def read_visits(log: Log) -> dict[str, dict[str, np.ndarray]]:
    """Read the table of visits of each system, with a row for each visit."""
    return group_by_system(log, "visits")


def find_answerers(log: Log, kind: str) -> dict[tuple[str, str], str]:
    """Look up who answered a kind of question, by system (or first part of the lane's name) and agent."""
    found: dict[tuple[str, str], str] = {}
    for event in log.events("asked"):
        if event.payload["question"] == kind and event.actor and "answerer" in event.payload:
            found.setdefault((event.lane.partition("/")[0], event.actor), event.payload["answerer"])
    return found


def visits_by_answerer(log: Log) -> dict[str, dict[str, np.ndarray]]:
    """Group a system's visits by answerer, as `SYSTEM (ANSWERER)`, if it has several."""
    by = find_answerers(log, VisitAct.kind)
    found = {}
    for system, columns in read_visits(log).items():
        who = np.array([by.get((system, visitor), "") for visitor in columns["visitor"].tolist()])
        names = sorted(set(who.tolist()) - {""})
        for name in names if len(names) > 1 else ():
            found[f"{system} ({name})"] = {key: column[who == name] for key, column in columns.items()}
    return found


def visit_means(columns: Columns) -> Mapping[str, UserMean]:
    """Compute P_view, N_like, P_like, N_exit and S_sat of a system's visits, averaged over visitors."""
    return visit_measures(
        columns["shown"], columns["watched"], columns["likes"], columns["pages"], _satisfaction(columns)
    )


def compare_systems(log: Log) -> dict[tuple[str, str, str], UserMean]:
    """Compute paired differences of P_view and S_sat between systems, over the same visitors.

    Keys are (system, measure, system before it in the study).
    """
    visits = list(read_visits(log).items())
    found = {}
    for n, (one, own) in enumerate(visits):
        for other, theirs in visits[:n]:
            names = own["visitor"].astype(str), theirs["visitor"].astype(str)
            _, mine, yours = np.intersect1d(*names, return_indices=True)
            for what, compute in (("P_view", _share_taken), ("S_sat", _satisfaction)):
                apart = compute(own)[mine] - compute(theirs)[yours]
                why = "nothing was shown, or satisfaction not asked for"
                found[one, what, other] = average_users(f"{what}.less_{other}", apart, why)
    return found


def _share_taken(columns: Columns) -> np.ndarray:
    return divide_arrays(columns["watched"], columns["shown"])


def _satisfaction(columns: Columns) -> np.ndarray:
    """Satisfaction on leaving; NaN where the visitor was not asked or did not answer."""
    return np.where(columns["satisfaction"] > 0, columns["satisfaction"], np.nan)


def count_exhausted_visits(columns: Columns) -> int:
    """Count visits that ended because the system had no more items to show."""
    return int((columns["left"] == "nothing left").sum())


def failed_pages(log: Log) -> Counter[str]:
    """Count each system's failed page requests."""
    return Counter(failed.system for _, failed in PageFailed.read(log))


def judge_grades(log: Log) -> dict[str, UserMean]:
    """Average the judge's grades of each system's visits, 1 (machine) to 5 (human)."""
    grades: dict[str, list[float]] = {}
    for event in log.events(VisitJudged.kind):
        grades.setdefault(event.payload["system"], []).append(float(event.payload["grade"]))
    return {
        system: average_users("human_likeness", given, "it was not judged")
        for system, given in grades.items()
    }


def top_n_measures(log: Log) -> dict[str, dict[str, Measure]]:
    """Compute nDCG@10 and F1@10 of each system, from held-out ratings (offline) and from visits (simulated).

    Offline is by held-out ratings, simulated by what visitors liked. Simulated relevance is pooled as in a
    test collection: what a visitor liked of any system's first ten places. It needs every visitor to have
    looked through ten places of every system, and is undefined otherwise.
    """
    offline = {
        event.payload["system"]: event.payload["measures"] for event in log.events(OfflineListMeasures.kind)
    }
    simulated = _simulated_lists(log)
    found = {}
    for system in system_names(log):
        if system in offline or system in simulated:
            said = offline.get(system, {})
            found[system] = {f"offline.{name}@10": _measure(said.get(name)) for name in LIST_MEASURES}
            found[system] |= {f"simulated.{name}@10": one for name, one in simulated[system].items()}
    return found


def _measure(plain: Mapping[str, Any] | None) -> Measure:
    if plain is None:
        return undefined_measure("the system lies outside, so its lists are not known beforehand")
    return Measure(np.nan if plain["value"] is None else float(plain["value"]), plain["reason"])


def _simulated_lists(log: Log) -> dict[str, dict[str, Measure]]:
    from scipy.sparse import csr_array

    systems = group_by_system(log, "views")
    visitors = sorted({str(v) for columns in systems.values() for v in columns["visitor"]})
    items = sorted({str(i) for columns in systems.values() for i in columns["item"]})
    shown = {name: _first_places(columns, visitors, items) for name, columns in systems.items()}
    why = "" if shown else "nothing was shown"
    for name, (places, _) in shown.items():
        if not why and (places < 0).any():
            why = (
                f"not every visitor looked through {FIRST} places of {name}; let pages hold them (page.items)"
            )
    if why:
        return {name: dict.fromkeys(LIST_MEASURES, undefined_measure(why)) for name in system_names(log)}
    pool = csr_array((np.sum([liked for _, liked in shown.values()], axis=0) > 0).astype(np.float64))
    found = {}
    for name, (places, _) in shown.items():
        averages = top_n(places, pool).averages()
        found[name] = {key: averages[key].measure("no visitor liked anything") for key in LIST_MEASURES}
    return found


def _first_places(columns: Columns, visitors: list[str], items: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Read the items in each visitor's first places, and which items were liked.

    Returns item indices (visitors, FIRST), -1 where nothing was seen, and a mask (visitors, items).
    """
    sizes = np.zeros(columns["page"].max() + 1, dtype=np.int64)
    np.maximum.at(sizes, columns["page"], columns["position"])  # a change may have set page.items
    place = np.cumsum(sizes)[columns["page"] - 1] + columns["position"] - 1
    row = np.searchsorted(visitors, columns["visitor"].astype(str))
    item = np.searchsorted(items, columns["item"].astype(str))
    places = np.full((len(visitors), FIRST), -1, dtype=np.int64)
    first = place < FIRST
    places[row[first], place[first]] = item[first]
    liked = np.zeros((len(visitors), len(items)), dtype=np.int64)
    liked[row[first], item[first]] = columns["rating"][first] >= LIKED
    return places, liked


def order_agreements(log: Log) -> dict[str, Estimate]:
    """Compute Kendall's tau between the orders of the systems by visits and by held-out ratings.

    Intervals are over systems.
    """
    both = top_n_measures(log)
    offline = {name: m["offline.ndcg@10"].value for name, m in both.items()}
    visits = {name: visit_means(columns) for name, columns in read_visits(log).items()}
    by = {what: {name: means[what].value for name, means in visits.items()} for what in ("P_view", "S_sat")}
    by["simulated"] = {name: m["simulated.ndcg@10"].value for name, m in both.items()}
    found = {}
    for what, values in by.items():
        pairs = [(value, offline.get(name, np.nan)) for name, value in values.items()]
        kept = [(a, b) for a, b in pairs if not np.isnan(b) and not (what == "simulated" and np.isnan(a))]
        if len(kept) > 2:
            found[f"tau.{what}.offline"] = order_agreement([a for a, _ in kept], [b for _, b in kept])
    return found
