"""The extractor as a question: what a model is shown and may answer, and the rules as its offline answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from openiir.core.asking.question import Unsplit
from openiir.core.claims.extract import EDGES_PER_CLAIM, EarlierClaim, extract, most_alike
from openiir.core.errors import UnusableAnswer
from openiir.core.records import Claim, EdgeType, Record
from openiir.core.seeds import Draw

SHOWN = 12
"""Earlier claims a prompt shows at most."""
CLAIMS_PER_UTTERANCE = 8
STANCE_STEPS, PERCENT = 10, 100
_BLANKS = re.compile(r"\s+")


class EdgeReply(Record):
    """A relation to a claim that the prompt shows."""

    target: str = Field(max_length=40)
    type: EdgeType
    confidence: int = Field(ge=0, le=PERCENT)


class ClaimReply(Record):
    """One claim of the utterance."""

    quote: str = Field(min_length=1, max_length=1_200)
    """The claim's own words, copied from the utterance."""
    stance: int = Field(ge=-STANCE_STEPS, le=STANCE_STEPS)
    """-10 rejects the topic, 0 takes no side, 10 supports it."""
    confidence: int = Field(ge=0, le=PERCENT)
    same_as: str = Field("", max_length=40)
    """The id of an earlier claim that says the same; empty for a new claim."""
    edges: tuple[EdgeReply, ...] = Field((), max_length=EDGES_PER_CLAIM)


class ClaimsReply(Record):
    """All claims of one utterance, in order."""

    claims: tuple[ClaimReply, ...] = Field((), max_length=CLAIMS_PER_UTTERANCE)


@dataclass(frozen=True)
class ExtractClaims(Unsplit[ClaimsReply]):
    """Which claims does an utterance make, and how do they bear on the topic and on earlier claims?"""

    topic: str
    utterance: str
    earlier: tuple[EarlierClaim, ...] = ()
    reply_to: str = ""
    """The id of the claim the speaker answers; empty when none is named."""
    kind: ClassVar[str] = "claims.extract"
    Reply: ClassVar[type[Record]] = ClaimsReply

    @classmethod
    def about(
        cls, topic: str, utterance: str, claims: Sequence[Claim], reply_to: str = "", shown: int = SHOWN
    ) -> "ExtractClaims":
        """The question for an utterance of a debate with these claims: shows those most alike and the one answered."""
        earlier = most_alike(utterance, [EarlierClaim(c.id, c.text) for c in claims], shown, keep=reply_to)
        known = reply_to if any(claim.id == reply_to for claim in earlier) else ""
        return cls(topic, utterance, earlier, known)

    def system(self) -> str:
        return "You read what was just said in a debate and write down the claims it makes. You take no side."

    def prompt(self) -> str:
        before = "\n".join(f"{claim.id}: {claim.text}" for claim in self.earlier) or "(none yet)"
        answers = f"\nThe speaker says this answers {self.reply_to}." if self.reply_to else ""
        return f"""Topic: {self.topic}

Claims made before:
{before}

Just said:
\"\"\"
{self.utterance}
\"\"\"{answers}

List each claim made in what was just said: a statement one could agree or disagree with. A question \
counts when it challenges a claim made before: its stance is 0 and it has an edge of type questions. Leave out \
greetings, other questions, and remarks about the debate itself. At most {CLAIMS_PER_UTTERANCE} claims. For each:
- quote: the words of the claim, copied exactly from what was just said.
- stance: from -{STANCE_STEPS} (it speaks against the topic) over 0 (it takes no side) to {STANCE_STEPS} (it speaks for it).
- confidence: 0 to {PERCENT}, how sure you are that this is a claim with this stance.
- same_as: the id of a claim made before that says the same thing; empty if it is new.
- edges: at most {EDGES_PER_CLAIM} relations to claims made before, each with its target id, its type and a confidence. \
supports: a reason or evidence for it. counters: speaks against it. refines: limits it or makes it more exact. \
questions: asks for evidence or casts it in doubt. A claim that repeats another has no edges."""

    def offline(self, draw: Draw) -> ClaimsReply:
        """Ordered rules over cues, valences and likeness (see `extract`); no randomness."""
        found = extract(self.utterance, self.topic, self.earlier, self.reply_to or None)
        return ClaimsReply(
            claims=tuple(
                ClaimReply(
                    quote=self.utterance[claim.start : claim.end][:1_200],
                    stance=round(claim.stance * STANCE_STEPS),
                    confidence=round(claim.confidence * PERCENT),
                    same_as=claim.same_as or "",
                    edges=tuple(
                        EdgeReply(target=e.target, type=e.type, confidence=round(e.confidence * PERCENT))
                        for e in claim.edges
                    ),
                )
                for claim in found[:CLAIMS_PER_UTTERANCE]
            )
        )

    def allowed(self) -> Mapping[str, Sequence[str]]:
        shown = [claim.id for claim in self.earlier]
        return {"ClaimReply.same_as": shown, "EdgeReply.target": shown}

    def check(self, reply: ClaimsReply) -> None:
        said = _flat(self.utterance)
        for claim in reply.claims:
            if not _flat(claim.quote) or _flat(claim.quote) not in said:
                raise UnusableAnswer(
                    f"the quote {claim.quote!r} does not occur in what was just said; copy its words exactly"
                )


def _flat(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
