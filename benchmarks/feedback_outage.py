"""What collapses first when clicks go missing, by cause, over seeds, and how that depends on the half-life.

    python benchmarks/feedback_outage.py [--seeds 10] [--first 1] [--picture FILE.svg]    # seven minutes

The reference study (80 % of the searchers read the answer on the page, and a fault that loses as many clicks)
for each seed; then an outage of clicks and query log of which nobody's reading is the cause, at a share of 0,
80 and 100 %, beside the figures of a prototype of the model that shares no code with this one; then the
reference study where people judge answers more or less, and under other half-lives. Times are means
restricted to the outage, with 95 % intervals by Greenwood's variance; other intervals are Student's t over
seeds. The model's numbers were chosen on four seeds of a simulation with draws of its own.
"""

from pathlib import Path

import numpy as np

from measuring import print_table, read_seeds, run_command, show
from openiir.core.seeds import Draw
from openiir.kit.measures import collapse_times, order_collapses, restricted_mean
from openiir.kit.statistics import mean_interval, paired_difference
from openiir.plugin import Table, interval_ends
from openiir.runs.views.plotting import write_picture
from openiir.scenarios.feedback_outage.measures import outage_measures
from openiir.scenarios.feedback_outage.model.losses import OutageRecord, follow_all
from openiir.scenarios.feedback_outage.model.platform import READERS
from openiir.scenarios.feedback_outage.views import MOST_LAG, SINGLE

CAUSES = ("fault", "readers")
BEGAN, RESTORED, ROUNDS = 21, 61, 80
OUTAGE = [{"at": f"round {BEGAN}", "kind": "outage", "channel": name} for name in ("click", "query_log")]
PROTOTYPE = {0.0: 0.712, 0.8: 0.644, 1.0: 0.436}
PROTOTYPE_ORDER = {
    "calibration": 9,
    "ndcg_head": 12,
    "ndcg_tail": 14,
    "ndcg": 15,
    "ndcg_torso": 16,
    "suggestions": 32,
}


def run_seeds(seeds, study, *sets):
    """Run a study under each seed; returns a record and measures for each."""
    return [(OutageRecord.read(log), outage_measures(log)) for log in read_seeds(study, seeds, *sets)]


def collect_times(found, cause):
    """Collect rounds until each evaluator collapsed, (seeds, evaluators); NaN where it did not."""
    times = [
        [record.describe(losses)["collapse"].value for (_, arm), losses in lost.items() if arm == cause]
        for record, lost in ((record, record.losses(*READERS)) for record, _ in found)
    ]
    return np.array(times)


def restrict(times, until):
    """Estimate the mean time until collapse, counted up to the outage's end."""
    return restricted_mean(np.nan_to_num(times, nan=until), ~np.isnan(times), until)


def compare_causes(found):
    """Print collapse, area, recovery and hysteresis by evaluator and cause; returns rows for a picture."""
    until, times = RESTORED - BEGAN, {cause: collect_times(found, cause) for cause in CAUSES}
    orders = {cause: order_collapses(times[cause]) for cause in CAUSES}
    rows = []

    def each():
        for n, what in enumerate(READERS):
            for cause in CAUSES:
                mean = restrict(times[cause][:, n], until)
                area = mean_interval([m[f"{cause}/area.{what}"].value for _, m in found])
                rows.append((what, cause, mean.value, mean.low, mean.high))
                late = [
                    [m[f"{cause}/{name}.{what}"].value for _, m in found]
                    for name in ("recovery", "hysteresis")
                ]
                recovery, left = (np.array(one)[~np.isnan(one)] for one in late)
                yield (
                    what,
                    cause,
                    f"{np.isfinite(times[cause][:, n]).sum()} of {len(found)}",
                    show(mean, ".1f"),
                    f"{orders[cause].ranks[n]:.1f}",
                    show(area, ".2f"),
                    f"{np.median(recovery):.0f} ({len(recovery)})" if len(recovery) else "",
                    show(mean_interval(left), ".2f") if len(left) > 2 else "",
                )

    print_table(
        "evaluator | cause | collapsed | after rounds | mean rank | area | recovery | hysteresis", each()
    )
    for cause in CAUSES:
        lost = mean_interval([m[f"{cause}/lost"].value for _, m in found])
        print(f"\n{cause}: Kendall's W {orders[cause].agreement.value:.2f}; clicks lost {show(lost)}")
    print()
    pairs = [(f"{{}}/{name}", name) for name in ("ndcg", *(f"area.{what}" for what in READERS))]
    print_table(
        "readers less fault | difference",
        (
            (
                name,
                show(
                    paired_difference(*([m[key.format(cause)].value for _, m in found] for cause in CAUSES))
                ),
            )
            for key, name in pairs
        ),
    )
    return rows


