"""The `[config]` of search sessions, and what a searcher decides: open, look further, retype or stop."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from openiir.kit.prompting import ThoughtfulReply, bullet_lines, count_noun, join_parts, number_lines
from openiir.plugin import ConfigTable, Count, Question, Record, Source, UnusableAnswer
from pydantic import Field

PAGE = 10
STOP, OPEN, FURTHER, RETYPE = CHOICES = (
    "stop",
    "open a result",
    "look further down",
    "search with other words",
)
Chances = tuple[Annotated[float, Field(ge=0, le=1)], Annotated[float, Field(ge=0, le=1)]]
Seconds = Annotated[float, Field(gt=0, le=3_600)]
Words = Annotated[str, Field(min_length=1, max_length=1_000)]
State = Annotated[float, Source("study")]


class SearchSessionConfig(ConfigTable):
    """The `[config]` table of a study."""

    searchers: int = Field(40, ge=1, le=2_000)
    """Number of searchers, all personas among them."""
    sessions: int = Field(5, ge=1, le=500)
    """Sessions of each, one after the other, each for a need that is drawn."""
    needs: dict[str, Words] | Words = Field(min_length=1)
    """Words of each need by its id, or the queries of a collection (`ir_datasets:ID`)."""
    qrels: Words = Field(examples=["other.txt"])
    """Relevance judgements of the documents of `[world]`: a TREC qrels file, or `ir_datasets:ID`."""
    retrieval: Literal["keyword", "match", "vector", "hybrid", "rerank", "own"] = "keyword"
    """How `[world]` is searched: `keyword` is BM25."""
    strategy: Literal["S1", "S2", "S3", "S4", "S5", "need"] = "S2"
    """What is typed: words one by one (S1); one or two words and another last one each time (S2, S3); one or
    two words and one more each time (S4, S5); or the whole need as it is, once."""
    reformulate: bool = True
    """Whether the arm `session` may type another query; without, it is the baseline."""
    budget: float = Field(600.0, ge=1, le=86_400)
    """Seconds after which a session is over."""
    depth: int = Field(10, ge=1, le=100)
    """Results of a query after which it is left for the next one."""
    frustration: int = Field(5, ge=1, le=100)
    """Results in a row of no use after which it is left for the next one."""
    satisfaction: int = Field(5, ge=1, le=100)
    """Useful documents after which a session is over."""
    click: Chances = (0.64, 0.39)
    """Chances that a relevant and another result look worth opening."""
    save: Chances = (0.77, 0.27)
    """Chances that a relevant and another document are found useful once read."""
    costs: tuple[Seconds, Seconds, Seconds, Seconds] = (10.0, 4.4, 7.8, 0.018)
    """Seconds to type a query, to look at a result, and to read a document: at least, and for each word."""


class SearchReply(ThoughtfulReply):
    """What somebody does next in a session."""

    helped: bool = Field(description="whether the document that you have just read helps you; false for none")
    next: Literal["stop", "open a result", "look further down", "search with other words"]
    looked: int = Field(ge=0, le=PAGE, description="number of the last result that you look at, or open")
    words: str = Field("", max_length=200, description="what you type, if you search with other words")


@dataclass(frozen=True)
class GoOn(Question[SearchReply]):
    """Did what you have read help, and what do you do next?"""

    need: str
    remembered: tuple[str, ...]
    minutes: Count
    query: str
    read: str
    """The document just opened; empty for none."""
    results: tuple[str, ...]
    choices: tuple[str, ...]
    helps: Annotated[bool, Source("drawn")]
    """Whether that document is found useful, and whether each result looks worth opening."""
    appeals: Annotated[tuple[bool, ...], Source("drawn")]
    place: State
    """Results of the query looked at; those in a row of no use; useful documents wanted; seconds left."""
    vain: State
    wanted: State
    left: State
    planned: Annotated[str, Source("drawn")]
    """The query that comes next; empty for none."""
    behaviour: SearchSessionConfig
    kind: ClassVar[str] = "search-session.next"
    example: ClassVar[Record | None] = SearchReply(
        thoughts="Trams again.", helped=False, next=RETYPE, looked=3, words="night bus"
    )

    def prompt(self):
        told = {
            "What you remember": bullet_lines(self.remembered),
            "You have just read": self.read,
            f'You typed "{self.query}", and these are the next results': number_lines(self.results),
        }
        task = "" if self.results else f'You typed "{self.query}", and there are no more results. '
        task += f"You have about {count_noun(self.minutes, 'minute')} left. "
        task += "Does what you have just read help you? " if self.read else ""
        task += f"What do you do next? You can {', or '.join(self.choices)}."
        return join_parts(
            f"You search a collection of documents. What you want to know: {self.need}", told, task
        )

    def allowed(self):
        return {"next": self.choices, "looked": range(len(self.results) + 1)}

    def check(self, reply):
        if reply.next == RETYPE and not reply.words.strip():
            raise UnusableAnswer("you search with other words and give none; write them into words")
        if reply.next == OPEN and not reply.looked:
            raise UnusableAnswer("you open a result and do not say which; write its number into looked")

    def offline(self, draw):
        """Look from the top and open what appeals, until there is enough, little of use, or no time left.

        Stopping rules: Maxwell, Azzopardi, Jarvelin & Keskustalo (CIKM 2015). Without another query, one
        looks on. What appeals and helps was drawn by relevance: Smucker & Clarke (SIGIR 2012).
        """
        helped, rules, glance = bool(self.read) and self.helps, self.behaviour, self.behaviour.costs[1]
        vain = 0 if helped else self.vain
        if self.left <= 0 or self.wanted <= helped:
            return SearchReply(helped=helped, next=STOP, looked=0)
        for n, appeals in enumerate((*self.appeals, False)):
            if self.planned and (vain + n >= rules.frustration or self.place + n >= rules.depth):
                return SearchReply(helped=helped, next=RETYPE, looked=n, words=self.planned)
            if self.left - n * glance <= 0:
                return SearchReply(helped=helped, next=STOP, looked=n)
            if appeals:
                return SearchReply(helped=helped, next=OPEN, looked=n + 1)
        going = FURTHER if FURTHER in self.choices else RETYPE if self.planned else STOP
        return SearchReply(helped=helped, next=going, looked=n, words=self.planned if going == RETYPE else "")
