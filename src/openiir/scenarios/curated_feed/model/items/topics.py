"""Turn the documents of a world into a catalogue of items with topics and valence."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from openiir.kit.arrays import Floats
from openiir.kit.items.catalogue import Catalogue, arrival_weeks, share_rows
from openiir.kit.items.retrieval import Unit
from openiir.plugin import Chunk, Draw, InputError, first_largest, int_sum, quantise
from openiir.plugin.arguments import content_words, sentences, stance, tokens, vader_compound
from openiir.scenarios.curated_feed.model.items.taxonomy import Topic

NEUTRAL = 0.05
"""Absolute stance or sentiment below which a sentence is neutral."""
ITERATIONS = 200
"""Fixed number of iterations of the matrix factorisation, so that results do not depend on a tolerance."""
_TERMS, _NAMED = 10, 3


@dataclass(frozen=True)
class TopicModel:
    """Topics with the function that computes texts' topic mixes."""

    topics: tuple[Topic, ...]
    theta: Callable[[Sequence[str]], Floats]
    """Function from n texts to topic mixes (n, k), rows summing to 1. A text without any of the topics gets
    equal shares."""


def named_topics(texts: Sequence[str], topics: Sequence[Topic]) -> TopicModel:
    """Build a topic model from the topics that a study names.

    A text's weight for a topic is the sum of (1 + ln f) * idf over the stems of the topic's name and
    keywords, f the stem's count in the text and idf = 1 + ln((1 + n) / (1 + n_stem)) over the n texts given
    here.
    """
    stems = sorted(frozenset[str]().union(*(topic.stems() for topic in topics)))
    column = {stem: at for at, stem in enumerate(stems)}
    member = np.array([[stem in topic.stems() for topic in topics] for stem in stems], dtype=np.float64)
    holders = Counter(stem for text in texts for stem in set(tokens(text)) & column.keys())
    idf = np.array([1 + np.log((1 + len(texts)) / (1 + holders[stem])) for stem in stems])

    def theta(texts: Sequence[str]) -> Floats:
        counts = np.zeros((len(texts), len(stems)))
        for row, text in enumerate(texts):
            for stem, count in Counter(tokens(text)).items():
                if stem in column:
                    counts[row, column[stem]] = 1 + np.log(count)
        return share_rows(quantise(np.einsum("ns,sk->nk", counts * idf, member)))

    return TopicModel(tuple(topics), theta)


def fit_topics(texts: Sequence[str], k: int) -> TopicModel:
    """Fit k topics to texts by non-negative matrix factorisation of TF-IDF.

    Lee & Seung, Nature 1999. Started from the singular vectors (NNDSVDa: Boutsidis & Gallopoulos, Pattern
    Recognition 2008) and run on one thread for a fixed number of iterations. Terms are stems, those in more
    than half of ten texts or more left out, and those in one text alone where there are twenty or more. A
    text's mix is the mass each topic has in it. A topic is named by its three heaviest terms. Raises
    InputError where k is larger than texts or terms.
    """
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfVectorizer
    from threadpoolctl import threadpool_limits

    vectoriser = TfidfVectorizer(
        analyzer=lambda text: [term for term in tokens(text) if not term[0].isdigit()],
        sublinear_tf=True,
        max_df=0.5 if len(texts) >= 10 else 1.0,
        min_df=2 if len(texts) >= 20 else 1,
    )
    try:
        weights = vectoriser.fit_transform(texts)
    except ValueError:
        raise InputError(
            "the world's texts share no words to fit topics on; name topics, or add sources"
        ) from None
    most = min(weights.shape)
    if not 1 <= k <= most:
        raise InputError(
            f"topics = {k}: they are fitted on {weights.shape[0]} texts of {weights.shape[1]} terms, "
            f"which bear 1 to {most} of them; ask for fewer, add sources, or name the topics"
        )
    model = NMF(k, init="nndsvda", random_state=0, tol=0.0, max_iter=ITERATIONS)
    with threadpool_limits(1):
        model.fit(weights)
    parts = np.asarray(quantise(model.components_, float(model.components_.max() or 1.0)))
    model.components_ = parts
    mass = parts.sum(axis=1)

    def theta(texts: Sequence[str]) -> Floats:
        with threadpool_limits(1):
            return share_rows(quantise(model.transform(vectoriser.transform(texts)) * mass))

    return TopicModel(_topics_of(parts, vectoriser.get_feature_names_out(), texts), theta)


