"""The first step of a run: personas matched, pictures put into words, minds made, and all of it guarded."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from openiir.kit.items import Collection, DataSet, Guard, Split
from openiir.kit.items.ratings import Ints
from openiir.plugin import Stage
from openiir.scenarios.recommender.actions import DataRead
from openiir.scenarios.recommender.casting import Casting, chosen_users, own_of
from openiir.scenarios.recommender.founding import Ground, data_of, known_by
from openiir.scenarios.recommender.minds import Fitted, fitted, in_five
from openiir.scenarios.recommender.perception import captions
from openiir.scenarios.recommender.persona import (
    Histories,
    Matched,
    match,
    match_offline,
)
from openiir.scenarios.recommender.persona.questions import Agree, Guess, Taste
from openiir.scenarios.recommender.questions.reflect import SelfAsk, SelfAskFacts
from openiir.scenarios.recommender.visitor import Common
from openiir.scenarios.recommender.wording import feeling_query, like_these, so_far_query

MATCHER = "matcher"
"""The role that matches personas to histories."""
REMINDER = "reminder"
"""The role that asks follow-up questions of memory; asked once a query, for all visitors."""


async def open_study(stage: Stage, folder: Path) -> Ground:
    """Everything that visits and tasks start from; what came of it is noted, so that the log can be read alone."""
    config = stage.config
    own = own_of([agent.persona for agent in stage.agents])
    data, folds = data_of(config, folder, len(own))
    guard = Guard(data, folds)
    users = chosen_users(config, data, folds, len(own))
    _note_data(stage, data, folds)
    matched = await _matched(stage, data, folds, users)
    guard.ratings(folds.train, "what visitors' minds and recommenders are fitted to")
    minds = fitted(config, data, folds)
    if minds.retriever is not None:
        guard.edges(*minds.retriever.graph.user_items().T)
    common = await _common(stage, data, folds, guard, minds, folder)
    guard.means(common.train_means, "the mean ratings that pages show")
    everybody = np.concatenate([users, np.arange(len(own)) + data.ratings.users])
    visitors = Casting(stage, data, folds, guard, common).visitors(everybody, own, matched, minds)
    return Ground(data, folds, guard, common, visitors, minds, folder)


def _note_data(stage: Stage, data: DataSet, folds: Split) -> None:
    noted = DataRead(
        name=data.name,
        noun=data.collection.kind,
        digest=data.digest,
        licence=data.licence,
        users=data.ratings.users,
        items=len(data.collection),
        ratings=len(data.ratings),
        train=len(folds.train),
        validation=len(folds.validation),
        test=len(folds.test),
        skipped=data.skipped,
        notes=data.notes,
        shares=tuple(np.bincount(in_five(folds.train).value.astype(np.int64), minlength=6)[1:].tolist()),
        duplicates=stage.config.data.rules.duplicates,
        strict=stage.config.data.rules.strict,
    )
    stage.act(None, noted)


async def _matched(stage: Stage, data: DataSet, folds: Split, users: Ints) -> Mapping[int, Matched]:
    """Personas for the users drawn; none where visitors are to have none."""
    if not stage.config.visitors.persona or not len(users):
        return {}
    histories = Histories(folds.train, data.collection, stage.draw("recommender.histories", step=0))
    named = {user: data.users[user] for user in users.tolist()}
    if stage.offline_alone(MATCHER, Taste.kind, Guess.kind, Agree.kind):
        found = match_offline(named, histories, stage.draw(Guess.kind, agent=MATCHER))
    else:
        found = await match(stage, MATCHER, named, histories)
    return {one.user: one for one in found}


async def _common(
    stage: Stage, data: DataSet, folds: Split, guard: Guard, minds: Fitted, folder: Path
) -> Common:
    spec, of = stage.config.visitors, data.collection
    noun = of.kind
    told = await captions(stage, _with_local_pictures(of), folder, skip_bad=True) if spec.perception else ()
    follow_ups: dict[str, tuple[str, ...]] = {}
    if spec.self_ask:
        queries = [like_these(noun), so_far_query(noun), feeling_query(noun)]
        replies = await stage.ask_all([(REMINDER, SelfAsk(SelfAskFacts(query, noun))) for query in queries])
        follow_ups = {q: tuple(r.questions) for q, r in zip(queries, replies, strict=True) if r is not None}
    return Common(
        collection=of,
        scale=folds.train.scale,
        guard=guard,
        train_means=folds.train.item_means,
        train_counts=folds.train.counts,
        known=known_by(folds.train),
        captions=told if any(told) else (),
        scales=minds.scales,
        usual=(minds.bias.mean + minds.bias.items).tolist(),
        reminded=minds.reminded,
        spec=spec,
        page=stage.config.page,
        follow_ups=follow_ups,
    )


def _with_local_pictures(of: Collection) -> Collection:
    """Pictures that are files; what is on the web is not fetched during a run."""
    return replace(of, images=tuple("" if "://" in image else image for image in of.images))
