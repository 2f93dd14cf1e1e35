"""Headlines and short texts that put a feed item's numbers into words for models and people.

A document of a world is shown by its own title and first words; the rest is about synthetic items.

Headline and text tell what the numbers do: the main topic (and a second one from a quarter of the mix), the
side from the valence's sign, how firmly from its size, and the quality as care in the writing. Whom an item
writes about is drawn, so that people have something to choose by; it says nothing that a number would have to
say.
"""

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from openiir.kit.items.catalogue import Catalogue
from openiir.kit.text_tables import read_text_table
from openiir.plugin import Draw
from openiir.plugin.arguments import sentences
from openiir.scenarios.curated_feed.model.items.taxonomy import TOPICS, Topic

_DRAW = Draw(0, "item-text")
"""Source of random choices, keyed by the item alone and not by the run."""
SECOND = 0.25
"""Share of a topic from which on an item's second topic is named."""
_KINDS = ("column", "report", "essay", "post", "commentary", "letter", "feature", "note")
_FIRMNESS = (0.1, 0.4, 0.75)
_CARE = (-0.5, -0.15, 0.15, 0.5)
_WORDINGS = read_text_table("""
neutral | weighs it without taking a side | sets out what speaks for and against it |
    describes the quarrel over it and stays neutral
for 1 | leans towards it | sees slightly more for it than against it | is cautiously in favour of it
for 2 | makes the case for it | speaks in favour of it | comes out for it
for 3 | demands it outright | is passionately for it | wants it and accepts no objection
against 1 | leans away from it | sees slightly more against it than for it | is cautiously opposed to it
against 2 | makes the case against it | speaks out against it | comes out against it
against 3 | rejects it outright | is passionately against it | condemns it and accepts no defence
headline neutral | what {issue} would mean for {whom} | {issue}: {whom} are divided |
    {whom} and {issue}: what is known
headline for 1 | {issue} might help {whom} | could {issue} be right for {whom}? | {whom} warm to {issue}
headline for 2 | why {whom} need {issue} | {issue} would serve {whom} | {whom} would gain from {issue}
headline for 3 | {whom} cannot wait for {issue} | no more excuses: {whom} need {issue} now |
    {issue}, now: {whom} deserve it
headline against 1 | {issue} might not help {whom} | is {issue} worth it for {whom}? |
    {whom} have doubts about {issue}
headline against 2 | why {whom} would lose by {issue} | {issue} would hurt {whom} |
    {whom} do better without {issue}
headline against 3 | stop {issue} before {whom} pay for it | {issue} would betray {whom} |
    {whom} must be spared {issue}
care 0 | It is hastily written and names no source. |
    The claims are bare, the spelling is careless, and nothing is sourced. |
    It rambles, contradicts itself and backs up nothing.
care 1 | It is loosely written, and its one source is hearsay. |
    Some of it is vague, and most figures come without a source. |
    The argument skips steps and is thin on evidence.
care 2 | It is plainly written and gives a source here and there. |
    The writing is ordinary; some of what it says is backed up. |
    It is readable, with an example or two as evidence.
care 3 | It is clearly written and names its sources. |
    The argument is in good order, and its figures are sourced. |
    It explains itself well and gives evidence for most of what it says.
care 4 | It is carefully written, quotes its sources and meets objections fairly. |
    Every figure is sourced, and the argument is a pleasure to follow. |
    It is thorough, well evidenced and open about what is not known.
about | young families | small towns | pensioners | shopkeepers | students | nurses | commuters |
    small firms | volunteers | newcomers | low earners | grandparents | remote villages | the suburbs |
    night workers | freelancers | teachers | builders | single parents | large cities
""")
"""What an item says of its issue by side and firmness, its headlines likewise, how well it is written, and
whom it may be about."""
_TRIES = 40
"""Number of attempts to word an item differently from the others on its page."""


@dataclass(frozen=True)
class ItemWords:
    """Headline and text of an item as a page shows it."""

    headline: str
    """Headline; empty for a document without a title."""
    text: str
    """Two sentences, or the opening of a document."""

    def __str__(self) -> str:
        return f"{self.headline}\n   {self.text}" if self.headline else self.text


def word_item(
    catalogue: Catalogue, index: int, topics: Sequence[Topic] = TOPICS, again: int = 0
) -> ItemWords:
    """Write the headline and text of a synthetic item from its numbers and id.

    `again` from 1 on gives other wordings of the same item.
    """
    return ItemWords(headline(catalogue, index, topics, again), describe(catalogue, index, again))


