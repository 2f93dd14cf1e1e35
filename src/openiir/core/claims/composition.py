"""Stance of one clause, composed from its subject, its valence words and their effects on target terms."""

from typing import NamedTuple

from openiir.core.claims import lexicons
from openiir.core.claims.text import stem_word
from openiir.core.claims.topic import TopicAim
from openiir.core.claims.valence import WordRole, base_forms, word_role
from openiir.core.sums import int_sum

REACH = 7
"""Scope of a negation or an effect, in words."""
SUBJECT_WEIGHT = 0.4
"""Weight of a valence word inside the subject."""
DONE, URGED = 0.25, 1.2
"""Weights of an action on a target term of the topic: reported, or urged (`should` and the like)."""
RELIEVED = 0.3
"""Weight of a negative valence whose holder is being helped (`helps cancer patients`)."""
_STOPS = frozenset(",;:.!?()")
_JOINS = lexicons.word_set("and or while whereas which that who") | _STOPS
_CLAUSE_OPENERS = frozenset(
    {"because", "since", "if", "when", "so", "which", "who", "whether", "until", "unless"}
)
_BE = lexicons.word_set("be been being is are was were get gets")
_AWAY = lexicons.word_set(
    "without anti lack absence ban bans banning prohibition opposition prohibiting restricting"
)
_CHEAPLY = lexicons.word_set("effective efficient saving savings effectiveness efficiency")
_TURNING = frozenset({"not", "no", "never", "without", "non"})
_DETERMINERS = lexicons.word_set("the a an this its their our of in for such any some")


class EffectWord(NamedTuple):
    """An effect word (`reduces`, `supports`) whose object has not been read yet."""

    at: int
    value: float
    transfer: int
    turned: int
    """-1 under a negation, else 1."""
    met: bool = False
    """Whether an object with a valence has been read."""
    helps: bool = False
    """Whether the word relieves a negative valence of its object (`helps cancer patients`)."""