def follow(found):
    """Print which loss follows which over all seeds, where shuffled lags do not."""
    for cause in CAUSES:
        series = {
            what: np.array([record.losses(what)[what, cause][BEGAN - 1 :] for record, _ in found])
            for what in SINGLE
        }
        print_table(
            f"{cause}: leads | follows | rounds later | correlation | p (Holm)",
            (
                (first, second, test.lag, f"{test.correlation:.2f}", f"{p:.3f}")
                for first, second, test, p in follow_all(series, MOST_LAG, Draw(1, cause))
                if p < 0.05
            ),
        )
        print()


def compare_with_prototype(seeds):
    """Print nDCG at the end and the order of collapse of mean curves, beside the prototype's."""
    study = {"type": "feedback_outage", "config": {"rounds": ROUNDS, "trust": 1.0}}
    found = {
        share: run_seeds(seeds, study | {"event": [event | {"share": share} for event in OUTAGE]})
        for share in (0.8, 1.0)
    }
    ends = {0.0: "control", 0.8: "fault", 1.0: "fault"}
    print_table(
        "share lost | nDCG at the end | prototype",
        (
            (
                share,
                show(mean_interval([m[f"{arm}/ndcg"].value for _, m in found[share or 1.0]])),
                PROTOTYPE[share],
            )
            for share, arm in ends.items()
        ),
    )
    print()

    def each():
        for what, theirs in PROTOTYPE_ORDER.items():
            curves = [
                np.mean([r.values[arm][what] for r, _ in found[1.0]], axis=0) for arm in ("fault", "control")
            ]
            time = collapse_times(*(curve[BEGAN - 1 :] for curve in curves))
            yield what, f"{float(time):.0f}", theirs

    print_table("mean curve | rounds until collapse at 100 % | prototype", each())


def vary_judging(seeds, reference):
    """Print how the causes differ where people tell full answers from worthless ones, and where not."""
    found = {2: reference} | {n: run_seeds(seeds, "feedback_outage", f"config.judging={n}.0") for n in (0, 5)}
    names = [f"area.{what}" for what in READERS if what not in ("suggestions", "spam")]
    print_table(
        f"readers less fault, by judging | {' | '.join(map(str, sorted(found)))}",
        (
            (
                name,
                *(
                    show(
                        paired_difference(
                            *([m[f"{cause}/{name}"].value for _, m in found[n]] for cause in CAUSES)
                        ),
                        ".2f",
                    )
                    for n in sorted(found)
                ),
            )
            for name in names
        ),
    )


def sweep_half_life(seeds, reference):
    """Print the rounds until collapse under several half-lives."""
    found = {10: reference} | {
        n: run_seeds(seeds, "feedback_outage", f"config.half_life={n}") for n in (2.5, 5, 20, 40)
    }

    def each():
        for n, what in enumerate(READERS):
            for cause in CAUSES:
                cells = [
                    restrict(collect_times(found[life], cause)[:, n], RESTORED - BEGAN)
                    for life in sorted(found)
                ]
                yield what, cause, *(f"{cell.value:.1f}" for cell in cells)

    print_table(f"rounds until collapse | cause | {' | '.join(map(str, sorted(found)))}", each())
    for cause in CAUSES:
        agreement = {
            life: order_collapses(collect_times(found[life], cause)).agreement.value for life in sorted(found)
        }
        print(f"\n{cause}: W by half-life", {life: round(w, 2) for life, w in agreement.items()})


def main(seeds: int = 10, first: int = 1, picture: Path | None = None) -> None:
    numbers = range(first, first + seeds)
    found = run_seeds(numbers, "feedback_outage")
    rows = compare_causes(found)
    if picture:
        head = ("evaluator", "cause", "rounds until collapse", *interval_ends("rounds until collapse"))
        title = f"When each evaluator collapses, of {RESTORED - BEGAN} rounds of outage: {seeds} seeds, 95 %"
        write_picture(title, Table(columns=head, rows=tuple(rows)), picture)
    print()
    follow(found)
    compare_with_prototype(numbers)
    print()
    vary_judging(numbers, found)
    print()
    sweep_half_life(numbers, found)


if __name__ == "__main__":
    run_command(main)
