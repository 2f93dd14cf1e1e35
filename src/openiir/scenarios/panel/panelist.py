"""A member of a panel, and what it remembers of the panel."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from openiir.kit.offline_speaker import Passage
from openiir.plugin import Agent, EpisodicMemory, MemoryRecord, Stance, quantise, texts_in_order
from openiir.scenarios.panel.prompting import utterance_words

READ_BEFORE = 1
"""Passages of earlier turns that are put before a panelist again."""
RECALLED = 4
"""Records of its memory that a panelist recalls before it speaks."""
HALF_LIFE = 40
"""Records after which one is half as recent: some four rounds of a table of eight."""
ADDRESSED, OWN = 1.0, 0.5
"""How important it is what was said to oneself, and what one said or thought; what one read or overheard is not (our design)."""


@dataclass
class Panelist:
    """A member of the panel."""

    agent: Agent
    called: str
    """What the others call it."""
    first: float
    """Stance at the start."""
    stance: float = field(init=False)
    """Where it stands now, -1 to 1."""
    spoken: int = 0
    last_turn: int = 0
    looked_up: list[str] = field(default_factory=list)
    searched: str = ""
    """What it searched for before it speaks; empty where it looked nothing up."""
    stood: Stance | None = None
    """Where it said it stands when it last spoke."""
    said: str = ""
    """What it said then, as others heard it."""
    heard: int = 0
    """How many utterances there were by then."""
    memory: EpisodicMemory = field(init=False)
    """What it read, thought, did and heard."""
    read: dict[str, Passage] = field(default_factory=dict)
    """Passages that it was shown, by id."""

    def __post_init__(self) -> None:
        self.memory = EpisodicMemory(self.agent.persona.memory, half_life=HALF_LIFE)
        self.set_stance(self.first)

    def set_stance(self, value: float) -> None:
        """Store where it stands, on the grid of stances."""
        self.stance = float(quantise(value, 2.0))

    @property
    def background(self) -> str:
        """Its bio and interests as one text."""
        return f"{self.agent.persona.bio} {' '.join(self.agent.persona.interests)}"

    def remember(self, texts: Sequence[str], shown: Sequence[Passage] = ()) -> None:
        """Store what it thought and did in a turn, each text with its time, and the passages it read."""
        for text in texts:
            self.memory.store(text, OWN)
        for passage in shown:
            if passage.id not in self.read:
                self.read[passage.id] = passage
                self.memory.store(passage.text, passage=passage.id)

    def has_read(self, passage: Passage) -> bool:
        """Whether it was shown a passage before, and keeps a memory."""
        return passage.id in self.read and self.memory.policy.span != 0

    def hear(self, round_: str, number: int, speaker: str, text: str, to: str) -> None:
        """Keep an utterance; `number` counts those of the panel, `speaker` and `to` are who said it to whom, or `you`."""
        importance = ADDRESSED if to == "you" else OWN if speaker == "you" else 0.0
        self.memory.store(utterance_words(round_, speaker, text), importance, said=number)

    def recall_notes(self, matter: str) -> tuple[str, ...]:
        """What it thought, did and heard that bears on a matter."""
        return texts_in_order(self.memory.recall(matter, RECALLED, lambda record: "passage" in record.facts))

    def recall_turn(
        self, matter: str, since: int, passages: Sequence[Passage] | None
    ) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
        """Passages and other things from earlier that bear on a matter and are not in front of it anyway.

        There are the utterances after number `since`, its own last one, and these passages; without a list of passages,
        none comes back.
        """
        there = {passage.id for passage in passages or ()}

        def is_there(record: MemoryRecord) -> bool:
            if "passage" in record.facts:
                return passages is None or record.facts["passage"] in there
            said = record.facts.get("said", 0)
            return said > since or (said == self.heard and bool(said))

        found = self.memory.recall(matter, RECALLED, is_there)
        again = tuple(self.read[r.facts["passage"]] for r in found if "passage" in r.facts)
        return again[:READ_BEFORE], texts_in_order(r for r in found if "passage" not in r.facts)
