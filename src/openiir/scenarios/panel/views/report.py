"""The deliberation report: positions, convergence and unresolved disagreements, with their claims."""

from collections.abc import Sequence

from openiir.kit import measures
from openiir.kit.offline_speaker import side_of
from openiir.plugin import Log, Report, Section, stance_word
from openiir.scenarios.panel.measures.debate import Debate, list_clashes
from openiir.scenarios.panel.run.actions import Spoke

Statement = tuple[str, tuple[str, ...]]
SIDES = {1: "in favour", 0: "undecided", -1: "against"}
MOVED = 0.05
"""Change of stance below which a panelist is reported to have stayed where it was."""
SHARED = 5
"""Largest number of agreements that are listed."""


def report(log: Log) -> Report:
    """Write the report on a whole run: positions, convergence and unresolved disagreements."""
    debate = Debate(log)
    sections = (
        Section(title="Positions", statements=tuple(_positions(debate))),
        Section(title="Convergence", statements=tuple(_convergence(debate))),
        Section(title="Unresolved disagreements", statements=tuple(_disagreements(debate))),
    )
    return Report(title=debate.topic, sections=sections)


def _positions(debate: Debate) -> list[Statement]:
    """State where everyone began and ended, with the panelist's best claim, those in favour first."""
    found = []
    names = sorted(debate.stances, key=lambda n: (-debate.stances[n][-1], n))
    for name in names:
        values = debate.stances[name]
        own = [c for c in debate.claims if c.speaker == name and not c.text.endswith("?")]
        aligned = [c for c in own if c.stance * (values[-1] or values[0]) > 0] or own
        best = sorted(aligned, key=lambda c: (-debate.strength[c.id] * (0.5 + abs(c.stance)), c.id))[:1]
        text = f"{debate.with_answerer[name]} {_movement(values)}"
        text += f": {debate.quote(best[0])}" if best else "; made no claim."
        found.append((text, tuple(c.id for c in best)))
    return found


def _movement(values: Sequence[float]) -> str:
    first, last = values[0], values[-1]
    numbers = f"({first:+.2f} to {last:+.2f})"
    if stance_word(first) != stance_word(last):
        return f"went from {stance_word(first)} to {stance_word(last)} {numbers}"
    if abs(last - first) < MOVED or not side_of(last):
        return f"stayed {stance_word(last)} {numbers}"
    how = "less" if abs(last) < abs(first) else "more"
    return f"stayed {stance_word(last)}, {how} so than at the start {numbers}"


def _convergence(debate: Debate) -> list[Statement]:
    if not debate.stances:
        return []
    shared = _backed_claims(debate)
    listed = [ids[0] for _, ids in shared]
    granted = [statement for statement in _concessions(debate) if statement[1][0] not in listed]
    return [(_spread(debate), ()), *_changed_sides(debate), *shared, *granted]


def _spread(debate: Debate) -> str:
    before, after = (
        measures.mean_pairwise_distance([values[at] for values in debate.stances.values()]) for at in (0, -1)
    )
    how = "Stances came closer" if after < before else "Stances drifted apart"
    if abs(after - before) < 0.02:
        how = "Stances are as far apart as they were"
    mean = f"{before:.2f} apart on average at the start and {after:.2f} at the end"
    return f"{how}: two panelists stood {mean}."


def _changed_sides(debate: Debate) -> list[Statement]:
    """State which panelists changed sides."""
    changed = [n for n in debate.stances if debate.side_at(n, 0) != debate.side_at(n)]
    if not changed:
        return []
    each = [
        f"{debate.name[n]} ({SIDES[debate.side_at(n, 0)]}, now {SIDES[debate.side_at(n)]})" for n in changed
    ]
    return [(f"Changed sides: {', '.join(each)}.", ())]


def _backed_claims(debate: Debate) -> list[Statement]:
    """List claims that others back and nobody counters, first those backed from different sides."""
    found = []
    for claim in debate.claims:
        others = sorted({c.speaker for c in debate.related_claims(claim, "supports")} - {claim.speaker})
        if others and not debate.related_claims(claim, "counters"):
            sides = len({debate.side_at(name, 0) for name in (claim.speaker, *others)})
            found.append((sides, len(others), debate.strength[claim.id], claim, others))
    found.sort(key=lambda f: (-f[0], -f[1], -f[2], f[3].id))
    statements = []
    for sides, _, _, claim, others in found[:SHARED]:
        who = " and ".join(debate.name[n] for n in others)
        across = ", from another side," if sides > 1 else ""
        ids = (claim.id, *(c.id for c in debate.related_claims(claim, "supports")))
        verb = "backs" if len(others) == 1 else "back"
        statements.append((f"{who}{across} {verb} {debate.speaker_name(claim)}: {debate.quote(claim)}", ids))
    return statements


def _concessions(debate: Debate) -> list[Statement]:
    """List the points that a panelist explicitly granted to another in the talk."""
    found = []
    for event, spoke in Spoke.read(debate.log):
        claim = debate.claim.get(spoke.address)
        if spoke.act == "concede" and claim and claim.speaker != event.actor and event.actor:
            who, whom = debate.name[event.actor], debate.speaker_name(claim)
            text = f"{who} granted {whom} the point about {debate.matter(claim)}."
            found.append((text, (claim.id, *spoke.claims)))
    return found[:SHARED]


def _disagreements(debate: Debate) -> list[Statement]:
    found = []
    for is_open, _, *claims in list_clashes(debate):
        earlier, later = (
            f"{debate.speaker_name(claim)} ({SIDES[debate.side_at(claim.speaker)]}): {debate.quote(claim)}"
            for claim in claims
        )
        state = "the counter was not answered" if is_open else "both sides went on"
        text = f"On {debate.matter(claims[0])}, {earlier} Against it {later} ({state})"
        found.append((text, tuple(claim.id for claim in claims)))
    return found
