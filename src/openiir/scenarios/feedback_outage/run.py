"""A round of the search platform in all arms: pages, searches, signals that arrive, and the rows logged."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from openiir.kit.prompting import join_words
from openiir.kit.signals import Channels, Outage
from openiir.plugin import Action, Arms, Lane, Population, Stage, happens, quantise, texts_in_order
from openiir.scenarios.feedback_outage.model.material import SearchMaterial
from openiir.scenarios.feedback_outage.model.platform import (
    ARMS,
    CHANNELS,
    CLICK,
    CLICKS,
    CONTROL,
    FAULT,
    ONLY_READ,
    READING,
    ClickPlatform,
    SearchRound,
)
from openiir.scenarios.feedback_outage.model.world import OutageWorld
from openiir.scenarios.feedback_outage.questions import SearchPage

RECALLED = 4
"""Number of earlier searches that a searcher recalls."""


class SearchAction(Action):
    """A searcher asked a query and opened results, or none."""

    kind: ClassVar[str] = "feedback_outage.searched"
    arm: str
    query: int
    answered: bool
    """Whether the page answered by itself, above its results."""
    opened: int
    """Number of results opened."""


class OutageRun:
    """The arms of a run, and the world that they share."""

    def __init__(self, stage: Stage, people: Population, material: SearchMaterial) -> None:
        draw = stage.draw("feedback_outage", step=0)
        self.stage, self.people = stage, people
        self.world = OutageWorld.build(material, stage.config.content, draw)
        self.turn = draw.at("turn").uniform(agent=people.rows)
        """(N,) the pages of those below the share of an outage of clicks answer by themselves."""
        platforms = {name: ClickPlatform(name, people, material.signal.shape) for name in ARMS}
        self.arms = Arms(stage, platforms, self.world)
        if stage.restored is None:
            texts = list(material.queries)
            stage.columns("queries", {"query": np.arange(len(texts)), "text": texts})

    async def live(self) -> None:
        """Let a round pass in all arms; the fault loses the share of clicks that readers hold back."""
        stage, step = self.stage, self.stage.step
        self.world.channels.apply(*stage.events)
        asked = stage.draw("feedback_outage.query").uniform(agent=self.people.rows)
        self.query = self.world.draw_queries(asked)
        rounds = await self.arms.live(self.search)
        held_back, clicks = rounds[ONLY_READ].held_back, rounds[ONLY_READ].clicks
        lost = {FAULT: quantise(held_back.sum() / max((held_back | clicks).sum(), 1))}
        for name, arm in self.arms.items():
            channels = Channels(CHANNELS, READING)
            if name != CONTROL:
                channels.lost = self.world.channels.lost.copy()
                channels.apply(Outage(channel=CLICK, share=lost.get(name, 0.0)))
            draw = stage.draw("feedback_outage.signals")
            counted = arm.receive(rounds[name], self.world.spam, channels, stage.config.half_life, draw)
            stage.row("evaluators", step=step, arm=name, **self.world.evaluate(arm, rounds[name], step))
            for channel, (given, arrived) in counted.items():
                stage.row("signals", step=step, arm=name, channel=channel, given=given, arrived=arrived)
        self.world.drift(stage.config.drift, stage.draw("feedback_outage.drift"), step)

    async def search(self, arm: ClickPlatform, lane: Lane) -> SearchRound:
        """Rank, and ask all searchers of one arm what they open."""
        config, query, material = self.stage.config, self.query, self.world.material
        pages = self.world.rank(arm, config.trust, config.judging)
        share = self.world.channels.share_lost(CLICK) if arm.name == ONLY_READ else 0.0
        answered = happens(self.turn, share)

        def see(n: int) -> Mapping[str, Any]:
            asks, words = int(query[n]), material.queries[query[n]]
            told = material.show_page(asks, pages.order[asks].tolist(), pages.grades[asks].tolist())
            return {
                "query": words,
                "remembered": texts_in_order(arm.memories[n].recall(words, RECALLED)),
                "answer": told[0][1] if answered[n] else "",
                "page": tuple(f"{title}: {passage}" for title, passage in told),
            }

        taking = np.where(answered, pages.taking[query], 0.0)
        columns = {"attraction": pages.attraction[query], "taking": taking}
        answers = await lane.ask_crowd(SearchPage, arm.users, columns, see, behaviour=CLICKS)
        clicks, held_back = answers["open"], answers["held_back"] & answered[:, None]
        for row, memory in arm.memories.items():
            opened = pages.order[query[row]][clicks[row]].tolist()
            did = join_words([f'"{material.titles[query[row]][one]}"' for one in opened]) or "nothing"
            read = ", read the page's own answer" if answered[row] else ""
            memory.store(f'You searched for "{material.queries[query[row]]}"{read} and opened {did}.')
        done = {"query": query, "answered": answered, "opened": clicks.sum(axis=1)}
        lane.act_all(SearchAction, self.people.rows, arm=arm.name, **done)
        return SearchRound(query, pages, share * pages.taking, clicks, held_back)
