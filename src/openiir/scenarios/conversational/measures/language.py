"""Metrics of lexical diversity: distinct n-grams, self-BLEU, vocabulary overlap."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from openiir.kit.statistics.statistic import Statistic, Undefined
from openiir.plugin import Log, Measure, int_sum
from openiir.scenarios.conversational.measures.averages import order_names
from openiir.scenarios.conversational.measures.dialogue_rows import RunSetting
from openiir.scenarios.conversational.model.dialogue import spoken_words
from openiir.scenarios.conversational.run.actions import FAILED, DialogueLogged

Tokens = Sequence[str]


@Statistic
def distinct_n(texts: Iterable[Tokens], n: int, budget: int | None = None) -> float:
    """Compute distinct-n: the number of different n-grams over all n-grams (Li et al., NAACL 2016), 0 to 1.

    Falls with length whatever is said, so give everything that is compared the same `budget` of tokens: texts
    are read in order until it is spent, the last one cut. n-grams do not reach over the ends of texts.
    Undefined without an n-gram, and where the texts do not fill the budget.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    left = math.inf if budget is None else budget
    for text in texts:
        used = text[: int(min(left, len(text)))]
        left -= len(used)
        seen.update(ngrams(used, n))
        if left <= 0:
            break
    if budget is not None and left > 0:
        raise Undefined(f"the texts have {int(budget - left)} tokens; {budget} are compared")
    if not seen:
        raise Undefined(f"no text has {n} tokens")
    return len(seen) / seen.total()


def ngrams(text: Tokens, n: int) -> list[tuple[str, ...]]:
    """List the n-grams of a text, in order."""
    return [tuple(text[i : i + n]) for i in range(len(text) - n + 1)]


@Statistic
def self_bleu(texts: Sequence[Tokens], n: int = 4) -> float:
    """Compute self-BLEU: the mean BLEU of each text against all others (Zhu et al., SIGIR 2018).

    It is 0 if texts share nothing and 1 if all are alike.

    BLEU as of Papineni et al. (ACL 2002) with uniform weights over the orders up to n that the text is long
    enough for; an order without a match counts 1 / (2 x its n-grams) (Chen & Cherry, WMT 2014, first of their
    smoothings with half a count). Empty texts are left out; undefined under 2. Time grows with texts times
    tokens, not with pairs.
    """
    kept = [list(text) for text in texts if text]
    if len(kept) < 2:
        raise Undefined("a text is compared with others: at least 2 with words are needed")
    best, second = _highest_counts(
        [[Counter(ngrams(text, order)) for text in kept] for order in range(1, n + 1)]
    )
    lengths = Counter(map(len, kept))
    return fmean(_bleu(text, n, best, second, lengths) for text in kept)


_Most = dict[tuple[str, ...], int]


def _highest_counts(by_order: Sequence[Sequence[Counter[tuple[str, ...]]]]) -> tuple[_Most, _Most]:
    """Return, for each n-gram, its highest count in a text and the highest in any other text."""
    best: _Most = {}
    second: _Most = {}
    for counts in by_order:
        for one in counts:
            for gram, count in one.items():
                if count > best.get(gram, 0):
                    best[gram], second[gram] = count, best.get(gram, 0)
                elif count > second.get(gram, 0):
                    second[gram] = count
    return best, second


def _bleu(text: list[str], n: int, best: _Most, second: _Most, lengths: Counter[int]) -> float:
    logs = []
    for order in range(1, min(n, len(text)) + 1):
        own = Counter(ngrams(text, order))
        matched = int_sum(min(c, second[g] if best[g] == c else best[g]) for g, c in own.items())
        logs.append(math.log((matched or 0.5) / own.total()))
    others = (length for length, count in lengths.items() if count > (length == len(text)))
    closest = min(others, key=lambda length: (abs(length - len(text)), length))
    brevity = min(0.0, 1 - closest / len(text))
    return math.exp(brevity + fmean(logs))


@Statistic
def vocabulary_overlap(one: Iterable[Tokens], other: Iterable[Tokens]) -> float:
    """Compute the Jaccard index of two vocabularies: words in both over words in either, 0 to 1."""
    first = {word for text in one for word in text}
    second = {word for text in other for word in text}
    if not first or not second:
        raise Undefined("one of the two has no words")
    return len(first & second) / len(first | second)


TOKENS = 2_000
"""Maximum number of tokens for distinct n-grams; fewer if a simulator produced less."""
TEXTS = 200
"""Number of texts, from the first on, compared by self-BLEU."""


def wording_measures(log: Log, setting: RunSetting) -> dict[str, Measure]:
    """Compute `distinct-2[SIMULATOR]` and `self-bleu[SIMULATOR]` over a simulator's utterances."""
    said: dict[str, list[list[str]]] = {}
    full: Counter[str] = Counter()
    for event in log.events(DialogueLogged.kind):
        simulator = event.payload["simulator"]
        texts = said.setdefault(simulator, [])
        if event.payload["end"] in FAILED or (full[simulator] >= TOKENS and len(texts) >= TEXTS):
            continue
        new = [spoken_words(one["text"]) for one in event.payload["utterances"] if one["speaker"] == "user"]
        texts += new
        full[simulator] += int_sum(map(len, new))
    budget = min([TOKENS, *full.values()])
    found: dict[str, Measure] = {}
    for simulator in order_names(setting.simulators, said):
        texts = said[simulator]
        found[f"distinct-2[{simulator}]"] = distinct_n.measure(texts, 2, budget)
        found[f"self-bleu[{simulator}]"] = self_bleu.measure(texts[:TEXTS])
    return found