def page_words(words: Callable[[int, int], ItemWords], items: Iterable[int]) -> tuple[ItemWords, ...]:
    """Write the headlines and texts of a page's items so that none occurs twice.

    `words` gives the wording of an item at an attempt.
    Documents have one wording each, so that two of the same words stay alike.
    """
    page: list[ItemWords] = []
    taken: set[str] = set()
    for item in items:
        tries = (words(item, again) for again in range(_TRIES))
        fitting = (one for one in tries if taken.isdisjoint((one.headline, one.text)))
        page.append(one := next(fitting, None) or words(item, 0))
        taken |= {one.headline, one.text}
    return tuple(page)


def describe(catalogue: Catalogue, index: int, again: int = 0) -> str:
    """Write a synthetic item's body: its kind, topic, side and firmness, then the quality of its writing.

    A function of the item's numbers and id alone. Two items that follow each other in number are never worded
    alike.
    """
    draw = _draw(catalogue, index, again)
    main, second = _main_topics(catalogue, index)
    # Neighbours take their kind from different halves of the list.
    kind = _KINDS[2 * draw.at("kind").below(len(_KINDS) // 2) + int(catalogue.numbers_of(index)) % 2]
    told = _side_wordings("", float(catalogue.valence[index]))[draw.at("side").below(3)]
    care = _WORDINGS[f"care {bisect(_CARE, float(catalogue.quality[index]))}"][draw.at("care").below(3)]
    about = f"{main} and {second}" if second else main
    return f"{'An' if kind[0] in 'aeiou' else 'A'} {kind} about {about} that {told}. {care}"


def headline(catalogue: Catalogue, index: int, topics: Sequence[Topic] = TOPICS, again: int = 0) -> str:
    """Write an item's headline: the issue, whom it concerns, and the side the item takes."""
    draw, (main, _) = _draw(catalogue, index, again).at("headline"), _main_topics(catalogue, index)
    side = _side_wordings("headline ", float(catalogue.valence[index]))
    whom = _WORDINGS["about"][draw.at("whom").below(len(_WORDINGS["about"]))]
    at_issue = {topic.name: topic.at_issue for topic in topics}
    words = side[draw.below(3)].format(issue=at_issue.get(main) or main, whom=whom)
    return words[:1].upper() + words[1:]


def document_title(name: str) -> str:
    """Derive a document's title from its file name or URL; empty where that is not made of words."""
    words = re.split(r"[-_\s]+", name.rstrip("/").rpartition("/")[2].rsplit(".", 1)[0])
    are_words = all(re.fullmatch(r"[^\W\d_]+|\d{1,4}", word) for word in words) and any(
        word.isalpha() for word in words
    )
    return " ".join([words[0].capitalize(), *words[1:]]) if are_words else ""


def excerpt(text: str, most: int = 280) -> str:
    """Cut a document's opening to one line of at most `most` characters, at a sentence end if possible."""
    line = " ".join(text[: 20 * most].split())
    if len(line) <= most:
        return line
    ends = [end for _, end in sentences(line) if most // 2 <= end <= most]
    return line[: ends[-1]].rstrip() if ends else f"{line[: most - 3].rsplit(' ', 1)[0]}..."


def _main_topics(catalogue: Catalogue, index: int) -> tuple[str, str]:
    """Find the names of the two largest topics; the second is empty where its share is small."""
    mix = catalogue.theta[index]
    order = sorted(range(catalogue.k), key=lambda topic: (-mix[topic], topic))[:2]
    second = catalogue.topics[order[1]] if len(order) > 1 and mix[order[1]] >= SECOND else ""
    return catalogue.topics[order[0]], second


def _draw(catalogue: Catalogue, index: int, again: int) -> Draw:
    name = catalogue.id_of(index)
    return _DRAW.at(item=f"{name}~{again}" if again else name)


def _side_wordings(what: str, valence: float) -> Sequence[str]:
    """Select the wordings of a text or a headline for a valence: neutral, for or against, and how firmly."""
    firmness = bisect(_FIRMNESS, abs(valence))
    side = f"{'for' if valence > 0 else 'against'} {firmness}" if firmness else "neutral"
    return _WORDINGS[f"{what}{side}"]
