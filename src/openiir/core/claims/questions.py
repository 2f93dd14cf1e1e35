"""Question to the claim extractor: facts, typed reply, and rule-based extraction as offline answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Annotated, ClassVar, Literal, TypeVar, get_args

from pydantic import Field

from openiir.core.asking.question import Question
from openiir.core.asking.question_parts import Count, Source
from openiir.core.claims.claim_index import ClaimIndex
from openiir.core.claims.extract import (
    EDGES_PER_CLAIM,
    EarlierClaim,
    ExtractedClaim,
    ExtractedEdge,
    extract_claims,
)
from openiir.core.claims.text import find_words, strip_citations
from openiir.core.errors import UnusableAnswer
from openiir.core.records import Citation, Claim, EdgeType, Record
from openiir.core.seeds import Draw

CLAIMS_PER_UTTERANCE = 8
LONGEST = 800
"""Most characters of a claim in a reply."""
LAST_TURNS, HEARD = 2, 1_000
"""Numbers of latest utterances whose claims are always shown, and whose words a prompt may quote."""
Motion = Literal["strongly against", "against", "neither", "for", "strongly for"]
Surety = Literal["hardly", "fairly", "very"]
MOTION: Mapping[Motion, float] = dict(zip(get_args(Motion), (-0.9, -0.5, 0.0, 0.5, 0.9), strict=True))
SURETY: Mapping[Surety, float] = dict(zip(get_args(Surety), (0.4, 0.7, 0.9), strict=True))
"""Numeric values of the words: stance from -1 to 1, confidence from 0 to 1."""
Study = Source("study")
W = TypeVar("W", bound=str)


@dataclass(frozen=True, slots=True)
class ClaimSource:
    """An utterance or post to extract claims from."""

    text: str
    """The full text, which claims' start and end positions refer to."""
    speaker: str
    number: int
    """Number of the utterance in the run."""
    topic: str
    reply_to: str | None = None
    """Id of the claim that the utterance answers, or None."""
    cites: tuple[Citation, ...] = ()


class BearsOn(Record):
    """The relation of a claim to another one."""

    earlier: int | None = Field(None, ge=1, le=5_000, description="the number of an earlier claim, or null")
    own: int | None = Field(
        None,
        ge=1,
        le=CLAIMS_PER_UTTERANCE,
        description="the place of another claim in this list, 1 for the first, or null",
    )
    how: EdgeType = Field(
        description="supports: is a reason or evidence for it; counters: speaks against it; refines: limits "
        "it or makes it more exact; questions: asks for evidence or casts doubt on it"
    )


class ClaimReply(Record):
    """One claim of the utterance."""

    words: str = Field(
        min_length=1, max_length=LONGEST, description="the words it is made in, copied from what was said"
    )
    claim: str = Field(
        min_length=1,
        max_length=LONGEST,
        description="the claim as a full sentence that one understands without the rest; say who or what "
        "'it' and 'that' are",
    )
    motion: Motion = Field(description="what it says of the motion, taken as it is meant here")
    same_as: int | None = Field(
        None,
        ge=1,
        le=5_000,
        description="the number of an earlier claim that says the same; null for a new one",
    )
    bears_on: tuple[BearsOn, ...] = Field(
        (), max_length=EDGES_PER_CLAIM, description=f"the claims that it speaks to, at most {EDGES_PER_CLAIM}"
    )
    sure: Surety = Field(description="how sure you are that it is meant so")


class ClaimsReply(Record):
    """All claims of one utterance, in order."""

    claims: tuple[ClaimReply, ...] = Field((), max_length=CLAIMS_PER_UTTERANCE)


