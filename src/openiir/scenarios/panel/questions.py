"""What panelists are asked: what to look up, what to say, and what they say of it after the panel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from openiir.kit.quoting import Passage, PassageId, nearest
from openiir.plugin import Draw, Record, Unsplit
from openiir.scenarios.panel.config import Act
from openiir.scenarios.panel.utterances import Focus, Saying, say


class Looking(Record):
    """What to look up before speaking."""

    action: Literal["keyword", "search", "none"]
    query: str = Field("", max_length=200)
    justification: str = Field("", max_length=600)
    """Needed for a web search: what is missing, why the corpus does not have it, what the answer would change."""


@dataclass(frozen=True)
class LookUp(Unsplit[Looking]):
    """What do you want to look up before you speak?"""

    topic: str
    matter: str
    """The claim or goal to speak to."""
    claim: str
    """The claim's id; empty for the goal."""
    terms: tuple[str, ...]
    """Words of the matter and of the persona's interests that were not looked up yet, the weightiest first."""
    coverage: float
    """How well the corpus covers them: the best lexical score, 0 to 1."""
    searches: int
    kind: ClassVar[str] = "panel.look-up"
    Reply: ClassVar[type[Record]] = Looking

    def prompt(self) -> str:
        web = (
            f'You have {self.searches} web searches left; "search" needs a justification that names the claim or fact '
            "that is missing, says why the corpus does not have it, and what the answer would change."
            if self.searches
            else "You have no web searches left."
        )
        return f"""Topic: {self.topic}
You are about to speak to this{f" (claim {self.claim})" if self.claim else ""}: {self.matter}

Words you have not looked up yet: {", ".join(self.terms) or "(none)"}.
The corpus covers them with {self.coverage:.2f} of 1.
Looking up keywords in the corpus is free: action "keyword" with a query. {web} Or action "none"."""

    def offline(self, draw: Draw) -> Looking:
        """Keywords of the matter first; the web only where the corpus covers them badly (below 0.3; our design)."""
        query = " ".join(self.terms[:5])
        if self.coverage < 0.3 and self.searches and self.claim:
            return Looking(
                action="search",
                query=query,
                justification=f"Evidence for or against claim {self.claim} is missing: the corpus covers {query} with "
                f"only {self.coverage:.2f} of 1, and an answer would decide whether I counter or support the claim.",
            )
        return Looking(action="keyword" if query else "none", query=query)


class Utterance(Record):
    """What a panelist says."""

    act: Act
    text: str = Field(min_length=1, max_length=1_500)
    """One to four sentences; end a sentence that rests on a passage with its id in brackets, such as [c0012]."""
    cites: tuple[PassageId, ...] = Field((), max_length=4)
    """Ids of the passages it rests on."""
    stance: int = Field(ge=-10, le=10)
    """Where the speaker stands now: -10 rejects the topic, 10 supports it."""
    address: str = Field("", max_length=20)
    """Id of the claim it answers; empty for none."""


