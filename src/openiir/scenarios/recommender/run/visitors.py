"""Build the visitors of a run and log them: personas, traits that act, and memories of their ratings."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from openiir.kit.items import DataSet, Split
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import EpisodicMemory, Persona, Stage, order_by
from openiir.scenarios.recommender.behaviour.matching import PersonaMatch
from openiir.scenarios.recommender.behaviour.visit_context import VisitContext
from openiir.scenarios.recommender.behaviour.visitor import Visitor
from openiir.scenarios.recommender.model.attraction import AttractionModel, pull_of_interests
from openiir.scenarios.recommender.model.choice_model import Temper
from openiir.scenarios.recommender.model.persona.profile import Profile, as_persona, profiles, rating_words
from openiir.scenarios.recommender.model.persona.study_persona import (
    match_interests,
    stated_candidate,
    stated_profile,
)
from openiir.scenarios.recommender.model.persona.traits import AGES, PersonaCandidate
from openiir.scenarios.recommender.run.actions import VisitorReady

HISTORY = 50
"""Number of training ratings, drawn at random, that fill a visitor's memory (SimUSER, section 3.1)."""


class UserDescription(NamedTuple):
    """Who a visitor is: its persona, the traits that act, and its usual rating, 1 to 5."""

    persona: Persona
    temper: Temper
    usual: float


def describe_users(
    stage: Stage,
    data: DataSet,
    folds: Split,
    context: VisitContext,
    users: Ints,
    own: Sequence[Persona],
    matched: Mapping[int, PersonaMatch],
) -> list[UserDescription]:
    """Describe each visitor and log who it is, the study's own personas last."""
    habits = profiles(folds.train, data.collection)
    policies = {agent.id: agent.persona.memory for agent in stage.agents}
    described = []
    for user in users.tolist():
        found = matched.get(user)
        if user >= data.ratings.users:
            persona = own[user - data.ratings.users]
            profile, usual = stated_profile(persona), context.scales.mean
            candidate = stated_candidate(persona) if context.spec.persona else None
        else:
            profile = habits.of(user)
            usual, candidate = context.five(profile.mean), found.persona if found else None
            stars = context.five(folds.train.of(user)[1])
            persona = _user_persona(data, user, stars, profile, candidate, found.taste if found else "")
            memory = policies.get(persona.id, persona.memory)
            persona = persona.model_copy(update={"tokens": context.spec.tokens, "memory": memory})
        described.append(UserDescription(persona, _build_temper(profile, candidate), usual))
        entry = _build_log_entry(data, folds, user, candidate, found, profile)
        stage.note(VisitorReady.kind, persona.id, entry)
    return described


def build_visitors(
    stage: Stage,
    data: DataSet,
    folds: Split,
    context: VisitContext,
    model: AttractionModel,
    users: Ints,
    own: Sequence[Persona],
    matched: Mapping[int, PersonaMatch],
) -> tuple[Visitor, ...]:
    """Build and log a visitor for each user, the study's own personas last."""
    attraction = model.of(users)
    graphs: Sequence[Any] = [None] * len(users)
    if model.retriever and context.spec.graph:
        graphs = model.retriever.memories(users)
    made = []
    described = describe_users(stage, data, folds, context, users, own, matched)
    for n, (user, one) in enumerate(zip(users.tolist(), described, strict=True)):
        pull = attraction.pull[n]
        if user >= data.ratings.users:
            pull = pull_of_interests(pull, match_interests(one.persona, data.collection), data.collection)
        memory = _history_memory(stage, folds, context, one.persona, user, one.usual)
        lean = float(model.bias.users[user])
        seen = attraction.expected[n]
        made.append(Visitor(user, one.persona, one.temper, one.usual, lean, memory, graphs[n], pull, seen))
    return tuple(made)


def _user_persona(
    data: DataSet, user: int, stars: Floats, profile: Profile, candidate: PersonaCandidate | None, taste: str
) -> Persona:
    """Build the persona of a user of the data set; without a candidate it has habits alone."""
    kind = data.collection.kind
    habits = profile.words(kind, ("engagement", "conformity", "variety"))
    told = {
        "name": candidate.who() if candidate else f"somebody who rates {kind}s",
        "bio": " ".join(filter(None, (rating_words(stars, kind), taste, habits)))[:4_000],
        "traits": {},
    }
    return as_persona(data.users[user], profile, candidate, taste, kind).model_copy(update=told)


def _history_memory(
    stage: Stage, folds: Split, context: VisitContext, persona: Persona, user: int, usual: float
) -> EpisodicMemory:
    """Fill a visitor's memory with up to HISTORY of its training ratings, drawn at random."""
    items, values = folds.train.of(user)
    keys = stage.draw("recommender.history", step=0).bits(agent=user, item=items)
    chosen = np.sort(order_by(keys)[:HISTORY])
    context.guard.memory((user, item) for item in items[chosen].tolist())
    memory, ids = EpisodicMemory(persona.memory), context.collection.ids
    for item, value in zip(items[chosen].tolist(), values[chosen].tolist(), strict=True):
        rated = context.rated_title(item, value, usual)
        # The feeling is stored to be found by; prompts tell the stars alone.
        text = f"{rated}, {rated.felt}" if rated.felt else str(rated)
        memory.store(text, item=ids[item], rating=value, title=rated.title, told=str(rated))
    return memory


def _build_log_entry(
    data: DataSet,
    folds: Split,
    user: int,
    candidate: PersonaCandidate | None,
    matched: PersonaMatch | None,
    profile: Profile,
) -> VisitorReady:
    """Build a visitor's log entry.

    Only a user of the data set has demographics, which only measures read.
    """
    known = data.demographics.items() if user < data.ratings.users else ()
    scored = matched.candidates if matched else ()
    return VisitorReady(
        persona=candidate,
        scores=tuple(None if np.isnan(one.score) else one.score for one in scored),
        calls=matched.calls if matched else 0,
        taste=matched.taste if matched else "",
        levels=profile.levels,
        ratings=len(folds.train.of(user)[0]),
        truth={name: column[user] for name, column in known},
    )


def _build_temper(profile: Profile, candidate: PersonaCandidate | None) -> Temper:
    """Build the traits that affect decisions, from habits and, where there is one, the persona."""
    picky, engaged = profile.levels[:2]
    if candidate is None:
        return Temper(picky=picky, engaged=engaged)
    age = AGES.index(candidate.age)
    return Temper(
        picky=picky,
        engaged=engaged,
        age=0 if age < 2 else 2 if age >= 4 else 1,
        openness=candidate.openness - 1,
        agreeableness=candidate.agreeableness - 1,
    )
