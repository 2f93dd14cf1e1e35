"""Descent as views and measures: trees of ancestors, carriers of a trait, and what another population did afterwards."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from openiir.kit.evolution import Genome, Lineage, Mutation
from openiir.plugin import Card, Cards, Measure, Tree, TreeNode
from openiir.scenarios.multi_generational.model.births import History

SPREAD = 5
"""Generations in which a change counts as having spread after another one."""
SHOWN = 3
"""Changes of a branch that a tree shows."""
WordChange = Callable[[Any, Mutation], str]
"""Words a mutation of a side in a few words."""


def grow_tree(histories: Mapping[Any, History], word_change: WordChange) -> Tree:
    """Draw the descent of each side's last generation; births that follow each other without a branch are one node."""
    nodes = []
    for side, history in histories.items():
        lineage, last = history.lineage, history.lineage.cohorts[-1].start
        kept = np.flatnonzero(lineage.ancestry(np.arange(last, len(lineage.parent))))
        branches = Counter(lineage.parent[kept].tolist())
        top: dict[int, int] = {}
        changes: dict[int, dict[str, Mutation]] = {}
        for agent in kept.tolist():
            parent = int(lineage.parent[agent])
            joined = parent >= 0 and branches[parent] == 1
            top[agent] = top[parent] if joined else agent
            own = changes.setdefault(top[agent], {})
            for one in lineage.births[agent].mutations:
                own[one.locus] = one._replace(before=own[one.locus].before) if one.locus in own else one
        ends = {top[agent]: agent for agent in kept.tolist()}
        below = {start: int(end >= last) for start, end in ends.items()}
        for start in reversed(ends):
            if (parent := int(lineage.parent[start])) >= 0:
                below[top[parent]] += below[start]
        for start, end in ends.items():
            parent, span = (
                int(lineage.parent[start]),
                (int(lineage.generation[start]), int(lineage.generation[end])),
            )
            if parent >= 0 and end >= last and not changes[start]:
                continue
            steps = sorted(
                (one for one in changes[start].values() if one.before != one.after), key=_size, reverse=True
            )
            words = [history.names[end], *(word_change(side, one) for one in steps[:SHOWN])]
            more = f" and {len(steps) - SHOWN} more" if len(steps) > SHOWN else ""
            when = f"{span[0]}" if span[0] == span[1] else f"{span[0]}-{span[1]}"
            nodes.append(TreeNode(id=history.agents[start], parent=history.agents[top[parent]] if parent >= 0 else "", step=span[0] + 1,
                                  label=f"{f'{side}s ' if parent < 0 else ''}{when}: {'; '.join(words)}{more}", value=None if end >= last else float(below[start])))  # fmt: skip
    return Tree(nodes=tuple(nodes), unit="descendants")


def _size(one: Mutation) -> float:
    """Size of a change for readers: texts first, then numbers by distance, whole ones a tenth of it."""
    if isinstance(one.before, str) or isinstance(one.after, str):
        return np.inf
    return abs(one.after - one.before) / (10 if isinstance(one.after, int) else 1)


def follow_trait(
    lineage: Lineage, ids: Sequence[str], birth: int, locus: str, score: dict[str, float], measure: str
) -> Iterator[tuple[str, str]]:
    """Say how many carried a trait one and more generations later, and how they fared beside the others, by score."""
    column, now = lineage.loci.index(locus), int(lineage.generation[birth])
    for later in (1, SPREAD):
        if now + later >= len(lineage.cohorts):
            return
        cohort = lineage.cohorts[now + later]
        bears = lineage.carried[cohort, column] == birth
        values = np.array([score.get(id, np.nan) for id in ids[cohort]])
        fared = (
            f"; {measure} {values[bears].mean():.3f}, others' {values[~bears].mean():.3f}"
            if bears.any() and not bears.all() and not np.isnan(values).any()
            else ""
        )
        yield (
            f"{locus}, {later} {'generation' if later == 1 else 'generations'} later",
            f"{int(bears.sum())} of {len(bears)} carry it{fared}",
        )


