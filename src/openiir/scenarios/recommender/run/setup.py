"""Set up a run: read and split the data, choose visitors, match personas, fit tastes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from openiir.kit.items import DataSet, Split
from openiir.kit.items.ratings import Ints
from openiir.plugin import InputError, Persona, Stage
from openiir.scenarios.recommender.behaviour.matching import PersonaMatch, match_offline, match_personas
from openiir.scenarios.recommender.behaviour.visit_context import VisitContext
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.model.attraction import AttractionModel, fit_attraction
from openiir.scenarios.recommender.model.guard import Guard
from openiir.scenarios.recommender.model.persona.histories import Histories
from openiir.scenarios.recommender.model.persona.profile import persona_id
from openiir.scenarios.recommender.questions.matching import Agree, DescribeTaste, Guess
from openiir.scenarios.recommender.questions.reflect import SelfAsk
from openiir.scenarios.recommender.questions.wording import feeling_query, like_these_query, so_far_query
from openiir.scenarios.recommender.run.captions import captions
from openiir.scenarios.recommender.run.data import choose_users, load_data, log_data
from openiir.scenarios.recommender.run.study_context import StudyContext
from openiir.scenarios.recommender.run.visitors import build_visitors, describe_users

MATCHER = "matcher"
"""Role that matches personas to rating histories."""
REMINDER = "reminder"
"""Role that asks follow-up questions to memory, once for each query and for all visitors."""
OF_DATA = "user-"
"""Prefix of the ids of users of the data set, which personas of the study must not have."""
_RATER = "Somebody who rates"
"""Opening of a user's bio before a persona is matched."""


async def set_up(stage: Stage, folder: Path) -> StudyContext:
    """Build and log the data, visitors and fitted models that all experiments share."""
    config = stage.config
    own = study_personas([agent.persona for agent in stage.agents])
    data, folds = load_data(config, folder, len(own))
    guard = Guard(data, folds)
    users = choose_users(config, data, folds, len(own))
    log_data(stage, data, folds)
    matched = await _match_personas(stage, data, folds, users)
    guard.check_ratings(folds.train, "what visitors' tastes and recommenders are fitted to")
    model = fit_taste(config, data, folds)
    if model.retriever is not None:
        guard.check_edges(*model.retriever.graph.user_items().T)
    context = await _visit_context(stage, data, folds, guard, model, folder)
    guard.check_means(context.train.item_means, "the mean ratings that pages show")
    everybody = np.concatenate([users, np.arange(len(own)) + data.ratings.users])
    study = StudyContext(data, folds, everybody, own, context, folder)
    study.visitors = build_visitors(stage, study, matched)
    return study


async def apply_config_changes(stage: Stage, study: StudyContext) -> None:
    """Apply a scheduled `[[change]]` to the visitors and what they see and may do."""
    before, spec = study.visit_context.spec, stage.config.visitors
    if (spec, stage.config.page) == (before, study.visit_context.page):
        return
    told: dict[str, Any] = {"spec": spec, "page": stage.config.page}
    if spec.perception != before.perception:
        told["captions"] = await _caption_items(stage, study.data, study.folder)
    if spec.self_ask != before.self_ask:
        told["follow_ups"] = await _ask_follow_ups(stage, study.data.collection.kind)
    study.visit_context = replace(study.visit_context, **told)
    if spec.persona != before.persona:
        known = study.users[: len(study.users) - len(study.own)]
        matched = await _match_personas(stage, study.data, study.split, known)
        for visitor, one in zip(study.visitors, describe_users(stage, study, matched), strict=True):
            visitor.persona, visitor.temper = one.persona, one.temper


