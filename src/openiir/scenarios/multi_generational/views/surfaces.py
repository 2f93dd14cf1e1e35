"""Views of a run: arms, generations against each other, descent, genomes, and single pairs."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np

from openiir.kit.measures import brier_score
from openiir.kit.text_tables import add_help
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
    Tree,
    first_largest,
)
from openiir.scenarios.multi_generational.behaviour.genomes import SIDES, Side
from openiir.scenarios.multi_generational.behaviour.moderating import survival_probability
from openiir.scenarios.multi_generational.measures.metrics import read_arm_summaries, read_last_contest
from openiir.scenarios.multi_generational.model.credibility.beliefs import BELIEFS, word_belief, word_evidence
from openiir.scenarios.multi_generational.model.credibility.contest import FALSE
from openiir.scenarios.multi_generational.run.actions import Born, Judged, Matched, Met, MetOthers, Posted
from openiir.scenarios.multi_generational.views.descent import (
    OPTIONS,
    build_family_tree,
    describe_mutation,
    list_births,
    name_template,
    rank_last_generation,
    read_birth_histories,
    read_false_post_survival,
    show_worded_genomes,
    trace_lineage,
    trace_locus_values,
)
from openiir.scenarios.multi_generational.views.interviewing import INTERVIEW, name_source, original_id

_APART = "Share of judgements that suspect the false version of a pair more, without ties."
_ARM_COLUMNS = (
    ("first, false", 0, "landing", "Share of false posts that land in the first generation."),
    ("last, false", -1, "landing", ""),
    ("first, true", 0, "landing_true", "The same for true posts."),
    ("last, true", -1, "landing_true", ""),
    ("Brier", -1, "brier", "Of the last generation; lower is better."),
    ("AUC", -1, "auc", ""),
    ("pairs right", -1, "discrimination", _APART),
)


def tabulate_arms(log: Log) -> Table:
    """Tabulate the measures of each arm at its first and last generation, beside uninformative judgements."""
    config = log.study["config"]
    blind = round(float(survival_probability(np.array(0.5), config["rounds"], config["hazard"])), 3)
    rows = [
        (arm.replace("_", " "), *(_round(some[end][name]) for _, end, name, _ in _ARM_COLUMNS))
        for arm, some in read_arm_summaries(log).items()
    ]
    return Table(
        columns=("arm", *(Column(name=name, help=words) for name, _, _, words in _ARM_COLUMNS)),
        rows=(*rows, ("(all judged 0.5)", blind, blind, blind, blind, 0.25, 0.5, 0.5)) if rows else (),
    )


def _round(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else round(value, 3)


def _trace(log: Log, columns: dict[str, str], unit: str) -> Series:
    """Trace columns of the summaries, by generation and arm; `columns` names them for readers."""
    several, arms = len(columns) > 1, read_arm_summaries(log)
    lines: dict[str, tuple[tuple[float, float], ...]] = {}
    for column, name in columns.items():
        for arm, rows in arms.items():
            line = [(row["generation"], float(row[column])) for row in rows if not np.isnan(row[column])]
            words = arm.replace("_", " ")
            if line:
                lines[f"{name}, {words}" if several else words] = tuple(line)
    high = np.ceil(20 * max((value for line in lines.values() for _, value in line), default=1.0)) / 20
    return _draw_lines(log, unit, float(high), lines)


def _draw_lines(
    log: Log, unit: str, high: float, lines: dict[str, tuple[tuple[float, float], ...]]
) -> Series:
    """Draw lines by generation, with marks where the study changed."""
    marks = {
        event.step: ", ".join(f"{key.removeprefix('config.')} = {one}" for key, one in event.payload.items())
        for event in log.events("changed")
    }
    found = tuple(Mark(x=step - 1, label=label) for step, label in marks.items())
    return Series(along="generation", unit=unit, low=0.0, high=high, lines=lines, marks=found)


def map_generations(log: Log) -> Matrix:
    """Map the success of false posts of each producer generation against each detector generation."""
    one = next((one for _, one in MetOthers.read(log)), None)
    if one is None:
        return Matrix(rows=(), columns=(), cells=(), low=0.0, high=1.0)
    cells = np.array(one.landing).round(3)
    low, high = float(cells.min()), float(cells.max())
    names = tuple(str(number) for number in one.generations)
    return Matrix(
        rows=tuple(f"producers {name}" for name in names),
        columns=names,
        cells=tuple(map(tuple, cells.tolist())),
        unit="false posts that land; columns: detectors",
        low=low,
        high=max(high, low + 0.001),
    )


def trace_templates(log: Log) -> Series:
    """Trace the share of each side that has each template."""
    lines: dict[str, tuple[tuple[float, float], ...]] = {}
    for side, history in read_birth_histories(log).items():
        lines |= trace_locus_values(history, "template", list(OPTIONS[side]), partial(name_template, side))
    return _draw_lines(log, "share", 1.0, lines)


def show_pair(log: Log, agent: str | None = None) -> Cards:
    """Show a producer's two posts for the pair whose false version did best, with three detectors' verdicts.

    These are the most, the middling and the least suspicious one.
    """
    histories = read_birth_histories(log)
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
        became = "landed" if posted.landed[here] else "was taken down"
        fields = {
            "asked for": matched.versions[kind],
            "uses": ", ".join(name_source(one, names) for one in posted.uses[here]) or "nothing it found",
            "chance to land": f"{posted.survival[here]:.2f}; it {became}",
            "detectors": ", ".join(f"{said[one]} {one}" for one in BELIEFS if said[one]),
        }
        for id in shown:
            p, evidence, seen = judged[id].p[place], judged[id].evidence[place], judged[id].seen[place]
            stands = f"{word_evidence(evidence)}; first {name_source(seen, names)}"
            fields[f"{names[id]} ({id[-3:]})"] = f"{word_belief(p)} (p = {p:.2f}): what was found {stands}"
        card = Card(
            id=f"{wanted}/{word}",
            title=f"{names[wanted]} on {matched.pair}",
            badge=f"{word} version",
            text=posted.texts[here] or "(nothing)",
            fields=fields,
        )
        cards.append(card)
    return Cards(items=tuple(cards))


def tabulate_fitness(log: Log) -> Table:
    """Tabulate the last generation that played: fitness, success or Brier score, and mutations at birth."""
    since = read_last_contest(log)[0] - 1
    landing, histories, rows, names = (
        read_false_post_survival(log, since),
        read_birth_histories(log),
        [],
        dict[str, str](),
    )
    brier = {
        str(event.actor): brier_score(one.p, np.tile((False, True), len(one.p) // 2))
        for event, one in Judged.read(log, since=since)
    }
    for side, some in rank_last_generation(log, histories).items():
        history = histories[side]
        for id, fitness in some:
            number = history.agent_number(id)
            parent = int(history.lineage.parent[number])
            changes = "; ".join(
                describe_mutation(side, one) for one in history.lineage.births[number].mutations
            )
            numbers = (_round(one) for one in (fitness, landing.get(id), brier.get(id)))
            names |= {history.agents[one]: history.names[one] for one in (number, parent) if one >= 0}
            rows.append((side, id, id, *numbers, history.agents[parent] if parent >= 0 else "", changes))
    who = Column(name="id", kind="id"), Column(name="agent", kind="agent")
    scores = "fitness", Column(name="false landed", kind="float"), Column(name="Brier", kind="float")
    columns = ("side", *who, *scores, Column(name="parent", kind="agent"), "mutations")
    return Table(columns=columns, rows=tuple(rows), labels=names)


def map_claims(log: Log) -> Graph:
    """Map the claims of the posts on the board, with their support and attack relations."""
    claims, names = tuple(log.claims()), {persona.id: persona.name for persona in log.personas}
    speakers = {claim.speaker: names[claim.speaker] for claim in claims}
    return Graph(topic=log.study["name"], claims=claims, edges=tuple(log.edges()), speakers=speakers)


def draw_descent(log: Log) -> Tree:
    """Show who descends from whom among producers and detectors."""
    return build_family_tree(read_birth_histories(log))


def draw_births(log: Log) -> Tree:
    """Show every birth among producers and detectors below its parent."""
    return list_births(read_birth_histories(log))


def _list_agents(log: Log, sides: Sequence[Side] = SIDES) -> list[str]:
    return [id for side, agents in log.fields(Born.kind, "side", "agents") if side in sides for id in agents]


def _has_posts(log: Log) -> bool | str:
    logged = next(Posted.read(log), None) is not None
    return logged or 'single posts were not logged; config.log = "everything" logs them'


def _has_matrix(log: Log) -> bool | str:
    never = "generations have not met; they do so in the last step unless config.matrix.generations = 0"
    return next(MetOthers.read(log), None) is not None or never


_HELP = """
summary | First and last generation of each arm; the last row is what judgements of 0.5 throughout come to.
generations | Mean chance of a false post to outlast moderation, by generation and arm.
detectors | Brier score (lower is better) and share of judgements that suspect the false version more.
matrix | Share of false posts of each generation's producers (rows) that land under each generation's
    detectors (columns), on held-out pairs.
