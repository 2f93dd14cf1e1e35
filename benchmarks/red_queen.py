"""The synthetic Red Queen: co-evolution of producers and detectors whose cues and evidence are read off
genome and label.

    python benchmarks/red_queen.py [--search]

A prototype of the dynamics alone, without any text. An author's cues are its genome, and evidence is computed
from the label: what no post or judge of a study may see is the rule here. It shows what selection does to two
such populations, beside targets of an earlier prototype of the same formulas (landing of false posts at
generations 0 and 49). What its description leaves open was chosen from a grid on seeds 1-5 (`--search`
repeats that in about 90 seconds); the figures are of seeds 11-20. Then come neutral populations beside
theory. Exits with 1 where a target is missed.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import sem, t

from measuring import print_table, run_command
from openiir.core.seeds import Draw
from openiir.kit.evolution import (
    NO_PARENT,
    Birth,
    Genome,
    GenomeSpec,
    NumberLocus,
    SelectionRule,
    TextLocus,
    build_lineage,
    random_parents,
)

AGENTS, ITEMS, LAST = 20, 20, 49
CUES = ("citation", "hedging", "numbers", "anecdote", "authority", "urgency")
ARMS = ("coevolution", "frozen detectors", "frozen producers", "neutral shadow", "random genomes")
TARGETS = {"coevolution": 0.204, "frozen detectors": 0.523, "frozen producers": 0.130}
BEGIN, TOLERANCE = 0.433, 0.05
COALESCENCE, ROUGH_COALESCENCE = 37.27, 37.4
"""Mean generations to the common ancestor of 20: by the chain of their number of ancestors, and the goal."""
TUNED, REPORTED = range(1, 6), range(11, 21)


@dataclass(frozen=True)
class Choices:
    """What the description leaves open and the grid searches."""

    rounds: int
    """Moderation rounds that a post must survive."""
    weight_span: float
    """Standard deviation of founders' cue weights (normal)."""
    evidence_span: float
    """Scale of founders' evidence weights (half-normal)."""
    prior_mean: float
    """Mean log odds of a post being false before any cue or evidence; founders differ by N(0, 0.5)."""
    strength: tuple[float, float]
    """Range of an item's evidence strength (uniform)."""
    true_cues: str
    """`producer`: true posts have the cues of the producer's genome as false ones do; `writer`: uniform ones
    an item."""
    visibility: str
    """`even`, or `arousing`: a post's share of attention goes with exp(anecdote + urgency), mean 1."""


GRID = {
    "rounds": (3, 4, 5),
    "weight_span": (0.5, 1.0),
    "evidence_span": (1.0, 2.0),
    "prior_mean": (0.0, -0.5, -1.0),
    "strength": ((0.0, 1.0), (0.25, 1.0), (0.5, 1.5)),
    "true_cues": ("producer", "writer"),
    "visibility": ("even", "arousing"),
}
BEFORE = 198  # settings tried on seeds 1-3 while the grid was laid out
TAKEN = Choices(3, 1.0, 2.0, -0.5, (0.25, 1.0), "writer", "even")
SETTINGS = len(list(product(*GRID.values())))
NOTES = """
{grid} combinations were searched on seeds 1-5, after {before} settings on seeds 1-3 while the grid was laid
out; the combination with the least largest gap to the four targets was taken. Not searched: founders' cues,
depths and k are uniform, steps are N(0, 0.4) for weights of cues and evidence and N(0, 0.2) for priors, no
hall of fame, and loci that no formula reads (templates, mix, recency, boldness, expertise) are left out.
Figures are means of seeds 11-20 ± half the 95 % interval; a landing is met within {tolerance}, a neutral
figure within its interval.
"""


Row = tuple[str, str, str, bool | None]
"""Figure, what is expected, what was measured, and whether that meets it."""


class Outcome(NamedTuple):
    """What a generation's meeting of all with all gives."""

    landing: float
    """Mean survival of false posts."""
    brier: float
    """Mean class-balanced Brier score of the detectors."""
    producers: np.ndarray
    """Fitness (producers,)."""
    detectors: np.ndarray
    """Fitness (detectors,)."""


