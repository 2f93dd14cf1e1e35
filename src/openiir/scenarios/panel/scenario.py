"""The panel type of study: its actions, schedule, measures and surfaces."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from openiir.plugin import (
    Action,
    Control,
    InputError,
    Interview,
    Log,
    Measure,
    Persona,
    Scenario,
    Stage,
    Step,
    Surface,
    int_sum,
)
from openiir.scenarios.panel.config import PanelConfig, Round
from openiir.scenarios.panel.measures.metrics import DEFINITIONS, PanelMeasuring, panel_measures
from openiir.scenarios.panel.run.actions import RoundOpened
from openiir.scenarios.panel.run.delphi import run_estimates
from openiir.scenarios.panel.run.ideation import run_pitches, run_ranking, run_votes
from openiir.scenarios.panel.run.setup import ask_first_stances, build_table
from openiir.scenarios.panel.run.talk import run_talk
from openiir.scenarios.panel.views.surfaces import SURFACES
from openiir.scenarios.panel.views.transcript import KINDS

ENDING = 1
"""Steps that may follow the last round, with what its end logs."""
FORMS = {
    "talk": run_talk,
    "estimate": run_estimates,
    "pitch": run_pitches,
    "vote": run_votes,
    "rank": run_ranking,
}


class Panel(Scenario):
    """A small group of personas debates a topic in moderated rounds."""

    name = "panel"
    definitions = DEFINITIONS
    Config = PanelConfig
    structural = frozenset({"topic", "shape"})
    worlds = frozenset({"main"})
    remembers = shares = True
    Measuring = PanelMeasuring
    controls = (
        Control(
            "a panel whom nobody moves",
            "pairwise_distance_last",
            {"mu": 0.0, "phi": 0.0},
            less="pairwise_distance_first",
        ),
        Control(
            "stances before a debate that may move people, and after",
            "pairwise_distance_first",
            {"mu": 0.5, "epsilon": 2.0},
            less="pairwise_distance_last",
            least=0.1,
        ),
    )
    audited = {"passages": 2, "shape.round.1.turns": 4}
    acts_with = {
        "shape.round[].each": {"shape": "ideation"},
        "omega": {"shape": "delphi"},
        "measuring.within": {"shape": "delphi"},
        "measuring.agreed": {"shape": "delphi"},
    }

    def actions(self) -> Sequence[type[Action]]:
        return KINDS

    async def schedule(self, stage: Stage) -> AsyncIterator[Step]:
        table = build_table(stage)
        await ask_first_stances(table)
        yield Step("seated")
        rounds = stage.config.shape.round
        for n, round_ in enumerate(rounds):
            stage.act(None, RoundOpened(name=round_.name, goal=round_.goal, cap=round_.turns))
            table.last_round = n == len(rounds) - 1
            async for step in FORMS[round_.form](table, round_):
                yield step
            if table.over:
                break

    def planned_steps(self, config: Any) -> int:
        return 1 + int_sum(_most_steps_of(round_) for round_ in config.shape.round) + ENDING

    def metrics(self, log: Log) -> Mapping[str, Measure]:
        return panel_measures(log)

    def surfaces(self) -> Sequence[Surface | Interview]:
        return SURFACES

    def check(self, config: Any, personas: Sequence[Persona]) -> None:
        if len(personas) < 2:
            raise InputError(f"a panel needs at least two personas, this study names {len(personas)}")


def _most_steps_of(round_: Round) -> int:
    if round_.form == "rank":
        return 1
    by_quota = round_.form == "pitch" and "quota" in round_.until
    return min(round_.turns, round_.each) if by_quota else round_.turns