@dataclass(frozen=True)
class ExtractClaims(Question[ClaimsReply]):
    """Which claims does an utterance make, and how do they bear on the motion and on other claims?"""

    topic: str
    speaker: str
    said: str
    """The speaker's words, without citation marks."""
    before: str
    """Name of the previous speaker, or of the one being answered; empty for the first utterance."""
    heard: str
    """Words of the person in `before`."""
    answers: bool
    """Whether the speaker answers the person in `before`."""
    earlier: tuple[EarlierClaim, ...]
    """Earlier claims that may be related to the utterance, in order."""
    left_out: Count
    """Number of earlier claims that are not shown."""
    utterance: Annotated[str, Study]
    """The text with its citation marks, which start and end positions refer to."""
    reply_to: Annotated[str, Study]
    """Id of the claim that the speaker answers; empty if none."""
    compared: Annotated[tuple[str, ...], Study]
    """Ids of the earlier claims that the rules compare the utterance with."""

    kind: ClassVar[str] = "claims.extract"
    example: ClassVar[Record] = ClaimsReply(
        claims=(
            ClaimReply(
                words="the 19 is late every morning",
                claim="Bus line 19 is late every morning.",
                motion="neither",
                bears_on=(BearsOn(earlier=2, how="supports"), BearsOn(own=2, how="supports")),
                sure="very",
            ),
            ClaimReply(
                words="so nobody can count on it",
                claim="Nobody can count on bus line 19.",
                motion="against",
                sure="fairly",
            ),
        )
    )

    @classmethod
    def about(
        cls,
        said: ClaimSource,
        claims: Sequence[Claim],
        heard: Sequence[ClaimSource] = (),
        names: Mapping[str, str] | None = None,
        index: ClaimIndex | None = None,
    ) -> "ExtractClaims":
        """Build the question for an utterance, given the claims made so far in the debate.

        `heard` are the earlier utterances, in order, at least the last HEARD; `names` maps ids of speakers to
        names. `index` is kept between calls with growing lists of claims; without one, a call costs time in
        proportion to the number of claims.
        """
        called, index = names or {}, index or ClaimIndex()
        index.add_new(claims, called)
        answered = index.find(said.reply_to)
        before = heard[-1] if heard else None
        # Who goes back to an own claim answers the last speaker.
        answers = answered is not None and answered.speaker != said.speaker
        if answered and answers:
            known = (
                one
                for one in islice(reversed(heard), HEARD)
                if one.number == answered.utterance and one.speaker == answered.speaker
            )
            before = next(known, ClaimSource(answered.text, answered.speaker, answered.utterance, said.topic))
        compared, shown = index.choose(
            said.text,
            {said.speaker, answered.speaker if answered else said.speaker},
            answered.id if answered else None,
            {(one.speaker, one.number) for one in islice(reversed(heard), LAST_TURNS)},
        )
        return cls(
            topic=said.topic,
            speaker=called.get(said.speaker, said.speaker),
            said=strip_citations(said.text),
            before=called.get(before.speaker, before.speaker) if before else "",
            heard=strip_citations(before.text) if before else "",
            answers=answers,
            earlier=shown,
            left_out=len(claims) - len(shown),
            utterance=said.text,
            reply_to=answered.id if answered else "",
            compared=tuple(claim.id for claim in compared),
        )

    def system(self) -> str:
        return (
            f"You read a debate on the motion: {self.topic}\nYou write down which claims the last speaker "
            "makes. A claim is a statement that one could agree or disagree with. You take no side."
        )

    def prompt(self) -> str:
        return f"""{self._place()}"{self.said}"

{self._before()}

List the claims that {self.speaker} makes, at most {CLAIMS_PER_UTTERANCE}, in their order; none where \
nothing is claimed. Leave out greetings, jokes, and remarks on the debate itself. A question counts only \
where it challenges a claim. Whoever takes back an earlier claim of their own makes one that counters it."""

    def _place(self) -> str:
        if not self.before:
            return f"Nobody has spoken yet. {self.speaker} says: "
        first, then = ("", "answers") if self.answers else ("Just before, ", "now says")
        return f'{first}{self.before} said: "{self.heard}"\n\n{self.speaker} {then}: '

    def _before(self) -> str:
        if not self.earlier:
            return "No claims were made before."
        others = " (1 other, which is least like this, is left out)"
        if self.left_out != 1:
            others = f" ({self.left_out} others, which are least like this, are left out)"
        lines = [f"{number}. {one.speaker}: {one.text}" for number, one in enumerate(self.earlier, 1)]
        return "\n".join([f"Claims made before{others if self.left_out else ''}:", *lines])

    def allowed(self) -> Mapping[str, Sequence[int]]:
        numbers = range(1, len(self.earlier) + 1)
        return {"ClaimReply.same_as": numbers, "BearsOn.earlier": numbers}

    def check(self, reply: ClaimsReply) -> None:
        for place, claim in enumerate(reply.claims, 1):
            if find_words(claim.words, self.said) is None:
                raise UnusableAnswer(
                    f"the words {claim.words!r} were not said; copy them from what {self.speaker} said"
                )
            for one in claim.bears_on:
                if one.own is not None and (one.own > len(reply.claims) or one.own == place):
                    raise UnusableAnswer(
                        f"claim {place} cannot bear on own claim {one.own} of {len(reply.claims)}; name "
                        "another one"
                    )

    def offline(self, draw: Draw) -> ClaimsReply:
        """Extract claims with the rules of `extract`, stances and confidences as words; not random."""
        numbers = {claim.id: number for number, claim in enumerate(self.earlier, 1)}
        return ClaimsReply(
            claims=tuple(
                ClaimReply(
                    words=claim.text[:LONGEST],
                    claim=claim.text[:LONGEST],
                    motion=_nearest(MOTION, claim.stance),
                    same_as=numbers[claim.same_as] if claim.same_as else None,
                    bears_on=tuple(BearsOn(earlier=numbers[str(e.target)], how=e.type) for e in claim.edges),
                    sure=_nearest(SURETY, claim.confidence),
                )
                for claim in self.by_rules()
            )
        )

    def by_rules(self) -> tuple[ExtractedClaim, ...]:
        """Extract claims with the rules, keeping numeric stances and confidences."""
        compared = frozenset(self.compared)
        earlier = tuple(claim for claim in self.earlier if claim.id in compared)
        return _extract_by_rules(self.utterance, self.reply_to, self.topic, earlier)

    def read(self, reply: ClaimsReply) -> tuple[ExtractedClaim, ...]:
        """Convert a reply that passed `check` to extracted claims; raises ValueError for any other reply."""
        at, found = 0, []
        for one in reply.claims:
            span = find_words(one.words, self.utterance, at)
            if span is None:
                raise ValueError(
                    f"the words {one.words!r} are not in the utterance: call the question's check first"
                )
            at = span[1]
            sure = SURETY[one.sure]
            same = self.earlier[one.same_as - 1].id if one.same_as else None
            found.append(
                ExtractedClaim(
                    strip_citations(one.claim) or one.claim,
                    *span,
                    MOTION[one.motion],
                    sure,
                    same,
                    self._edges(one, sure),
                )
            )
        return tuple(found)

    def _edges(self, one: ClaimReply, sure: float) -> tuple[ExtractedEdge, ...]:
        earlier = [
            ExtractedEdge(self.earlier[b.earlier - 1].id, b.how, sure) for b in one.bears_on if b.earlier
        ]
        return (*earlier, *(ExtractedEdge(b.own - 1, b.how, sure) for b in one.bears_on if b.own))


@lru_cache(maxsize=256)
def _extract_by_rules(
    utterance: str, reply_to: str, topic: str, earlier: tuple[EarlierClaim, ...]
) -> tuple[ExtractedClaim, ...]:
    """Extract claims with the rules; cached, since both the reply and the records need them."""
    found = extract_claims(utterance, topic, earlier, reply_to or None)[:CLAIMS_PER_UTTERANCE]
    return tuple(
        claim._replace(
            stance=round(claim.stance, 1),
            confidence=round(claim.confidence, 2),
            edges=tuple(edge._replace(confidence=round(edge.confidence, 2)) for edge in claim.edges),
        )
        for claim in found
    )


def _nearest(scale: Mapping[W, float], value: float) -> W:
    """Return the word whose number is nearest to the value; ties go to the first."""
    return min(scale, key=lambda word: round(abs(scale[word] - value), 9))
