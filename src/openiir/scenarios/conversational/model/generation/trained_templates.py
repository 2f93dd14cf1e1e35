"""Templates learnt from annotated dialogues, with the built-in templates as fallback."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from openiir.plugin import Draw, InputError, int_sum
from openiir.scenarios.conversational.model.dialogue import (
    USER_INTENTS,
    Act,
    Dialogue,
    Utterance,
    all_to_openiir_acts,
)
from openiir.scenarios.conversational.model.generation.phrases import slot_key
from openiir.scenarios.conversational.model.generation.templates import Templates, pick_by_length

INTENTS = frozenset(USER_INTENTS) - {"OTHER"}
"""Intents for which templates are learnt; OTHER is excluded because it may mean anything."""
_YEAR = re.compile(r"\s*\(\d{4}\)")
_NAME = re.compile(r"(?<=[\w,;:] )(?!I\b)[A-Z]\w*")
"""A capitalised word within a sentence, other than "I"."""
LONGEST = 120
"""Longest utterance, in characters, from which a template is learnt."""

Key = tuple[tuple[str, tuple[str, ...]], ...]
"""Intents in order, each with the slots that have a value."""


class LearntTemplate(NamedTuple):
    """A template learnt from an utterance by cutting out its slot values."""

    parts: tuple[str, ...]
    """Text before, between and after the values."""
    order: tuple[tuple[int, int], ...]
    """For each gap, the indices of the act and of its value."""

    def fill(self, values: Sequence[Sequence[str]]) -> str:
        """Fill the template with values, given by act."""
        said = [self.parts[0]]
        for (act, slot), after in zip(self.order, self.parts[1:], strict=True):
            said += [values[act][slot], after]
        return "".join(said)


class TrainedTemplates:
    """Templates learnt from annotated user turns; unseen combinations of acts use the built-in templates.

    A turn makes a template where each of its values stands in its text, so nothing asked for is left out.
    Wordings are kept in order of length, and the talkative choose longer ones, as in `Templates`.
    """

    def __init__(self, dialogues: Sequence[Dialogue], own: Templates | None = None) -> None:
        """Learn templates; dialogues of a known annotation scheme are converted to openiir's intents first.

        Raises InputError where no turn makes a template.
        """
        self.own = own or Templates()
        found: dict[Key, dict[LearntTemplate, None]] = {}
        for dialogue in all_to_openiir_acts(dialogues):
            for utterance in dialogue.utterances:
                made = _cut_template(utterance) if utterance.speaker == "user" else None
                if made:
                    found.setdefault(made[0], {})[made[1]] = None
        if not found:
            raise InputError(
                f"no user turn of {len(dialogues)} dialogues makes a template; give dialogues whose user "
                "turns have acts in our terms or in a scheme that is known, with values as the text has them"
            )
        self.cuts = {
            key: sorted(cuts, key=lambda cut: (int_sum(map(len, cut.parts)), cut))
            for key, cuts in sorted(found.items())
        }
        """Learnt templates by intents and slots."""

    def render(self, acts: Sequence[Act], draw: Draw, talkativeness: float = 0.5) -> str:
        """Put acts into words; talkativeness is 0 to 1."""
        key = tuple(
            (act.intent, tuple(slot_key(slot) for slot, value in act.pairs if value is not None))
            for act in acts
        )
        asks = any(value is None for act in acts for _, value in act.pairs)
        cuts = self.cuts.get(key)
        if not cuts or asks:
            return self.own.render(acts, draw, talkativeness)
        cut = pick_by_length(cuts, draw.at("learnt"), talkativeness)
        return cut.fill([[value for _, value in act.pairs if value is not None] for act in acts])


def _cut_template(utterance: Utterance) -> tuple[Key, LearntTemplate] | None:
    """Learn a template from a turn; return it with its intents and slots, or None if it is unsuitable."""
    text = utterance.text
    if not utterance.acts or len(text) > LONGEST:
        return None
    key: list[tuple[str, tuple[str, ...]]] = []
    places: list[tuple[int, int, tuple[int, int]]] = []
    for n, act in enumerate(utterance.acts):
        if act.intent not in INTENTS or any(not slot.value for slot in act.slots):
            return None
        for at, slot in enumerate(act.slots):
            start = _find_free(text, str(slot.value), slot.start, places)
            if start < 0:
                return None
            places.append((start, start + len(str(slot.value)), (n, at)))
        key.append((act.intent, tuple(slot_key(slot.slot) for slot in act.slots)))
    places.sort()
    edges = [0, *(edge for start, end, _ in places for edge in (start, end)), len(text)]
    parts = [text[edges[n] : edges[n + 1]] for n in range(0, len(edges), 2)]
    for n in range(1, len(parts)):  # a title's year goes with the title
        year = _YEAR.match(parts[n])
        parts[n] = parts[n][year.end() :] if year else parts[n]
    if any(_YEAR.search(part) or _NAME.search(part) for part in parts):
        return None  # it names something that is no value of an act
    parts[0], parts[-1] = parts[0].lstrip(), parts[-1].rstrip()
    if not places:
        parts = [text.strip()]
    return tuple(key), LearntTemplate(tuple(parts), tuple(which for _, _, which in places))


def _find_free(
    text: str, value: str, at: int | None, taken: Sequence[tuple[int, int, tuple[int, int]]]
) -> int:
    """Return the offset of a whole-word occurrence of a value that overlaps no other; -1 if there is none."""
    start = at if at is not None and text[at : at + len(value)] == value else text.find(value)
    while value and start >= 0:
        end = start + len(value)
        whole = not (start and text[start - 1].isalnum()) and not text[end : end + 1].isalnum()
        if whole and all(end <= other or start >= last for other, last, _ in taken):
            return start
        start = text.find(value, start + 1)
    return -1