def find_answers(other: History, now: int, word_change: WordChange) -> Iterator[str]:
    """Say which changes of another side spread most in the generations after one."""
    lineage, end = other.lineage, min(now + SPREAD, len(other.lineage.cohorts) - 1)
    if end <= now:
        return
    before, after = (lineage.carried[lineage.cohorts[n]] for n in (now, end))
    grown = list[tuple[int, int, str]]()
    for column, locus in enumerate(lineage.loci):
        births, counts = np.unique(after[:, column], return_counts=True)
        for birth, count in zip(births.tolist(), counts.tolist(), strict=True):
            change = next((one for one in lineage.births[birth].mutations if one.locus == locus), None)
            if change and (gain := count - int((before[:, column] == birth).sum())) > 0:
                grown.append((gain, count, word_change(other.side, change)))
    for gain, count, words in sorted(grown, key=lambda one: -one[0])[:2]:
        yield f"{words} ({count - gain} -> {count} carriers)"


def trace_line(
    own: History,
    other: History,
    agent: str,
    describe: Callable[[Genome], Sequence[str]],
    word_change: WordChange,
    score: dict[str, float],
    measure: str,
) -> Cards:
    """Show where an agent comes from: its founder, and each mutation on the line with what came of it and what answered it.

    `score` is by id, and `measure` words what it measures.
    """
    lineage = own.lineage
    first, *line = lineage.ancestors(own.number(agent))[::-1]
    founder = "\n".join(describe(lineage.births[first].genome))
    cards = [Card(id=own.agents[first], title=f"{own.names[first]}, founder", text=founder)]
    for birth in line:
        now, mutations = int(lineage.generation[birth]), lineage.births[birth].mutations
        fields = {
            key: text
            for one in mutations
            for key, text in follow_trait(lineage, own.agents, birth, one.locus, score, measure)
        }
        if answer := "; ".join(find_answers(other, now, word_change)):
            fields[f"{other.side}s, by generation {min(now + SPREAD, len(other.births) - 1)}"] = answer
        if mutations:
            words = "\n".join(
                f"{one.locus}: {one.after if one.locus == 'bio' else one.words}" for one in mutations
            )
            title = f"{own.names[birth]}, generation {now}"
            cards.append(Card(id=own.agents[birth], title=title, text=words, fields=fields))
    return Cards(items=tuple(cards))


def show_genomes(
    history: History, ids: Sequence[str], describe: Callable[[Genome], Sequence[str]]
) -> list[Card]:
    """Show genomes of agents as their bearers read them, with their numbers beside."""
    cards = list[Card]()
    for id in ids:
        number = history.number(id)
        genome = history.lineage.births[number].genome
        numbers = {
            locus: f"{value:.2g}" for locus, value in genome.values.items() if not isinstance(value, str)
        }
        title, text = f"{history.names[number]} ({id})", "\n".join(describe(genome))
        cards.append(Card(id=id, title=title, text=text, fields=numbers, badge=history.side))
    return cards


def trace_shares(
    history: History, locus: str, names: Sequence[str], word: Callable[[str], str]
) -> dict[str, tuple[tuple[float, float], ...]]:
    """Trace the share of each generation whose value of a locus has each name, given by `word`; by name, `history.side` first."""
    lines: dict[str, list[tuple[float, float]]] = {f"{history.side}s: {name}": [] for name in names}
    for generation, births in enumerate(history.births):
        counts = Counter(word(str(birth.genome.values[locus])) for birth in births)
        for name, line in zip(names, lines.values(), strict=True):
            line.append((generation, counts[name] / len(births)))
    return {name: tuple(line) for name, line in lines.items()}


def measure_descent(side: str, lineage: Lineage) -> dict[str, Measure]:
    """Measure common ancestor, branches, founders with descendants, and fixed changes by first part of the locus's name."""
    last = np.arange(len(lineage.parent))[lineage.cohorts[-1]]
    depth = lineage.coalescence_time(last)
    fixed = Counter(one.locus.partition(".")[0] for one in lineage.fixations() if one.born)
    none = Measure(math.nan, "the last generation has no common ancestor")
    return {
        f"mrca_depth.{side}": none if depth is None else Measure(float(depth)),
        f"phylogenetic_diversity.{side}": Measure(float(lineage.phylogenetic_diversity(last))),
        f"founders.{side}": Measure(float(lineage.survival()[-1])),
        **{
            f"fixations.{side}.{name}": Measure(float(fixed[name]))
            for name in dict.fromkeys(one.partition(".")[0] for one in lineage.loci)
        },
    }
