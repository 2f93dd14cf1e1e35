"""The debate of a panel as its log tells it: claims, relations, stances, and who disagrees with whom."""

from functools import cached_property

from openiir.kit.offline_speaker import key_phrase, side_of
from openiir.plugin import Claim, Log, names_with_answerers
from openiir.plugin.arguments import strengths, tokens, unanswered_edges

Clash = tuple[bool, float, Claim, Claim]
"""Whether the counter stayed unanswered, the weight of the clash, the earlier and the countering claim."""
CLASHES = 6
"""Largest number of disagreements that are listed."""
FIRST_WORDS = 7
"""Number of words by which a claim is repeated that was quoted before."""


class Debate:
    """Claims, edges, stances and names of a run, for its report."""

    def __init__(self, log: Log) -> None:
        self.log, self.claims, self.edges = log, log.claims(), log.edges()
        self.topic: str = log.study["config"]["topic"]
        self.strength = strengths(self.claims, self.edges)
        self.name = {p.id: p.name for p in log.personas}
        self.with_answerer = names_with_answerers(log)
        self.claim = {c.id: c for c in self.claims}
        self.quoted: list[str] = []

    @cached_property
    def stances(self) -> dict[str, list[float]]:
        """Stances of each panelist in order, by persona."""
        found: dict[str, list[float]] = {id: [] for id in self.name}
        for row in self.log.table("stances"):
            found[row["persona"]].append(row["stance"])
        return {name: values for name, values in found.items() if values}

    def side_at(self, name: str, at: int = -1) -> int:
        """Return the side that a panelist was on (-1, 0 or 1) at utterance `at`, by default the last."""
        values = self.stances.get(name)
        return side_of(values[at]) if values else 0

    def speaker_name(self, claim: Claim) -> str:
        """Return the name of a claim's speaker."""
        return self.name.get(claim.speaker, claim.speaker)

    def quote(self, claim: Claim) -> str:
        """Quote a claim: in full at its first mention in the report, by its first words from then on."""
        words = claim.text.split()
        if claim.id in self.quoted and len(words) > FIRST_WORDS:
            return f"“{' '.join(words[:FIRST_WORDS])} …”"
        self.quoted.append(claim.id)
        return f"“{claim.text}”"

    def matter(self, claim: Claim) -> str:
        around = [c.text for c in self.claims]
        return key_phrase(claim.text, self.topic, around) or key_phrase(claim.text) or claim.id

    def related_claims(self, claim: Claim, kind: str) -> list[Claim]:
        """List the claims that an edge of this kind connects to a claim, in order."""
        return [self.claim[e.source] for e in self.edges if e.target == claim.id and e.type == kind]


def list_clashes(debate: Debate) -> list[Clash]:
    """List pairs of opposed claims of two panelists on one subject, unanswered counterclaims first."""
    open_ = {(e.source, e.target) for e in unanswered_edges(debate.claims, debate.edges, "counters")}
    clashes: list[Clash] = []
    for edge in debate.edges:
        earlier, later = debate.claim[edge.target], debate.claim[edge.source]
        apart = edge.type == "counters" and earlier.speaker != later.speaker
        if apart and _are_opposed(debate, earlier, later):
            weight = min(debate.strength[earlier.id], debate.strength[later.id])
            clashes.append(((edge.source, edge.target) in open_, weight, earlier, later))
    first: dict[str, Clash] = {}
    for clash in sorted(clashes, key=lambda c: (not c[0], -c[1], c[2].id, c[3].id)):
        first.setdefault(clash[2].id, clash)
    return list(first.values())[:CLASHES]


def _are_opposed(debate: Debate, one: Claim, other: Claim) -> bool:
    """Whether two claims share a word beyond those of the topic, and lean to different sides."""
    shared = set(tokens(one.text)) & set(tokens(other.text)) - set(tokens(debate.topic))
    return bool(shared) and one.stance * other.stance < 0