class World:
    """The items and founders of a seed, which all arms share."""

    def __init__(self, seed: int, choices: Choices) -> None:
        self.choices, self.draw, items = choices, Draw(seed, "red-queen"), np.arange(ITEMS)
        low, high = choices.strength
        self.strength = low + (high - low) * self.draw.uniform(agent="strength", item=items)
        self.true_cues = self.draw.at("true-cues").uniform(item=items[:, None], agent=np.arange(len(CUES)))
        cues = {f"cue.{name}": NumberLocus(low=0, high=1) for name in CUES}
        weights = {f"weight.{name}": NumberLocus(size=0.4, span=choices.weight_span) for name in CUES}
        whole = NumberLocus(low=1, high=10, size=2, whole=True)
        evidence = NumberLocus(low=0, size=0.4, span=choices.evidence_span)
        self.specs = (
            GenomeSpec("producer", 1, {**cues, "depth": whole}),
            GenomeSpec(
                "detector", 1, {**weights, "k": whole, "evidence": evidence, "prior": NumberLocus(span=0.5)}
            ),
        )
        self.draws = tuple(self.draw.at(spec.kind) for spec in self.specs)

    def draw_founders(self) -> list[list[Genome]]:
        return [spec.random(AGENTS, draw) for spec, draw in zip(self.specs, self.draws, strict=True)]

    def judge(self, producers: np.ndarray, detectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Compute the probability of being false of false and of true posts (detectors, producers, items)."""
        weights, k, evidence, prior = detectors[:, :6], detectors[:, 6], detectors[:, 7], detectors[:, 8]
        attention = (evidence * (0.3 + 0.7 * k / 10))[:, None, None]
        prior = (self.choices.prior_mean + prior)[:, None, None]
        by_cues = (weights @ producers[:, :6].T)[:, :, None]
        mimicked = -self.strength * (1 - 0.6 * producers[:, 6:] / 10)
        false = expit(prior + by_cues - attention * mimicked)
        if self.choices.true_cues == "writer":
            by_cues = (weights @ self.true_cues.T)[:, None, :]
        return false, expit(prior + by_cues - attention * self.strength)

    def meet(self, producers: np.ndarray, detectors: np.ndarray) -> Outcome:
        """Let all detectors judge the posts of all producers about all items."""
        false, true = self.judge(producers, detectors)
        survival = (1 - 0.5 * false.mean(axis=0)) ** self.choices.rounds
        arousal = np.exp(producers[:, 3] + producers[:, 5])
        share = arousal / arousal.mean() if self.choices.visibility == "arousing" else np.ones(AGENTS)
        brier = ((1 - false) ** 2).mean(axis=(1, 2)) / 2 + (true**2).mean(axis=(1, 2)) / 2
        return Outcome(
            float(survival.mean()),
            float(brier.mean()),
            survival.mean(axis=1) * share - 0.02 * producers[:, 6] / 10,
            1 - brier - 0.02 * detectors[:, 6] / 10,
        )

    def evolve(self, arm: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """Run an arm: the genomes' values (agents, loci) of producers and detectors by generation."""
        genomes = self.draw_founders()
        rule = SelectionRule(method="random" if arm == "neutral shadow" else "tournament")
        history = [tuple(map(tabulate, genomes))]
        for generation in range(1, LAST + 1):
            outcome = self.meet(*history[-1])
            for side, fitness in enumerate((outcome.producers, outcome.detectors)):
                spec, draw = self.specs[side], self.draws[side]
                if arm == "random genomes":
                    genomes[side] = spec.random(AGENTS, draw, generation)
                elif arm != f"frozen {spec.kind}s":
                    parents = rule.choose_parents(fitness, AGENTS, draw, generation)
                    births = spec.reproduce(genomes[side], parents, draw, generation, elites=rule.copies)
                    genomes[side] = [birth.genome for birth in births]
            history.append(tuple(map(tabulate, genomes)))
        return history


def tabulate(genomes: Sequence[Genome]) -> np.ndarray:
    return np.array([list(genome.values.values()) for genome in genomes], dtype=np.float64)


def halve_interval(values: np.ndarray) -> float:
    """Compute half the width of the 95 % interval of a mean (Student's t)."""
    return float(t.ppf(0.975, len(values) - 1) * sem(values))


def format_mean(values: Iterable[float]) -> str:
    x = np.array(list(values), dtype=np.float64)
    return f"{x.mean():.3f} ± {halve_interval(x):.3f}"


def search_grid() -> None:
    """Print the settings with the least largest gap to the four targets on the seeds kept for that."""
    found = []
    for values in product(*GRID.values()):
        choices = Choices(*values)
        worlds = [World(seed, choices) for seed in TUNED]
        begin = np.mean([world.meet(*map(tabulate, world.draw_founders())).landing for world in worlds])
        if abs(begin - BEGIN) > TOLERANCE:
            continue
        ends = {arm: np.mean([w.meet(*w.evolve(arm)[-1]).landing for w in worlds]) for arm in TARGETS}
        gap = max(abs(begin - BEGIN), *(abs(ends[arm] - target) for arm, target in TARGETS.items()))
        found.append((float(gap), choices, [f"{x:.3f}" for x in (begin, *ends.values())]))
    print(f"{len(found)} of {SETTINGS} settings begin within {TOLERANCE} of {BEGIN}; the nearest of them:")
    for gap, choices, figures in sorted(found, key=lambda one: one[0])[:12]:
        print(f"{gap:.3f}", *figures, *asdict(choices).values())


def arm_rows(worlds: Sequence[World]) -> Iterator[Row]:
    histories = {arm: [world.evolve(arm) for world in worlds] for arm in ARMS}

    def meet(arm: str, producers: int, detectors: int) -> list[Outcome]:
        pairs = zip(worlds, histories[arm], strict=True)
        return [world.meet(one[producers][0], one[detectors][1]) for world, one in pairs]

    def row(figure: str, outcomes: Sequence[Outcome], expected: float | None) -> Row:
        landing = [one.landing for one in outcomes]
        near = None if expected is None else bool(abs(np.mean(landing) - expected) <= TOLERANCE)
        return figure, "-" if expected is None else f"{expected:.3f}", format_mean(landing), near

    yield row("landing, generation 0, all arms", meet("coevolution", 0, 0), BEGIN)
    for arm in ARMS:
        yield row(f"landing, generation 49, {arm}", meet(arm, LAST, LAST), TARGETS.get(arm))
    for generation, there in ((0, 0.198), (LAST, 0.293)):
        brier = format_mean(one.brier for one in meet("neutral shadow", generation, generation))
        figure = f"Brier score, generation {generation}, neutral shadow"
        yield figure, f"{there:.3f} (no tolerance)", brier, None
    for generation, there in (
        (7, "-"),
        (14, "0.47 (one run)"),
        (28, "0.35 (one run)"),
        (LAST, "0.33 (one run)"),
    ):
        figure = f"landing, co-evolved producers of generation {generation} against detectors of generation 7"
        yield figure, there, format_mean(one.landing for one in meet("coevolution", generation, 7)), None
    both = zip(*(meet("coevolution", g, 7) for g in (14, LAST)), strict=True)
    figure = "landing forgotten from generation 14 to 49 against these"
    yield figure, "0.14 (one run)", format_mean(a.landing - b.landing for a, b in both), None


def neutral_rows(populations: int = 160_000, after: int = 20, checked: int = 50) -> Iterator[Row]:
    """Follow everybody's ancestors back, generation by generation, until each population has a common one."""
    draw = Draw(3, "neutral")
    ancestor, times = np.tile(np.arange(AGENTS), (populations, 1)), np.zeros(populations, dtype=np.int64)
    back, left, apart = 0, np.arange(populations), np.zeros(populations)
    while len(left):
        parents = random_parents(AGENTS, AGENTS, draw.at(agent=left[:, None]), back)
        ancestor[left] = np.take_along_axis(parents, ancestor[left], axis=1)
        back += 1
        times[left[(ancestor[left] == ancestor[left, :1]).all(axis=1)]] = back
        left = np.flatnonzero(times == 0)
        if back == after:
            apart[left] = (ancestor[left, :, None] != ancestor[left, None, :]).mean(axis=(1, 2))
    kept = (apart.mean() / (1 - 1 / AGENTS)) ** (1 / after)
    half = kept * halve_interval(apart) / apart.mean() / after
    yield neutral_row(f"heterozygosity kept a generation, over {after}", 0.95, kept, half)
    first = (ancestor[:, 0] == 0).astype(np.float64)
    yield neutral_row("probability of a founder's fixation", 1 / AGENTS, first.mean(), halve_interval(first))
    mean, half = float(times.mean()), halve_interval(times)
    yield neutral_row("generations to the common ancestor", COALESCENCE, mean, half)
    inside = "inside" if abs(mean - ROUGH_COALESCENCE) <= half else "outside"
    expected = f"{ROUGH_COALESCENCE} (theory is {COALESCENCE})"
    yield "neutral: the rougher figure that is the goal", expected, f"{inside} the interval", None
    same = [find_coalescence(draw, n, int(times[n]) + 10) == times[n] for n in range(checked)]
    figure = "neutral: populations in which the kit's lineage finds the same time"
    yield figure, f"{checked}", f"{np.sum(same)}", all(same)


def neutral_row(figure: str, theory: float, found: float, half: float) -> Row:
    near = abs(found - theory) <= half
    return f"neutral: {figure}", f"{theory:.4g}", f"{found:.4f} ± {half:.4f}", bool(near)


def find_coalescence(draw: Draw, population: int, back: int) -> int | None:
    """Build the lineage of a population's last generations and find the time to their common ancestor."""
    genome = GenomeSpec("neutral", 1, {"type": TextLocus(options={"a": "A"})}).build({"type": "A"})
    own = draw.at(agent=population)
    parents = [random_parents(AGENTS, AGENTS, own, step) for step in reversed(range(back))]
    cohorts = [[Birth(int(parent), genome) for parent in row] for row in parents]
    lineage = build_lineage([[Birth(NO_PARENT, genome)] * AGENTS, *cohorts], ["type"])
    return lineage.coalescence_time(np.arange(len(lineage.births))[lineage.cohorts[-1]])


def main(search: bool = False) -> None:
    if search:
        search_grid()
        return
    others = {
        name: ", ".join(str(one) for one in GRID[name] if one != v) for name, v in asdict(TAKEN).items()
    }
    print_table(
        "choice | taken | alternatives", ((name, v, others[name]) for name, v in asdict(TAKEN).items())
    )
    print(NOTES.format(grid=SETTINGS, before=BEFORE, tolerance=TOLERANCE))
    rows = [*arm_rows([World(seed, TAKEN) for seed in REPORTED]), *neutral_rows()]
    words = {None: "-", True: "met", False: "MISSED"}
    print_table("figure | expected | measured | ", ((*row, words[met]) for *row, met in rows))
    sys.exit(any(met is False for *_, met in rows))


if __name__ == "__main__":
    run_command(main)
