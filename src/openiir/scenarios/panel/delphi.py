"""Delphi rounds: anonymous estimates, feedback of median and quartiles, revision until the group is stable."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from openiir.kit.offline_speaker import Passage
from openiir.kit.prompting import ThoughtfulReply
from openiir.plugin import (
    Action,
    Citation,
    Count,
    Draw,
    Facts,
    Question,
    Record,
    Stance,
    Step,
    UnusableAnswer,
    stance_word,
)
from openiir.plugin.arguments import containment, tokens
from openiir.scenarios.panel.config import Round
from openiir.scenarios.panel.lookup import look_up
from openiir.scenarios.panel.model.beliefs.delphi import revise, revision_weights, stability
from openiir.scenarios.panel.model.speaking.citations import check_marks, cite, ids_to_numbers, strip_marks
from openiir.scenarios.panel.model.speaking.reasons import choose_reason
from openiir.scenarios.panel.panelist import Panelist
from openiir.scenarios.panel.prompting import (
    Persona,
    ShownPassage,
    Study,
    cite_words,
    list_notes,
    list_passages,
)
from openiir.scenarios.panel.table import PanelTable

SCALE = 100
"""Top of the scale of estimates, from 0 (the topic is wholly wrong) to 100 (wholly right)."""
SPREAD = 8.0
"""Standard deviation, in points, of a first estimate around the stance it expresses; our design."""
TENTH = 10.0
"""Divisor that takes estimates to the 10-point scale for which the stability threshold is meant."""


class GroupFeedback(Record):
    """Anonymous feedback on the previous sweep: median, quartiles and reasons."""

    median: Count
    low: Count
    """First quartile of the estimates, rounded to whole points as the others are."""
    high: Count
    """Third quartile of the estimates."""
    reasons: tuple[str, ...] = ()
    """Reasons of the panelists whose estimate lay outside the quartiles."""


class Estimation(ThoughtfulReply):
    """An estimate with its reason."""

    value: int = Field(ge=0, le=SCALE, description="your estimate, 0 wholly wrong to 100 wholly right")
    reason: str = Field(default="", max_length=800)


class Estimated(Action):
    """A panelist gave or revised an estimate."""

    kind: ClassVar[str] = "panel.estimate"
    number: int
    round: str
    value: int
    reason: str
    cites: tuple[Citation, ...]
    claims: tuple[str, ...] = ()


class SweepFeedback(Action):
    """Median, quartiles and stability of the estimates after a sweep."""

    kind: ClassVar[str] = "panel.feedback"
    round: str
    median: float
    low: float
    high: float
    p: float | None
    """P value of the Wilcoxon signed-rank test against the previous sweep; null after the first."""
    iqr_change: float | None
    stable: bool


@dataclass(frozen=True)
class DelphiEstimateFacts(Facts):
    """Facts of an estimate: the topic, the panelist's estimate so far, the group's feedback and passages."""

    topic: str
    goal: str
    first: Stance
    """The panelist's stance at the start."""
    own: Count | None
    """The panelist's estimate so far."""
    own_reason: str
    feedback: GroupFeedback | None
    passages: tuple[ShownPassage, ...]
    notes: tuple[str, ...]
    """The panelist's memories that are relevant to the topic."""

    def prompt(self) -> str:
        passages = f"{list_passages(self.passages)}\n\n" if self.passages else ""
        return f"""A panel estimates, without names, how far this motion is right: {self.topic}
{self.goal}

You were {self.first} when you came in. {self._so_far()}

{list_notes(self.notes)}{passages}How far is the motion right? 0 is wholly wrong, {SCALE} wholly right. Give your reason in one to three sentences.{cite_words(self.passages)} Name nobody."""

    def _so_far(self) -> str:
        if self.feedback is None or self.own is None:
            return "This is the first estimate."
        reasons = "\n".join(f'- "{reason}"' for reason in self.feedback.reasons)
        others = f" Those outside gave these reasons:\n{reasons}" if reasons else ""
        because = f", because: {self.own_reason}" if self.own_reason else "."
        return f"""You said {self.own}{because}
The panel's median is {self.feedback.median}; half of the panel lies between {self.feedback.low} and {self.feedback.high}.{others}
If you stay outside that half, say why."""

    def check(self, reply: Estimation) -> None:
        check_marks(reply.reason, len(self.passages))
        outside = self.feedback and not self.feedback.low <= reply.value <= self.feedback.high
        if outside and not reply.reason.strip():
            raise UnusableAnswer("an estimate outside the middle half needs a reason; give one")