class ClauseStance:
    """Stance scorer of one clause, in one pass over its words; `score` is unbounded."""

    def __init__(self, words: list[str], aim: TopicAim, carried: int = 0) -> None:
        self._words, self._aim, self._carried = words, aim, carried
        self._direct = 0.0
        self._reset()
        for i, word in enumerate(words):
            if word == "than":
                self._read_comparison(i)
                break
            self._read(i, word)
        self._end_effect()

    def _reset(self) -> None:
        self._said = self._subject = 0.0
        self._holder = self._mention = self._scale = 0
        self._started = self._urged = self._away = False
        self._turned_until = self._less_until = -1
        self._met_at = -9
        self._effect: EffectWord | None = None

    @property
    def names_target(self) -> bool:
        """Whether the clause mentions a target term of the topic or refers to one by a pronoun."""
        return bool(self._holder or self._mention or self._carried or self._direct)

    def score(self) -> float:
        said = self._said
        if self._scale:
            said += (2 if self._scale < 0 else 1) * self._scale * self._subject * SUBJECT_WEIGHT
        return self.holder_sign() * (said + SUBJECT_WEIGHT * self._subject) + self._direct

    def holder_sign(self) -> int:
        """Return the sign of the clause's subject's attitude to the topic: -1 or 1."""
        found = self._holder or self._mention or self._carried
        if not found:
            found = -self._aim.polarity if self._away else self._aim.polarity
        return 1 if found > 0 else -1

    def _read(self, i: int, word: str) -> None:
        if word in _STOPS or word in _CLAUSE_OPENERS:
            self._end_effect()
            self._turned_until = self._less_until = -1
            return
        if word == "and":
            self._turned_until = -1
        if (
            word == "that"
            and i
            and not lexicons.REPORTING.isdisjoint((self._words[i - 1], *base_forms(self._words[i - 1])))
        ):
            self._reset()  # reported speech is a proposition of its own
            return
        self._urged = self._urged or word in lexicons.DEONTIC
        if word in lexicons.AUXILIARIES:
            self._started = True
            self._end_effect()  # the object of what came before ends where the next verb begins
        if word in lexicons.AMPLIFIERS and self._started:
            self._scale = 1
        if word == "from" and any(w in lexicons.SHIELDING for w in self._words[max(0, i - REACH) : i]):
            self._end_effect()
            self._effect = EffectWord(i, 0.0, -1, self._negation_sign(i))
            return
        if word in _AWAY:
            self._away = self._away or not self._started
        self._read_role(i, word, stem_word(word), word_role(word))

    def _read_role(self, i: int, word: str, stem: str, part: WordRole) -> None:
        """Read a word by its first role: negation, verdict, target, lessening, effect or valence."""
        if part.kind == "negator":
            self._turned_until = -1 if i <= self._turned_until else i + REACH
        elif stem in self._aim.verdicts:
            self._direct += URGED * self._negation_sign(i)
        elif stem in self._aim.signs:
            self._read_target(i, self._aim.signs[stem])
        elif part.kind == "lessener":
            self._less_until = i + 2
            self._scale = -1 if self._started else 0
        elif part.kind == "effect":
            self._read_effect(i, word, part)
        elif part.kind == "valence" and stem not in self._aim.stems:
            self._read_valence(i, word, part.value)

    def _negation_sign(self, i: int) -> int:
        return -1 if i <= self._turned_until else 1

    def _reach(self, i: int) -> int:
        """Return the sign with which the pending effect word and negations apply to the word at i."""
        effect = self._effect
        if effect is None or i - effect.at > REACH:
            return self._negation_sign(i)
        inner = -1 if i <= self._turned_until and effect.turned == 1 else 1
        return effect.transfer * effect.turned * inner

    def _read_target(self, i: int, sign: int) -> None:
        """Read a target term as subject or as object of an effect; adjacent target words are one mention."""
        together, self._met_at = i - self._met_at <= 2, i
        if together:
            return
        effect = self._effect
        reached = effect is not None and i - effect.at <= REACH
        self._effect = None if reached else effect
        if effect is not None and reached:
            sign = self._apply_effect(sign, effect)
        elif self._away and not self._started:
            sign = -sign
        if self._words[i - 1] in _TURNING or self._words[max(0, i - 2) : i] == ["not", "to"]:
            sign, self._turned_until = -sign, -1
        if self._started:
            self._mention = self._mention or sign
        else:
            self._holder = self._holder or sign

    def _apply_effect(self, sign: int, effect: EffectWord) -> int:
        """Apply an effect to a target term; returns the sign of the clause's subject from then on."""
        if not self._started:
            return sign * effect.transfer
        if effect.value < 0 and effect.transfer < 0:
            self._direct += DONE * sign * effect.turned
        else:
            self._direct += (URGED if self._urged else DONE) * sign * effect.transfer * effect.turned
            self._direct += self._said * sign * effect.transfer  # what was said before is said of the doing
            self._said = effect.value * effect.turned
        return sign

    def _read_effect(self, i: int, word: str, part: WordRole) -> None:
        before = self._words[max(0, i - 3) : i]
        verb = i > 0 and self._words[i - 1] not in _DETERMINERS and not word.endswith("ing")
        if word.endswith(("ed", "en")) and any(w in _BE for w in before):
            self._read_passive(i, part)
            return
        turned, outer = self._negation_sign(i), self._effect
        helps = not lexicons.HELPING.isdisjoint((word, *base_forms(word)))
        if outer is not None and not outer.met:
            between = self._words[outer.at + 1 : i]
            if i - outer.at <= REACH and not any(w in _JOINS for w in between):
                inner = part.value * outer.transfer or outer.value
                transfer = part.transfer * outer.transfer * self._take_lessener(i)
                self._effect = EffectWord(i, inner, transfer, outer.turned, helps=helps)
                return
        self._end_effect()
        self._started = self._started or verb
        if self._urged and part.value < 0:
            turned = 1  # what should not be harmed is held to be at stake
        self._effect = EffectWord(i, part.value, part.transfer * self._take_lessener(i), turned, helps=helps)

    def _take_lessener(self, i: int) -> int:
        """Return -1, once, if a lessening word (`little`, `less`) precedes the word at i; else 1."""
        if i > self._less_until:
            return 1
        self._scale = 0
        return -1

    def _read_passive(self, i: int, part: WordRole) -> None:
        """Read an effect word in the passive, whose object is the clause's subject."""
        turned = 1 if self._urged and part.value < 0 else self._negation_sign(i)
        self._end_effect()
        if self._holder:
            weight = URGED if self._urged else DONE
            sign = (self._holder > 0) - (self._holder < 0)
            self._direct += sign * turned * (part.value if part.value < 0 else weight * part.transfer)
        elif self._subject:
            self._said += turned * (part.transfer - 1) * SUBJECT_WEIGHT * self._subject
        else:
            self._said += turned * (part.value or 0.2 * part.transfer)

    def _read_valence(self, i: int, word: str, value: float) -> None:
        if word == "cost" and any(w in _CHEAPLY for w in self._words[i + 1 : i + 2]):
            return
        effect = self._effect
        if effect is not None and effect.helps and value < 0:
            value *= -RELIEVED
        value *= self._take_lessener(i) * self._reach(i)
        if effect is not None and i - effect.at <= REACH:
            self._said += value + 0.5 * effect.value * effect.turned
            self._effect = effect._replace(value=0.0, met=True)
        elif self._started:
            self._said += value
        else:
            self._subject += value

    def _read_comparison(self, i: int) -> None:
        """Read the second part of a comparison, after `than`."""
        if not self._holder and not self._mention:
            signs = [self._aim.signs.get(stem_word(word), 0) for word in self._words[i + 1 : i + 4]]
            self._mention = -int_sum(signs)

    def _end_effect(self) -> None:
        """Close the scope of the pending effect word, adding the word's own value."""
        if self._effect is not None:
            self._said += self._effect.value * self._effect.turned
            self._effect = None
