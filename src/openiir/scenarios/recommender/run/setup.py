"""Set up a run: read and split the data, choose visitors, match personas, fit tastes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from openiir.kit.items import DataSet, Split
from openiir.kit.items.ratings import Floats, Ints
from openiir.plugin import InputError, Persona, Stage
from openiir.scenarios.recommender.behaviour.matching import PersonaMatch, match, match_offline
from openiir.scenarios.recommender.behaviour.visit_context import VisitContext
from openiir.scenarios.recommender.behaviour.visitor import Visitor
from openiir.scenarios.recommender.config import RecommenderConfig
from openiir.scenarios.recommender.model.attraction import (
    AttractionModel,
    fit_attraction,
    to_five_stars,
)
from openiir.scenarios.recommender.model.guard import Guard
from openiir.scenarios.recommender.model.persona.histories import Histories
from openiir.scenarios.recommender.model.persona.profile import (
    persona_id,
)
from openiir.scenarios.recommender.questions.matching import Agree, DescribeTaste, Guess
from openiir.scenarios.recommender.questions.reflect import SelfAsk
from openiir.scenarios.recommender.questions.wording import feeling_query, like_these, so_far_query
from openiir.scenarios.recommender.run.captions import captions
from openiir.scenarios.recommender.run.data import choose_users, load_data, log_data
from openiir.scenarios.recommender.run.visitors import build_visitors, describe_users

MATCHER = "matcher"
"""Role that matches personas to rating histories."""
REMINDER = "reminder"
"""Role that asks follow-up questions to memory, once for each query and for all visitors."""
OF_DATA = "user-"
"""Prefix of the ids of users of the data set, which personas of the study must not have."""
_RATER = "Somebody who rates"
"""Opening of a user's bio before a persona is matched."""


@dataclass(eq=False)
class StudyContext:
    """Data, split, visitors and fitted models of a study; `adapt` follows its changes."""

    data: DataSet
    split: Split
    guard: Guard
    visit_context: VisitContext
    visitors: tuple[Visitor, ...]
    fitted: AttractionModel
    folder: Path
    """Folder of the study, where relative paths start."""

    def baselines(self, users: Ints, items: Ints) -> dict[str, Floats]:
        """Predict ratings, 1 to 5, of (user, item) pairs by two baselines: item mean, and biases."""
        train, bias = self.split.train, self.fitted.bias
        biased = to_five_stars(bias.mean + bias.users[users] + bias.items[items], train.scale)
        means = np.where(np.isnan(train.item_means), train.mean, train.item_means)[items]
        return {"item_mean": to_five_stars(means, train.scale), "bias": np.clip(biased, 1, 5)}

    @property
    def users(self) -> Ints:
        """(visitors,) user indices of the visitors; personas of the study come last."""
        return np.array([visitor.user for visitor in self.visitors], dtype=np.int64)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all users: as in the data, then of the study's personas."""
        newcomers = (v.persona.id for v in self.visitors if v.user >= self.data.ratings.users)
        return (*self.data.users, *newcomers)

    @cached_property
    def known(self) -> Any:
        """CSR mask (users, items) of training and validation ratings, which are never recommended."""
        return self.split.train.seen + self.split.validation.seen

    async def adapt(self, stage: Stage) -> None:
        """Follow a `[[change]]` in what visitors are, see and may do."""
        before, spec = self.visit_context.spec, stage.config.visitors
        if (spec, stage.config.page) == (before, self.visit_context.page):
            return
        told: dict[str, Any] = {"spec": spec, "page": stage.config.page}
        if spec.perception != before.perception:
            told["captions"] = await _caption_items(stage, self.data, self.folder)
        if spec.self_ask != before.self_ask:
            told["follow_ups"] = await _ask_follow_ups(stage, self.data.collection.kind)
        self.visit_context = replace(self.visit_context, **told)
        if spec.persona != before.persona:
            known = [visitor.user for visitor in self.visitors if visitor.user < self.data.ratings.users]
            matched = await _match_personas(stage, self.data, self.split, np.array(known, dtype=np.int64))
            own = [visitor.persona for visitor in self.visitors[len(known) :]]
            context = self.visit_context
            drawn = describe_users(stage, self.data, self.split, context, self.users, own, matched)
            for visitor, one in zip(self.visitors, drawn, strict=True):
                visitor.persona, visitor.temper = one.persona, one.temper


