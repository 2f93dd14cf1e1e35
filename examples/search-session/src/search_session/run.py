"""What all searchers share (documents, needs, words for queries), and a session from its first query on."""

import math
from collections import Counter

from openiir.kit.items.retrieval import read_judgements, read_queries
from openiir.kit.prompting import cut_text
from openiir.plugin import Agent, InputError, order_by, texts_in_order
from openiir.plugin.arguments import content_words, tokens, words

from search_session.questions import FURTHER, OPEN, PAGE, RETYPE, STOP, GoOn

FIXED, SESSION = ARMS = ("fixed", "session")
MOST_WORDS, RESULTS, RECALLED = 5, 100, 6
"""Words of a need that are typed, results of a query, and texts that a searcher recalls."""


def plan_queries(strategy, need, picked):
    """Make the queries of a strategy: Keskustalo et al. (AIRS 2009), Baskaya et al. (SIGIR 2012)."""
    if strategy == "need" or not picked:
        return [need]
    number = int(strategy[1])
    if number > 3:
        return [" ".join(picked[:end]) for end in range(min(number - 3, len(picked)), len(picked) + 1)]
    kept = picked[: number - 1]
    return [" ".join([*kept, word]) for word in picked[len(kept) :]] or [" ".join(kept)]


class Search:
    """The documents, needs and grades of a run."""

    def __init__(self, stage, folder):
        self.stage, self.texts = stage, {}
        for chunk in stage.world().chunks:
            self.texts[chunk.source] = f"{self.texts.get(chunk.source, '')} {chunk.text}".strip()
        self.openings = {id: cut_text(text.replace("\n\n", ": "), 240) for id, text in self.texts.items()}
        self.needs = dict(read_queries(stage.config.needs))
        judged = read_judgements(stage.config.qrels, "config.qrels = ", folder)
        self.grades = {(one.topic, one.item): one.relevance for one in judged if one.relevance > 0}
        if bare := set(self.needs) - {topic for topic, item in self.grades if item in self.texts}:
            raise InputError(
                f"config.qrels: no document of [world] is relevant for {min(bare)!r}; leave it out"
            )
        self.found_in = Counter(term for text in self.texts.values() for term in set(tokens(text)))

    def plan(self, need, draw):
        """Plan queries for a need, of words that come to mind, rare ones first; at least one query."""
        known = [one for one in dict.fromkeys(content_words(need)) if self.found_in[tokens(one)[0]]]
        rarity = [math.log(len(self.texts) / self.found_in[tokens(one)[0]]) for one in known]
        order = order_by([-rare - draw.gumbel(item=n) for n, rare in enumerate(rarity)])[:MOST_WORDS]
        return plan_queries(self.stage.config.strategy, need, [known[n] for n in order.tolist()])


class Session:
    """A searcher's session in one arm."""

    def __init__(self, search, arm, persona, memory):
        self.search, self.arm, self.memory = search, arm, memory
        self.agent, self.config = Agent.of(persona), search.stage.config
        self.reformulates = self.config.reformulate and arm == SESSION
        self.draw = search.stage.draw("search-session", agent=persona.id)
        self.topic = list(search.needs)[self.draw.at("need").below(len(search.needs))]
        self.need = search.needs[self.topic]
        self.plan = search.plan(self.need, self.draw.at("words"))
        self.query, self.number, self.place, self.vain, self.seconds = self.plan[0], 0, 0, 0, 0.0
        self.wanted, self.reading = self.config.satisfaction, ""
        self.seen, self.read, self.rows = set(), set(), []

    async def live(self, lane):
        """Type queries, look, open and read until there is enough, or no time left; then log all results."""
        going, found = RETYPE, []
        while going != STOP:
            if going == RETYPE:
                hits = await lane.lookup(self.agent, self.query, RESULTS, mode=self.config.retrieval)
                found = list(dict.fromkeys(hit.chunk.source for hit in hits))
                self.number, self.place, self.vain = self.number + 1, 0, 0
                self.seconds += self.config.costs[0]
                self.memory.store(f'To find out {self.need}, you typed "{self.query}".')
            reply = await lane.ask(self.agent, self.ask(found[self.place :]))
            if reply is None:
                break
            self.settle(found[self.place :][:PAGE], reply)
            going = reply.next
        for row in self.rows:
            lane.row("results", arm=self.arm, step=lane.step, searcher=self.agent.id, need=self.need, **row)

    def sees(self, what, document):
        """Draw whether a document appeals (`click`) or helps (`save`), by relevance; alike in all arms."""
        chance = getattr(self.config, what)[(self.topic, document) not in self.search.grades]
        return bool(self.draw.at(what).chance(chance, item=document))

    def ask(self, found):
        """Ask what to do in front of the next results."""
        search, left, planned = self.search, self.config.budget - self.seconds, self.plan[self.number :]
        state = {"place": self.place, "vain": self.vain, "wanted": self.wanted, "left": left}
        possible = {OPEN: found, FURTHER: found[PAGE:], RETYPE: self.reformulates}
        return GoOn(
            need=self.need,
            remembered=texts_in_order(self.memory.recall(self.need, RECALLED)),
            minutes=math.ceil(max(left, 0) / 60),
            query=self.query,
            read=cut_text(search.texts.get(self.reading, ""), 900),
            results=tuple(search.openings[one] for one in found[:PAGE]),
            choices=(STOP, *(one for one, can in possible.items() if can and left > 0)),
            helps=self.sees("save", self.reading),
            appeals=tuple(one not in self.read and self.sees("click", one) for one in found[:PAGE]),
            **state,
            planned=planned[0] if planned and self.reformulates else "",
            behaviour=self.config,
        )

    def settle(self, page, reply):
        """Judge what was read, look at results, and perhaps open one or type another query."""
        (_, glance, opening, word), search = self.config.costs, self.search
        if self.reading and reply.helped:
            self.rows[-1]["helped"], self.vain, self.wanted = True, 0, self.wanted - 1
            self.memory.store(f"This helped: {search.openings[self.reading]}")
        self.reading = ""
        for one in page if reply.next == FURTHER else page[: reply.looked]:
            self.place, self.vain, self.seconds = self.place + 1, self.vain + 1, self.seconds + glance
            told = {"query": self.number, "typed": self.query, "rank": self.place, "document": one}
            told |= {"grade": search.grades.get((self.topic, one), 0), "new": one not in self.seen}
            self.rows.append(told | {"opened": False, "helped": False, "seconds": self.seconds})
            self.seen.add(one)
        if reply.next == OPEN and one not in self.read:
            self.reading, self.seconds = one, self.seconds + opening + word * len(words(search.texts[one]))
            self.rows[-1] |= {"opened": True, "seconds": self.seconds}
            self.read.add(one)
        self.query = reply.words.strip() if reply.next == RETYPE else self.query