def list_run_personas(
    config: RecommenderConfig, personas: Sequence[Persona], folder: Path
) -> tuple[Persona, ...]:
    """List the run's personas: a placeholder for each chosen user, then the study's own personas.

    A placeholder has an id alone, none of the data set's demographics. Raises InputError where two would have
    one id.
    """
    own = study_personas(personas)
    data, folds = load_data(config, folder, len(own))
    names = [data.users[user] for user in choose_users(config, data, folds, len(own)).tolist()]
    bio, tokens = f"{_RATER} {data.collection.kind}s.", config.visitors.tokens
    users = [Persona(id=persona_id(name), name=f"User {name}", bio=bio, tokens=tokens) for name in names]
    seen: set[str] = set()
    for persona in (*users, *own):
        if persona.id in seen:
            raise InputError(
                f"two visitors would be called {persona.id!r}; give personas of the study other ids"
            )
        seen.add(persona.id)
    return (*users, *own)


def study_personas(personas: Sequence[Persona]) -> list[Persona]:
    """Select the study's own personas from those that may include users' placeholders.

    Raises InputError where one of the study's own has an id like a user of the data set.
    """
    own = [p for p in personas if not (p.id.startswith(OF_DATA) and p.bio.startswith(_RATER))]
    if named := [persona.id for persona in own if persona.id.startswith(OF_DATA)]:
        raise InputError(
            f"the persona {named[0]!r} is called like a user of the data set; give it another id"
        )
    return own


def fit_taste(config: RecommenderConfig, data: DataSet, folds: Split) -> AttractionModel:
    """Fit the models of the visitors' attraction and expected ratings that the configuration asks for."""
    visitors = config.visitors
    similar = visitors.similar if visitors.graph else 0
    # Fame is what the simplest system under test recommends.
    with_fame = config.experiment == "discrimination"
    return fit_attraction(data, folds, config.data_seed, similar, visitors.taste, with_fame)


async def _match_personas(
    stage: Stage, data: DataSet, folds: Split, users: Ints
) -> Mapping[int, PersonaMatch]:
    """Match a persona to each user; none where `visitors.persona` is off."""
    if not stage.config.visitors.persona or not len(users):
        return {}
    histories = Histories(folds.train, data.collection, stage.draw("recommender.histories", step=0))
    named = {user: data.users[user] for user in users.tolist()}
    if stage.offline_alone(MATCHER, DescribeTaste.kind, Guess.kind, Agree.kind):
        found = match_offline(named, histories, stage.draw(Guess.kind, agent=MATCHER))
    else:
        found = await match_personas(stage, MATCHER, named, histories)
    return {one.user: one for one in found}


async def _visit_context(
    stage: Stage, data: DataSet, folds: Split, guard: Guard, model: AttractionModel, folder: Path
) -> VisitContext:
    return VisitContext(
        collection=data.collection,
        train=folds.train,
        model=model,
        guard=guard,
        draw=stage.draw("recommender.page", step=0),
        captions=await _caption_items(stage, data, folder),
        spec=stage.config.visitors,
        page=stage.config.page,
        follow_ups=await _ask_follow_ups(stage, data.collection.kind),
    )


async def _caption_items(stage: Stage, data: DataSet, folder: Path) -> tuple[str, ...]:
    """Caption the items' pictures; empty where visitors see none, or none has a caption."""
    if not stage.config.visitors.perception:
        return ()
    of = data.collection  # Pictures on the web are not fetched during a run.
    local = replace(of, images=tuple("" if "://" in image else image for image in of.images))
    texts = await captions(stage, local, folder)
    return texts if any(texts) else ()


async def _ask_follow_ups(stage: Stage, noun: str) -> dict[str, tuple[str, ...]]:
    """Ask for the follow-up questions to each query to memory; none where `visitors.self_ask` is off."""
    if not stage.config.visitors.self_ask:
        return {}
    queries = [like_these_query(noun), so_far_query(noun), feeling_query(noun)]
    replies = await stage.ask_all([(REMINDER, SelfAsk(query, noun)) for query in queries])
    return {q: tuple(r.questions) for q, r in zip(queries, replies, strict=True) if r is not None}