async def set_up(stage: Stage, folder: Path) -> StudyContext:
    """Build and log the data, visitors and fitted models that all experiments share."""
    config = stage.config
    own = study_personas([agent.persona for agent in stage.agents])
    data, folds = load_data(config, folder, len(own))
    guard = Guard(data, folds)
    users = choose_users(config, data, folds, len(own))
    log_data(stage, data, folds)
    matched = await _match_personas(stage, data, folds, users)
    guard.ratings(folds.train, "what visitors' tastes and recommenders are fitted to")
    model = fit_taste(config, data, folds)
    if model.retriever is not None:
        guard.edges(*model.retriever.graph.user_items().T)
    context = await _visit_context(stage, data, folds, guard, model, folder)
    guard.means(context.train_means, "the mean ratings that pages show")
    everybody = np.concatenate([users, np.arange(len(own)) + data.ratings.users])
    visitors = build_visitors(stage, data, folds, context, model, everybody, own, matched)
    return StudyContext(data, folds, guard, context, visitors, model, folder)


# The data and who of it visits


def cast_of(config: RecommenderConfig, personas: Sequence[Persona], folder: Path) -> tuple[Persona, ...]:
    """List the participants: a placeholder for each chosen user, then the study's own personas.

    Raises InputError where two would have one id.
    """
    own = study_personas(personas)
    data, folds = load_data(config, folder, len(own))
    users = choose_users(config, data, folds, len(own)).tolist()
    cast = (*(_build_placeholder(data, user, config.visitors.tokens) for user in users), *own)
    seen: set[str] = set()
    for persona in cast:
        if persona.id in seen:
            raise InputError(
                f"two visitors would be called {persona.id!r}; give personas of the study other ids"
            )
        seen.add(persona.id)
    return cast


def _build_placeholder(data: DataSet, user: int, tokens: int) -> Persona:
    """Build a user's placeholder before matching: an id alone, without the data set's demographics."""
    name = data.users[user]
    bio = f"{_RATER} {data.collection.kind}s."
    return Persona(id=persona_id(name), name=f"User {name}", bio=bio, tokens=tokens)


def study_personas(personas: Sequence[Persona]) -> list[Persona]:
    """Select the study's own personas from those that may include users' placeholders.

    Raises InputError where one of the study's own has an id like a user of the data set.
    """
    own = [p for p in personas if not (p.id.startswith(OF_DATA) and p.bio.startswith(_RATER))]
    for persona in own:
        if persona.id.startswith(OF_DATA):
            raise InputError(
                f"the persona {persona.id!r} is called like a user of the data set; give it another id"
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
        found = await match(stage, MATCHER, named, histories)
    return {one.user: one for one in found}


async def _visit_context(
    stage: Stage, data: DataSet, folds: Split, guard: Guard, model: AttractionModel, folder: Path
) -> VisitContext:
    texts = await _caption_items(stage, data, folder)
    return VisitContext(
        collection=data.collection,
        scale=folds.train.scale,
        guard=guard,
        train_means=folds.train.item_means,
        train_counts=folds.train.counts,
        captions=texts,
        scales=model.scales,
        usual=(model.bias.mean + model.bias.items).tolist(),
        reminded=model.reminded,
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
    texts = await captions(stage, local, folder, skip_bad=True)
    return texts if any(texts) else ()


async def _ask_follow_ups(stage: Stage, noun: str) -> dict[str, tuple[str, ...]]:
    """Ask for the follow-up questions to each query to memory; none where `visitors.self_ask` is off."""
    if not stage.config.visitors.self_ask:
        return {}
    queries = [like_these(noun), so_far_query(noun), feeling_query(noun)]
    replies = await stage.ask_all([(REMINDER, SelfAsk(query, noun)) for query in queries])
    return {q: tuple(r.questions) for q, r in zip(queries, replies, strict=True) if r is not None}
