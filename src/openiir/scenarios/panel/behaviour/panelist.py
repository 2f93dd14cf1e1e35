"""A member of a panel, and what it remembers of the panel."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from openiir.kit.offline_speaker import Passage
from openiir.plugin import Agent, Memory, MemoryRecord, Stance, quantise, texts_in_order
from openiir.scenarios.panel.questions.prompt_parts import utterance_words

READ_BEFORE = 1
"""Number of passages of earlier turns that are shown to a panelist again."""
RECALLED = 4
"""Number of memory records that a panelist recalls before it speaks."""
HALF_LIFE = 40
"""Number of records after which a memory is half as recent: some four rounds of a table of eight."""
ADDRESSED, OWN = 1.0, 0.5
"""Importance of what was said to the panelist, and of what it said or thought; else 0 (our design)."""


@dataclass
class Panelist:
    """A member of the panel with its stance, its memory and the passages that it read."""

    agent: Agent
    called: str
    """Name by which the others call it."""
    first: float
    """Stance at the start."""
    memory: Memory
    """Memory of what it read, thought, did and heard."""
    passages: dict[str, Passage]
    """Passages that anybody at the table was shown, by id; one for all."""
    stance: float = field(init=False)
    """Stance at present, -1 to 1."""
    spoken: int = 0
    last_turn: int = 0
    looked_up: list[str] = field(default_factory=list)
    searched: str = ""
    """Words that it searched for before speaking; empty where it looked nothing up."""
    stood: Stance | None = None
    """Stance that it stated when it last spoke."""
    said: str = ""
    """Its last utterance, as the others heard it."""
    heard: int = 0
    """Number of utterances in the panel by then."""
    read: set[str] = field(default_factory=set)
    """Ids of the passages that it was shown."""

    def __post_init__(self) -> None:
        self.set_stance(self.first)

    def set_stance(self, value: float) -> None:
        """Set the present stance, rounded to the grid of stances."""
        self.stance = float(quantise(value, 2.0))

    @property
    def background(self) -> str:
        """The panelist's bio and interests as one text."""
        return f"{self.agent.persona.bio} {' '.join(self.agent.persona.interests)}"

    def remember(self, texts: Sequence[str], shown: Sequence[Passage] = ()) -> None:
        """Store in memory the panelist's thoughts and actions of a turn, and the passages it read."""
        for text in texts:
            self.memory.store(text, OWN)
        for passage in shown:
            if passage.id not in self.read:
                self.read.add(passage.id)
                self.passages[passage.id] = passage
                self.memory.store(passage.text, passage=passage.id)

    def has_read(self, passage: Passage) -> bool:
        """Whether the panelist was shown a passage before and remembers it."""
        return passage.id in self.read and self.memory.policy.span != 0

    def hear(self, round_: str, number: int, speaker: str, text: str, to: str) -> None:
        """Store in memory the panel's utterance `number`; `speaker` and `to` are names or `you`."""
        importance = ADDRESSED if to == "you" else OWN if speaker == "you" else 0.0
        self.memory.store(utterance_words(round_, speaker, text), importance, said=number)

    def recall_notes(self, matter: str) -> tuple[str, ...]:
        """Recall what the panelist thought, did and heard that is relevant to the subject `matter`."""
        return texts_in_order(self.memory.recall(matter, RECALLED, lambda record: "passage" in record.facts))

    def recall_for_turn(
        self, matter: str, since: int, passages: Sequence[Passage] | None
    ) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
        """Recall passages and memories relevant to the subject `matter` that the prompt does not show anyway.

        Shown anyway are the utterances after number `since`, its own last one, and `passages`; where that is
        None, no passage is recalled.
        """
        there = {passage.id for passage in passages or ()}

        def is_there(record: MemoryRecord) -> bool:
            if "passage" in record.facts:
                return passages is None or record.facts["passage"] in there
            said = record.facts.get("said", 0)
            return said > since or (said == self.heard and bool(said))

        found = self.memory.recall(matter, RECALLED, is_there)
        again = tuple(self.passages[r.facts["passage"]] for r in found if "passage" in r.facts)
        return again[:READ_BEFORE], texts_in_order(r for r in found if "passage" not in r.facts)
