"""The claims of a panel: which wait for an answer, what they weigh, and which of them bear on whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from openiir.kit.offline_speaker import LEANS, touched_interests
from openiir.kit.offline_speaker.utterances import OTHERS, ClaimView
from openiir.plugin import Claim, Stage
from openiir.plugin.arguments import influence, strengths, unanswered_edges
from openiir.scenarios.panel.moderating import OPEN_CLAIMS, OpenClaim

NEWEST = 3
"""Last utterances whose first open claim is told, however little it weighs."""


@dataclass
class Arguments:
    """The argument graph as it stands; speakers are named by their ids."""

    stage: Stage
    names: Mapping[str, str]
    """What each speaker is called, by id."""
    strength: Mapping[str, float] = field(default_factory=dict)
    influence: Mapping[str, float] = field(default_factory=dict)
    taken_up: set[str] = field(default_factory=set)
    """Ids of claims that were addressed."""
    granting: set[int] = field(default_factory=set)
    """Utterances that grant a point, of those who speak for themselves (who grants offline quotes a point)."""
    new: list[int] = field(default_factory=list)
    """How many claims each utterance of this round added."""

    def update(self, new: int) -> None:
        """Weigh all claims anew after an utterance with so many new ones."""
        self.strength = strengths(self.stage.claims, self.stage.edges)
        self.influence = influence(self.stage.claims, self.stage.edges)
        self.new.append(new)

    def find(self, id: str) -> Claim | None:
        return next((c for c in self.stage.claims if c.id == id), None)

    def own(self, speaker: str) -> list[Claim]:
        return [c for c in self.stage.claims if c.speaker == speaker]

    def view(self, claim: Claim, speaker: str = "", asker: str = "") -> ClaimView:
        """A claim as a speaker knows it; `asker` is the name of who asked what it rests on."""
        return ClaimView(
            id=claim.id,
            text=claim.text,
            speaker=self.names[claim.speaker],
            speaker_id=claim.speaker,
            stance=claim.stance,
            strength=round(self.strength.get(claim.id, 0.5), 4),
            cited=bool(claim.cites),
            own=claim.speaker == speaker,
            asker=asker,
        )

    def list_unanswered(self) -> list[Claim]:
        """Claims that nobody took up, those that move the debate's balance most first, ties by id.

        What its speaker took back is left out, and of a turn that grants something all but what goes against others.
        """
        by = {c.id: c for c in self.stage.claims}
        replies = [
            e
            for e in self.stage.edges
            if e.type != "supports" and by[e.source].utterance != by[e.target].utterance
        ]
        answered = {e.target for e in replies} | self.taken_up
        argues = {e.source for e in replies if by[e.source].speaker != by[e.target].speaker}
        waiting = [
            c
            for c in self.stage.claims
            if c.id not in answered and (c.utterance not in self.granting or c.id in argues)
        ]
        return sorted(waiting, key=lambda c: (-abs(self.influence.get(c.id, 0.0)), c.id))

    def open_claims(self, latest: int, speaker: str, addressed: str) -> list[OpenClaim]:
        """The weightiest unanswered claims, the first one of each of the last utterances, and what was just put to somebody.

        `latest` is the number of the last utterance, `speaker` who made it, `addressed` who is to answer it, if anybody.
        """
        waiting = self.list_unanswered()
        put = [c for c in waiting if addressed and c.speaker == speaker and c.utterance == latest]
        by_number = sorted(waiting, key=lambda c: c.id)
        newest = [next((c for c in by_number if c.utterance == latest - ago), None) for ago in range(NEWEST)]
        shown = dict.fromkeys(c.id for c in (*waiting[:OPEN_CLAIMS], *put, *newest) if c)
        by_id = {c.id: c for c in waiting}
        return [
            OpenClaim(**self.view(by_id[id]).model_dump(), to=addressed if by_id[id] in put else "")
            for id in shown
        ]

    def points(self, address: str, speaker: str) -> tuple[ClaimView, ...]:
        """The claim put to a speaker (of a question, the claim it asks about), and others it may turn to.

        None where no claim was put to it.
        """
        claim = self.find(address)
        if claim is None:
            return ()
        targets = [e.target for e in self.stage.edges if e.source == address and e.type == "questions"]
        asked = self.find(targets[0]) if targets else None
        put = self.view(asked, speaker, self.names[claim.speaker]) if asked else self.view(claim, speaker)
        return (put, *self.others(address, speaker))

    def others(self, address: str, speaker: str) -> tuple[ClaimView, ...]:
        """Other open claims that a speaker may turn to, the weightiest first, then the newest that bear on its own."""
        waiting = [
            c
            for c in self.list_unanswered()
            if c.id != address and c.speaker != speaker and not c.text.endswith("?")
        ]
        replies = self._replies_to(speaker)
        newest = sorted((c for c in waiting[OTHERS:] if c.id in replies), key=lambda c: (-c.utterance, c.id))
        return tuple(self.view(c, speaker) for c in (*waiting[:OTHERS], *newest[:NEWEST]))

    def last_points(self, speaker: str, weighed: ClaimView | None) -> tuple[ClaimView, ...]:
        """What a speaker may name in its last word, in order of the claims' ids."""
        claims = {c.id: c for c in (weighed, *self.others("", speaker)) if c} if weighed else {}
        return tuple(claims[id] for id in sorted(claims))

    def _replies_to(self, speaker: str) -> set[str]:
        own = {c.id for c in self.own(speaker)}
        return {e.source for e in self.stage.edges if e.target in own}

    def mean_stance(self, speaker: str) -> float | None:
        """Mean stance of a speaker's claims; None without claims."""
        stances = [c.stance for c in self.own(speaker)]
        return round(fmean(stances), 4) if stances else None

    def best_strength(self, speaker: str) -> float:
        """Strength of a speaker's own best claim; 0 without claims."""
        return round(max((self.strength.get(c.id, 0.5) for c in self.own(speaker)), default=0.0), 4)

    def most_convincing(self, speaker: str, interests: Sequence[str], towards: float) -> ClaimView | None:
        """The claim of another that did most to a speaker: a strong one on the side `towards` which its stance moved.

        What answered the speaker or touches its interests counts for more; the weights are our design.
        """
        replies = self._replies_to(speaker)

        def weight(claim: Claim) -> float:
            near = 0.3 * (claim.id in replies) + 0.3 * bool(touched_interests(claim.text, interests))
            return self.strength.get(claim.id, 0.5) + near

        heard = [
            c
            for c in self.stage.claims
            if c.speaker != speaker and c.stance * towards > 0 and abs(c.stance) >= LEANS
        ]
        best = min(heard, key=lambda c: (-weight(c), c.id), default=None)
        return self.view(best, speaker) if best else None

    def unshaken(self, speaker: str) -> ClaimView | None:
        """A speaker's own best claim, where nobody countered it."""
        shaken = {e.target for e in self.stage.edges if e.type == "counters"}
        own = [c for c in self.own(speaker) if abs(c.stance) >= LEANS]
        best = min(own, key=lambda c: (-self.strength.get(c.id, 0.5), c.id), default=None)
        return self.view(best, speaker) if best and best.id not in shaken else None

    def counters_answered(self) -> bool:
        """Whether there are counters and all were answered."""
        counters = any(e.type == "counters" for e in self.stage.edges)
        return counters and not unanswered_edges(self.stage.claims, self.stage.edges, "counters")
