"""Measures of visits: SimUSER's five (table 3) for each system, and agreement with offline measures."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from openiir.kit.measures.per_user import UserMean, over_users
from openiir.kit.statistics.estimate import Estimate
from openiir.kit.statistics.order import order_agreement
from openiir.plugin import Log, Measure
from openiir.scenarios.recommender.behaviour.systems import PageFailed
from openiir.scenarios.recommender.config import FIRST, LIKED
from openiir.scenarios.recommender.measures.consistency import check_visits, refuse
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
    for system, columns in (visits_of(log) | visits_by_answerer(log)).items():
        means = visit_means(columns)
        for name, mean in means.items():
            found |= _with_interval(f"{system}/{name}", mean)
        view, like = means["P_view"].value, means["P_like"].value
        if not np.isnan(view):
            refuse(check_visits(view, like), f"the visits to {system}")
        found[f"{system}/failures"] = Measure(float(columns["failures"].sum()))
        found[f"{system}/ran_out"] = Measure(float(count_ran_out(columns)))
        found[f"{system}/failed_pages"] = Measure(float(lost[system]))
    found |= {
        f"{one}/{what}.less_{other}": mean.measure for (one, what, other), mean in differences(log).items()
    }
    for system, grade in judge_grades(log).items():
        found |= _with_interval(f"{system}/human_likeness", grade)
    for system, both in top_of_lists(log).items():
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


def systems_of(log: Log) -> list[str]:
    """List the names of the systems under test in the order of the study."""
    return [system["name"] for system in log.study["config"]["systems"]]


def by_system(log: Log, table: str) -> dict[str, dict[str, np.ndarray]]:
    """Group a table by system, in the order of the study; a system without rows is left out."""
    columns = log.columns(table)
    rows = {name: columns["system"] == name for name in systems_of(log)} if columns else {}
    return {
        name: {key: column[mask] for key, column in columns.items()}
        for name, mask in rows.items()
        if mask.any()
    }


def visits_of(log: Log) -> dict[str, dict[str, np.ndarray]]:
    """Read the table of visits of each system, with a row for each visit."""
    return by_system(log, "visits")


def answerers(log: Log) -> dict[tuple[str, str], str]:
    """Look up the answerer behind a visitor's moves, by system and visitor."""
    found: dict[tuple[str, str], str] = {}
    for event in log.events("asked"):
        if event.payload["question"] == VisitAct.kind and event.actor and "answerer" in event.payload:
            found.setdefault((event.lane.partition("/")[0], event.actor), event.payload["answerer"])
    return found


def visits_by_answerer(log: Log) -> dict[str, dict[str, np.ndarray]]:
    """Group a system's visits by answerer, as `SYSTEM (ANSWERER)`, where it has several."""
    by = answerers(log)
    found = {}
    for system, columns in visits_of(log).items():
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


def differences(log: Log) -> dict[tuple[str, str, str], UserMean]:
    """Compute paired differences of P_view and S_sat between systems, over the same visitors.

    Keys are (system, measure, system before it in the study).
    """
    visits = {name: _by_visitor(columns) for name, columns in visits_of(log).items()}
    found = {}
    for n, (one, own) in enumerate(visits.items()):
        for other in list(visits)[:n]:
            both = sorted(own.keys() & visits[other].keys())
            for place, what in enumerate(("P_view", "S_sat")):
                apart = [own[who][place] - visits[other][who][place] for who in both]
                found[one, what, other] = over_users(
                    apart, "nothing was shown, or satisfaction not asked for"
                )
    return found


def _satisfaction(columns: Columns) -> np.ndarray:
    """Satisfaction on leaving; NaN where the visitor was not asked or did not answer."""
    return np.where(columns["satisfaction"] > 0, columns["satisfaction"], np.nan)


