"""Views of descent: who came from whom by which mutations, what became of them, and how genomes read."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from openiir.kit.evolution import Genome, Lineage, Mutation, rank_agents
from openiir.kit.prompting import count_noun
from openiir.plugin import Card, Cards, Log, Tree, TreeNode
from openiir.scenarios.multi_generational.behaviour.genomes import (
    CHECKS,
    FORMS,
    SIDES,
    Side,
    describe_genome,
    nearest_option,
)
from openiir.scenarios.multi_generational.measures.metrics import read_last_contest
from openiir.scenarios.multi_generational.model.credibility.contest import FALSE
from openiir.scenarios.multi_generational.run.actions import Born, Met, Posted
from openiir.scenarios.multi_generational.run.births import BirthHistory, read_birth_history
from openiir.scenarios.multi_generational.views.interviewing import original_id

SHOWN = 3
"""Agents of a side, or changes of a branch, that a view shows."""
SPREAD = 5
"""Generations in which a change counts as having spread after another one."""
OPTIONS = {"producer": FORMS, "detector": CHECKS}


def read_birth_histories(log: Log) -> dict[Side, BirthHistory]:
    """Read the births of both sides; empty before the founders are logged."""
    return {side: read_birth_history(log, side) for side in SIDES} if next(Born.read(log), None) else {}


def name_template(side: str, text: str) -> str:
    """Name the option that shares most words with a template."""
    return nearest_option(text, OPTIONS[side])


def describe_mutation(side: str, one: Mutation) -> str:
    """Describe a mutation in a few words; templates by the option nearest to them."""

    def word(value: str | int | float) -> str:
        if one.locus == "template":
            name = name_template(side, str(value))
            return f"{'' if OPTIONS[side][name] == value else 'like '}{name}"
        return value if isinstance(value, str) else f"{value:.2g}"

    change = f"{one.locus}: {word(one.before)} -> {word(one.after)}"
    return "bio: another one" if one.locus == "bio" else change


def read_false_post_survival(log: Log, since: int = 0) -> dict[str, float]:
    """Compute the mean survival of each producer's false posts after a step, by id; empty without posts."""
    posted = Posted.read(log, since=since)
    return {str(event.actor): float(np.mean(one.survival[FALSE::2])) for event, one in posted}


def rank_last_generation(
    log: Log, histories: Mapping[Side, BirthHistory]
) -> dict[Side, list[tuple[str, float]]]:
    """Rank the agents of the last generation that played, by fitness; empty before the first contest."""
    _, met = read_last_contest(log)
    if met is None:
        return {}
    found: dict[Side, list[tuple[str, float]]] = {}
    for side, history in histories.items():
        fitness, ids = met.fitness[side], history.agents[history.lineage.cohorts[met.generation]]
        found[side] = [(ids[n], fitness[n]) for n in rank_agents(fitness).tolist()]
    return found


def trace_lineage(log: Log, agent: str | None = None) -> Cards:
    """Show an agent's ancestry: each mutation, its effect, and the other side's changes since."""
    histories = read_birth_histories(log)
    best = rank_last_generation(log, histories)
    if not best:
        return Cards(items=())
    wanted = original_id(agent) if agent else best["producer"][0][0]
    side: Side = "producer" if wanted.startswith("producer") else "detector"
    own, other = histories[side], histories["detector" if side == "producer" else "producer"]
    landing, score = read_false_post_survival(log) if side == "producer" else {}, dict[str, float]()
    for n, (_, one) in enumerate(Met.read(log)):
        score |= zip(own.agents[own.lineage.cohorts[n]], one.fitness[side], strict=True)
    measure = "their false posts landed" if landing else "they had a fitness of"
    return show_ancestry(own, other, wanted, describe_genome, score | landing, measure)


def show_worded_genomes(log: Log, agent: str | None = None) -> Cards:
    """Show genomes as worded in prompts: an agent's, or those of the fittest of the last generation."""
    histories = read_birth_histories(log)
    best = [id for some in rank_last_generation(log, histories).values() for id, _ in some[:SHOWN]]
    chosen = [original_id(agent)] if agent else best
    cards = list[Card]()
    for side, history in histories.items():
        cards += show_genomes(history, [id for id in chosen if id.startswith(side)], describe_genome)
    return Cards(items=tuple(cards))


def build_family_tree(histories: Mapping[Side, BirthHistory]) -> Tree:
    """Build the family tree of each side's last generation; unbranched chains of births are one node."""
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
            parent, begun, over = (
                int(one) for one in (lineage.parent[start], *lineage.generation[[start, end]])
            )
            if parent >= 0 and end >= last and not changes[start]:
                continue
            lasting = (one for one in changes[start].values() if one.before != one.after)
            steps = sorted(lasting, key=_size, reverse=True)
            words = [history.names[end], *(describe_mutation(side, one) for one in steps[:SHOWN])]
            more = f" and {len(steps) - SHOWN} more" if len(steps) > SHOWN else ""
            when = f"{begun}" if begun == over else f"{begun}-{over}"
            node = TreeNode(
                id=history.agents[start],
                parent=history.agents[top[parent]] if parent >= 0 else "",
                step=begun + 1,
                label=f"{f'{side}s ' if parent < 0 else ''}{when}: {'; '.join(words)}{more}",
                value=None if end >= last else float(below[start]),
            )
            nodes.append(node)
    return Tree(nodes=tuple(nodes), unit="descendants")


