"""A meeting of producers and detectors: what is written, judged, moderated and won, and what stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from openiir.kit.arrays import Bools, Floats
from openiir.plugin import Stage
from openiir.scenarios.multi_generational.behaviour.genomes import SIDES, Player, Side
from openiir.scenarios.multi_generational.behaviour.judging import Judgements, judge_posts
from openiir.scenarios.multi_generational.behaviour.moderating import moderate_posts
from openiir.scenarios.multi_generational.behaviour.writing import ProducerPost, write_posts
from openiir.scenarios.multi_generational.model.credibility.contest import (
    share_attention,
    share_wins,
    weigh_fitness,
)
from openiir.scenarios.multi_generational.model.credibility.pairs import ClaimPair, name_versions
from openiir.scenarios.multi_generational.run.standing import PostBoard, StandingPost


@dataclass(frozen=True, eq=False)
class ContestResult:
    """Outcome of a contest of producers and detectors: posts, judgements, fitness.

    Tables are (authors, pairs, versions), the true version first; only those who met for themselves are in
    them, and no opponents from elsewhere.
    """

    pairs: Sequence[ClaimPair]
    posts: list[ProducerPost]
    """In the tables' order."""
    read: list[int]
    """Documents that authors read."""
    judged: Judgements
    survival: Floats
    landed: Bools
    fitness: dict[Side, Floats]
    found: list[StandingPost]
    """Posts that could be found: the documents after the pages."""
    removed: list[str]
    """Standing posts that were taken down."""
    abstained: int
    """Judgements without a usable answer, also by opponents from elsewhere and of standing posts."""

    @property
    def posted(self) -> Bools:
        """Mask of the posts that were written."""
        return np.array([bool(post.text) for post in self.posts]).reshape(self.survival.shape)


async def hold_contest(
    stage: Stage,
    board: PostBoard,
    players: Mapping[Side, Sequence[Player]],
    opponents: Mapping[Side, Sequence[Player]],
    pairs: Sequence[ClaimPair],
    now: int,
    asks: bool,
) -> ContestResult:
    """Let producers and detectors play each claim pair; posts that succeed are added to the board.

    Each side is measured against the other's `opponents`, who may be the players themselves. With `asks`
    everybody is on the stage and is asked there.
    """
    rule, authors, judges = stage.config, players["producer"], players["detector"]
    board.show_in_corpus()
    writers, faced = _join(authors, opponents["producer"])
    checkers, met = _join(judges, opponents["detector"])
    posts, read = await write_posts(stage, board.corpus, writers, pairs, now, asks)
    texts, names = [post.text for post in posts], [post.name for post in posts]
    judged = await judge_posts(stage, board.corpus, checkers, texts, names, now, asks)
    stands = await moderate_posts(stage, texts, names, judged.p[:, met], asks)
    shape = (len(writers), len(pairs), 2)
    posted = np.array([bool(text) for text in texts]).reshape(shape)
    survival = stands.reshape(shape) * posted
    slots, landing = np.array([one.slot for one in writers]), stage.draw("multi_generational.landing")
    versions = [name for one in pairs for name in name_versions(one)]
    chances = np.moveaxis(survival.reshape(len(writers), -1), 1, 0)
    lands = [landing.chance(p, agent=slots, item=name) for name, p in zip(versions, chances, strict=True)]
    claims = [claim for pair in pairs for claim in (pair.true, pair.false)]
    match = board.corpus.match_words(texts, claims).reshape(len(claims), len(writers), len(claims))
    attention = share_attention(np.einsum("cwc->wc", match)).reshape(shape)
    p, own = judged.p.reshape(*shape, len(checkers)), len(authors)
    against = p[faced][..., : len(judges)], posted[faced]
    if rule.sharing:
        worth = share_wins(p[:own][..., met], posted[:own])[0], share_wins(*against)[1]
    else:
        worth = weigh_fitness(survival[:own], attention[:own], *against)
    cost = {side: rule.depth_cost * np.array([one.depth for one in players[side]]) / 10 for side in SIDES}
    fitness = {side: won - cost[side] for side, won in zip(SIDES, worth, strict=True)}
    found = board.posts
    removed, unsaid = await board.review(stage, judges, now, asks)
    landed, number = np.stack(lands, axis=1).reshape(shape)[:own], own * len(claims)
    board.add_successful_posts(posts[:number], landed, attention[:own], now, rule.corpus)
    unsaid += int(judged.abstained.sum())
    mine = judged.restrict(number, len(judges))
    return ContestResult(
        pairs, posts[:number], read, mine, survival[:own], landed, fitness, found, removed, unsaid
    )


def _join(own: Sequence[Player], opponents: Sequence[Player]) -> tuple[list[Player], list[int]]:
    """List those who meet, then opponents who are none of them; returns the opponents' places, too."""
    joined = {one.agent.id: one for one in (*own, *opponents)}
    place = {id: n for n, id in enumerate(joined)}
    return [*joined.values()], [place[one.agent.id] for one in opponents]
