"""Views of a run: arms beside each other, generations against each other, descent, genomes, and single pairs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from openiir.kit.evolution import Lineage, Mutation, rank_agents
from openiir.kit.measures import brier_score
from openiir.plugin import (
    Card,
    Cards,
    Column,
    Entry,
    Interview,
    Log,
    Mark,
    Matrix,
    Series,
    Surface,
    Table,
    Tree,
    TreeNode,
)
from openiir.scenarios.multi_generational.actions import Judged, Matched, Met, MetOthers, Posted
from openiir.scenarios.multi_generational.fitness import FALSE
from openiir.scenarios.multi_generational.genomes import (
    CHECKS,
    FORMS,
    SIDES,
    Side,
    describe_genome,
    nearest_option,
)
from openiir.scenarios.multi_generational.history import History, read_history
from openiir.scenarios.multi_generational.interviewing import INTERVIEW, name_source, original_id
from openiir.scenarios.multi_generational.metrics import list_arms
from openiir.scenarios.multi_generational.questions import BELIEFS, word_belief

SPREAD = 5
"""Generations in which a change of the other side counts as having spread after a mutation."""
SHOWN = 3
"""Agents of a side, and changes of a branch, that a view shows."""
_OPTIONS = {"producer": FORMS, "detector": CHECKS}


def tabulate_arms(log: Log) -> Table:
    """Tabulate each arm at its first and last generation, and what judgements that tell nothing apart would come to."""
    landed = Column(name="first, false", help="Share of false posts that land in the first generation."), "last, false"
    true = Column(name="first, true", help="The same for true posts."), "last, true"
    judged = Column(name="Brier", help="Of the last generation; lower is better."), "AUC", Column(name="pairs right", help="Share of judgements that suspect the false version of a pair more, without ties.")
    columns = ("arm", *landed, *true, *judged)
    rows = []
    for arm, some in list_arms(log).items():
        first, last = some[0], some[-1]
        values = (first["landing"], last["landing"], first["landing_true"], last["landing_true"], last["brier"], last["auc"], last["discrimination"])
        rows.append((arm.replace("_", " "), *(None if np.isnan(one) else round(one, 3) for one in values)))
    config = log.study["config"]
    blind = round((1 - config["hazard"] / 2) ** config["rounds"], 3)
    return Table(columns=columns, rows=(*rows, ("(all judged 0.5)", blind, blind, blind, blind, 0.25, 0.5, 0.5)) if rows else ())


def _trace(log: Log, columns: dict[str, str], unit: str) -> Series:
    """Trace columns of the summaries, by generation and arm; `columns` names them for readers."""
    several = len(columns) > 1
    lines = {
        f"{name}, {arm.replace('_', ' ')}" if several else arm.replace("_", " "): tuple(
            (row["generation"], float(row[column])) for row in rows if not np.isnan(row[column])
        )
        for column, name in columns.items()
        for arm, rows in list_arms(log).items()
    }
    high = np.ceil(20 * max((value for line in lines.values() for _, value in line), default=1.0)) / 20
    return Series(along="generation", unit=unit, low=0.0, high=float(high), lines={name: line for name, line in lines.items() if line}, marks=_mark_changes(log))


def _mark_changes(log: Log) -> tuple[Mark, ...]:
    return tuple(
        Mark(x=event.step - 1, label=", ".join(f"{key.removeprefix('config.')} = {value}" for key, value in event.payload.items()))
        for event in log.events("changed")
    )


def map_generations(log: Log) -> Matrix:
    """Map the landing of false posts of each generation's producers under each generation's detectors."""
    one = next((one for _, one in MetOthers.read(log)), None)
    if one is None:
        return Matrix(rows=(), columns=(), cells=(), low=0.0, high=1.0)
    cells = np.array(one.landing).round(3)
    names = tuple(str(number) for number in one.generations)
    return Matrix(rows=tuple(f"producers {name}" for name in names), columns=names, cells=tuple(map(tuple, cells.tolist())),
                  unit="false posts that land", low=float(cells.min()), high=max(float(cells.max()), float(cells.min()) + 0.001))  # fmt: skip


def _histories(log: Log) -> dict[Side, History]:
    return {side: read_history(log, side) for side in SIDES} if log.personas and list_arms(log) else {}


def _word_value(side: str, locus: str, value: str | int | float) -> str:
    """Word a value of a locus in a few words; templates by the option nearest to them."""
    if locus == "template":
        text, options = str(value), _OPTIONS[side]
        name = nearest_option(text, options)
        return f"{'' if options[name] == text else 'like '}{name}"
    return value if isinstance(value, str) else f"{value:.2g}"


def _word_change(side: str, one: Mutation) -> str:
    if one.locus == "bio":
        return "bio: another one"
    return f"{one.locus}: {_word_value(side, one.locus, one.before)} -> {_word_value(side, one.locus, one.after)}"


def grow_tree(log: Log) -> Tree:
    """Draw the descent of the last generation; births that follow each other without a branch are one node."""
    nodes = []
    for side, history in _histories(log).items():
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
            parent, span = int(lineage.parent[start]), (int(lineage.generation[start]), int(lineage.generation[end]))
            if parent >= 0 and end >= last and not changes[start]:
                continue
            steps = sorted((one for one in changes[start].values() if one.before != one.after), key=_size, reverse=True)
            words = [history.names[end], *(_word_change(side, one) for one in steps[:SHOWN])]
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


def _landings(log: Log, since: int = 0) -> dict[str, float]:
    """Mean survival of each producer's false posts after a step, by id; empty where single posts were not logged."""
    return {str(event.actor): float(np.mean(one.survival[FALSE::2])) for event, one in Posted.read(log, since=since)}


