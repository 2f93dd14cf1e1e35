"""The multi_generational type: claim producers and detectors evolve against each other."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from openiir.plugin import (
    Action,
    Arms,
    Control,
    Draw,
    InputError,
    Interview,
    Log,
    Measure,
    Persona,
    Scenario,
    Stage,
    Step,
    Surface,
    Twins,
)
from openiir.scenarios.multi_generational.behaviour.genomes import SIDES, genome_specs
from openiir.scenarios.multi_generational.behaviour.moderating import MODERATOR
from openiir.scenarios.multi_generational.config import MultiGenerationalConfig
from openiir.scenarios.multi_generational.measures.definitions import DEFINITIONS
from openiir.scenarios.multi_generational.measures.metrics import evolution_measures
from openiir.scenarios.multi_generational.model.credibility.corpus import SharedCorpus
from openiir.scenarios.multi_generational.model.credibility.pairs import rotate_items
from openiir.scenarios.multi_generational.questions import AuthorPost, JudgePost, RewriteText, TakeDown
from openiir.scenarios.multi_generational.run.actions import (
    Born,
    Dropped,
    Judged,
    Matched,
    Met,
    MetOthers,
    Posted,
    Standing,
)
from openiir.scenarios.multi_generational.run.evolving import MUTATOR, EvolvingArm
from openiir.scenarios.multi_generational.run.matrix import (
    log_cross_generation_contests,
    read_cohorts,
    sample_generations,
)
from openiir.scenarios.multi_generational.run.setup import list_pages, load_pairs, log_pairs
from openiir.scenarios.multi_generational.run.summing import (
    log_births,
    log_contest,
    log_summary,
    publish_posts,
)
from openiir.scenarios.multi_generational.views.surfaces import SURFACES

_SMALL = {"generations": 3, "producers": 10, "detectors": 10, "log": "summaries", "matrix.generations": 0}
LAST = "generations meet each other"
"""Label of the last step."""


class MultiGenerational(Scenario):
    """Producers and detectors of misinformation coevolve: they play true-false pairs; the fittest breed."""

    name = "multi_generational"
    Config = MultiGenerationalConfig
    structural = frozenset({"generations", "producers", "detectors", "controls", "log", "set", "matrix"})
    worlds = frozenset({"main"})
    audited = {
        **dict.fromkeys(("generations", "producers", "detectors", "pairs"), 3),
        **dict.fromkeys(("matrix.generations", "matrix.pairs"), 2),
    }
    acts_with = {
        "arm": {"controls": []},
        **dict.fromkeys(("set.table", "set.separator"), {"study": "audit/study.toml"}),
        "set.covid_fact": {"study": "audit/claims.toml"},
    }
    controls = (
        Control(
            "false posts under lax moderation, and under strict one",
            "landing.first",
            {**_SMALL, "controls": [], "hazard": 0.1},
            baseline={**_SMALL, "controls": [], "hazard": 0.9},
            least=0.1,
        ),
    )
    twins = Twins(("coevolution", "twin"), {"controls": ["twin"]}, "arm")
    closing = "summary"
    definitions = DEFINITIONS

    def actions(self) -> Sequence[type[Action]]:
        return (Matched, Dropped, Born, Met, Posted, Judged, Standing, MetOthers)

    def planned_steps(self, config: Any) -> Sequence[str]:
        last = [LAST] if config.matrix.generations else []
        return [f"generation {n}" for n in range(config.generations)] + last

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        if not personas:
            raise InputError(
                "a study of producers and detectors has no personas; name a file of them as its founders"
            )
        genome_specs(config.mutation, personas)
        draw = Draw(0, "check")
        _, matched = load_pairs(config.set, self.folder, draw)
        rotate_items(matched.pairs, config.pairs, 0, draw)  # how many it trains on, the seed decides
        first: dict[str, str] = {}
        if twice := [one for one in personas if first.setdefault(one.bio, one.name) != one.name]:
            raise InputError(
                f"{first[twice[0].bio]} and {twice[0].name} have one bio, by which births tell them apart; "
                "give each its own"
            )
        if (elites := config.selection.elites) > (least := min(config.producers, config.detectors)):
            raise InputError(f"config.selection.elites = {elites} of {least} agents; lower it")
        if len({config.arm, *config.controls}) <= len(config.controls):
            raise InputError(
                f"config.arm = {config.arm!r} is among the controls as well, or one of them is named twice; "
                "take it out (a fork keeps its parent's controls: fork a run without that one)"
            )
        if config.matrix.generations == 1:
            raise InputError(
                "config.matrix.generations = 1: one generation has no other to meet; take 2 or more, or 0 to "
                "leave it out"
            )

    def cast(self, config: Any, personas: Sequence[Persona], seed: int) -> Sequence[Persona]:
        """Create the founders: producers from the first persona on, detectors from the last one backwards."""
        sides = {"producer": (personas, config.producers), "detector": (personas[::-1], config.detectors)}
        return [
            some[slot % len(some)].model_copy(update={"id": f"{side}-000-{slot:03d}"})
            for side, (some, number) in sides.items()
            for slot in range(number)
        ]

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        config = stage.config
        check_controls_offline(stage)
        split, matched = load_pairs(config.set, self.folder, stage.draw("multi_generational.split", step=0))
        corpus = SharedCorpus(list_pages(stage, [*split.train, *split.held_out]))
        names = ("", *config.controls)  # the arm under study has none of its own: its method may change
        arms = Arms(stage, {name: EvolvingArm(stage, corpus.copy_with_own_posts(), name) for name in names})
        if stage.restored is None:
            log_pairs(stage, split, matched)
            founders = {side: [one for one in stage.agents if one.id.startswith(side)] for side in SIDES}
            born = [arm.draw_founders(founders) for arm in arms.values()]
            log_births(stage, arms[""], born[0], 0)
        while stage.step <= stage.config.generations:
            generation = stage.step - 1
            draw = stage.draw("multi_generational.pairs", step=0)
            pairs = rotate_items(split.train, stage.config.pairs, generation, draw)
            for arm in arms.values():
                meeting = await arm.hold_contest(pairs, generation)
                log_summary(stage, arm, meeting, generation)
                if arm.asks:
                    log_contest(stage, arm, meeting, generation)
                    await publish_posts(stage, arm, meeting, generation)
                if generation + 1 < stage.config.generations:
                    births = await arm.reproduce(meeting.fitness, generation + 1)
                    if arm.asks:
                        log_births(stage, arm, births, generation + 1)
            stage.keep(**arms.state())
            yield Step(f"generation {generation}")
        if (rule := stage.config.matrix).generations:
            numbers = sample_generations(stage.config.generations, rule.generations)
            cohorts = read_cohorts(stage.log, numbers, rule.agents)
            ids = sorted(pair.id for pair in split.held_out)
            chosen = stage.draw("multi_generational.matrix", step=0).order(ids)[: rule.pairs]
            met = [pair for pair in split.held_out if pair.id in chosen]
            await log_cross_generation_contests(stage, cohorts, corpus, met)
            yield Step(LAST)

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return evolution_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES


def check_controls_offline(stage: Stage) -> None:
    """Raise InputError if control arms are asked for but behaviour models do not answer."""
    kinds = {"producer": AuthorPost.kind, "detector": JudgePost.kind}
    sides = ((one.id, one.id.partition("-")[0]) for one in stage.agents)
    asked = [(id, kinds[side]) for id, side in sides if side in kinds]
    asked += [(MODERATOR, TakeDown.kind), (MUTATOR, RewriteText.kind)]
    others = {kind for one, kind in asked if stage.answerer(one, kind) != "offline"}
    if stage.config.controls and others:
        raise InputError(
            f"somebody else than the behaviour models answers {', '.join(sorted(others))}, and controls are "
            "answered by those alone; set config.controls = [], and run an arm to compare with by itself, as "
            'config.arm = "frozen_detectors"'
        )
