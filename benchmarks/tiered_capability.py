"""How far tiers of search agents divide people, over seeds, on several collections and with its controls.

    python benchmarks/tiered_capability.py tiers [STUDY ...] [--seeds 10] [--out lead.svg]   # 2 min a study
    python benchmarks/tiered_capability.py gaps [STUDY] [--seeds 10] [--first N]             # 5 minutes

A STUDY is a folder with a study of four tiers T0 to T3, as `examples/search-tiers/write_study.py` writes it;
the reference study without one. `tiers` tells what each tier brings where all have it, and with `--out` draws
how much it is ahead of the first. `gaps` tells what happens among all tiers, under several conditions or the
first N of them. All are means over seeds with 95 % intervals (Student's t).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from measuring import print_table, read_seeds, run_command, word_interval
from openiir.kit.measures import theil, theil_between
from openiir.kit.statistics import Estimate, mean_interval
from openiir.plugin import Table, interval_ends
from openiir.runs.views.plotting import write_picture
from openiir.scenarios.tiered_capability.model.divide import MIXED, Divide
from openiir.scenarios.tiered_capability.model.outcomes import ARM_DEFINITIONS

REFERENCE = "tiered_capability"
TIERS = ("T0", "T1", "T2", "T3")
SHOWN = ("outcome", "correct", "page", "web", "opened", "cost", "latency", "gini", "misplaced")
CONDITIONS: dict[str, dict[str, object]] = {
    "as it is": {},
    "T3 without web searches": {"tiers.T3.web": 0},
    "one seat a document": {"seats": 1},
    "five seats a document": {"seats": 5},
    "T0 with T2's line": {"tiers.T0.mode": "hybrid", "tiers.T0.depth": 10},
    "a web search for each need": {"tiers.T3.web": 100_000},
    "nobody learns": {"reading.learning": 0},
    "people learn fast": {"reading.learning": 1},
    "100 rounds": {"rounds": 100},
    "30 known items": {"needs": 30, "qrels": "''"},
}


def read_runs(study: str, seeds: int, **config: object) -> Iterator[Divide]:
    """Run a study under each seed; yields its arms."""
    sets = (f"config.{key}={value}" for key, value in config.items())
    for log in read_seeds(study, range(1, seeds + 1), *sets):
        yield Divide.read(log)


def compare_tiers(
    studies: Annotated[list[str] | None, typer.Argument()] = None, seeds: int = 10, out: Path | None = None
) -> None:
    leads: list[tuple[str, Estimate]] = []
    for study in studies or [REFERENCE]:
        found: dict[tuple[str, str], list[float]] = {}
        for divide in read_runs(study, seeds):
            base = divide.arms[TIERS[0]].outcome.mean()
            for tier in TIERS:
                own = divide.arms[tier]
                for name, one in own.measure().items():
                    found.setdefault((tier, name), []).append(one.value)
                found.setdefault((tier, "lead"), []).append(own.outcome.mean() - base)
        label = Path(study).name
        head = " | ".join((label, "lead", *(ARM_DEFINITIONS[name][0] for name in SHOWN)))
        rows = ((tier, *(word_interval(found[tier, name]) for name in ("lead", *SHOWN))) for tier in TIERS)
        print_table(head, rows)
        print()
        leads += [(f"{label}, {tier}", mean_interval(found[tier, "lead"])) for tier in TIERS[1:]]
    if out:
        columns = ("", "outcome more than with T0", *interval_ends("outcome more than with T0"))
        table = Table(columns=columns, rows=tuple((name, *one[:3]) for name, one in leads))
        write_picture(f"What a tier brings where all have it, {seeds} seeds", table, out)


def compare_conditions(
    study: Annotated[str, typer.Argument()] = REFERENCE, seeds: int = 10, first: int = len(CONDITIONS)
) -> None:
    def rows() -> Iterator[tuple[object, ...]]:
        for label, config in list(CONDITIONS.items())[:first]:
            found: list[tuple[float, ...]] = []
            for divide in read_runs(study, seeds, **config):
                trends = {name: one.value for name, one in divide.estimate_gaps().items()}
                own, base = (divide.arms[arm].outcome.mean(axis=0) for arm in (MIXED, TIERS[0]))
                least, gain = divide.members(0), own - base
                inequality = [divide.arms[arm].measure()["gini"].value for arm in (MIXED, TIERS[0])]
                between = theil_between(own, divide.tier) / theil(own)
                lost, won = -gain[least].sum(), gain[~least].sum()
                found.append((*trends.values(), *inequality, between, -lost / least.sum(), lost / won))
            yield label, *(word_interval(values, "+.3f") for values in zip(*found, strict=True))

    head = "condition | gap | trend | gap in knowledge | trend | Gini | Gini, all T0 | between | spillover"
    print_table(f"{head} | rivalrous", rows())


if __name__ == "__main__":
    run_command(tiers=compare_tiers, gaps=compare_conditions)