def _rank_last(log: Log) -> dict[Side, list[tuple[str, float]]]:
    """Rank the agents of the last generation that met by fitness, as ids with their fitness."""
    met = [one for _, one in Met.read(log)]
    if not met:
        return {}
    found: dict[Side, list[tuple[str, float]]] = {}
    for side, history in _histories(log).items():
        fitness, ids = met[-1].fitness[side], history.agents[history.lineage.cohorts[met[-1].generation]]
        found[side] = [(ids[n], fitness[n]) for n in rank_agents(fitness).tolist()]
    return found


def trace_lineage(log: Log, agent: str | None = None) -> list[Entry]:
    """Trace where an agent comes from: each mutation on its line, what it did, and what the other side changed then."""
    histories = _histories(log)
    best = _rank_last(log)
    if not best:
        return []
    wanted = original_id(agent) if agent else best["producer"][0][0]
    side: Side = "producer" if wanted.startswith("producer") else "detector"
    own, other = histories[side], histories["detector" if side == "producer" else "producer"]
    lineage, landing = own.lineage, _landings(log) if side == "producer" else {}
    score = {id: value for n, one in enumerate(one for _, one in Met.read(log))
             for id, value in zip(own.agents[lineage.cohorts[n]], one.fitness[side], strict=True)}  # fmt: skip
    score |= landing
    measure = "their false posts landed" if landing else "they had a fitness of"
    line = lineage.ancestors(own.number(wanted))[::-1]
    entries = [Entry(step=1, actor=own.names[line[0]], agent=own.agents[line[0]], heading="founder", text="\n".join(describe_genome(lineage.births[line[0]].genome)))]
    for birth in line[1:]:
        now, mutations = int(lineage.generation[birth]), lineage.births[birth].mutations
        if mutations:
            words = (f"{one.locus}: {one.words if one.locus != 'bio' else one.after}" for one in mutations)
            followed = (note for one in mutations for note in _follow_trait(lineage, own.agents, birth, one.locus, score, measure))
            entries.append(Entry(step=now + 1, actor=own.names[birth], agent=own.agents[birth], heading=f"generation {now}",
                                 text="\n".join(words), notes=(*followed, *_find_answer(other, now))))  # fmt: skip
    return entries


def _follow_trait(lineage: Lineage, ids: Sequence[str], birth: int, locus: str, score: dict[str, float], measure: str) -> Iterator[str]:
    """Say how many carried a trait one and more generations later, and how they fared beside the others."""
    column, now = lineage.loci.index(locus), int(lineage.generation[birth])
    for later in (1, SPREAD):
        if now + later >= len(lineage.cohorts):
            return
        cohort = lineage.cohorts[now + later]
        bears = lineage.carried[cohort, column] == birth
        values = np.array([score.get(id, np.nan) for id in ids[cohort]])
        fared = f"; {measure} {values[bears].mean():.3f}, others' {values[~bears].mean():.3f}" if bears.any() and not bears.all() and not np.isnan(values).any() else ""
        yield f"{locus}, {later} {'generation' if later == 1 else 'generations'} later: {int(bears.sum())} of {len(bears)} carry it{fared}"


