"""An arm of the study: two populations and their corpus, from one generation to the next."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openiir.kit.arrays import Floats
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
from openiir.plugin import Agent, Arm, Persona, Stage, order_by
from openiir.scenarios.multi_generational.behaviour.genomes import SIDES, Player, Side, genome_specs
from openiir.scenarios.multi_generational.model.credibility.corpus import CorpusDocument, SharedCorpus
from openiir.scenarios.multi_generational.model.credibility.pairs import ClaimPair
from openiir.scenarios.multi_generational.questions import RewriteText
from openiir.scenarios.multi_generational.run.meeting import ContestResult, hold_contest
from openiir.scenarios.multi_generational.run.standing import PostBoard, StandingPost

_TASK = (
    "You reword short texts that people go by who write posts or check them. Those who write do well if "
    "their posts are believed and stay up, those who check if they tell true from false."
)
_WHAT = {
    "template": "an instruction to somebody who {}",
    "bio": "a description of somebody who {}",
    "bio.expertise": "in a few words, whom readers see in somebody who {}",
}
_DOES = {"producer": "writes short posts", "detector": "checks short posts"}
_FROZEN = {"frozen_detectors": "detector", "frozen_producers": "producer"}
"""Side that does not change in an arm."""
MUTATOR = "mutator"
FARED = (
    "It has worked worse than most.",
    "It has worked about as well as others.",
    "It has worked better than most.",
)
"""How a text has fared, by thirds of its bearers."""


class EvolvingArm(Arm):
    """One experimental arm: its producers and detectors, best ancestors, and searchable posts."""

    def __init__(self, stage: Stage, corpus: SharedCorpus, control: str) -> None:
        """`control` names a control arm; without one, this is the arm under study, whose agents are asked."""
        self.stage, self.control, self.corpus, self.asks = stage, control, corpus, not control
        founders = stage.log.personas[: stage.config.producers + stage.config.detectors]
        self.bearers = {persona.bio: persona for persona in reversed(founders)}
        """Persona of each bio of the study."""
        self.players: dict[Side, list[Player]] = {"producer": [], "detector": []}
        self.hall: dict[Side, list[Player]] = {"producer": [], "detector": []}
        self.opponents = self.players
        """Whom the other side was measured against when it last met."""
        self.board = PostBoard(corpus)

    @property
    def method(self) -> str:
        """How the arm's populations come about; of the arm under study that may change during a run."""
        return self.stage.config.arm if self.control in ("", "twin") else self.control

    def spec(self, side: Side) -> GenomeSpec:
        """Return the loci of a side's genome under the present mutation rule."""
        return genome_specs(self.stage.config.mutation, list(self.bearers.values()))[side]

    def draw_founders(self, agents: Mapping[Side, Sequence[Agent]]) -> dict[Side, list[Birth]]:
        """Draw the founders' genomes at random, with their personas' bios; returns them as births."""
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

    def replace_generation(self, side: Side, births: Sequence[Birth], generation: int) -> None:
        """Replace a side's generation by the next; personas take their bios from the genomes."""
        forebears, self.players[side] = self.players[side], []
        kept = {player.agent.id for player in self.hall[side]}
        for player in forebears:
            if self.asks and player.agent.id not in kept:
                self.stage.leave(player.agent)
        for slot, birth in enumerate(births):
            bio, forebear = str(birth.genome.values["bio"]), forebears[max(birth.parent, 0)].agent.persona
            fields = {"id": f"{side}-{generation:03d}-{slot:03d}", "bio": bio}
            persona = self.bearers.get(bio, forebear).model_copy(update=fields)
            agent = self.stage.join(persona, key=slot) if self.asks else Agent.of(persona, key=slot)
            self.players[side].append(Player(agent, birth.genome, slot))

    async def hold_contest(self, pairs: Sequence[ClaimPair], generation: int) -> ContestResult:
        """Let both sides play the claim pairs; fitness is measured against `opponents`."""
        self.opponents = {side: self._choose_opponents(side, generation) for side in SIDES}
        met = self.players, self.opponents
        return await hold_contest(self.stage, self.board, *met, pairs, generation, self.asks)

    def _choose_opponents(self, side: Side, generation: int) -> list[Player]:
        """Choose against whom the other side is measured: the generation, or some of the hall of fame too."""
        if not (share := self.stage.config.hall_of_fame):
            return self.players[side]
        known = {player.agent.id: player for player in (*self.hall[side], *self.players[side])}
        ids = [[player.agent.id for player in some] for some in (self.players[side], self.hall[side])]
        draw = self.stage.draw(f"multi_generational.{side}")
        return [known[id] for id in choose_opponents(ids[0], ids[1], len(ids[0]), draw, generation, share)]

    async def reproduce(self, fitness: Mapping[Side, Floats], generation: int) -> dict[Side, list[Birth]]:
        """Select parents and breed the next generation by the arm's method; returns the births."""
        config, born = self.stage.config, dict[Side, list[Birth]]()
        for side in SIDES:
            players, draw = self.players[side], self.stage.draw(f"multi_generational.{side}")
            if config.hall_of_fame:
                self.hall[side].append(players[int(rank_agents(fitness[side])[0])])
            rule = SelectionRule(method="random") if self.method == "neutral" else config.selection
            genomes = [player.genome for player in players]
            if self.method == "random_genomes":
                drawn = self.spec(side).random(len(players), draw, generation)
                births = [Birth(NO_PARENT, one) for one in drawn]
            elif _FROZEN.get(self.method) == side:
                births = [Birth(slot, one) for slot, one in enumerate(genomes)]
            else:
                parents = rule.choose_parents(fitness[side], len(players), draw, generation).tolist()
                told = None if self.method == "neutral" else fitness[side]
                texts = await self._rewrite(side, parents, told, generation, rule.copies)
                births = self.spec(side).reproduce(genomes, parents, draw, generation, rule.copies, texts)
            born[side] = births
        for side, births in born.items():
            self.replace_generation(side, births, generation)
        return born

    async def _rewrite(
        self, side: Side, parents: Sequence[int], fitness: Floats | None, generation: int, elites: int
    ) -> dict[tuple[int, str], str]:
        """Let whoever answers for mutations, unless it is the behaviour model, reword texts that mutate.

        `fitness` is None where it is not to be told. Returns the texts by child and locus.
        """
        if not self.asks or self.stage.offline_alone(MUTATOR, RewriteText.kind):
            return {}
        spec, draw = self.spec(side), self.stage.draw(f"multi_generational.{side}")
        hits = spec.list_rewrites(len(parents), draw, generation, elites)
        place = None if fitness is None else order_by(rank_agents(fitness)) * len(FARED) // len(fitness)
        questions = []
        for child, locus in hits:
            text, of = str(self.players[side][parents[child]].genome.values[locus]), spec.loci[locus]
            options = tuple(of.options.values()) if isinstance(of, TextLocus) else ()
            fared = "" if place is None else FARED[-1 - int(place[parents[child]])]
            what, place_of = _WHAT[locus].format(_DOES[side]), f"{side}/{child}/{locus}"
            questions.append((MUTATOR, RewriteText(place_of, _TASK, what, text, fared, options)))
        replies = await self.stage.ask_all(questions)
        if self.stage.answerer(MUTATOR, RewriteText.kind) == "offline":
            return {}
        return {hit: reply.text for hit, reply in zip(hits, replies, strict=True) if reply}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what a checkpoint needs beside the log, as JSON."""
        state: dict[str, Any] = {"standing": [astuple(one) for one in self.board.posts]}
        for name, group in (("players", self.players), ("hall", self.hall)):
            state[name] = [
                (side, one.agent.persona.model_dump(), one.genome.model_dump(), one.slot)
                for side in SIDES
                for one in group[side]
            ]
        return {"json": np.frombuffer(json.dumps(state).encode(), np.uint8)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        state = json.loads(arrays["json"].tobytes())
        for name, group in (("players", self.players), ("hall", self.hall)):
            for side, persona, genome, slot in state[name]:
                bearer = Persona.model_validate(persona)
                agent = self.stage.agent(bearer.id) if self.asks else Agent.of(bearer, key=slot)
                group[side].append(Player(agent, Genome.model_validate(genome), slot))
        self.board.posts = [
            StandingPost(name, by, version, CorpusDocument(*document), false)
            for name, by, version, document, false in state["standing"]
        ]
