"""Items in words: what a model or a person reads where the behaviour model reads numbers.

A document of a world is shown by its own first words; the rest is about synthetic items.

A text tells what the numbers do and nothing else: the main topic (and a second one from a quarter of the mix),
the side from the valence's sign, how firmly from its size, and the quality as care in the writing.
"""

from bisect import bisect
from collections.abc import Sequence

from openiir.kit.items.catalogue import Catalogue
from openiir.kit.items.taxonomy import TOPICS, Topic
from openiir.plugin import Draw
from openiir.plugin.arguments import sentences

_DRAW = Draw(0, "item-text")
"""A text belongs to the item, not to the run that shows it."""
SECOND = 0.25
"""The share from which a second topic is named."""
_KINDS = ("column", "report", "essay", "post", "commentary", "letter", "feature", "note")
_FIRMNESS = (0.1, 0.4, 0.75)
_CARE = (-0.5, -0.15, 0.15, 0.5)
_NEUTRAL = (
    "weighs {} without taking a side",
    "sets out what speaks for and against {}",
    "describes the quarrel over {} and stays neutral",
)
_FOR = (
    ("leans towards {}", "sees slightly more for than against {}", "is cautiously in favour of {}"),
    ("makes the case for {}", "speaks in favour of {}", "comes out for {}"),
    ("demands {} outright", "is passionately for {}", "wants {} and accepts no objection"),
)
_AGAINST = (
    ("leans away from {}", "sees slightly more against than for {}", "is cautiously opposed to {}"),
    ("makes the case against {}", "speaks out against {}", "comes out against {}"),
    ("rejects {} outright", "is passionately against {}", "condemns {} and accepts no defence of it"),
)
_WRITING = (
    (
        "It is hastily written and names no source.",
        "The claims are bare, the spelling is careless, and nothing is sourced.",
        "It rambles, contradicts itself and backs up nothing.",
    ),
    (
        "It is loosely written, and its one source is hearsay.",
        "Some of it is vague, and most figures come without a source.",
        "The argument skips steps and is thin on evidence.",
    ),
    (
        "It is plainly written and gives a source here and there.",
        "The writing is ordinary; some of what it says is backed up.",
        "It is readable, with an example or two as evidence.",
    ),
    (
        "It is clearly written and names its sources.",
        "The argument is in good order, and its figures are sourced.",
        "It explains itself well and gives evidence for most of what it says.",
    ),
    (
        "It is carefully written, quotes its sources and meets objections fairly.",
        "Every figure is sourced, and the argument is a pleasure to follow.",
        "It is thorough, well evidenced and open about what is not known.",
    ),
)


def describe(catalogue: Catalogue, index: int, topics: Sequence[Topic] = TOPICS) -> str:
    """An item in two sentences: kind, topic, side and firmness; then the care it is written with.

    A function of the item's numbers and id alone. Two items that follow each other in number are never worded alike.
    """
    draw = _DRAW.at(item=catalogue.id_of(index))
    main, second = _main_topics(catalogue, index)
    # Neighbours take their kind from different halves of the list.
    kind = _KINDS[2 * draw.at("kind").below(len(_KINDS) // 2) + catalogue.number_of(index) % 2]
    side = _side(float(catalogue.valence[index]))[draw.at("side").below(3)].format(_at_issue(main, topics))
    care = _WRITING[bisect(_CARE, float(catalogue.quality[index]))][draw.at("care").below(3)]
    about = f"{main} and {second}" if second else main
    return f"{'An' if kind[0] in 'aeiou' else 'A'} {kind} about {about} that {side}. {care}"


def title(catalogue: Catalogue, index: int, topics: Sequence[Topic] = TOPICS) -> str:
    """A headline: the main topic, and what the item says of it."""
    main, _ = _main_topics(catalogue, index)
    valence = float(catalogue.valence[index])
    firmness = bisect(_FIRMNESS, abs(valence))
    word = ("both sides of", "a few words {} ", "the case {} ", "a clear word {} ")[firmness]
    side = word.format("for" if valence > 0 else "against").strip()
    return f"{main[:1].upper()}{main[1:]}: {side} {_at_issue(main, topics)}"


def excerpt(text: str, most: int = 280) -> str:
    """The first words of a document in one line of at most `most` characters, whole sentences where they fit."""
    line = " ".join(text[: 20 * most].split())
    if len(line) <= most:
        return line
    ends = [end for _, end in sentences(line) if most // 2 <= end <= most]
    return line[: ends[-1]].rstrip() if ends else f"{line[: most - 3].rsplit(' ', 1)[0]}..."


def _main_topics(catalogue: Catalogue, index: int) -> tuple[str, str]:
    """The names of the topics with the largest shares; the second is empty where its share is small."""
    mix = catalogue.theta[index]
    order = sorted(range(catalogue.k), key=lambda topic: (-mix[topic], topic))[:2]
    second = catalogue.topics[order[1]] if len(order) > 1 and mix[order[1]] >= SECOND else ""
    return catalogue.topics[order[0]], second


def _side(valence: float) -> Sequence[str]:
    firmness = bisect(_FIRMNESS, abs(valence))
    if firmness == 0:
        return _NEUTRAL
    return (_FOR if valence > 0 else _AGAINST)[firmness - 1]


def _at_issue(name: str, topics: Sequence[Topic]) -> str:
    return next((topic.at_issue for topic in topics if topic.name == name), "") or name
