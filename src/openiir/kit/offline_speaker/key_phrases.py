"""Key phrases of a statement: a few words that say what it is about, found without a parser.

A statement is cut at function words, verbs, adverbs and numbers; what remains are runs of nouns and
adjectives. Of these the phrase is taken that says most beyond the topic's own words and recurs in the texts
at hand.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from openiir.plugin import int_sum
from openiir.plugin.arguments import content_words, tokens

_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W_]+)*|\d[\d.,]*%?|[^\w\s]")
_DETERMINERS = frozenset(
    """the a an its their his her our your my this these those every each some any no many several few all
    both""".split()
)
_BE = frozenset(
    """is are was were be been being am remain remains remained become becomes became seem seems
    seemed appear appears too very so as more most less least quite""".split()
)
_NOT_NOUNS = frozenset(
    """whatever whoever whenever wherever already still even ever never instead back away later
    earlier ago today enough much many more most less least better worse best worst greater
    larger higher lower cheaper faster slower able likely unlikely worth due according including
    regarding using based per via often sometimes usually always far near next last first second
    third one two three four five six seven eight nine ten hundred thousand million billion
    hundreds thousands millions billions dozens percent say says said etc good bad new own same
    different certain various particular nearly almost january february march april may june july
    august september october november december therefore however moreover thus hence also rather
    together again soon overall long little whole""".split()
)
_VERBS = frozenset(
    """accept accompany account achieve act add affect agree aim allow answer appear apply argue
    ask assume attract avoid become begin believe belong benefit bring build buy call carry cause
    change choose claim collect come compare compete compute conclude confirm consider contain
    continue contribute cost create cut deal decide define deliver demand demonstrate depend
    derive describe deserve destroy determine develop differ disagree discover discuss draw drive
    earn employ enable encourage end enforce ensure estimate exceed exist expect explain expose
    express face fail fall feel fill find fix follow force gain generate get give go grow
    guarantee happen harm have help hide hold hurt ignore imply improve include increase indicate
    inform introduce invite involve join judge justify keep kill know lack lead learn leave let
    lie limit live look lose make matter mean measure meet mislead miss move need notice retrieve
    rank detect select object obtain arise correct belong occur offer open operate oppose pass
    pay permit play point pose possess predict prefer present prevent produce promise propose
    protect prove provide publish push put raise reach read receive recommend reduce reflect
    refuse reject rely remove repeat replace report require respond rest result retain return
    reveal reward rise run save say see seek seem sell send separate serve set share show solve
    speak spend spread stand start state stay stop suffer suggest supply support survive take
    teach tell tend think threaten treat trust try turn understand use vary violate want warn
    weaken win work write yield""".split()
)
_BEFORE_VERBS = frozenset(
    "to can could may might must should will would not cannot they we you i who".split()
)
_ADJECTIVAL = re.compile(r"(?:able|ible|ous|ful|less|ical|ential)$")
_LY_NOUNS = frozenset("family supply reply assembly anomaly monopoly ally daily yearly early".split())
_OBJECT_OPENERS = _DETERMINERS | {"what", "how", "whether", "them", "it", "us", "themselves", "itself"}
_EMPTY = frozenset(
    """use type place limit year statement number kind way case fact part end factor thing time
    range fraction share amount value form basis extent example point sort level rate lot
    majority rest others people person set list view result results types ways cases parts years
    times things uses changes areas region study studies report reports paper papers author
    authors high low recent day days one ones issue issues conclusion conclusions lack terms term
    success importance presence absence effect effects role order need needs increase reduction
    process level levels half majority possibility fact while hour""".split()
)
"""Nouns that do not tell what a statement is about, such as `case` or `number`."""
_AFTER_NOUNS = frozenset(
    """safe relevant valid unknown available fair unfair true false alone common rare cheap
    expensive free ready clear effective efficient difficult easy hard present absent high low
    great small big strong weak""".split()
)
"""Adjectives that usually follow the noun they describe instead of ending a phrase."""
LONGEST = 4


@dataclass(frozen=True)
class Phrase:
    """A noun phrase (nouns and adjectives) as it occurs in a text."""

    article: str
    words: tuple[str, ...]
    at: int
    """Index of its first word among the words and marks of the text, from 0."""

    @property
    def bare(self) -> str:
        return " ".join(self.words)

    def __str__(self) -> str:
        return f"{self.article} {self.bare}".strip()


def key_phrase(text: str, topic: str = "", around: Sequence[str] = (), shared: Collection[str] = ()) -> str:
    """Extract the noun phrase, at most five words, that best says what a text is about.

    Empty where no phrase says anything beyond the topic. `around` are the texts at hand: a phrase that occurs
    in them is preferred, and they tell whether the word a sentence opens with is a name. With `shared` stems,
    only phrases with one of them count.
    """
    known = set(tokens(topic))
    others = [other.lower() for other in around if other != text]
    wanted = [p for p in phrases(text) if not shared or not set(shared).isdisjoint(tokens(p.bare))]
    found = [(_worth(phrase, known, others), phrase) for phrase in wanted]
    best = max(found, key=lambda pair: (pair[0], -pair[1].at), default=None)
    if best is None or best[0] <= 0:
        return ""
    return _set_case(best[1], text, around)


def _worth(phrase: Phrase, known: set[str], others: Sequence[str]) -> float:
    stems = tokens(phrase.bare)
    new = [stem for stem in stems if stem not in known]
    if not new:
        return 0.0
    recurs = min(3, int_sum(phrase.bare.lower() in other for other in others))
    length = {1: 0.1, 2: 0.6, 3: 0.5, 4: 0.2}.get(len(phrase.words), 0.0)
    return round(0.6 * len(new) / len(stems) + 0.08 * recurs + length + 0.4 / (1 + phrase.at), 6)


def phrases(text: str) -> Iterator[Phrase]:
    """List the noun phrases of a text that can name what it is about, in order."""
    parts = _TOKEN.findall(text)
    for nominal, run in groupby(enumerate(_mark_nominal_words(parts)), key=lambda mark: mark[1]):
        if nominal:
            places = [at for at, _ in run]
            yield from _phrase(parts, places[0], places[-1] + 1)


def _phrase(parts: Sequence[str], start: int, end: int) -> Iterator[Phrase]:
    before = parts[start - 1].lower() if start else ""
    if start and _opens_with_verb(parts[start], before) and end - start > 1:
        start += 1
    if end - start > 1 and parts[end - 1].lower() in _AFTER_NOUNS:
        end -= 1
    whole = end - start <= LONGEST
    run = tuple(parts[start if whole else end - 2 : end])
    last = run[-1].lower()
    if (
        before in _BE
        or _ADJECTIVAL.search(last)
        or last in _EMPTY
        or (len(run) == 1 and not _is_noun(last, before))
    ):
        return
    article = ""
    if before in _DETERMINERS and whole:
        bare = last.endswith("s") or before in ("no", "some")
        article = before if before in ("a", "an", "the") else "" if bare else "the"
    yield Phrase(article, run, start)


def _opens_with_verb(word: str, before: str) -> bool:
    """Whether a run of words begins with a verb, as in `and reach similar accuracy`."""
    lowered = word.lower()
    after = ("and", "or", "that", "who", "which", "to", "help", "helps", "helped")
    return _is_third_person(lowered) or (lowered in _VERBS and before in after)


def _is_noun(word: str, before: str) -> bool:
    """Whether a single word is a noun, by its ending or the word before it."""
    ending = re.search(
        r"(?:tion|sion|ment|ity|ness|ance|ence|ency|ism|ship|age|ure|ers?|ors?|ists?|[^su]s)$", word
    )
    placed = before in _DETERMINERS or before in ("of", "in", "for", "on", "about", "with", "from", "by")
    return placed or (bool(ending) and not _is_third_person(word))


def _mark_nominal_words(parts: Sequence[str]) -> list[bool]:
    """For each word or mark, whether it may belong to a run of nouns and adjectives."""
    content = set(content_words(" ".join(parts)))
    marks: list[bool] = []
    for i, part in enumerate(parts):
        word = part.lower()
        before = parts[i - 1].lower() if i else ""
        after = parts[i + 1].lower() if i + 1 < len(parts) else ""
        carries = word in content or "-" in part or "'" in part or "’" in part
        usable = part[0].isalpha() and carries and word not in _NOT_NOUNS
        adverb = word.endswith("ly") and word not in _LY_NOUNS
        marks.append(usable and not adverb and not _is_verb(word, before, after, bool(marks) and marks[-1]))
    return marks


def _is_verb(word: str, before: str, after: str, noun_before: bool) -> bool:
    if before in _DETERMINERS:
        return False
    if word.endswith("ed") and len(word) > 3 and not word.endswith("eed"):
        return before not in ("", "of", "for", "in", "with", "and", "or", "by") or after in _OBJECT_OPENERS
    if word.endswith("ing") and len(word) > 5:
        return not noun_before
    if noun_before and after in _OBJECT_OPENERS:
        return True
    return before in _BEFORE_VERBS or (noun_before and _agrees(word, before))


def _agrees(word: str, subject: str) -> bool:
    """Whether a word may be the verb of the noun before it, by agreement in number."""
    if word in _VERBS:
        return subject.endswith("s")
    return _is_third_person(word) and not subject.endswith("s")


def _is_third_person(word: str) -> bool:
    endings = (("ies", "y"), ("es", ""), ("s", ""))
    return any(word.endswith(end) and word.removesuffix(end) + base in _VERBS for end, base in endings)


def _set_case(phrase: Phrase, text: str, around: Sequence[str]) -> str:
    """Write a phrase as inside a sentence: in lower case unless it opens with a name."""
    if phrase.at > 0 or phrase.article:
        return str(phrase)
    first, *rest = phrase.words
    is_name = first[1:] != first[1:].lower() or (len(rest) == 1 and rest[0][:1].isupper())
    if not is_name:
        inside = re.compile(rf"[a-z,] {re.escape(first)}\b")
        lower = re.compile(rf"\b{re.escape(first.lower())}\b")
        is_name = any(inside.search(t) for t in around) and not any(lower.search(t) for t in around)
    return " ".join([first if is_name else first.lower(), *rest])


def lower_opening(text: str, around: Sequence[str]) -> str:
    """Lower-case a sentence's first word, unless it is a name, so that it can follow a comma."""
    first, _, rest = text.partition(" ")
    lower = re.compile(rf"(?<![.!?] )\b{re.escape(first.lower())}\b")
    common = not content_words(first) and first != "I"
    is_name = first[1:] != first[1:].lower() or rest[:1].isupper() or not any(lower.search(t) for t in around)
    return f"{first[0].lower()}{text[1:]}" if common or not is_name else text


def touched_interests(sentence: str, interests: Sequence[str], around: Sequence[str] = ()) -> str:
    """Name the one or two interests that a sentence is about; empty without one.

    An interest that is no noun (`reproducible`) is named by the sentence's phrase it stands in.
    """
    stems = set(tokens(sentence))
    named: list[str] = []
    for interest in interests:
        wanted = tokens(interest)
        if wanted and stems.issuperset(wanted):
            first, *more = interest.lower().split()
            is_noun = more or any(not _heads(t).isdisjoint((first, f"{first}s")) for t in (sentence, *around))
            enclosing = (p for p in phrases(sentence) if set(wanted) <= set(tokens(p.bare)))
            name = interest if is_noun else next((_set_case(p, sentence, ()) for p in enclosing), "")
            if name and name not in named:
                named.append(name)
    return " and ".join(named[:2])


@lru_cache(maxsize=4_096)
def _heads(text: str) -> frozenset[str]:
    """Find the head nouns of a text's phrases, in lower case; cached."""
    return frozenset(phrase.words[-1].lower() for phrase in phrases(text))
