"""The argument graph of claims and its measures."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, get_args

from openiir.core.claims.open_replies import unanswered_edges
from openiir.core.records import Claim, Edge, EdgeType
from openiir.core.records.measure import Measure, ratio, undefined_measure
from openiir.core.sums import int_sum

if TYPE_CHECKING:
    import networkx as nx

NO_CLAIMS, NO_EDGES = "there are no claims", "there are no edges"
EDGE_TYPES: tuple[EdgeType, ...] = get_args(EdgeType)


def claim_graph(claims: Sequence[Claim], edges: Sequence[Edge]) -> "nx.MultiDiGraph":
    """Build a graph with claims as nodes and edges from later to earlier claims, with all their fields.

    Edges whose ends are not among the claims are left out.
    """
    import networkx as nx

    graph = nx.MultiDiGraph()
    for claim in claims:
        graph.add_node(claim.id, **claim.model_dump(exclude={"id"}))
    for edge in edges:
        if edge.source in graph and edge.target in graph:
            graph.add_edge(edge.source, edge.target, **edge.model_dump(exclude={"source", "target"}))
    return graph


def graph_measures(
    claims: Sequence[Claim],
    edges: Sequence[Edge],
    restated: int = 0,
    clusters: Mapping[str, str] | None = None,
) -> dict[str, Measure]:
    """Compute the argument graph's measures, by name.

    `restated` is the number of restatements of claims (duplicates recognised by the extractor);
    `clusters` gives the cluster of each chunk of the world, for `coverage`. Shares are in [0, 1].
    """
    known = {claim.id for claim in claims}
    inside = [edge for edge in edges if edge.source in known and edge.target in known]
    counts = {kind: int_sum(edge.type == kind for edge in inside) for kind in EDGE_TYPES}
    open_counters = len(unanswered_edges(claims, inside, "counters"))
    cited = int_sum(bool(claim.cites) for claim in claims)
    measures = {"claims": Measure(float(len(claims))), "edges": Measure(float(len(inside)))}
    measures |= {kind: Measure(float(count)) for kind, count in counts.items()}
    measures |= {
        "counter_share": ratio(counts["counters"], len(inside), NO_EDGES),
        "unanswered_counter_rate": ratio(open_counters, counts["counters"], "no claim is countered"),
        "evidence_rate": ratio(cited, len(claims), NO_CLAIMS),
        "longest_path": _longest_path(claims, inside),
        "cross_stance_reply_share": _cross_stance(claims, inside),
        "ei_index": _ei_index(claims, inside),
        "redundancy_rate": ratio(restated, restated + len(claims), NO_CLAIMS),
        "coverage": undefined_measure("the world's chunks have no clusters"),
    }
    if clusters:
        found = {clusters[cite.chunk] for claim in claims for cite in claim.cites if cite.chunk in clusters}
        measures["coverage"] = Measure(len(found) / len(set(clusters.values())))
    return measures


def _longest_path(claims: Sequence[Claim], edges: Sequence[Edge]) -> Measure:
    """Compute the longest path of the condensation, in edges: the depth of the deepest exchange."""
    if not claims:
        return undefined_measure(NO_CLAIMS)
    import networkx as nx

    condensed = nx.condensation(nx.DiGraph(claim_graph(claims, edges)))
    return Measure(float(nx.dag_longest_path_length(condensed)))


def _cross_stance(claims: Sequence[Claim], edges: Sequence[Edge]) -> Measure:
    """Compute the share of edges that join opposite sides, among edges between claims that take sides."""
    side = {claim.id: claim.side for claim in claims}
    sided = [(side[edge.source], side[edge.target]) for edge in edges]
    sided = [pair for pair in sided if "neutral" not in pair]
    return ratio(int_sum(a != b for a, b in sided), len(sided), "no edge joins two claims that take sides")


def _ei_index(claims: Sequence[Claim], edges: Sequence[Edge]) -> Measure:
    """Compute the E-I index (E - I) / (E + I) of replies to others, by the sign of speakers' mean stance.

    Krackhardt & Stern, Social Psychology Quarterly 1988: -1 is a camp that talks to itself alone.
    """
    spoken: dict[str, list[float]] = {}
    for claim in claims:
        spoken.setdefault(claim.speaker, []).append(claim.stance)
    mean = {speaker: fmean(stances) for speaker, stances in spoken.items()}
    camp = {speaker: (value > 0.05) - (value < -0.05) for speaker, value in mean.items()}
    speaker = {claim.id: claim.speaker for claim in claims}
    ties = [(speaker[e.source], speaker[e.target]) for e in edges if speaker[e.source] != speaker[e.target]]
    camps = [(camp[a], camp[b]) for a, b in ties if camp[a] and camp[b]]
    external = int_sum(a != b for a, b in camps)
    reason = "no edge joins two speakers who take sides"
    return ratio(2 * external - len(camps), len(camps), reason)