def _find_answer(other: History, now: int) -> Iterator[str]:
    """Say which changes of the other side spread most in the generations after."""
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
                grown.append((gain, count, _word_change(other.side, change)))
    for gain, count, words in sorted(grown, key=lambda one: -one[0])[:2]:
        yield f"{other.side}s, by generation {end}: {words} ({count - gain} -> {count} carriers)"


def trace_templates(log: Log) -> Series:
    """Trace the share of each side that has each template."""
    lines: dict[str, list[tuple[int, float]]] = {}
    for side, history in _histories(log).items():
        for generation, births in enumerate(history.births):
            counts = Counter(_word_value(side, "template", birth.genome.values["template"]).removeprefix("like ") for birth in births)
            for name in _OPTIONS[side]:
                lines.setdefault(f"{side}s: {name}", []).append((generation, counts[name] / len(births)))
    return Series(along="generation", unit="share", low=0.0, high=1.0, lines={name: tuple(line) for name, line in lines.items()}, marks=_mark_changes(log))


def show_genomes(log: Log, agent: str | None = None) -> Cards:
    """Show genomes as their bearers read them: one agent's, or those of the fittest of the last generation."""
    chosen = [original_id(agent)] if agent else [id for some in _rank_last(log).values() for id, _ in some[:SHOWN]]
    cards = []
    for side, history in _histories(log).items():
        for id in [one for one in chosen if one.startswith(side)]:
            genome = history.lineage.births[history.number(id)].genome
            fields = {locus: _word_value(side, locus, value) for locus, value in genome.values.items() if not isinstance(value, str)}
            cards.append(Card(id=id, title=f"{history.names[history.number(id)]} ({id})", text="\n".join(describe_genome(genome)), fields=fields, badge=side))
    return Cards(items=tuple(cards))


