"""Tables of the experiments' results; empty for runs of other experiments."""

from collections import Counter

import numpy as np

from openiir.kit.measures.per_user import UserMean
from openiir.kit.statistics.estimate import Estimate
from openiir.plugin import Column, Log, Table, interval_ends
from openiir.plugin.definitions import define_measure
from openiir.scenarios.recommender.behaviour.systems import PageServed
from openiir.scenarios.recommender.measures import offers
from openiir.scenarios.recommender.measures.definitions import DEFINITIONS
from openiir.scenarios.recommender.measures.personas import persona_agreement, persona_groups
from openiir.scenarios.recommender.measures.ratings import (
    HOW,
    errors_by_method,
    find_rating_answerers,
    rating_groups,
)
from openiir.scenarios.recommender.measures.recognition import answers_by_task, judgements
from openiir.scenarios.recommender.measures.systems import (
    count_exhausted_visits,
    failed_pages,
    find_answerers,
    judge_grades,
    read_visits,
    top_n_measures,
    visit_means,
    visits_by_answerer,
)
from openiir.scenarios.recommender.questions.act import VisitAct
from openiir.scenarios.recommender.run.actions import CaptionsMade, DataRead, ThumbnailsMade

Cell = str | int | float | None
VISIT_MEASURES = ("P_view", "N_like", "P_like", "N_exit", "S_sat")


def comparison_table(log: Log) -> Table:
    """Table of the visit measures of each system, with the ends of the 95 % interval.

    Who answered stands beside it where that is not the behaviour model; where several did, their visits stand
    apart.
    """
    defined = {name: define_measure(DEFINITIONS, name) for name in (*VISIT_MEASURES, "human_likeness")}
    labels = [Column(name=defined[name][0], help=defined[name][1]) for name in VISIT_MEASURES]
    grades, found, lost = judge_grades(log), read_visits(log) | visits_by_answerer(log), failed_pages(log)
    by = find_answerers(log, VisitAct.kind)
    mixed = set(by.values()) - {"offline"}
    short = any(count_exhausted_visits(visits) for visits in found.values())
    if grades:
        labels += [Column(name="like a person (1 to 5)", help=defined["human_likeness"][1])]
    columns: list[str | Column] = [
        "system",
        *(c for label in labels for c in (label, *interval_ends(label.name))),
    ]
    columns += ["answered by"] if mixed else []
    columns += ["visits it left without a page"] if short else []
    columns += ["pages it failed to give"] if lost else []
    rows = []
    for system, visits in found.items():
        means = list(visit_means(visits).values())
        row: list[Cell] = [system, *(cell for mean in means for cell in _with_ends(mean))]
        if grades:
            row += _with_ends(grades.get(system))
        if mixed:
            names = sorted({who for (name, _), who in by.items() if name == system})
            row += [system.partition(" (")[2].rstrip(")") or ", ".join(names)]
        row += [count_exhausted_visits(visits)] if short else []
        row += [lost.get(system)] if lost else []
        rows.append(tuple(row))
    return Table(columns=tuple(columns), rows=tuple(rows))


_WHERE = (
    "read: taken from the data set; left out: rows that could not be used; read, with too little in it: used "
    "all the same; pictures: captions that came with the data (given) or were made of pictures; served by a "
    "system: items on its pages that could not be shown"
)
_READ = {
    "users": "users",
    "items": "items",
    "ratings": "ratings",
    "train": "ratings to learn from",
    "validation": "ratings to tune with",
    "test": "ratings held out",
}
"""Words for the numbers of what was read, by field of `DataRead`."""


def data_table(log: Log) -> Table:
    """Table of the data read and left out, and of failures of systems and pictures, with counts."""
    rows: list[tuple[str, str, int]] = []
    for _, read in DataRead.read(log):
        rows += [("read", words, getattr(read, what)) for what, words in _READ.items()]
        rows += [("left out", what, n) for what, n in read.skipped.items()]
        rows += [("read, with too little in it", what, n) for what, n in read.notes.items()]
    for _, told in CaptionsMade.read(log):
        rows += [("pictures", "captions given", told.given), ("pictures", "captions made", told.made)]
        rows += [("pictures", f"without a caption: {one['reason']}", 1) for one in told.skipped]
    served: Counter[tuple[str, str]] = Counter()
    for event, page in PageServed.read(log):
        for what in ("unknown", "repeated", "known", "missing"):
            served[str(event.actor), what] += getattr(page, what)
    rows += [(f"served by {who}", f"items {what}", n) for (who, what), n in sorted(served.items()) if n]
    return Table(columns=(Column(name="where", help=_WHERE), "what", "how many"), rows=tuple(rows))


