"""An arm of the study: two populations and their corpus, from one generation to the next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.kit.arrays import Bools, Floats
from openiir.kit.credibility.contest import share_attention, share_wins, weigh_fitness
from openiir.kit.credibility.corpus import SharedCorpus
from openiir.kit.credibility.judging import Judgements, judge_posts
from openiir.kit.credibility.moderating import moderate
from openiir.kit.credibility.pairs import ClaimPair, name_versions
from openiir.kit.credibility.standing import PostBoard, StandingPost
from openiir.kit.credibility.writing import Post, write_posts
from openiir.kit.evolution import (
    NO_PARENT,
    Birth,
    Genome,
    GenomeSpec,
    SelectionRule,
    TextLocus,
    choose_opponents,
    rank_agents,
)
from openiir.plugin import Agent, Persona, Stage
from openiir.scenarios.multi_generational.genomes import SIDES, Player, Side, genome_specs
from openiir.scenarios.multi_generational.questions import RewriteDispositions, RewriteFacts, RewriteText

MUTATOR = "mutator"
_WHAT = {"template": "an instruction to somebody who {}", "bio": "a description of somebody who {}",
         "bio.expertise": "what readers take somebody for who {}"}  # fmt: skip
_DOES = {"producer": "writes short posts", "detector": "checks short posts"}
_FARED = (
    "It has worked worse than most.",
    "It has worked about as well as others.",
    "It has worked better than most.",
)
_FROZEN = {"frozen_detectors": "detector", "frozen_producers": "producer"}
"""Side that does not change in an arm."""


@dataclass(frozen=True, eq=False)
class Meeting:
    """What came of a generation's meeting.

    Tables are (producers, pairs, versions), the true version first; only the generation's own agents are in them.
    """

    pairs: Sequence[ClaimPair]
    posts: list[Post]
    """Posts of the generation, in the tables' order."""
    read: list[int]
    """Documents that producers read."""
    judged: Judgements
    """Judgements of the posts by the generation's detectors."""
    survival: Floats
    landed: Bools
    fitness: dict[Side, Floats]
    opponents: dict[Side, list[Player]]
    found: list[StandingPost]
    """Posts that could be found: the documents after the pages."""
    removed: list[str]
    """Standing posts that were taken down."""

    @property
    def posted(self) -> Bools:
        """Which posts were written."""
        return np.array([bool(post.text) for post in self.posts]).reshape(self.survival.shape)


