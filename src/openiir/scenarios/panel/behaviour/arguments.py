"""The argument graph of a panel: unanswered claims, their weight, and claims that matter to a speaker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from openiir.kit.offline_speaker import LEANS, touched_interests
from openiir.plugin import Claim, Stage
from openiir.plugin.arguments import influence, strengths, unanswered_edges
from openiir.scenarios.panel.model.speaking.utterances import OTHERS, ClaimView
from openiir.scenarios.panel.questions.moderating import OPEN_CLAIMS, OpenClaim

NEWEST = 3
"""Number of last utterances whose first open claim is shown, whatever its weight."""


@dataclass
class ArgumentState:
    """Argument graph of a panel so far; speakers are named by their ids."""

    stage: Stage
    names: Mapping[str, str]
    """Names by which speakers are called, by id."""
    strength: Mapping[str, float] = field(default_factory=dict)
    influence: Mapping[str, float] = field(default_factory=dict)
    taken_up: set[str] = field(default_factory=set)
    """Ids of the claims that an utterance addressed."""
    granting: set[int] = field(default_factory=set)
    """Numbers of utterances that concede a point in their own words, unlike offline ones, which quote."""
    new: list[int] = field(default_factory=list)
    """Number of new claims in each utterance of this round."""

    def update(self, new: int) -> None:
        """Recompute the strengths of all claims after an utterance with `new` claims."""
        self.strength = strengths(self.stage.claims, self.stage.edges)
        self.influence = influence(self.stage.claims, self.stage.edges)
        self.new.append(new)

    def claim_strength(self, claim: Claim) -> float:
        """Return a claim's strength, 0.5 where it is not computed yet."""
        return self.strength.get(claim.id, 0.5)

    def find(self, id: str) -> Claim | None:
        return next((c for c in self.stage.claims if c.id == id), None)

    def list_own_claims(self, speaker: str) -> list[Claim]:
        return [c for c in self.stage.claims if c.speaker == speaker]

    def view(self, claim: Claim, speaker: str = "", asker: str = "") -> ClaimView:
        """Describe a claim as a speaker knows it; `asker` names who asked why it holds."""
        return ClaimView(
            id=claim.id,
            text=claim.text,
            speaker=self.names[claim.speaker],
            speaker_id=claim.speaker,
            stance=claim.stance,
            strength=round(self.claim_strength(claim), 4),
            cited=bool(claim.cites),
            own=claim.speaker == speaker,
            asker=asker,
        )

    def list_unanswered(self) -> list[Claim]:
        """List the claims without a reply, by how far they move the debate's balance, ties by id.

        Claims that their speaker took back are left out, and so are claims of a turn that concedes a point,
        unless they argue against others.
        """
        by = {c.id: c for c in self.stage.claims}
        pairs = [(by[e.source], by[e.target]) for e in self.stage.edges if e.type != "supports"]
        replies = [(source, target) for source, target in pairs if source.utterance != target.utterance]
        answered = {target.id for _, target in replies} | self.taken_up
        argues = {source.id for source, target in replies if source.speaker != target.speaker}
        left = (c for c in self.stage.claims if c.id not in answered)
        waiting = [c for c in left if c.utterance not in self.granting or c.id in argues]
        return sorted(waiting, key=lambda c: (-abs(self.influence.get(c.id, 0.0)), c.id))

    def open_claims(self, latest: int, speaker: str, addressed: str) -> list[OpenClaim]:
        """List open claims for the moderator: the strongest, those just addressed, the latest turns' first.

        `latest` is the number of the last utterance, `speaker` its speaker, `addressed` who is to answer it.
        """
        waiting = self.list_unanswered()
        put = [c for c in waiting if addressed and c.speaker == speaker and c.utterance == latest]
        by_number = sorted(waiting, key=lambda c: c.id)
        newest = [next((c for c in by_number if c.utterance == latest - ago), None) for ago in range(NEWEST)]
        shown = {c.id: c for c in (*waiting[:OPEN_CLAIMS], *put, *newest) if c}.values()
        return [OpenClaim(**self.view(c).model_dump(), to=addressed if c in put else "") for c in shown]

    def claims_to_answer(self, address: str, speaker: str) -> tuple[ClaimView, ...]:
        """Return the claim that a speaker is to answer, and other claims that it may turn to.

        Empty where no claim was put to the speaker.
        """
        claim = self.find(address)
        if claim is None:
            return ()
        targets = [e.target for e in self.stage.edges if e.source == address and e.type == "questions"]
        asked = self.find(targets[0]) if targets else None
        put = self.view(asked, speaker, self.names[claim.speaker]) if asked else self.view(claim, speaker)
        return (put, *self.other_open_claims(address, speaker))

    def other_open_claims(self, address: str, speaker: str) -> tuple[ClaimView, ...]:
        """List other open claims that a speaker may turn to: the strongest, then replies to its own."""
        of_others = (c for c in self.list_unanswered() if c.speaker != speaker and c.id != address)
        waiting, replies = [c for c in of_others if not c.text.endswith("?")], self._replies_to(speaker)
        newest = sorted((c for c in waiting[OTHERS:] if c.id in replies), key=lambda c: (-c.utterance, c.id))
        return tuple(self.view(c, speaker) for c in (*waiting[:OTHERS], *newest[:NEWEST]))

    def closing_claims(self, speaker: str, weighed: ClaimView | None) -> tuple[ClaimView, ...]:
        """List the claims that a speaker may name in its closing statement, ordered by id."""
        claims = {c.id: c for c in (weighed, *self.other_open_claims("", speaker)) if c} if weighed else {}
        return tuple(claims[id] for id in sorted(claims))

    def _replies_to(self, speaker: str) -> set[str]:
        own = {c.id for c in self.list_own_claims(speaker)}
        return {e.source for e in self.stage.edges if e.target in own}

    def mean_stance(self, speaker: str) -> float | None:
        """Compute the mean stance of a speaker's claims; None without claims."""
        stances = [c.stance for c in self.list_own_claims(speaker)]
        return round(fmean(stances), 4) if stances else None

    def best_strength(self, speaker: str) -> float:
        """Return the strength of a speaker's strongest claim; 0 without claims."""
        return round(max(map(self.claim_strength, self.list_own_claims(speaker)), default=0.0), 4)

    def most_convincing(self, speaker: str, interests: Sequence[str], towards: float) -> ClaimView | None:
        """Return another panelist's claim that convinced a speaker most: strong and on the side `towards`.

        Claims that answer the speaker or touch its interests count for more; the weights are our design.
        """
        replies = self._replies_to(speaker)

        def weight(claim: Claim) -> float:
            near = 0.3 * (claim.id in replies) + 0.3 * bool(touched_interests(claim.text, interests))
            return self.claim_strength(claim) + near

        of_others = (c for c in self.stage.claims if c.speaker != speaker)
        heard = [c for c in of_others if c.stance * towards > 0 and abs(c.stance) > LEANS]
        best = min(heard, key=lambda c: (-weight(c), c.id), default=None)
        return self.view(best, speaker) if best else None

    def strongest_uncountered(self, speaker: str) -> ClaimView | None:
        """Return a speaker's strongest claim, if nobody countered it."""
        shaken = {e.target for e in self.stage.edges if e.type == "counters"}
        own = [c for c in self.list_own_claims(speaker) if abs(c.stance) > LEANS]
        best = min(own, key=lambda c: (-self.claim_strength(c), c.id), default=None)
        return self.view(best, speaker) if best and best.id not in shaken else None

    def counters_answered(self) -> bool:
        """Whether there are counterclaims and all of them were answered."""
        counters = any(e.type == "counters" for e in self.stage.edges)
        return counters and not unanswered_edges(self.stage.claims, self.stage.edges, "counters")
