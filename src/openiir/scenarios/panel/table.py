"""The state of a panel between its turns: who spoke, where everyone stands, what is open."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from openiir.kit import beliefs
from openiir.kit.quoting import LEANS, Passage, touched
from openiir.plugin import Agent, Claim, EpisodicMemory, Said, Stage, int_sum, quantise
from openiir.plugin.arguments import containment, influence, sentences, stance, strengths, tokens, unanswered
from openiir.plugin.stances import Stance, stance_number, stance_word
from openiir.scenarios.panel.actions import Spoke
from openiir.scenarios.panel.moderating import Candidate, Member, OpenClaim, Spoken, spoke_words
from openiir.scenarios.panel.preparing import Stand, StandFacts
from openiir.scenarios.panel.prompting import Point, without_marks
from openiir.scenarios.panel.utterances import Focus
from openiir.scenarios.panel.wording import without_openers

OPEN_CLAIMS, OTHERS = 5, 5
"""Open claims the moderator is shown, and other ones a speaker is."""
OVERHEARD = 0.25
"""What a claim weighs with those it was not put to, next to 1 for whoever is addressed: our design, since advice
is weighed by those who get it, and a panel in which everyone takes every word as advice agrees within a round."""
CITED_BEFORE = 1
"""Passages of earlier turns that are put before a panelist again."""
RECALLED = 4
"""Records of its memory that a panelist recalls before it speaks."""
_TITLES = frozenset(
    "dr prof professor mr mrs ms mx judge sir dame lady lord captain father sister the".split()
)


@dataclass
class Panelist:
    """A member of the panel."""

    agent: Agent
    first: float
    """Stance at the start."""
    spoken: int = 0
    last_turn: int = 0
    looked_up: list[str] = field(default_factory=list)
    stood: Stance | None = None
    """Where it said it stands when it last spoke."""
    said: str = ""
    """What it said then, as others heard it."""
    heard: int = 0
    """How many utterances there were by then."""
    memory: EpisodicMemory = field(init=False)
    """What it read, thought and heard."""

    cited: dict[str, Passage] = field(default_factory=dict)
    """Passages it was shown, by id."""

    def __post_init__(self) -> None:
        self.memory = EpisodicMemory(self.agent.persona.memory)

    def remember(self, thoughts: str, shown: Sequence[Passage], when: str) -> None:
        """Keep what went through its mind and what it read in a turn."""
        if thoughts:
            self.memory.store(f'you thought, in the round {when}: "{thoughts}"')
        for passage in shown:
            if passage.id not in self.cited:
                self.cited[passage.id] = passage
                self.memory.store(passage.text, passage=passage.id)

    def recall(
        self, matter: str, passages: Sequence[Passage], closing: bool
    ) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
        """Passages and other things from earlier that bear on a matter and are not in front of it anyway."""
        found = self.memory.recall(matter, RECALLED)
        there = {passage.id for passage in passages}
        read = [r.facts["passage"] for r in found if "passage" in r.facts and not closing]
        heard = [
            r for r in found if "passage" not in r.facts and not 0 < self.heard <= r.facts.get("said", 0)
        ]
        return tuple(self.cited[id] for id in read if id not in there)[:CITED_BEFORE], tuple(
            r.text for r in heard
        )


@dataclass
class Table:
    """Everyone at the table, and what was said there."""

    stage: Stage
    people: list[Panelist]
    stances: np.ndarray
    over: bool = False
    """Whether the moderator ended the panel."""
    turn: int = 0
    number: int = 0
    last_speaker: str | None = None
    addressed: str | None = None
    replied: tuple[str, str] = ("", "")
    """Who spoke last, and to whom."""
    taken_up: list[str] = field(default_factory=list)
    """Claims that were addressed."""
    heard: list[Spoken] = field(default_factory=list)
    """What was said, as everybody heard it."""
    recent: list[float] = field(default_factory=list)
    new_claims: list[int] = field(default_factory=list)
    strength: dict[str, float] = field(default_factory=dict)
    influence: dict[str, float] = field(default_factory=dict)

    @classmethod
    def seat(cls, stage: Stage) -> "Table":
        """Seat the cast; a persona without a stance takes the one its bio speaks for."""
        topic = stage.config.topic
        people = [
            Panelist(a, stance(a.persona.bio, topic) if a.persona.stance is None else a.persona.stance)
            for a in stage.agents
        ]
        return cls(stage, people, quantise([p.first for p in people], 2.0))

    async def come_in(self) -> None:
        """Ask those who speak for themselves where they stand before anything is said."""
        asked = [person for person in self.people if not self.moves(person)]
        facts = StandFacts(self.stage.config.topic, len(self.people))
        questions = [(person.agent, Stand(facts, person.first)) for person in asked]
        for person, reply in zip(asked, await self.stage.ask_all(questions), strict=True):
            if reply is not None:
                person.first = stance_number(reply.where_you_stand)
                person.memory.store(f'you thought, as you came in: "{reply.thoughts}"')
                self.take(person, reply.where_you_stand)

    def person(self, name: str) -> Panelist:
        return next(p for p in self.people if p.agent.id == name)

    def stance_of(self, person: Panelist) -> float:
        return float(self.stances[self.people.index(person)])

    def may_speak(self) -> list[Panelist]:
        """Everyone with tokens left who did not speak last (whoever is left alone may go on)."""
        able = [p for p in self.people if not p.agent.spent]
        others = [p for p in able if p.agent.id != self.last_speaker]
        return others or able

    def candidate(self, person: Panelist, here: bool) -> Candidate:
        """A panelist who can speak now, as the moderator knows them; `here` who has spoken in this round."""
        persona, answered = person.agent.persona, self.addressed == person.agent.id
        start, end = next(iter(sentences(persona.bio)), (0, len(persona.bio)))
        return Candidate(
            name=persona.name,
            bio=persona.bio[start:end].removeprefix(persona.name).strip(),
            stands=person.stood,
            spoke=spoke_words(person.spoken, self.turn - person.last_turn + 1, here),
            answered=self.called(self.last_speaker) if answered and self.last_speaker else "",
        )

    def member(self, person: Panelist, matter: str) -> Member:
        """What the offline moderator goes by of a candidate."""
        return Member(
            id=person.agent.id,
            spoken=person.spoken,
            waited=self.turn - person.last_turn,
            leans=self._leans(person.agent.id),
            expertise=round(containment(tokens(matter), tokens(_background(person.agent))), 4),
            extraversion=person.agent.persona.big_five.extraversion,
            addressed=self.addressed == person.agent.id,
        )

    def _leans(self, name: str) -> float | None:
        stances = [c.stance for c in self.stage.claims if c.speaker == name]
        return round(fmean(stances), 4) if stances else None

    def open_claims(self, limit: int = OPEN_CLAIMS) -> list[OpenClaim]:
        """Claims nobody took up yet, those that move the debate's balance most first, ties by id.

        A claim that the last speaker put to somebody stands among them whatever it moves.
        """
        waiting = self._waiting()
        fresh = [
            c
            for c in waiting
            if self.addressed and c.speaker == self.last_speaker and c.utterance == self.number
        ]
        shown = waiting[:limit]
        shown += [c for c in fresh if c not in shown]
        return [
            OpenClaim(**self.focus(c).model_dump(), to=self.replied[1] if c in fresh else "") for c in shown
        ]

    def _waiting(self) -> list[Claim]:
        answered = {e.target for e in self.stage.edges if e.type != "supports"} | set(self.taken_up)
        waiting = [c for c in self.stage.claims if c.id not in answered]
        return sorted(waiting, key=lambda c: (-abs(self.influence.get(c.id, 0.0)), c.id))

    def put_to(self, address: str, person: Panelist) -> Focus | None:
        """The claim that a panelist is to address; of a question, the claim it asks about."""
        claim = self._claim(address)
        if claim is None:
            return None
        asked = next(
            (e.target for e in self.stage.edges if e.source == address and e.type == "questions"), ""
        )
        about = self._claim(asked)
        if about is None:
            return self.focus(claim, person)
        return self.focus(about, person).model_copy(update={"asker": self.called(claim.speaker)})

    def points(self, address: str, person: Panelist, weighed: Focus | None) -> tuple[Focus, ...]:
        """The claim put to a panelist and others it may turn to; in its last word what others said, in order."""
        if weighed is not None:
            claims = {c.id: c for c in (weighed, *self.others("", person))}
            return tuple(claims[id] for id in sorted(claims))
        put = self.put_to(address, person)
        return (put, *self.others(address, person)) if put else ()

    def others(self, address: str, person: Panelist) -> tuple[Focus, ...]:
        """Other open claims that a panelist may turn to, the weightiest first."""
        mine = person.agent.id
        waiting = [
            c for c in self._waiting() if c.id != address and c.speaker != mine and not c.text.endswith("?")
        ]
        return tuple(self.focus(c, person) for c in waiting[:OTHERS])

    def focus(self, claim: Claim, person: Panelist | None = None) -> Focus:
        return Focus(
            id=claim.id,
            text=claim.text,
            speaker=self.called(claim.speaker),
            speaker_id=claim.speaker,
            stance=claim.stance,
            strength=round(self.strength.get(claim.id, 0.5), 4),
            cited=bool(claim.cites),
            own=person is not None and claim.speaker == person.agent.id,
        )

    def point(self, claim: Focus, person: Panelist | None = None) -> Point:
        """A claim as somebody at the table recalls it."""
        own = person is not None and claim.speaker_id == person.agent.id
        return Point("You" if own else claim.speaker, claim.text, claim.asker)

    def called(self, name: str) -> str:
        """What people here call a panelist: the first name, unless two share it or a title stands in its place."""
        full = self.person(name).agent.persona.name
        first, *rest = full.split()
        namesakes = int_sum(p.agent.persona.name.split()[0] == first for p in self.people)
        plain = (
            bool(rest) and namesakes == 1 and first.lower().rstrip(".") not in _TITLES and first[-1] != "."
        )
        return first if plain else full

    def best_strength(self, person: Panelist) -> float:
        """Strength of a panelist's own best claim."""
        own = [self.strength.get(c.id, 0.5) for c in self.stage.claims if c.speaker == person.agent.id]
        return round(max(own, default=0.0), 4)

    def weighed(self, person: Panelist) -> Focus | None:
        """The claim of another that did most to a panelist: a strong one on the side the stance moved to.

        Where it did not move, one on its own side. What answered the panelist or touches its interests counts for
        more; the weights are our design.
        """
        moved = self.stance_of(person) - person.first
        towards = moved if abs(moved) >= 0.1 else person.first
        own = {c.id for c in self.stage.claims if c.speaker == person.agent.id}
        answers = {e.source for e in self.stage.edges if e.target in own}
        interests = person.agent.persona.interests

        def weight(claim: Claim) -> float:
            near = 0.3 * (claim.id in answers) + 0.3 * bool(touched(claim.text, interests))
            return self.strength.get(claim.id, 0.5) + near

        heard = [
            c
            for c in self.stage.claims
            if c.id not in own and c.stance * towards > 0 and abs(c.stance) >= LEANS
        ]
        best = min(heard, key=lambda c: (-weight(c), c.id), default=None)
        return self.focus(best, person) if best else None

    def unshaken(self, person: Panelist) -> Focus | None:
        """A panelist's own best claim, where nobody countered it."""
        shaken = {e.target for e in self.stage.edges if e.type == "counters"}
        own = [c for c in self.stage.claims if c.speaker == person.agent.id and abs(c.stance) >= LEANS]
        best = min(own, key=lambda c: (-self.strength.get(c.id, 0.5), c.id), default=None)
        return self.focus(best, person) if best and best.id not in shaken else None

    def counters_answered(self) -> bool:
        counters = [e for e in self.stage.edges if e.type == "counters"]
        return bool(counters) and not unanswered(self.stage.claims, self.stage.edges, "counters")

    async def spoke(self, person: Panelist, spoke: Spoke, stood: Stance) -> None:
        """Put an utterance on the table: log it, extract its claims, move the stances; `stood` is the speaker's in words."""
        stage = self.stage
        words = without_openers(spoke.text) if stage.config.blind else spoke.text
        claims = await stage.extract(
            Said(words, person.agent.id, spoke.number, stage.config.topic, spoke.address or None, spoke.cites)
        )
        stage.act(person.agent, spoke.model_copy(update={"claims": tuple(c.id for c in claims)}))
        self.strength = strengths(stage.claims, stage.edges)
        self.influence = influence(stage.claims, stage.edges)
        self.new_claims.append(len(claims))
        self.recent = [*self.recent, spoke.stance][-3:]
        person.spoken += 1
        person.last_turn = self.turn
        self._turn_over(person, spoke, stood)
        self._move(person, claims)

    def _turn_over(self, person: Panelist, spoke: Spoke, stood: Stance) -> None:
        """Note who was spoken to: they are to answer, unless what they heard was itself the answer to them."""
        claim = self._claim(spoke.address)
        to = claim.speaker if claim and claim.speaker != person.agent.id else ""
        exchanged = self.replied == (to, person.agent.id)
        self.addressed = to if to and not exchanged else None
        self.replied = (person.agent.id, to)
        self.last_speaker = person.agent.id
        self.taken_up.append(spoke.address)
        text = without_marks(spoke.text)
        self.heard.append(Spoken(person.agent.persona.name, text, stood, self.called(to) if to else ""))
        person.said, person.stood, person.heard = text, stood, len(self.heard)
        for other in self.people:
            who = "you" if other is person else self.called(person.agent.id)
            other.memory.store(f'{who} said: "{text}"', said=len(self.heard))

    def _claim(self, name: str) -> Claim | None:
        return next((c for c in self.stage.claims if c.id == name), None)

    def _move(self, speaker: Panelist, claims: list[Claim]) -> None:
        config = self.stage.config
        row = self.people.index(speaker)
        said = [beliefs.Said(row, c.stance, self.strength[c.id]) for c in claims]
        influences = np.array([p.agent.persona.influence for p in self.people])
        heed = np.array([[1.0 if p.agent.id == self.replied[1] else OVERHEARD] for p in self.people])
        weights = np.minimum(heed * influences, 1.0 / max(config.mu, 1e-9))
        moved = beliefs.step(
            config.dynamics,
            self.stances,
            [p.first for p in self.people],
            weights,
            said,
            beliefs.Rule(config.mu, config.epsilon, config.phi),
            self.stage.draw("panel.dynamics"),
        )
        self.stances = np.where([self.moves(p) for p in self.people], moved, self.stances)
        self.record()

    def moves(self, person: Panelist) -> bool:
        """Whether the opinion dynamics moves a panelist: whoever says themselves where they stand, it does not."""
        return self.stage.answerer(person.agent, "panel.speak") == "offline"

    def stands(self, person: Panelist) -> Stance:
        """Where a panelist stands, in words."""
        return stance_word(self.stance_of(person))

    def take(self, person: Panelist, stood: Stance) -> None:
        """Put a panelist where they say they stand, unless the opinion dynamics knows it more finely."""
        if not self.moves(person):
            self.stances[self.people.index(person)] = quantise(stance_number(stood), 2.0)

    def record(self) -> None:
        """Write where everyone stands into this step's table of stances."""
        for person, value in zip(self.people, self.stances, strict=True):
            self.stage.row(
                "stances",
                step=self.stage.step,
                utterance=self.number,
                persona=person.agent.id,
                stance=float(value),
                tokens_left=person.agent.budget.tokens,
            )


def _background(agent: Agent) -> str:
    return f"{agent.persona.bio} {' '.join(agent.persona.interests)}"