class EvolvingArm:
    """Producers and detectors of one arm, the best of their ancestors, and the posts that stand."""

    def __init__(self, stage: Stage, name: str, corpus: SharedCorpus, asks: bool) -> None:
        self.stage, self.name, self.corpus, self.asks = stage, name, corpus, asks
        founders = stage.log.personas[: stage.config.producers + stage.config.detectors]
        self.bearers = {persona.bio: persona for persona in reversed(founders)}
        """Persona of each bio of the study."""
        self.players: dict[Side, list[Player]] = {"producer": [], "detector": []}
        self.hall: dict[Side, list[Player]] = {"producer": [], "detector": []}
        self.board = PostBoard(corpus)

    def spec(self, side: Side) -> GenomeSpec:
        """Return the loci of a side under the mutation rule in force."""
        return genome_specs(self.stage.config.mutation, list(self.bearers.values()))[side]

    def draw_founders(self, agents: Mapping[Side, Sequence[Agent]]) -> dict[Side, list[Birth]]:
        """Give the founders genomes drawn at random, each with the bio of its persona; returns them as births."""
        born = dict[Side, list[Birth]]()
        for side, founders in agents.items():
            spec = self.spec(side)
            genomes = spec.random(len(founders), self.stage.draw(f"multi_generational.{side}", step=0))
            for slot, (agent, drawn) in enumerate(zip(founders, genomes, strict=True)):
                agent.key = slot
                genome = spec.build(drawn.values | {"bio": agent.persona.bio})
                here = agent if self.asks else Agent.of(agent.persona, key=slot)
                self.players[side].append(Player(here, genome, slot))
            born[side] = [Birth(NO_PARENT, player.genome) for player in self.players[side]]
        return born

    def settle(
        self, side: Side, births: Sequence[Birth], forebears: Sequence[Persona], generation: int
    ) -> None:
        """Let a generation take the places of the one before; its personas have the bios of its genomes."""
        kept = {player.agent.id for player in self.hall[side]}
        for player in self.players[side]:
            if self.asks and player.agent.id not in kept:
                self.stage.leave(player.agent)
        self.players[side] = []
        for slot, (birth, forebear) in enumerate(zip(births, forebears, strict=True)):
            bio = str(birth.genome.values["bio"])
            fields = {"id": f"{side}-{generation:03d}-{slot:03d}", "bio": bio}
            persona = self.bearers.get(bio, forebear).model_copy(update=fields)
            agent = self.stage.join(persona, key=slot) if self.asks else Agent.of(persona, key=slot)
            self.players[side].append(Player(agent, birth.genome, slot))

    async def meet(self, pairs: Sequence[ClaimPair], generation: int) -> Meeting:
        """Let both sides meet on pairs: posts, judgements, moderation, fitness, and what can be found from then on."""
        stage, config, own = self.stage, self.stage.config, [len(self.players[side]) for side in SIDES]
        opponents = {side: self._choose_opponents(side, generation) for side in SIDES}
        writers, judges = (self._join(side, opponents[side]) for side in SIDES)
        self.board.show()
        authors, checkers = (
            [one.as_author(self.asks) for one in writers],
            [one.as_judge(self.asks) for one in judges],
        )
        posts, read = await write_posts(stage, self.corpus, authors, pairs, generation, self.asks)
        texts, names = [post.text for post in posts], [post.name for post in posts]
        judged = await judge_posts(stage, self.corpus, checkers, texts, names, generation, self.asks)
        met = [judges.index(player) for player in opponents["detector"]]
        stands = await moderate(
            stage, texts, names, judged.p[:, met], config.rounds, config.hazard, self.asks
        )
        shape = (len(writers), len(pairs), 2)
        posted = np.array([bool(text) for text in texts])
        survival = (stands * posted).reshape(shape)
        draw, slots = stage.draw("multi_generational.landing"), np.array([one.slot for one in writers])
        versions = [name for pair in pairs for name in name_versions(pair)]
        chance = np.stack([draw.uniform(agent=slots, item=name) for name in versions], axis=1).reshape(shape)
        claims = [claim for pair in pairs for claim in (pair.true, pair.false)]
        match = self.corpus.match_words(texts, claims).reshape(len(claims), len(writers), len(claims))
        attention = share_attention(np.einsum("cwc->wc", match)).reshape(shape)
        p = judged.p.reshape(*shape, len(judges))
        faced = [writers.index(player) for player in opponents["producer"]]
        if config.sharing:
            worth = share_wins(p[: own[0]][..., met])[0], share_wins(p[faced][..., : own[1]])[1]
        else:
            written = posted.reshape(shape)[faced]
            worth = weigh_fitness(survival[: own[0]], attention[: own[0]], p[faced][..., : own[1]], written)
        fitness = {
            side: won - config.depth_cost * np.array([player.depth for player in self.players[side]]) / 10
            for side, won in zip(SIDES, worth, strict=True)
        }
        found = self.board.posts
        removed = await self.board.review(
            stage, checkers[: own[1]], generation, config.rounds, config.hazard, self.asks
        )
        number = own[0] * len(claims)
        meeting = Meeting(
            pairs, posts[:number], read, judged.of(number, own[1]), survival[: own[0]], (chance < survival)[: own[0]],
            fitness, opponents, found, removed,
        )  # fmt: skip
        self.board.take_up(meeting.posts, meeting.landed, attention[: own[0]], generation, config.corpus)
        return meeting

    def _choose_opponents(self, side: Side, generation: int) -> list[Player]:
        """Choose against whom the other side is measured: all of the generation, or some and some of the hall of fame."""
        if not (share := self.stage.config.hall_of_fame):
            return self.players[side]
        known = {player.agent.id: player for player in (*self.hall[side], *self.players[side])}
        ids = [[player.agent.id for player in some] for some in (self.players[side], self.hall[side])]
        draw = self.stage.draw(f"multi_generational.{side}")
        return [known[id] for id in choose_opponents(ids[0], ids[1], len(ids[0]), draw, generation, share)]

    def _join(self, side: Side, opponents: Sequence[Player]) -> list[Player]:
        """List a side's generation, and then those of the opponents who are not of it."""
        return [*self.players[side], *(one for one in opponents if one not in self.players[side])]

    async def reproduce(self, fitness: Mapping[Side, Floats], generation: int) -> dict[Side, list[Birth]]:
        """Bring forth the next generation by the arm's way, and let it take its places; returns the births."""
        config, born = self.stage.config, dict[Side, list[Birth]]()
        for side in SIDES:
            players, draw = self.players[side], self.stage.draw(f"multi_generational.{side}")
            if config.hall_of_fame:
                self.hall[side].append(players[int(rank_agents(fitness[side])[0])])
            rule = SelectionRule(method="random") if self.name == "neutral" else config.selection
            genomes = [player.genome for player in players]
            if self.name == "random_genomes":
                births = [
                    Birth(NO_PARENT, one) for one in self.spec(side).random(len(players), draw, generation)
                ]
            elif _FROZEN.get(self.name) == side:
                births = [Birth(slot, one) for slot, one in enumerate(genomes)]
            else:
                parents = rule.choose_parents(fitness[side], len(players), draw, generation).tolist()
                texts = await self._rewrite(side, parents, fitness[side], generation, rule.copies)
                births = self.spec(side).reproduce(genomes, parents, draw, generation, rule.copies, texts)
            born[side] = births
        for side, births in born.items():
            forebears = [self.players[side][max(birth.parent, 0)].agent.persona for birth in births]
            self.settle(side, births, forebears, generation)
        return born

    async def _rewrite(
        self, side: Side, parents: Sequence[int], fitness: Floats, generation: int, elites: int
    ) -> dict[tuple[int, str], str]:
        """Let whoever answers for mutations, if that is not the behaviour model, reword the texts that mutate."""
        if not self.asks or self.stage.offline_alone(MUTATOR, RewriteText.kind):
            return {}
        spec, draw = self.spec(side), self.stage.draw(f"multi_generational.{side}")
        hits = spec.list_rewrites(len(parents), draw, generation, elites)
        place = np.argsort(rank_agents(fitness)) * len(_FARED) // len(fitness)
        questions = []
        for child, locus in hits:
            text, of = str(self.players[side][parents[child]].genome.values[locus]), spec.loci[locus]
            options = tuple(of.options.values()) if isinstance(of, TextLocus) else ()
            facts = RewriteFacts(
                f"{side}/{child}/{locus}",
                _WHAT[locus].format(_DOES[side]),
                text,
                _FARED[-1 - int(place[parents[child]])],
            )
            questions.append((MUTATOR, RewriteText(facts, RewriteDispositions(options))))
        replies = await self.stage.ask_all(questions)
        if self.stage.answerer(MUTATOR, RewriteText.kind) == "offline":
            return {}
        return {hit: reply.text for hit, reply in zip(hits, replies, strict=True) if reply}

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint needs beside the log, as JSON."""
        groups = {"players": self.players, "hall": self.hall}
        there = {
            name: [
                (side, one.agent.persona.model_dump(), one.genome.model_dump(), one.slot)
                for side in SIDES
                for one in group[side]
            ]
            for name, group in groups.items()
        }
        return {**there, "standing": self.board.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up the state of a checkpoint."""
        for name, group in (("players", self.players), ("hall", self.hall)):
            for side, persona, genome, slot in state[name]:
                bearer = Persona.model_validate(persona)
                agent = self.stage.agent(bearer.id) if self.asks else Agent.of(bearer, key=slot)
                group[side].append(Player(agent, Genome.model_validate(genome), slot))
        self.board.restore(state["standing"])
