"""Index of a run's claims: chooses those to compare with an utterance, at a bounded cost."""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from openiir.core.claims.extract import EarlierClaim
from openiir.core.claims.text import content_stems, strip_citations
from openiir.core.grid import order_by, quantise
from openiir.core.records import Claim
from openiir.core.retrieval.sentences import sentences

COMPARED, PER_SENTENCE, MOST_TOLD = 12, 3, 50
"""Most earlier claims compared per utterance, compared per sentence, and shown to an extractor."""
CANDIDATES = 256
"""Most claims whose similarity to an utterance is computed; up to this number, all claims are."""
OF_SPEAKER, LATEST = 50, 16
"""Beyond CANDIDATES claims: most claims shown for their speaker, and number of the latest claims that are
considered in any case, among them those of the last utterances."""
_NAME_WORD = re.compile(r"\b[A-Z]\w+")
_WORD = re.compile(r"\w+")

Key = str | tuple[str, str]


class ChosenClaims(NamedTuple):
    """Earlier claims chosen for comparison with an utterance, each list in the order made."""

    compared: tuple[Claim, ...]
    """The claims that the rules compare with the utterance."""
    shown: tuple[EarlierClaim, ...]
    """The claims shown to an extractor, among them those compared, as they are shown."""


class ClaimIndex:
    """Claims in order, with the latest claims of each term, each speaker and each word of speakers' names.

    It depends on the claims alone, so an index that is built again from a run's log makes the same choices.
    """

    def __init__(self) -> None:
        self.claims: list[Claim] = []
        self._places: dict[str, int] = {}
        self._shown: list[EarlierClaim] = []
        self._latest: defaultdict[Key, array[int]] = defaultdict(lambda: array("i"))
        """Places of the latest claims by term, ("by", speaker) and ("name", word), to 2 * CANDIDATES each."""
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._holders, self._columns = array("i"), array("i")
        """By a term's number: how many claims hold it, and its column in the utterance (0 between calls)."""
        self._terms, self._ends = array("i"), array("i", [0])
        """Number and count of each term of all claims in a row, and where each claim's terms end."""

    def add_new(self, claims: Sequence[Claim], speaker_names: Mapping[str, str]) -> None:
        """Add those of a growing list of claims that are new; `speaker_names` maps ids to names."""
        for claim in claims[len(self.claims) :]:
            self._add(claim, speaker_names.get(claim.speaker, ""))
            self._shown.append(
                EarlierClaim(claim.id, claim.text, speaker_names.get(claim.speaker, claim.speaker))
            )

    def find(self, id: str | None) -> Claim | None:
        """Return the claim with an id; None if there is none."""
        return self.claims[self._places[id]] if id in self._places else None

    def choose(
        self,
        utterance: str,
        speakers: Collection[str] = (),
        answered: str | None = None,
        last: Collection[tuple[str, int]] = (),
    ) -> ChosenClaims:
        """Choose the earlier claims most similar to an utterance (TF-IDF cosine), ties to the latest.

        Compared are the `COMPARED` most similar to the whole utterance, among them the one with the id
        `answered`. Shown are these, those of `speakers`, of anybody named in the utterance and of the
        utterances `last` (speaker and number), and the `PER_SENTENCE` most similar to each sentence,
        `MOST_TOLD` in all: the least similar of the last group are dropped first.

        Of more than CANDIDATES claims, only so many are considered: those answered or shown for their
        speaker, the LATEST, the latest that hold a term of the utterance, its rarest terms first, and then
        other late ones.
        """
        if len(self.claims) <= COMPARED:
            return ChosenClaims(tuple(self.claims), tuple(self._shown))
        counts = Counter(content_stems(strip_citations(utterance)))
        parts = [
            counts.keys() & content_stems(strip_citations(utterance[start:end]))
            for start, end in sentences(utterance)
        ]
        always = set(self._claims_of_speakers(utterance, speakers, last))
        target = self._places[answered] if answered else None
        places = self._find_candidates(counts, always if target is None else {target, *always})
        whole, *by_sentence = self._likeness(places, counts, [counts.keys(), *parts])
        whole[places == target] = np.inf
        ranked = places[order_by(-whole)].tolist()
        near: set[int] = set()
        for likeness in by_sentence:
            best = order_by(-likeness)[:PER_SENTENCE]
            near.update(places[best[likeness[best] > 0]].tolist())
        compared, others = ranked[:COMPARED], ranked[COMPARED:]
        wanted = [place for place in others if place in always]
        wanted += [place for place in others if place in near and place not in always]
        shown = [*compared, *wanted][:MOST_TOLD]
        return ChosenClaims(
            tuple(self.claims[n] for n in sorted(compared)), tuple(self._shown[n] for n in sorted(shown))
        )

    def _add(self, claim: Claim, name: str) -> None:
        place, terms = len(self.claims), Counter(content_stems(claim.text))
        for term, times in terms.items():
            number = self._numbers[term]
            if number == len(self._holders):
                self._holders.append(0)
                self._columns.append(0)
            self._holders[number] += 1
            self._terms.extend((number, times))
        self._ends.append(len(self._terms) // 2)
        words = dict.fromkeys(_NAME_WORD.findall(name))
        keys: list[Key] = [*terms, ("by", claim.speaker), *(("name", word) for word in words)]
        for key in keys:
            latest = self._latest[key]
            latest.append(place)
            if len(latest) == 2 * CANDIDATES:
                del latest[:CANDIDATES]
        self._places[claim.id] = place
        self.claims.append(claim)

    def _claims_of_speakers(
        self, utterance: str, speakers: Collection[str], last: Collection[tuple[str, int]]
    ) -> Iterator[int]:
        """List the places of the claims that are shown for their utterance or their speaker."""
        all_of_them = len(self.claims) <= CANDIDATES
        first = 0 if all_of_them else len(self.claims) - LATEST
        for place, claim in enumerate(self.claims[first:], first):
            if (claim.speaker, claim.utterance) in last:
                yield place
        words = dict.fromkeys(_WORD.findall(utterance))
        for key in (*(("by", speaker) for speaker in speakers), *(("name", word) for word in words)):
            if key in self._latest:
                yield from self._latest[key][0 if all_of_them else -OF_SPEAKER :]

    def _find_candidates(self, terms: Collection[str], wanted: Collection[int]) -> NDArray[np.intp]:
        """List the places of the claims to consider, the latest first."""
        if len(self.claims) <= CANDIDATES:
            return np.arange(len(self.claims))[::-1]
        end = len(self.claims)
        found = {*wanted, *range(end - LATEST, end)}
        known = [term for term in terms if term in self._numbers]
        for term in sorted(known, key=lambda term: self._holders[self._numbers[term]]):
            if len(found) >= CANDIDATES:
                break
            found.update(self._latest[term][len(found) - CANDIDATES :])
        found.update(range(end - LATEST - max(0, CANDIDATES - len(found)), end - LATEST))
        return np.array(sorted(found, reverse=True))

    def _likeness(
        self, places: NDArray[np.intp], counts: Mapping[str, int], parts: Sequence[Collection[str]]
    ) -> NDArray[np.float64]:
        """Compute the cosine of each claim (column) with each part of the utterance (row).

        Weights are those of `similarity.tf_idf` of all claims and the utterance.
        """
        n = len(self.claims) + 1
        ends = np.frombuffer(self._ends, np.intc)[places + 1]
        sizes = ends - np.frombuffer(self._ends, np.intc)[places]
        claim = np.repeat(np.arange(len(places)), sizes)
        entries = np.arange(len(claim)) + np.repeat(ends - np.cumsum(sizes), sizes)
        terms, counted = np.frombuffer(self._terms, np.intc).reshape(-1, 2)[entries].T
        column = self._utterance_columns(terms, counts)
        shared = column.nonzero()[0]
        holders = np.frombuffer(self._holders, np.intc)[terms] + (column > 0)
        weights = counted * _idf(n, holders)
        lengths = np.sqrt(np.bincount(claim, weights * weights, len(places)))
        lengths[lengths == 0] = 1.0  # a claim without content words
        known = [self._holders[self._numbers[term]] + 1 if term in self._numbers else 1 for term in counts]
        asked = np.array([0, *counts.values()]) * _idf(n, np.array([1, *known]))
        asked /= np.sqrt((asked * asked).sum()) or 1.0
        rows = []
        for part in parts:
            own = asked * [False, *(term in part for term in counts)]
            dots = np.bincount(claim[shared], weights[shared] * own[column[shared]], len(places))
            rows.append(dots / lengths)
        return np.asarray(quantise(np.array(rows)))

    def _utterance_columns(self, terms: NDArray[np.intc], counts: Mapping[str, int]) -> NDArray[np.intc]:
        """Map numbers of terms to their places among an utterance's terms, from 1; 0 where they are not."""
        numbers = [(self._numbers[term], n) for n, term in enumerate(counts, 1) if term in self._numbers]
        for number, n in numbers:
            self._columns[number] = n
        found = np.frombuffer(self._columns, np.intc)[terms]
        for number, _ in numbers:
            self._columns[number] = 0
        return found


def _idf(n: int, holders: NDArray[np.intc]) -> NDArray[np.float64]:
    return np.asarray(np.log((1 + n) / (1 + holders)) + 1.0)
