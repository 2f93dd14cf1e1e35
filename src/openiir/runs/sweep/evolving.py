"""The design `evolve`: each generation's arms descend, with mutations, from the fittest of the one before."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openiir.core.errors import InputError, UnknownName
from openiir.core.hashing import canonical
from openiir.core.records import Measure
from openiir.core.seeds import Draw
from openiir.core.storage.folder import write_whole
from openiir.kit.evolution import (
    NO_PARENT,
    Birth,
    Genome,
    GenomeSpec,
    NumberLocus,
    SelectionRule,
    TextLocus,
    build_lineage,
)
from openiir.runs.post_run import measure_all
from openiir.runs.sweep.axes import Axis, read_axes
from openiir.runs.sweep_record import EvolutionSweepPlan, SweepPlan, SweepRecord

POPULATION, GENERATIONS = 8, 5
"""Default numbers."""
GENERATIONS_FILE, LINEAGE_FILE = "generations.csv", "lineage.csv"
_MOST_RUNS, _RULE = 9_999, SelectionRule(elites=1)


def check_evolution(axes: Sequence[Axis], plan: EvolutionSweepPlan, seeds: int) -> None:
    """Raise InputError where axes and numbers do not fit an evolution."""
    others = [axis.key for axis in axes if not axis.key.startswith("config.")]
    if others or not axes:
        raise InputError(
            f"evolve mutates keys of [config], {'not ' + others[0] if others else 'and none is given'}; "
            "add --vary config.KEY=low..high or --vary config.KEY=[...]"
        )
    if not plan.fitness.strip("-"):
        raise InputError(
            "evolve selects by a measure; name it by --fitness MEASURE (--fitness=-MEASURE: the less)"
        )
    if plan.population < 2 or plan.generations < 1:
        raise InputError(
            f"a population of {plan.population} over {plan.generations} generations cannot evolve; "
            "--samples is at least 2, --generations at least 1"
        )
    if (runs := plan.population * plan.generations * seeds) > _MOST_RUNS:
        raise InputError(f"{runs:,} runs are more than the {_MOST_RUNS:,} of an evolution; ask for fewer")


def draw_founders(axes: Sequence[Axis], population: int, seed: int) -> list[dict[str, Any]]:
    """Draw the first generation's assignments evenly over the axes."""
    genomes = _spec(axes).random(population, _draw(seed))
    return [_assignment(axes, genome) for genome in genomes]


class SweepGenerations:
    """The generations of an evolutionary sweep, as far as measured; equal cells give an equal descent."""

    def __init__(self, axes: Sequence[Axis], plan: EvolutionSweepPlan, seed: int) -> None:
        self.axes, self.plan, self.spec, self.draw = axes, plan, _spec(axes), _draw(seed)
        founders = self.spec.random(plan.population, self.draw)
        self.cohorts = [[Birth(NO_PARENT, genome) for genome in founders]]
        self.fitness: dict[str, float] = {}
        """Fitness by an arm's canonical assignment."""

    def measure(self, folder: Path, sweep: SweepRecord) -> None:
        """Measure the arms that are not measured yet: the mean of each over its seeds."""
        cells: dict[str, list[Path]] = {}
        for cell in sweep.cells:
            if (key := canonical(cell.arm)) not in self.fitness:
                cells.setdefault(key, []).append(folder / cell.folder)
        found = iter(measure_all([path for paths in cells.values() for path in paths], {}))
        self.fitness |= {key: self._mean([next(found) for _ in paths]) for key, paths in cells.items()}

    def _mean(self, measured: Sequence[Mapping[str, Measure]]) -> float:
        """Average an arm's fitness over the seeds that have one; minus infinity where none has."""
        name = self.plan.fitness.removeprefix("-")
        if all(name not in measures for measures in measured):
            raise UnknownName("measure of these runs", name, measured[0])
        values = [found[name].value for found in measured if name in found and found[name].defined]
        mean = math.fsum(values) / len(values) if values else -math.inf
        return 0.0 - mean if values and name != self.plan.fitness else mean

    def advance(self) -> list[dict[str, Any]]:
        """Add generations while the last one is measured; returns the assignments still to measure."""
        while True:
            arms = [_assignment(self.axes, birth.genome) for birth in self.cohorts[-1]]
            if any(canonical(arm) not in self.fitness for arm in arms):
                return arms
            if len(self.cohorts) == self.plan.generations:
                return []
            values = [self.fitness[canonical(arm)] for arm in arms]
            defined = [value for value in values if math.isfinite(value)]
            if not defined:
                raise InputError(
                    f"{self.plan.fitness} is undefined in all runs of generation {len(self.cohorts) - 1}; "
                    "name another --fitness, or vary other keys"
                )
            values = [max(value, min(defined) - 1) for value in values]
            generation, number = len(self.cohorts), self.plan.population
            parents = _RULE.choose_parents(values, number, self.draw, generation)
            genomes = [birth.genome for birth in self.cohorts[-1]]
            births = self.spec.reproduce(genomes, parents, self.draw, generation, elites=_RULE.copies)
            self.cohorts.append(births)

    def write(self, folder: Path, plan: SweepPlan) -> None:
        """Write `generations.csv`, a row an agent with cell, fitness and values, and `lineage.csv`."""
        lineage = build_lineage(self.cohorts, self.spec.loci)
        cells = {canonical(arm): n * len(plan.seeds) for n, arm in enumerate(plan.assigned)}
        ids, out = [cell.id for cell in plan.cells()], io.StringIO()
        table = csv.writer(out, lineterminator="\n")
        table.writerow(
            ("agent", "generation", "parent", "cell", "fitness", *(axis.key for axis in self.axes))
        )
        for agent, birth in enumerate(lineage.births):
            arm = _assignment(self.axes, birth.genome)
            fitness = self.fitness.get(canonical(arm), math.nan)
            known = fitness if math.isfinite(fitness) else ""
            parent = "" if birth.parent == NO_PARENT else lineage.parent[agent]
            place = ids[cells[canonical(arm)]]
            table.writerow((agent, lineage.generation[agent], parent, place, known, *arm.values()))
        write_whole(folder / GENERATIONS_FILE, out.getvalue())
        write_whole(folder / LINEAGE_FILE, lineage.to_csv())


def begin_generations(plan: SweepPlan) -> SweepGenerations | None:
    """Begin the generations of a planned evolutionary sweep; None for any other design."""
    if plan.evolution is None:
        return None
    return SweepGenerations(read_axes(plan.axes, (), "the plan"), plan.evolution, plan.seeds[0])


def _draw(seed: int) -> Draw:
    return Draw(seed, "sweep/evolve")


def _spec(axes: Sequence[Axis]) -> GenomeSpec:
    """Declare a locus for each axis: a place between its ends, or a value; one mutates a birth on average."""
    rate = 1 / len(axes)
    return GenomeSpec("arm", 1, {axis.key: _locus(axis, rate) for axis in axes})


def _locus(axis: Axis, rate: float) -> NumberLocus | TextLocus:
    if axis.is_range:
        return NumberLocus(low=0, high=1, size=0.1, rate=rate)
    texts = [canonical(value) for value in axis.values]
    return TextLocus(options={text: text for text in texts}, most=max(map(len, texts)), rate=rate)


def _assignment(axes: Sequence[Axis], genome: Genome) -> dict[str, Any]:
    genes = ((axis, genome.values[axis.key]) for axis in axes)
    return {
        axis.key: axis.at(float(gene))
        if axis.is_range
        else next(value for value in axis.values if canonical(value) == gene)
        for axis, gene in genes
    }
