"""Views of a run: arms beside each other, generations against each other, descent, genomes, and single pairs."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np

from openiir.kit.measures import brier_score
from openiir.plugin import (
    Card,
    Cards,
    Column,
    Graph,
    Interview,
    Log,
    Mark,
    Matrix,
    Series,
    Surface,
    Table,
    first_largest,
)
from openiir.scenarios.multi_generational.behaviour.genomes import SIDES, Side
from openiir.scenarios.multi_generational.behaviour.moderating import outlast_rounds
from openiir.scenarios.multi_generational.measures.metrics import list_arms, read_last_meeting
from openiir.scenarios.multi_generational.model.credibility.beliefs import BELIEFS, word_belief, word_evidence
from openiir.scenarios.multi_generational.model.credibility.contest import FALSE
from openiir.scenarios.multi_generational.run.actions import Born, Judged, Matched, Met, MetOthers, Posted
from openiir.scenarios.multi_generational.views.descent import (
    OPTIONS,
    grow_tree,
    name_template,
    rank_last_generation,
    read_histories,
    read_landings,
    show_readable,
    trace_lineage,
    trace_shares,
    word_change,
)
from openiir.scenarios.multi_generational.views.interviewing import INTERVIEW, name_source, original_id

_ARM_COLUMNS = (
    ("first, false", 0, "landing", "Share of false posts that land in the first generation."),
    ("last, false", -1, "landing", ""),
    ("first, true", 0, "landing_true", "The same for true posts."),
    ("last, true", -1, "landing_true", ""),
    ("Brier", -1, "brier", "Of the last generation; lower is better."),
    ("AUC", -1, "auc", ""),
    ("pairs right", -1, "discrimination", "Share of judgements that suspect the false version of a pair more, without ties."),
)  # fmt: skip


def tabulate_arms(log: Log) -> Table:
    """Tabulate each arm at its first and last generation, and what judgements that tell nothing apart would come to."""
    config = log.study["config"]
    blind = round(float(outlast_rounds(np.array(0.5), config["rounds"], config["hazard"])), 3)
    rows = [
        (arm.replace("_", " "), *(_round(some[end][name]) for _, end, name, _ in _ARM_COLUMNS))
        for arm, some in list_arms(log).items()
    ]
    return Table(
        columns=("arm", *(Column(name=name, help=words) for name, _, _, words in _ARM_COLUMNS)),
        rows=(*rows, ("(all judged 0.5)", blind, blind, blind, blind, 0.25, 0.5, 0.5)) if rows else (),
    )


def _round(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else round(value, 3)


def _trace(log: Log, columns: dict[str, str], unit: str) -> Series:
    """Trace columns of the summaries, by generation and arm; `columns` names them for readers."""
    several, arms = len(columns) > 1, list_arms(log)
    lines = {
        f"{name}, {arm.replace('_', ' ')}" if several else arm.replace("_", " "): tuple(
            (row["generation"], float(row[column])) for row in rows if not np.isnan(row[column])
        )
        for column, name in columns.items()
        for arm, rows in arms.items()
    }
    high = np.ceil(20 * max((value for line in lines.values() for _, value in line), default=1.0)) / 20
    lines = {name: line for name, line in lines.items() if line}
    return Series(
        along="generation", unit=unit, low=0.0, high=float(high), lines=lines, marks=_mark_changes(log)
    )


def _mark_changes(log: Log) -> tuple[Mark, ...]:
    words = {
        event.step: ", ".join(f"{key.removeprefix('config.')} = {one}" for key, one in event.payload.items())
        for event in log.events("changed")
    }
    return tuple(Mark(x=step - 1, label=label) for step, label in words.items())


def map_generations(log: Log) -> Matrix:
    """Map the landing of false posts of each generation's producers under each generation's detectors."""
    one = next((one for _, one in MetOthers.read(log)), None)
    if one is None:
        return Matrix(rows=(), columns=(), cells=(), low=0.0, high=1.0)
    cells = np.array(one.landing).round(3)
    names = tuple(str(number) for number in one.generations)
    return Matrix(rows=tuple(f"producers {name}" for name in names), columns=names, cells=tuple(map(tuple, cells.tolist())),
                  unit="false posts that land; columns: detectors", low=float(cells.min()), high=max(float(cells.max()), float(cells.min()) + 0.001))  # fmt: skip


def trace_templates(log: Log) -> Series:
    """Trace the share of each side that has each template."""
    lines: dict[str, tuple[tuple[float, float], ...]] = {}
    for side, history in read_histories(log).items():
        lines |= trace_shares(history, "template", list(OPTIONS[side]), partial(name_template, side))
    return Series(along="generation", unit="share", low=0.0, high=1.0, lines=lines, marks=_mark_changes(log))


def show_pair(log: Log, agent: str | None = None) -> Cards:
    """Show both posts of a producer for the pair whose false version did best, and what the most, the middling and the least suspicious detector say."""
    histories = read_histories(log)
    ranked = rank_last_generation(log, histories)
    if not ranked or (agent and not original_id(agent).startswith("producer")):
        return Cards(items=())
    wanted = original_id(agent) if agent else ranked["producer"][0][0]
    found = next(Posted.read(log, actor=wanted), None)
    if found is None:
        return Cards(items=())
    event, posted = found
    pairs = next(one.pairs for _, one in Met.read(log, since=event.step - 1, until=event.step))
    writers = histories["producer"].agents[histories["producer"].lineage.cohorts[posted.generation]]
    names = {persona.id: persona.name for persona in log.personas}
    judged = {str(seen.actor): one for seen, one in Judged.read(log, since=event.step - 1, until=event.step)}
    pair = int(first_largest(posted.survival[FALSE::2]))
    matched = next(one for _, one in Matched.read(log) if one.pair == pairs[pair])
    at = writers.index(wanted) * len(posted.texts) + 2 * pair
    ranked_judges = sorted(judged, key=lambda id: (judged[id].p[at + FALSE], id))
    shown = list(dict.fromkeys(ranked_judges[n] for n in (-1, len(judged) // 2, 0)))
    cards = list[Card]()
    for kind, word in enumerate(("true", "false")):
        here, place = 2 * pair + kind, at + kind
        said = Counter(word_belief(one.p[place]) for one in judged.values())
        cards.append(Card(
            id=f"{wanted}/{word}", title=f"{names[wanted]} on {matched.pair}", badge=f"{word} version", text=posted.texts[here] or "(nothing)",
            fields={
                "asked for": matched.versions[kind],
                "uses": ", ".join(name_source(one, names) for one in posted.uses[here]) or "nothing it found",
                "chance to land": f"{posted.survival[here]:.2f}; it {'landed' if posted.landed[here] else 'was taken down'}",
                "detectors": ", ".join(f"{said[one]} {one}" for one in BELIEFS if said[one]),
                **{
                    f"{names[id]} ({id[-3:]})": f"{word_belief(judged[id].p[place])} (p = {judged[id].p[place]:.2f}): what was found "
                    f"{word_evidence(judged[id].evidence[place])}; first {name_source(judged[id].seen[place], names)}"
                    for id in shown
                },
            },
        ))  # fmt: skip
    return Cards(items=tuple(cards))


def tabulate_fitness(log: Log) -> Table:
    """Tabulate the last generation that met: fitness, landing or Brier score, and what mutated at birth."""
    since = read_last_meeting(log)[0] - 1
    landing, histories, rows, names = read_landings(log, since), read_histories(log), [], dict[str, str]()
    brier = {
        str(event.actor): brier_score(one.p, np.tile((False, True), len(one.p) // 2))
        for event, one in Judged.read(log, since=since)
    }
    for side, some in rank_last_generation(log, histories).items():
        history = histories[side]
        for id, fitness in some:
            number = history.number(id)
            parent = int(history.lineage.parent[number])
            changes = "; ".join(word_change(side, one) for one in history.lineage.births[number].mutations)
            numbers = (_round(one) for one in (fitness, landing.get(id), brier.get(id)))
            names |= {history.agents[one]: history.names[one] for one in (number, parent) if one >= 0}
            rows.append((side, id, id, *numbers, history.agents[parent] if parent >= 0 else "", changes))
    columns = ("side", Column(name="id", kind="id"), Column(name="agent", kind="agent"), "fitness", Column(name="false landed", kind="float"),
               Column(name="Brier", kind="float"), Column(name="parent", kind="agent"), "mutations")  # fmt: skip
    return Table(columns=columns, rows=tuple(rows), labels=names)


def map_claims(log: Log) -> Graph:
    """Map the claims of the posts that came to stand, and how they bear on each other."""
    claims, names = tuple(log.claims()), {persona.id: persona.name for persona in log.personas}
    speakers = {claim.speaker: names[claim.speaker] for claim in claims}
    return Graph(topic=log.study["name"], claims=claims, edges=tuple(log.edges()), speakers=speakers)


def _list_agents(log: Log, sides: Sequence[Side] = SIDES) -> list[str]:
    return [id for side, agents in log.fields(Born.kind, "side", "agents") if side in sides for id in agents]


def _has_posts(log: Log) -> bool | str:
    return (
        next(Posted.read(log), None) is not None
        or 'single posts were not logged; config.log = "everything" logs them'
    )


def _has_matrix(log: Log) -> bool | str:
    return (
        next(MetOthers.read(log), None) is not None
        or "generations have not met each other; they do so in the last step unless config.matrix.generations = 0"
    )


SURFACES: tuple[Surface | Interview, ...] = (
    Surface("summary", "table", "Arms beside each other", tabulate_arms,
            help="First and last generation of each arm; the last row is what judgements of 0.5 throughout would come to."),
    Surface("generations", "series", "False posts that land", partial(_trace, columns={"landing": "false posts"}, unit="share"),
            help="Mean chance of a false post to outlast moderation, by generation and arm."),
    Surface("detectors", "series", "How well detectors judge", partial(_trace, columns={"brier": "Brier", "discrimination": "pairs right"}, unit="score"),
            help="Brier score (lower is better) and share of judgements that suspect the false version of a pair more."),
    Surface("matrix", "matrix", "Generations against each other", map_generations, shows=_has_matrix, live="end",
            help="Share of false posts of each generation's producers (rows) that land under each generation's detectors (columns), on held-out pairs."),
    Surface("pairs", "cards", "A pair as both sides saw it", show_pair, per_agent=True, agents=partial(_list_agents, sides=("producer",)), shows=_has_posts,
            help="A producer's posts for the pair whose false version did best, and what the most, the middling and the least suspicious detector of its generation made of them."),
    Surface("lineage", "cards", "Where an agent comes from", trace_lineage, per_agent=True, agents=_list_agents,
            help="Each mutation on the line of descent, how its carriers fared, and which changes of the other side spread afterwards; that is an order in time, not a cause."),
    Surface("fitness", "table", "The last generation", tabulate_fitness, help="Agents by fitness, with what mutated when they were born."),
    Surface("genomes", "cards", "Genomes to read", show_readable, per_agent=True, agents=_list_agents,
            help="Genomes as their bearers read them; without an agent, of the fittest of the last generation."),
    Surface("carried", "series", "Templates that spread", trace_templates, group="process", help="Share of each side with each template, by generation."),
    Surface("tree", "tree", "Who descends from whom", lambda log: grow_tree(read_histories(log), word_change), group="process",
            help="Ancestors of the last generation; a node is a stretch without branches, with what changed along it."),
    Surface("claims", "graph", "What is claimed", map_claims, group="process",
            help="Claims of the posts that came to stand, and how they support or counter each other."),
    INTERVIEW,
)  # fmt: skip