def list_births(histories: Mapping[Side, BirthHistory]) -> Tree:
    """List every birth of each side below its parent, with its name and mutations; the state is its side."""
    nodes = []
    for side, history in histories.items():
        lineage = history.lineage
        for agent, (parent, generation) in enumerate(
            zip(lineage.parent.tolist(), lineage.generation.tolist(), strict=True)
        ):
            words = (describe_mutation(side, one) for one in lineage.births[agent].mutations)
            node = TreeNode(
                id=history.agents[agent],
                parent=history.agents[parent] if parent >= 0 else "",
                step=generation + 1,
                label="; ".join([history.names[agent], *words]),
                state=side,
            )
            nodes.append(node)
    return Tree(nodes=tuple(nodes))


def _size(one: Mutation) -> float:
    """Size of a change for readers: texts first, then numbers by distance, whole ones a tenth of it."""
    if isinstance(one.before, str) or isinstance(one.after, str):
        return np.inf
    return abs(one.after - one.before) / (10 if isinstance(one.after, int) else 1)


def describe_trait_spread(
    lineage: Lineage, ids: Sequence[str], birth: int, locus: str, score: dict[str, float], measure: str
) -> Iterator[tuple[str, str]]:
    """Describe how a trait spread in later generations, and how its carriers scored beside the others."""
    column, now = lineage.loci.index(locus), int(lineage.generation[birth])
    for later in (1, SPREAD):
        if now + later >= len(lineage.cohorts):
            return
        cohort = lineage.cohorts[now + later]
        bears = lineage.carried[cohort, column] == birth
        values = np.array([score.get(id, np.nan) for id in ids[cohort]])
        fared = ""
        if bears.any() and not bears.all() and not np.isnan(values).any():
            fared = f"; {measure} {values[bears].mean():.3f}, others' {values[~bears].mean():.3f}"
        when = f"{locus}, {count_noun(later, 'generation')} later"
        yield when, f"{int(bears.sum())} of {len(bears)} carry it{fared}"


def describe_counter_changes(other: BirthHistory, now: int) -> Iterator[str]:
    """Describe which changes of the other side spread most in the generations after `now`."""
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
                grown.append((gain, count, describe_mutation(other.side, change)))
    for gain, count, words in sorted(grown, key=lambda one: -one[0])[:2]:
        yield f"{words} ({count - gain} -> {count} carriers)"


def show_ancestry(
    own: BirthHistory,
    other: BirthHistory,
    agent: str,
    describe: Callable[[Genome], Sequence[str]],
    score: dict[str, float],
    measure: str,
) -> Cards:
    """Show an agent's line of descent: its founder, and each mutation with its effect and the response to it.

    `score` is by id, and `measure` words what it measures.
    """
    lineage = own.lineage
    first, *line = lineage.ancestors(own.agent_number(agent))[::-1]
    founder = "\n".join(describe(lineage.births[first].genome))
    cards = [Card(id=own.agents[first], title=f"{own.names[first]}, founder", text=founder)]
    for birth in line:
        now, mutations = int(lineage.generation[birth]), lineage.births[birth].mutations
        fields = {
            key: text
            for one in mutations
            for key, text in describe_trait_spread(lineage, own.agents, birth, one.locus, score, measure)
        }
        if answer := "; ".join(describe_counter_changes(other, now)):
            fields[f"{other.side}s, by generation {min(now + SPREAD, len(other.births) - 1)}"] = answer
        if mutations:
            words = [f"{one.locus}: {one.after if one.locus == 'bio' else one.words}" for one in mutations]
            title = f"{own.names[birth]}, generation {now}"
            cards.append(Card(id=own.agents[birth], title=title, text="\n".join(words), fields=fields))
    return Cards(items=tuple(cards))


def show_genomes(
    history: BirthHistory, ids: Sequence[str], describe: Callable[[Genome], Sequence[str]]
) -> list[Card]:
    """Show agents' genomes as worded in prompts, beside their numbers."""
    cards = list[Card]()
    for id in ids:
        number = history.agent_number(id)
        genome = history.lineage.births[number].genome
        values = genome.values.items()
        numbers = {locus: f"{value:.2g}" for locus, value in values if not isinstance(value, str)}
        title, text = f"{history.names[number]} ({id})", "\n".join(describe(genome))
        cards.append(Card(id=id, title=title, text=text, fields=numbers, badge=history.side))
    return cards


def trace_locus_values(
    history: BirthHistory, locus: str, names: Sequence[str], word: Callable[[str], str]
) -> dict[str, tuple[tuple[float, float], ...]]:
    """Trace over generations the share of agents by the value of a locus, which `word` names."""
    lines: dict[str, list[tuple[float, float]]] = {f"{history.side}s: {name}": [] for name in names}
    for generation, births in enumerate(history.births):
        counts = Counter(word(str(birth.genome.values[locus])) for birth in births)
        for name, line in zip(names, lines.values(), strict=True):
            line.append((generation, counts[name] / len(births)))
    return {name: tuple(line) for name, line in lines.items()}
