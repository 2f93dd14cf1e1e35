"""Built-in templates that put user acts into words and keep every value verbatim."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from openiir.kit.prompting import join_words
from openiir.plugin import Draw, InputError
from openiir.scenarios.conversational.model.dialogue import Act, Pair
from openiir.scenarios.conversational.model.generation.phrases import (
    NOUNS,
    TITLES,
    Noun,
    describe_item,
    question_forms,
    slot_key,
)
from openiir.scenarios.conversational.model.generation.wordings import OPEN, WORDINGS

T = TypeVar("T")
PLACES = ("<what>", "<it>", "<asked>", "<ask>")
MERGED = frozenset({"DISCLOSE", "CRITIQUE", "INQUIRE", "LIKE", "DISLIKE", "NEUTRAL", "CONSUMED"})
"""Intents whose consecutive acts are merged into one sentence."""
_PLACES_OF = tuple(f"wording/{n}" for n in range(20))
_NOTHING = (Act(intent="OTHER"),)


class _Wording(NamedTuple):
    """A template split at its placeholder."""

    before: str
    place: str
    after: str


class Templates:
    """Built-in templates with at least eight wordings per act; talkative users draw longer ones.

    With wordings ordered by length and u uniform, the one at u^k is taken, k = 2^(1.5 - 3 t) with the
    talkativeness t: at .5 all are equally likely, at 0 half of what is said comes from the shortest fifth.
    """

    def __init__(self, kind: str = "movie") -> None:
        if kind not in NOUNS:
            raise InputError(
                f"there are no words for items of the kind {kind!r}; take one of {', '.join(NOUNS)}"
            )
        self.noun = NOUNS[kind]
        both = {
            intent: [_compile_wording(text, self.noun) for text in texts]
            for intent, texts in WORDINGS.items()
        }
        self._valued = {intent: _by_length(w for w in both[intent] if w.place) for intent in both}
        self._bare = {intent: _by_length(both[intent]) for intent in both}
        self._bare |= {
            intent: _by_length(_compile_wording(text, self.noun) for text in texts)
            for intent, texts in OPEN.items()
        }
        for intent in ("YES", "NO", "DONT_KNOW"):
            self._bare[intent] = [w for w in self._bare[intent] if not w.place]

    def render(self, acts: Sequence[Act], draw: Draw, talkativeness: float = 0.5) -> str:
        """Put acts into words, in order; talkativeness is 0 to 1. Without acts, render OTHER.

        Raises InputError for an intent that no user act has.
        """
        return " ".join(
            self._sentence(intent, pairs, draw.at(_PLACES_OF[n % 20]), talkativeness)
            for n, (intent, pairs) in enumerate(_merge_acts(acts or _NOTHING))
        )

    def _sentence(self, intent: str, pairs: Sequence[Pair], draw: Draw, talkativeness: float) -> str:
        if intent not in WORDINGS:
            raise InputError(f"users have no act {intent!r}; they have {', '.join(WORDINGS)}")
        asked = [slot for slot, value in pairs if value is None] if intent == "INQUIRE" else []
        held = [(slot, value) for slot, value in pairs if value is not None]
        wordings = self._valued[intent] if held or asked else self._bare[intent]
        wording = pick_by_length(wordings or self._bare[intent], draw, talkativeness)
        if not wordings:  # an act such as BYE, which came with values
            return f"{wording.before} {_word_object(self.noun, held)}."
        if not wording.place:
            return wording.before
        text = wording.before + _fill_place(self.noun, wording.place, held, asked) + wording.after
        return text[:1].upper() + text[1:] if text[:1].isascii() else text


def pick_by_length(wordings: Sequence[T], draw: Draw, talkativeness: float) -> T:
    """Pick one of the wordings, ordered by length; longer ones for the talkative."""
    at = draw.uniform() ** 2.0 ** (1.5 - 3.0 * talkativeness)
    return wordings[min(int(at * len(wordings)), len(wordings) - 1)]


def _merge_acts(acts: Sequence[Act]) -> Iterator[tuple[str, list[Pair]]]:
    """Yield (intent, pairs), merging consecutive acts of one intent."""
    intent, pairs = "", list[Pair]()
    for act in acts:
        own = [(s.slot, s.value) for s in act.slots]
        # Questions about different items are not mixed.
        named = intent == "INQUIRE" and any(slot_key(slot) in TITLES for slot, _ in (*own, *pairs))
        if act.intent == intent and intent in MERGED and own and pairs and not named:
            pairs += own
            continue
        if intent:
            yield intent, pairs
        intent, pairs = act.intent, own
    yield intent, pairs


def _fill_place(noun: Noun, place: str, held: Sequence[tuple[str, str]], asked: Sequence[str]) -> str:
    if place == "<what>":
        return describe_item(noun, held) if held else f"{describe_item(noun, ())} to {noun.use}"
    return _word_object(noun, held) if place == "<it>" else _word_question(noun, held, asked, place)


def _word_object(noun: Noun, held: Sequence[tuple[str, str]]) -> str:
    """Name the object of a sentence: the titles, then a description of items with the other values."""
    parts = [value for slot, value in held if slot_key(slot) in TITLES]
    if rest := [pair for pair in held if slot_key(pair[0]) not in TITLES]:
        parts.append(describe_item(noun, rest, many=True))
    return join_words(parts) if parts else "it"


def _word_question(noun: Noun, held: Sequence[tuple[str, str]], asked: Sequence[str], place: str) -> str:
    """Word the questions for the slots asked for, and for whether the item has the values held."""
    inside = place == "<asked>"
    item = _word_object(noun, [pair for pair in held if slot_key(pair[0]) in TITLES])
    questions = [question_forms(slot, item)[inside] for slot in asked]
    if rest := [pair for pair in held if slot_key(pair[0]) not in TITLES]:
        such = describe_item(noun, rest)
        questions.append(f"whether {item} is {such}" if inside else f"is {item} {such}")
    if not questions:
        questions.append(f"what {item} is about" if inside else f"what is {item} about")
    return join_words(questions)


def _by_length(wordings: Iterator[_Wording] | Sequence[_Wording]) -> list[_Wording]:
    return sorted(wordings, key=lambda w: (len(w.before) + len(w.after), w))


def _compile_wording(text: str, noun: Noun) -> _Wording:
    once = "saw" if noun.used == "seen" else noun.used
    swaps = (("<used-once>", once), ("<used>", noun.used), ("<Used>", noun.used.title()), ("<use>", noun.use))
    for name, word in swaps:
        text = text.replace(name, word)
    for place in PLACES:
        if place in text:
            before, _, after = text.partition(place)
            return _Wording(before, place, after)
    return _Wording(text, "", "")