@dataclass(frozen=True)
class Speak(Unsplit[Utterance]):
    """What do you say?"""

    topic: str
    round: str
    goal: str
    acts: tuple[Act, ...]
    interests: tuple[str, ...]
    """What the speaker cares about."""
    stance: float
    """Where the speaker stands now, -1 to 1."""
    first: float
    """Where the speaker stood when the panel began."""
    openness: float
    own_strength: float
    """Strength of the speaker's own best argument so far, 0 to 1."""
    focus: Focus | None
    """The claim to address; None for the goal of the round."""
    others: tuple[Focus, ...]
    """Other open claims, for a speaker who has nothing to say to the first."""
    passages: tuple[Passage, ...]
    said: tuple[str, ...]
    """What was said in the panel so far, claim by claim; not to be repeated."""
    heard: tuple[str, ...]
    """The last utterances, each after its speaker's name and a colon."""
    closing: bool
    """Whether this is the speaker's last word."""
    weighed: Focus | None
    """The claim of another that did most to the speaker; in the last word only."""
    mine: Focus | None
    """The speaker's own best claim, where nobody countered it; in the last word only."""
    number: int
    kind: ClassVar[str] = "panel.speak"
    Reply: ClassVar[type[Record]] = Utterance

    @property
    def subject(self) -> str:
        return self.focus.id if self.focus else ""

    def prompt(self) -> str:
        passages = "\n".join(f"[{p.id}] {p.text}" for p in self.passages) or "(none)"
        said = "\n".join(f"- {text}" for text in self.said) or "(nothing yet)"
        heard = "\n".join(f"- {text}" for text in self.heard) or "(you are the first)"
        others = "\n".join(_claim_words(c) for c in self.others)
        other_lines = f"\nIf you have nothing to say to that, you may answer one of these:\n{others}" if others else ""
        matter = _claim_words(self.focus) if self.focus else "the goal of the round"
        return f"""Topic: {self.topic}
Round: {self.round}. Goal: {self.goal}
You came in at {self.first:+.2f} and stand at {self.stance:+.2f} (-1 against, +1 for); your best argument so far has \
strength {self.own_strength:.2f}; your openness is {self.openness:.2f}. You care about: {", ".join(self.interests)}.
Speak to: {matter}{other_lines}{self._last_word()}

Passages you found:
{passages}

Claimed already; do not repeat it:
{said}

The last that was said:
{heard}

This is utterance {self.number}. Say one to four sentences as yourself. Rest what you claim on the passages and mark it \
with their ids, such as [c0012]. Choose one act of: {", ".join(self.acts)}. Give the id of the claim you answer, and \
your stance now from -10 to 10."""

    def _last_word(self) -> str:
        if not self.closing:
            return ""
        weighed = _claim_words(self.weighed) if self.weighed else "(none)"
        mine = _claim_words(self.mine) if self.mine else "(none)"
        return f"""
This is your last word: say how your stance moved and what weighed most with you.
What others said that did most to your stance: {weighed}
Your own best claim that nobody countered: {mine}"""

    def offline(self, draw: Draw) -> Utterance:
        """Extractive argument construction by maximal marginal relevance; see `utterances.say`."""
        saying = Saying(
            topic=self.topic,
            interests=self.interests,
            acts=self.acts,
            stance=self.stance,
            first=self.first,
            openness=self.openness,
            own_strength=self.own_strength,
            focus=self.focus,
            others=self.others,
            passages=self.passages,
            said=self.said,
            heard=tuple(line.partition(": ")[2] for line in self.heard),
            closing=self.closing,
            weighed=self.weighed,
            mine=self.mine,
            number=self.number,
        )
        spoken = say(saying, draw)
        return Utterance(
            act=spoken.act,
            text=spoken.text,
            cites=spoken.cites,
            stance=round(self.stance * 10),
            address=spoken.address,
        )

    def allowed(self) -> Mapping[str, Sequence[str]]:
        return {"act": self.acts, "cites": [p.id for p in self.passages], "address": self._shown()}

    def _shown(self) -> list[str]:
        """Ids of the claims that the prompt shows, each once."""
        claims = (self.focus, *self.others, self.weighed, self.mine)
        return list(dict.fromkeys(c.id for c in claims if c is not None))


def _claim_words(claim: Focus) -> str:
    evidence = "" if claim.cited else ", without evidence"
    who = "You" if claim.own else claim.speaker
    asked = f" {claim.asker} asked what this rests on." if claim.asker else ""
    return (
        f"{who} (id {claim.speaker_id}) claimed ({claim.id}, strength {claim.strength:.2f}, stance "
        f"{claim.stance:+.1f}{evidence}): {claim.text}{asked}"
    )


class Said(Record):
    """An answer after the panel."""

    answer: str = Field(min_length=1, max_length=1_500)


@dataclass(frozen=True)
class AfterPanel(Unsplit[Said]):
    """What do you say, after the panel, on what you said in it?"""

    topic: str
    asked: str
    utterances: tuple[str, ...]
    """The panelist's own, in order; nothing of the others."""
    claims: tuple[str, ...]
    kind: ClassVar[str] = "panel.interview"
    Reply: ClassVar[type[Record]] = Said

    def prompt(self) -> str:
        said = "\n".join(f"- {text}" for text in self.utterances) or "(you said nothing)"
        return f"""You took part in a panel on: {self.topic}
This is all you said in it:
{said}

You are now asked: {self.asked}
Answer from what you said, in one to four sentences. Say so where you did not speak to it."""

    def offline(self, draw: Draw) -> Said:
        """Quotes the panelist's own claim that is most like the question (TF-IDF cosine)."""
        found = nearest(self.asked, self.claims)
        if found is None:
            return Said(answer="I did not speak to that in the panel.")
        return Said(answer=f"What I said in the panel bears on that: {found}")