@dataclass(frozen=True)
class DelphiEstimateDispositions:
    """Stance, interests and passages from which a panelist estimates offline."""

    stance: Annotated[float, Study]
    """The panelist's stance before estimating, -1 to 1."""
    interests: Annotated[tuple[str, ...], Persona]
    yielding: Annotated[float, Study]
    """Weight of the group's median in a revision, 0 to 1; smaller for panelists who are more sure."""
    passages: Annotated[tuple[Passage, ...], Study]
    """The passages with their ids."""


@dataclass(frozen=True)
class DelphiEstimate(Question[Estimation]):
    """Question to a panelist: how far is the topic right, from 0 to 100?"""

    facts: DelphiEstimateFacts
    dispositions: DelphiEstimateDispositions
    kind: ClassVar[str] = "panel.estimate"
    example: ClassVar[Record] = Estimation(
        thoughts="Most of my street would come by bus.",
        value=70,
        reason="Where the buses run often, people leave the car [2].",
    )

    def offline(self, draw: Draw) -> Estimation:
        """Estimate by the stance with normal noise; later revise to x + w (median - x), w larger for the less sure.

        The revision follows Becker, Brackbill & Centola (PNAS 2017): less accurate members revise more.
        """
        facts, by = self.facts, self.dispositions
        quote = choose_reason(facts.topic, " ".join(by.interests), by.stance, by.passages)
        reason = ids_to_numbers(quote, by.passages)
        if facts.feedback is None or facts.own is None:
            value = 50 + 50 * by.stance + draw.normal(0.0, SPREAD)
            return Estimation(value=_round_to_scale(value), reason=reason)
        value = _round_to_scale(float(revise(float(facts.own), facts.feedback.median, by.yielding)))
        if facts.feedback.low <= value <= facts.feedback.high:
            return Estimation(value=value)
        return Estimation(value=value, reason=reason or facts.own_reason or "My view has not changed.")


def _round_to_scale(value: float) -> int:
    return int(min(SCALE, max(0, round(value))))


async def estimate(table: PanelTable, round_: Round, last: bool) -> AsyncIterator[Step]:
    """Run a Delphi round: sweeps of estimates by the whole table, each followed by anonymous feedback."""
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
    """Ask every panelist with budget left for an estimate, then log the feedback; None where nobody answered."""
    before = {event.actor or "": given for event, given in Estimated.read(table.stage.log)}
    given: dict[str, Estimated] = {}
    for person, question, reply in await table.ask_all(await _questions(table, round_, before)):
        table.number += 1
        passages = question.dispositions.passages
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
    config, people = table.stage.config, table.able
    wanted = tokens(config.topic)
    sureness = [containment(wanted, tokens(p.background)) for p in people]
    yielding = revision_weights(sureness, config.omega)
    feedback = _last_feedback(before)
    passages = await look_up(table, round_, [(p, f"{config.topic} {round_.goal}") for p in people])
    questions = []
    for person, weight, found in zip(people, yielding, passages, strict=True):
        own = before.get(person.agent.id)
        facts = DelphiEstimateFacts(
            topic=config.topic,
            goal=round_.goal,
            first=stance_word(person.first),
            own=own.value if own else None,
            own_reason=strip_marks(own.reason) if own else "",
            feedback=feedback,
            passages=tuple(ShownPassage(p.text) for p in found),
            notes=person.recall_notes(config.topic),
        )
        by = DelphiEstimateDispositions(
            stance=round(person.stance, 4),
            interests=person.agent.persona.interests,
            yielding=round(float(weight), 4),
            passages=found,
        )
        questions.append((person, DelphiEstimate(facts, by)))
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
            claims = (
                await table.extract(person, found.number, found.reason, found.cites) if found.reason else []
            )
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
    found = stability(old, new) if both else None
    fed = SweepFeedback(
        round=round_.name,
        median=median,
        low=low,
        high=high,
        p=found.p if found else None,
        iqr_change=found.shift if found else None,
        stable=bool(found and found.stable),
    )
    table.stage.act(None, fed)
    return fed
