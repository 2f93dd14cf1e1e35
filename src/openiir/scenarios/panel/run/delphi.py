"""Delphi rounds: anonymous estimates, feedback of median and quartiles, revision until they are stable."""

from collections.abc import AsyncIterator, Sequence

import numpy as np

from openiir.plugin import Step, stance_word
from openiir.plugin.arguments import containment, tokens
from openiir.scenarios.panel.behaviour.panelist import Panelist
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.model.beliefs.delphi import revision_weights, stability
from openiir.scenarios.panel.model.speaking.citations import cite, strip_marks
from openiir.scenarios.panel.questions.estimating import SCALE, DelphiEstimate, GroupFeedback
from openiir.scenarios.panel.questions.prompt_parts import ShownPassage
from openiir.scenarios.panel.run.actions import Estimated, SweepFeedback
from openiir.scenarios.panel.run.lookup import look_up
from openiir.scenarios.panel.run.table import PanelTable

TENTH = 10.0
"""Divisor that takes estimates to the 10-point scale for which the stability threshold is meant."""


async def run_estimates(table: PanelTable, round_: Round) -> AsyncIterator[Step]:
    """Run a Delphi round: all panelists estimate repeatedly, with anonymous feedback in between."""
    reason, sweeps = "the cap was reached", 0
    while sweeps < round_.turns:
        sweeps += 1
        fed = await _sweep(table, round_)
        if fed is None:
            reason = "nobody could answer"
            break
        if fed.stable and "stability" in round_.until:
            reason = "the group's answer is stable"
            break
        if sweeps < round_.turns:
            yield Step(f"{round_.name}: sweep {sweeps}")
    table.close_round(round_, reason, sweeps)
    yield Step(f"{round_.name}: sweep {sweeps}")


async def _sweep(table: PanelTable, round_: Round) -> SweepFeedback | None:
    """Ask every panelist with budget left for an estimate, then log the feedback; None without answers."""
    before = {event.actor or "": given for event, given in Estimated.read(table.stage.log)}
    given: dict[str, Estimated] = {}
    for person, question, reply in await table.ask_all(await _questions(table, round_, before)):
        table.number += 1
        passages = question.quotable
        reason, cites = cite(reply.reason, passages)
        given[person.agent.id] = Estimated(
            number=table.number, round=round_.name, value=reply.value, reason=reason, cites=cites
        )
        table.remember(person, f"in the round {round_.name}", reply.thoughts, shown=passages)
    await _log_estimates(table, given)
    return _feed_back(table, round_, before, given)


async def _questions(
    table: PanelTable, round_: Round, before: dict[str, Estimated]
) -> list[tuple[Panelist, DelphiEstimate]]:
    config, people = table.stage.config, table.with_budget
    wanted = tokens(config.topic)
    sureness = [containment(wanted, tokens(p.background)) for p in people]
    yielding = revision_weights(sureness, config.omega)
    feedback = _last_feedback(before)
    passages = await look_up(table, round_, [(p, f"{config.topic} {round_.goal}") for p in people])
    questions = []
    for person, weight, found in zip(people, yielding, passages, strict=True):
        own = before.get(person.agent.id)
        question = DelphiEstimate(
            topic=config.topic,
            goal=round_.goal,
            first=stance_word(person.first),
            own=own.value if own else None,
            own_reason=strip_marks(own.reason) if own else "",
            feedback=feedback,
            passages=tuple(ShownPassage(p.text) for p in found),
            notes=person.recall_notes(config.topic),
            stance=round(person.stance, 4),
            interests=person.agent.persona.interests,
            yielding=round(float(weight), 4),
            quotable=found,
        )
        questions.append((person, question))
    return questions


def _last_feedback(before: dict[str, Estimated]) -> GroupFeedback | None:
    if not before:
        return None
    low, median, high = map(round, _quartiles([e.value for e in before.values()]))
    outside = tuple(strip_marks(e.reason) for e in before.values() if e.reason and not low <= e.value <= high)
    return GroupFeedback(median=median, low=low, high=high, reasons=outside)


def _quartiles(values: Sequence[int]) -> tuple[float, float, float]:
    """Compute the quartiles of estimates by numpy's linear interpolation."""
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    return float(low), float(median), float(high)


async def _log_estimates(table: PanelTable, given: dict[str, Estimated]) -> None:
    """Log the estimates, extract the claims of their reasons, and let stances follow the estimates."""
    for person in table.people:
        if found := given.get(person.agent.id):
            stated = (found.number, found.reason, found.cites)
            claims = await table.extract(person, *stated) if found.reason else []
            table.stage.act(person.agent, found.model_copy(update={"claims": tuple(c.id for c in claims)}))
            person.set_stance(found.value / (SCALE / 2) - 1)
    table.record_stances()


def _feed_back(
    table: PanelTable, round_: Round, before: dict[str, Estimated], given: dict[str, Estimated]
) -> SweepFeedback | None:
    if not given:
        return None
    low, median, high = _quartiles([e.value for e in given.values()])
    both = [name for name in given if name in before]
    old, new = ([answers[name].value / TENTH for name in both] for answers in (before, given))
    fed = SweepFeedback(
        round=round_.name, median=median, low=low, high=high, p=None, iqr_change=None, stable=False
    )
    if both:
        found = stability(old, new)
        fed = fed.model_copy(update={"p": found.p, "iqr_change": found.shift, "stable": found.stable})
    table.stage.act(None, fed)
    return fed