def show_pair(log: Log, agent: str | None = None) -> list[Entry]:
    """Show both posts of a producer for the pair whose false version did best, and what the most, the middling and the least suspicious detector say."""
    ranked = _rank_last(log)
    if not ranked or (agent and not original_id(agent).startswith("producer")):
        return []
    wanted = original_id(agent) if agent else ranked["producer"][0][0]
    found = next(Posted.read(log, actor=wanted), None)
    if found is None:
        return []
    event, posted = found
    pairs = next(one.pairs for _, one in Met.read(log, since=event.step - 1, until=event.step))
    writers = [id for id in read_history(log, "producer").agents if id.startswith(f"producer-{posted.generation:03d}-")]
    names = {persona.id: persona.name for persona in log.personas}
    judged = {str(seen.actor): one for seen, one in Judged.read(log, since=event.step - 1, until=event.step)}
    pair = int(np.argmax(posted.survival[FALSE::2]))
    matched = next(one for _, one in Matched.read(log) if one.pair == pairs[pair])
    at = writers.index(wanted) * len(posted.texts) + 2 * pair
    ranked_judges = sorted(judged, key=lambda id: (judged[id].p[at + FALSE], id))
    shown = list(dict.fromkeys(ranked_judges[n] for n in (-1, len(judged) // 2, 0)))
    entries = list[Entry]()
    for kind, word in enumerate(("true", "false")):
        here = 2 * pair + kind
        place = at + kind
        said = Counter(word_belief(one.p[place]) for one in judged.values())
        entries.append(Entry(
            step=event.step, actor=names[wanted], agent=wanted, heading=f"post for the {word} version of {matched.pair}", text=posted.texts[here] or "(nothing)",
            notes=(f"asked to bring across: {matched.versions[kind]}", f"uses: {', '.join(name_source(one, names) for one in posted.uses[here]) or 'nothing it found'}",
                   f"chance to outlast moderation {posted.survival[here]:.2f}; it {'landed' if posted.landed[here] else 'was taken down'}",
                   "all detectors: " + ", ".join(f"{said[one]} {one}" for one in BELIEFS if said[one])), id=f"{here}",
        ))  # fmt: skip
        entries += [
            Entry(
                step=event.step, actor=names[id], agent=id, heading=word_belief(judged[id].p[place]), depth=1, parent=f"{here}",
                text=f"What I found {_word_evidence(judged[id].evidence[place])}.",
                notes=(f"p = {judged[id].p[place]:.2f}, evidence {judged[id].evidence[place]:+.2f}", f"found first: {name_source(judged[id].seen[place], names)}"),
            )
            for id in shown
        ]  # fmt: skip
    return entries


def _word_evidence(evidence: float) -> str:
    words = ("speaks against it", "hardly bears on it", "bears it out")
    return words[int(np.digitize(evidence, (-0.1, 0.1)))]


def tabulate_fitness(log: Log) -> Table:
    """Tabulate the last generation that met: fitness, landing or Brier score, and what mutated at birth."""
    since = max((event.step for event, _ in Met.read(log)), default=1) - 1
    landing, histories, rows = _landings(log, since), _histories(log), []
    brier = {str(event.actor): brier_score(one.p, np.tile((False, True), len(one.p) // 2)) for event, one in Judged.read(log, since=since)}
    for side, some in _rank_last(log).items():
        history = histories[side]
        for id, fitness in some:
            number = history.number(id)
            birth = history.lineage.births[number]
            parent = int(history.lineage.parent[number])
            rows.append((side, id, history.names[number], round(fitness, 3), *(round(some[id], 3) if id in some else None for some in (landing, brier)),
                         history.agents[parent] if parent >= 0 else "", "; ".join(_word_change(side, one) for one in birth.mutations)))  # fmt: skip
    columns = ("side", Column(name="agent", kind="id"), "name", "fitness", Column(name="false landed", kind="float"), Column(name="Brier", kind="float"), "parent", "mutations")
    return Table(columns=columns, rows=tuple(rows))


def _list_agents(log: Log, sides: Sequence[Side] = SIDES) -> list[str]:
    return [persona.id for persona in log.personas if persona.id.startswith(tuple(sides))]


def _has_posts(log: Log) -> bool | str:
    return next(Posted.read(log), None) is not None or "single posts were not logged; config.log = \"everything\" logs them"


def _has_matrix(log: Log) -> bool | str:
    return next(MetOthers.read(log), None) is not None or "generations have not met each other; they do so in the last step unless config.matrix.generations = 0"


SURFACES: tuple[Surface | Interview, ...] = (
    Surface("summary", "table", "Arms beside each other", tabulate_arms,
            help="First and last generation of each arm; the last row is what judgements of 0.5 throughout would come to."),
    Surface("generations", "series", "False posts that land", partial(_trace, columns={"landing": "false posts"}, unit="share"),
            help="Mean chance of a false post to outlast moderation, by generation and arm."),
    Surface("detectors", "series", "How well detectors judge", partial(_trace, columns={"brier": "Brier", "discrimination": "pairs right"}, unit="score"),
            help="Brier score (lower is better) and share of judgements that suspect the false version of a pair more."),
    Surface("matrix", "matrix", "Generations against each other", map_generations, shows=_has_matrix, live="end",
            help="Share of false posts of each generation's producers (rows) that land under each generation's detectors (columns), on held-out pairs."),
    Surface("pairs", "dialogue", "A pair as both sides saw it", show_pair, per_agent=True, agents=partial(_list_agents, sides=("producer",)), shows=_has_posts,
            help="A producer's posts for the pair whose false version did best, and what the most, the middling and the least suspicious detector of its generation made of them."),
    Surface("lineage", "timeline", "Where an agent comes from", trace_lineage, per_agent=True, agents=_list_agents,
            help="Each mutation on the line of descent, how its carriers fared, and which changes of the other side spread afterwards; that is an order in time, not a cause."),
    Surface("fitness", "table", "The last generation", tabulate_fitness, help="Agents by fitness, with what mutated when they were born."),
    Surface("genomes", "cards", "Genomes to read", show_genomes, per_agent=True, agents=_list_agents,
            help="Genomes as their bearers read them; without an agent, of the fittest of the last generation."),
    Surface("carried", "series", "Templates that spread", trace_templates, group="process", help="Share of each side with each template, by generation."),
    Surface("tree", "tree", "Who descends from whom", grow_tree, group="process",
            help="Ancestors of the last generation; a node is a stretch without branches, with what changed along it."),
    INTERVIEW,
)  # fmt: skip
