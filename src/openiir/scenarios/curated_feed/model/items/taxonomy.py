"""Topics of items and beliefs: sixteen matters of public debate, or those that a study names."""

from collections.abc import Sequence

from pydantic import Field

from openiir.kit.text_tables import read_text_table
from openiir.plugin import ConfigTable, InputError
from openiir.plugin.arguments import tokens


class Topic(ConfigTable):
    """A topic with its name, keywords, and the statement on which people disagree."""

    name: str = Field(min_length=1, max_length=60)
    """Name of the topic in tables and prompts."""
    keywords: tuple[str, ...] = Field((), max_length=50)
    """Words that indicate the topic besides its name. Inflected forms count too."""
    proposition: str = Field("", max_length=300)
    """Sentence that one side affirms and the other denies. A positive valence or belief affirms it."""
    at_issue: str = Field("", max_length=120)
    """The proposition as a noun phrase to be for or against. The topic's name is used where it is empty."""

    def stems(self) -> frozenset[str]:
        """Compute the stems of the name and keywords."""
        return frozenset(tokens(" ".join((self.name, *self.keywords))))


_TOPICS = """
climate | a steep tax on carbon | Governments should levy a steep tax on carbon. |
    carbon emissions warming energy renewable wind solar coal fossil fuel
housing | strict rent control | Rents should be strictly controlled. |
    rent tenant landlord apartment flat mortgage home dwelling homeless
transport | free buses and trams | Buses and trams should be free for everybody. |
    bus tram train rail car traffic bicycle cycling road commuter
immigration | easier immigration of workers | Workers from abroad should be admitted more easily. |
    immigrant migrant refugee asylum border visa citizenship integration
schools | a common school for all children up to sixteen |
    All children should attend one common school up to sixteen. |
    school pupil teacher classroom education curriculum exam lesson
health care | one public health insurance for everybody |
    One public health insurance should cover everybody. |
    health hospital doctor patient medicine insurance nurse disease treatment
artificial intelligence | binding rules for artificial intelligence |
    Artificial intelligence should be bound by strict rules. |
    algorithm chatbot model machine learning automation robot
privacy | tight limits on the storage of personal data |
    The storage of personal data should be tightly limited. |
    data surveillance tracking encryption camera consent anonymity
media | public money for journalism | Journalism should be paid for with public money. |
    news journalist newspaper broadcaster television press editor misinformation
taxes | a yearly tax on large fortunes | Large fortunes should be taxed every year. |
    tax wealth income inequality fortune revenue budget inheritance
work | a four-day working week | The working week should be cut to four days. |
    job employee employer wage union labour unemployment office overtime
farming | subsidies for organic farms alone | Only organic farms should be subsidised. |
    farm farmer crop agriculture organic pesticide soil harvest food
policing | more police patrols on foot | The police should patrol more on foot. |
    police crime officer arrest prison violence court sentence
science | free access to all publicly funded research | Publicly funded research should be free to read. |
    research scientist university experiment study publication laboratory peer
sport | public money for large sports events | Large sports events should get public money. |
    football olympic stadium athlete team match league club
animals | an end to keeping animals in cages | Keeping animals in cages should be forbidden. |
    animal cage meat livestock zoo wildlife species hunting vegan
"""
"""Topics with what is at issue, the proposition, and keywords."""
TOPICS = tuple(
    Topic(name=name, at_issue=at_issue, proposition=proposition, keywords=tuple(keywords.split()))
    for name, (at_issue, proposition, keywords) in read_text_table(_TOPICS).items()
)
"""Default topics of studies that name none."""


def taxonomy(k: int, topics: Sequence[Topic] = TOPICS) -> tuple[Topic, ...]:
    """Return the first k topics of a list; raises InputError for too few topics or a name used twice."""
    names = [topic.name for topic in topics]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"topics: two are called {twice!r}; give each a name of its own")
    if not 1 <= k <= len(topics):
        have = "topics are built in" if tuple(topics) == TOPICS else "topics are named"
        raise InputError(
            f"topics = {k}: {len(topics)} {have}, so ask for 1 to {len(topics)} of them, or name more under "
            "topics"
        )
    return tuple(topics[:k])