def _by_visitor(columns: Columns) -> dict[str, tuple[float, float]]:
    """Compute the share of titles taken and the satisfaction of each visitor; NaN where undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share = columns["watched"] / columns["shown"]
    satisfied = _satisfaction(columns)
    return dict(
        zip(columns["visitor"].tolist(), zip(share.tolist(), satisfied.tolist(), strict=True), strict=True)
    )


def count_ran_out(columns: Columns) -> int:
    """Count visits that ended because the system had nothing left to show."""
    return int((columns["left"] == "nothing left").sum())


def failed_pages(log: Log) -> Counter[str]:
    """Count the failed requests for a page of each system."""
    return Counter(failed.system for _, failed in PageFailed.read(log))


def judge_grades(log: Log) -> dict[str, UserMean]:
    """Average the judge's grades of each system's visits, 1 (machine) to 5 (human)."""
    grades: dict[str, list[float]] = {}
    for event in log.events(VisitJudged.kind):
        grades.setdefault(event.payload["system"], []).append(float(event.payload["grade"]))
    return {system: over_users(given, "it was not judged") for system, given in grades.items()}


def top_of_lists(log: Log) -> dict[str, dict[str, Measure]]:
    """Compute nDCG@10 and F1@10 of each system, offline and simulated.

    Offline is by held-out ratings, simulated by what visitors liked. Simulated relevance is pooled as in a
    test collection: what a visitor liked of any system's first ten places. It needs every visitor to have
    looked through ten places of every system, and is undefined otherwise.
    """
    offline = {
        event.payload["system"]: event.payload["measures"] for event in log.events(OfflineListMeasures.kind)
    }
    found: dict[str, dict[str, Measure]] = {}
    simulated = _simulated_lists(log)
    for system in systems_of(log):
        if system not in offline and system not in simulated:
            continue
        said = offline.get(system, {})
        found[system] = {f"offline.{name}@10": _measure(said.get(name)) for name in LIST_MEASURES}
        found[system] |= {f"simulated.{name}@10": measure for name, measure in simulated[system].items()}
    return found


def _measure(plain: Mapping[str, object] | None) -> Measure:
    if plain is None:
        return Measure(float("nan"), "the system lies outside, so its lists are not known beforehand")
    value = plain["value"]
    return Measure(float("nan") if value is None else float(value), plain["reason"])  # type: ignore[arg-type]


def _simulated_lists(log: Log) -> dict[str, dict[str, Measure]]:
    from scipy.sparse import csr_array

    systems = by_system(log, "views")
    if not systems:
        return _undefined_lists(log, "nothing was shown")
    visitors = sorted({str(v) for columns in systems.values() for v in columns["visitor"]})
    items = sorted({str(i) for columns in systems.values() for i in columns["item"]})
    shown = {name: _first_places(columns, visitors, items) for name, columns in systems.items()}
    if short := [name for name, (places, _) in shown.items() if (places < 0).any()]:
        return _undefined_lists(
            log,
            f"not every visitor looked through {FIRST} places of {short[0]}; let pages hold them "
            "(page.items)",
        )
    pool = np.sum([liked for _, liked in shown.values()], axis=0) > 0
    found = {}
    for name, (places, _) in shown.items():
        averages = top_n(places, csr_array(pool.astype(np.float64))).averages()
        found[name] = {key: averages[key].measure("no visitor liked anything") for key in LIST_MEASURES}
    return found


def _undefined_lists(log: Log, reason: str) -> dict[str, dict[str, Measure]]:
    return {name: dict.fromkeys(LIST_MEASURES, Measure(float("nan"), reason)) for name in systems_of(log)}


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
    both = top_of_lists(log)
    offline = {name: m["offline.ndcg@10"].value for name, m in both.items()}
    visits = {name: visit_means(columns) for name, columns in visits_of(log).items()}
    by = {}
    for what in ("P_view", "S_sat"):
        pairs = [(visits[n][what].value, offline[n]) for n in visits if not np.isnan(offline.get(n, np.nan))]
        by[f"tau.{what}.offline"] = pairs
    pairs = [(m["simulated.ndcg@10"].value, m["offline.ndcg@10"].value) for m in both.values()]
    by["tau.simulated.offline"] = [pair for pair in pairs if not np.isnan(pair).any()]
    return {
        name: order_agreement([one for one, _ in pairs], [other for _, other in pairs])
        for name, pairs in by.items()
        if len(pairs) > 2
    }
