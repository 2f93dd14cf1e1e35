"""Build the visitors of a run and log them: personas, traits that act, and memories of their ratings."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from openiir.kit.items.ratings import Floats
from openiir.plugin import EpisodicMemory, Persona, Stage, order_by
from openiir.scenarios.recommender.behaviour.matching import PersonaMatch
from openiir.scenarios.recommender.behaviour.visitor import Visitor
from openiir.scenarios.recommender.model.attraction import attraction_to_interests
from openiir.scenarios.recommender.model.choice_model import Temper
from openiir.scenarios.recommender.model.persona.profile import Profile, as_persona, profiles, rating_words
from openiir.scenarios.recommender.model.persona.study_persona import (
    match_interests,
    stated_candidate,
    stated_profile,
)
from openiir.scenarios.recommender.model.persona.traits import AGES, PersonaCandidate
from openiir.scenarios.recommender.run.actions import VisitorReady
from openiir.scenarios.recommender.run.study_context import StudyContext

HISTORY = 50
"""Number of training ratings, drawn at random, that fill a visitor's memory (SimUSER, section 3.1)."""
_UNMATCHED = PersonaMatch(user=-1, taste="", candidates=(), persona=None, calls=0)
"""What is known of a user to whom no persona was matched."""


class UserDescription(NamedTuple):
    """A visitor's persona, decision traits, and usual rating, 1 to 5."""

    persona: Persona
    temper: Temper
    usual: float


def describe_users(
    stage: Stage, study: StudyContext, matches: Mapping[int, PersonaMatch]
) -> list[UserDescription]:
    """Build and log each visitor's description, the study's own personas last."""
    data, train, context = study.data, study.split.train, study.visit_context
    habits = profiles(train, data.collection)
    policies = {agent.id: agent.persona.memory for agent in stage.agents}
    described = []
    for user in study.users.tolist():
        matched, items_rated = matches.get(user, _UNMATCHED), len(train.of(user)[0])
        if user >= data.ratings.users:
            persona = study.own[user - data.ratings.users]
            profile, usual, truth = stated_profile(persona), context.model.scales.mean, {}
            candidate = stated_candidate(persona) if context.spec.persona else None
        else:
            profile, candidate = habits.of(user), matched.persona
            usual = context.to_stars(profile.mean)
            truth = {name: column[user] for name, column in data.demographics.items()}
            persona = _user_persona(study, user, profile, matched)
            memory = policies.get(persona.id, persona.memory)
            persona = persona.model_copy(update={"tokens": context.spec.tokens, "memory": memory})
        described.append(UserDescription(persona, _build_temper(profile, candidate), usual))
        entry = VisitorReady(
            persona=candidate,
            scores=tuple(None if np.isnan(one.score) else one.score for one in matched.candidates),
            calls=matched.calls,
            taste=matched.taste,
            levels=profile.levels,
            ratings=items_rated,
            truth=truth,
        )
        stage.note(VisitorReady.kind, persona.id, entry)
    return described


def build_visitors(
    stage: Stage, study: StudyContext, matches: Mapping[int, PersonaMatch]
) -> tuple[Visitor, ...]:
    """Build and log a visitor for each user, the study's own personas last."""
    data, model, users = study.data, study.visit_context.model, study.users
    attraction = model.of(users)
    graphs: Sequence[Any] = model.retriever.memories(users) if model.retriever else [None] * len(users)
    made = []
    for n, (user, one) in enumerate(zip(users.tolist(), describe_users(stage, study, matches), strict=True)):
        pull = attraction.pull[n]
        if user >= data.ratings.users:
            pull = attraction_to_interests(
                pull, match_interests(one.persona, data.collection), data.collection
            )
        memory = _history_memory(stage, study, one, user)
        lean, seen = float(model.bias.users[user]), attraction.expected[n]
        made.append(Visitor(user, one.persona, one.temper, one.usual, lean, memory, graphs[n], pull, seen))
    return tuple(made)


def _user_persona(study: StudyContext, user: int, profile: Profile, matched: PersonaMatch) -> Persona:
    """Build the persona of a user of the data set; without a candidate it has habits alone."""
    kind, candidate = study.data.collection.kind, matched.persona
    stars: Floats = study.visit_context.to_stars(study.split.train.of(user)[1])
    habits = profile.words(kind, ("engagement", "conformity", "variety"))
    told = {
        "name": candidate.who() if candidate else f"somebody who rates {kind}s",
        "bio": " ".join(filter(None, (rating_words(stars, kind), matched.taste, habits)))[:4_000],
        "traits": {},
    }
    return as_persona(study.data.users[user], profile, candidate, "", kind).model_copy(update=told)


def _history_memory(stage: Stage, study: StudyContext, who: UserDescription, user: int) -> EpisodicMemory:
    """Fill a visitor's memory with up to HISTORY of its training ratings, drawn at random."""
    context, (items, values) = study.visit_context, study.split.train.of(user)
    keys = stage.draw("recommender.history", step=0).bits(agent=user, item=items)
    chosen = np.sort(order_by(keys)[:HISTORY])
    context.guard.check_memory((user, item) for item in items[chosen].tolist())
    memory, ids = EpisodicMemory(who.persona.memory), context.collection.ids
    for item, value in zip(items[chosen].tolist(), values[chosen].tolist(), strict=True):
        rated = context.rated_title(item, value, who.usual)
        # The feeling is stored to be found by; prompts tell the stars alone.
        text = f"{rated}, {rated.felt}" if rated.felt else str(rated)
        memory.store(text, item=ids[item], rating=value, title=rated.title, told=str(rated))
    return memory


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
