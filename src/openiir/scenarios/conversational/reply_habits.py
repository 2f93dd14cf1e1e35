"""Frequencies of user intents after system intents, counted in annotated dialogues."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from openiir.plugin import Draw
from openiir.scenarios.conversational.dialogue import Act, Dialogue

Compound = tuple[str, ...]


@dataclass(frozen=True)
class ReplyHabits:
    """How often each user intent followed a turn's intents, taken together and one by one."""

    compound: Mapping[Compound, Mapping[str, int]]
    single: Mapping[str, Mapping[str, int]]

    @classmethod
    def of(cls, dialogues: Iterable[Dialogue]) -> "ReplyHabits":
        """Counted over pairs of a system's utterance and the user's that follows."""
        compound: defaultdict[Compound, Counter[str]] = defaultdict(Counter)
        single: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for dialogue in dialogues:
            for first, then in zip(dialogue.utterances, dialogue.utterances[1:], strict=False):
                if (first.speaker, then.speaker) != ("system", "user"):
                    continue
                intents = _compound(first.acts)
                for act in then.acts:
                    compound[intents][act.intent] += 1
                    for intent in intents:
                        single[intent][act.intent] += 1
        return cls(dict(compound), dict(single))

    def next(self, heard: Sequence[Act], legal: Sequence[str], draw: Draw) -> str:
        """One of the legal intents by P(user intent | system intents) with add-1 smoothing over the legal ones.

        Counts are those of the turn's intents together; where these never came, those of each intent, added up.
        """
        intents = _compound(heard)
        counts = self.compound.get(intents)
        if counts is None:
            counts = Counter[str]()
            for intent in intents:
                counts.update(self.single.get(intent, {}))
        return draw.choose(legal, [log(counts.get(intent, 0) + 1) for intent in legal])


def _compound(acts: Iterable[Act]) -> Compound:
    return tuple(sorted({act.intent for act in acts}))


NO_HABITS = ReplyHabits({}, {})
"""No counts: all legal intents are equally likely."""