def lists_table(log: Log) -> Table:
    """Table of nDCG@10 and F1@10 of each system, offline and simulated, and why one is missing."""
    both = top_n_measures(log)
    all_names = ("offline.ndcg@10", "simulated.ndcg@10", "offline.f1@10", "simulated.f1@10")
    names = [name for name in all_names if any(found[name].defined for found in both.values())]
    missing = {
        system: dict.fromkeys(str(found[name].reason) for name in all_names if not found[name].defined)
        for system, found in both.items()
    }
    rows = [(system, *(_round(found[name].value) for name in names)) for system, found in both.items()]
    if not any(missing.values()):
        return Table(columns=("system", *names), rows=tuple(rows))
    rows = [(*row, "; ".join(reasons)) for row, reasons in zip(rows, missing.values(), strict=True)]
    return Table(columns=("system", *names, "why none"), rows=tuple(rows))


def discrimination_table(log: Log) -> Table:
    """Table of the measures of each scorer at each task, averaged over visitors.

    `low` and `high` are the ends of the 95 % interval over visitors.
    """
    columns = (
        "negatives",
        "1:m",
        "scorer",
        "accuracy",
        *interval_ends("accuracy"),
        "balanced",
        "AUC",
        "precision",
        "recall",
        "F1",
    )
    rows = []
    for (kind, ratio), judged in answers_by_task(log).items():
        for scorer, found in judgements(log, kind, ratio, judged).items():
            means = found.means()
            names = ("balanced_accuracy", "auc", "precision", "recall", "f1")
            row = _with_ends(means["accuracy"])
            rows.append((kind, f"1:{ratio}", scorer, *row, *(_round(means[name].value) for name in names)))
    return Table(columns=columns, rows=tuple(rows))


def rating_table(log: Log) -> Table:
    """Table of the errors and coverage of each way to obtain ratings.

    Names the answerer where it is not the behaviour model.
    """
    columns = ("items", "rating", "RMSE", *interval_ends("RMSE"), "MAE", "coverage", "JS bits", "earth mover")
    rows = []
    by = set(find_rating_answerers(log).values())
    given = f"{HOW['given']} ({', '.join(sorted(by))})" if by - {"offline"} else HOW["given"]
    for key, judged in rating_groups(log).items():
        group = key.rstrip(".")
        label = f"answered by {group}" if group in by else group or "all"
        for how, (errors, difference) in errors_by_method(judged).items():
            numbers = (errors.mae_of_rated.value, errors.coverage.value)
            apart = (difference.jensen_shannon.value, difference.earth_mover.value) if difference else ()
            words = HOW[how] if how != "given" or group in by else given
            cells = [*_with_ends(errors.rmse_of_rated), *map(_round, (*numbers, *apart)), None, None]
            rows.append((label, words, *cells[:7]))
    return Table(columns=columns, rows=tuple(rows))


def thumbnails_table(log: Log) -> Table:
    """Table of the click rate of each picture variant, and its difference to the poster."""
    less = offers.against_poster(log)
    made_up = {told.variant for _, told in ThumbnailsMade.read(log) if told.made_up}
    rows = []
    for variant, mean in offers.click_rates(log).items():
        name = f"{variant} (made up)" if variant in made_up else variant
        rows.append((name, *_with_ends(mean), *_with_ends(less.get(variant))))
    columns = (
        "picture",
        "click rate",
        *interval_ends("click rate"),
        "less poster",
        *interval_ends("less poster"),
    )
    return Table(columns=columns, rows=tuple(rows))


def coherence_table(log: Log) -> Table:
    """Table of the shares of offers taken, fitting the request or not."""
    words = {
        "took_good": "took what was asked for",
        "took_bad": "took what was not",
        "coherent": "took the one and left the other",
        "bad_of_taken": "of what was taken, not asked for",
    }
    rows = tuple((words[name], *_with_ends(mean)) for name, mean in offers.measure_coherence(log).items())
    return Table(columns=("share", "mean", *interval_ends("mean")), rows=rows)


def personas_table(log: Log) -> Table:
    """Table of the accuracy and macro-F1 of matched personas, beside the majority class."""
    columns = ("trait", "accuracy", "majority", "within one band", "macro-F1", "majority's macro-F1")
    rows = []
    for what, a in persona_agreement(log).items():
        within = a.within_one if what == "age" else np.nan
        rows.append((what, *map(_round, (a.accuracy, a.majority, within, a.macro_f1, a.majority_macro_f1))))
    return Table(columns=columns, rows=tuple(rows))


def groups_table(log: Log) -> Table:
    """Table of the persona groups, the youngest first: titles shown in a visit, and mean rating."""
    columns = (
        "group",
        "visitors",
        "commonest age",
        "commonest occupation",
        "shown a visit",
        *interval_ends("shown a visit"),
        "mean rating",
        *interval_ends("mean rating"),
    )
    rows = tuple(
        (n + 1, g.visitors, g.age, g.occupation, *_with_ends(g.shown), *_with_ends(g.rating))
        for n, g in persona_groups(log).items()
    )
    return Table(columns=columns, rows=rows)


def _with_ends(mean: UserMean | Estimate | None) -> tuple[float | None, float | None, float | None]:
    """Round a mean and the ends of its interval; None for what there is not."""
    return (_round(mean.value), _round(mean.low), _round(mean.high)) if mean else (None, None, None)


def _round(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 3)