pairs | A producer's posts for the pair whose false version did best, and what the most, the middling and the
    least suspicious detector of its generation made of them.
lineage | Each mutation on the line of descent, how its carriers fared, and which changes of the other side
    spread afterwards; that is an order in time, not a cause.
fitness | Agents by fitness, with what mutated when they were born.
genomes | Genomes as their bearers read them; without an agent, of the fittest of the last generation.
carried | Share of each side with each template, by generation.
tree | Ancestors of the last generation; a node is a stretch without branches, with what changed along it.
claims | Claims of the posts that came to stand, and how they support or counter each other.
"""
_LANDING = partial(_trace, columns={"landing": "false posts"}, unit="share")
_JUDGING = partial(_trace, columns={"brier": "Brier", "discrimination": "pairs right"}, unit="score")
_at_end = partial(Surface, shows=_has_matrix, live="end")
_of_agents = partial(Surface, per_agent=True, agents=_list_agents)
_pairs = partial(_of_agents, agents=partial(_list_agents, sides=("producer",)), shows=_has_posts)
_process = partial(Surface, group="process")
SURFACES: tuple[Surface | Interview, ...] = add_help(
    _HELP,
    Surface("summary", "table", "Arms beside each other", tabulate_arms),
    Surface("generations", "series", "False posts that land", _LANDING),
    Surface("detectors", "series", "How well detectors judge", _JUDGING),
    _at_end("matrix", "matrix", "Generations against each other", map_generations),
    _pairs("pairs", "cards", "A pair as both sides saw it", show_pair),
    _of_agents("lineage", "cards", "Where an agent comes from", trace_lineage),
    Surface("fitness", "table", "The last generation", tabulate_fitness),
    _of_agents("genomes", "cards", "Genomes to read", show_worded_genomes),
    _process("carried", "series", "Templates that spread", trace_templates),
    _process("tree", "tree", "Who descends from whom", draw_descent, whole=draw_births),
    _process("claims", "graph", "What is claimed", map_claims),
    INTERVIEW,
)
