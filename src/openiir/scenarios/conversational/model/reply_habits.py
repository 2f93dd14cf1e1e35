"""Frequencies of user intents after system intents, counted in annotated dialogues."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from openiir.plugin import Draw
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue

Compound = tuple[str, ...]


@dataclass(frozen=True)
class ReplyHabits:
    """Counts of user intents after a system turn, by its set of intents and by each single intent."""

    compound: Mapping[Compound, Mapping[str, int]]
    single: Mapping[str, Mapping[str, int]]

    @classmethod
    def count(cls, dialogues: Iterable[Dialogue]) -> "ReplyHabits":
        """Count user intents over pairs of a system utterance and the user utterance after it."""
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
        """Sample a legal intent from P(user intent given system intents) with add-1 smoothing.

        Counts are those of the turn's intents together; where these never came, those of each intent, added
        up.
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
"""Empty counts, with which all legal intents are equally likely."""