def documents(chunks: Sequence[Chunk], unit: Unit = "source") -> dict[str, str]:
    """Map ids to texts, in order of id: whole sources by name, or chunks by id."""
    if unit == "chunk":
        return {chunk.id: chunk.text for chunk in sorted(chunks, key=lambda chunk: chunk.id)}
    pieces: dict[str, list[str]] = {}
    for chunk in sorted(chunks, key=lambda chunk: (chunk.source, chunk.start, chunk.id)):
        pieces.setdefault(chunk.source, []).append(chunk.text)
    return {source: "\n\n".join(found) for source, found in pieces.items()}


def catalogue_from_world(
    draw: Draw, texts: Mapping[str, str], model: TopicModel, per_week: int = 0, proposition: str = ""
) -> Catalogue:
    """Build a catalogue from documents (id to text), which arrive in a random order.

    `per_week` documents arrive each week (0: all in week 1). A document's place in the order is drawn by its
    id. Topic mixes are the model's; valences are as `valence` has them, towards the proposition, or else that
    of the document's main topic. Quality is 0, since nothing in a text says how well it is liked at equal
    position and side.
    """
    if not texts:
        raise InputError("the world has no documents to make items of; name files by its key `sources`")
    order = draw.at("arrival").order(tuple(texts))
    theta = model.theta([texts[name] for name in order])
    main = [model.topics[at].proposition for at in first_largest(theta, axis=1)]
    sides = [valence(texts[name], proposition or own) for name, own in zip(order, main, strict=True)]
    return Catalogue(
        topics=tuple(topic.name for topic in model.topics),
        theta=theta,
        valence=np.array(sides),
        quality=np.zeros(len(order)),
        arrival=arrival_weeks(len(order), per_week),
        names=tuple(order),
    )


def valence(text: str, proposition: str = "") -> float:
    """Compute a text's stance, -1 to 1: the mean over its sentences that are not neutral, else 0.

    With a proposition it is the stance towards it. Without one, as for fitted topics, there is nothing to be
    for or against, and VADER's sentiment (Hutto & Gilbert, ICWSM 2014) stands in: praise and blame.
    """
    found = [text[start:end] for start, end in sentences(text)]
    rated = [stance(s, proposition) if proposition else vader_compound(s) for s in found]
    sides = [value for value in rated if abs(value) >= NEUTRAL]
    return float(quantise(fmean(sides))) if sides else 0.0


def _topics_of(parts: Floats, terms: Sequence[str], texts: Sequence[str]) -> tuple[Topic, ...]:
    """Name each fitted topic by its heaviest terms, in the spelling most frequent in the texts."""
    spelled: dict[str, Counter[str]] = {}
    for word, count in Counter(word for text in texts for word in content_words(text)).items():
        for stem in tokens(word):
            spelled.setdefault(stem, Counter())[word] = count
    topics: list[Topic] = []
    for part in parts:
        order = sorted(range(len(terms)), key=lambda at: (-part[at], terms[at]))
        heaviest = (spelled[terms[at]].items() for at in order[:_TERMS] if part[at])
        words = [min(spellings, key=lambda one: (-one[1], one[0]))[0] for spellings in heaviest]
        if not words:
            raise InputError(
                f"topics = {len(parts)}: the texts bear {len(topics)} distinct ones; ask for so many"
            )
        name = ", ".join(words[:_NAMED])[:56]
        taken = int_sum(topic.name.split(" #")[0] == name for topic in topics)
        topics.append(Topic(name=f"{name} #{taken + 1}" if taken else name, keywords=tuple(words)))
    return tuple(topics)
