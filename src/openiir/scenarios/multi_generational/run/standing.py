"""Posts that have landed: what can be found later, for how long, and what a second look takes down."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from openiir.kit.arrays import Bools, Floats
from openiir.plugin import Stage, order_by
from openiir.scenarios.multi_generational.behaviour.genomes import Player
from openiir.scenarios.multi_generational.behaviour.judging import judge_posts
from openiir.scenarios.multi_generational.behaviour.moderating import moderate_posts
from openiir.scenarios.multi_generational.behaviour.writing import ProducerPost
from openiir.scenarios.multi_generational.config import CorpusRule
from openiir.scenarios.multi_generational.model.credibility.claim_posts import POST_BY
from openiir.scenarios.multi_generational.model.credibility.contest import FALSE
from openiir.scenarios.multi_generational.model.credibility.corpus import CorpusDocument, SharedCorpus


@dataclass(frozen=True)
class StandingPost:
    """A successful post that stays searchable for later generations."""

    name: str
    by: str
    """Id of its author."""
    version: str
    document: CorpusDocument
    false: bool


class PostBoard:
    """The posts that remain searchable in an arm's corpus."""

    def __init__(self, corpus: SharedCorpus) -> None:
        self.corpus = corpus
        self.posts: list[StandingPost] = []

    def show_in_corpus(self) -> None:
        """Put the board's posts into the corpus, in place of earlier ones."""
        self.corpus.replace_posts([one.document for one in self.posts])

    async def review(
        self, stage: Stage, judges: Sequence[Player], now: int, asks: bool
    ) -> tuple[list[str], int]:
        """Let judges and moderators review the board's posts again.

        Returns the names of those taken down, and the number of judgements without a usable answer.
        """
        if not self.posts:
            return [], 0
        texts, names = [one.document.text for one in self.posts], [one.name for one in self.posts]
        judged = await judge_posts(stage, self.corpus, judges, texts, names, now, asks)
        stands = await moderate_posts(stage, texts, names, judged.p, asks)
        draw = stage.draw("claims.review")
        chances = zip(names, stands, strict=True)
        gone = [name for name, chance in chances if not draw.chance(chance, item=name)]
        self.posts = [one for one in self.posts if one.name not in gone]
        return gone, int(judged.abstained.sum())

    def add_successful_posts(
        self, posts: Sequence[ProducerPost], landed: Bools, attention: Floats, now: int, rule: CorpusRule
    ) -> None:
        """Drop expired posts, and add the successful posts with most attention for each version.

        Tables are (authors, pairs, versions), and `posts` in their order. What is taken up stands in the
        order of the versions' names, so that ties in a look-up do not depend on which is true.
        """
        self.posts = [one for one in self.posts if now - one.document.born < rule.stands]
        weight = np.where(landed, attention, -1.0)
        order = order_by(-weight, axis=0)[: rule.copies if rule.stands else 0]
        new = list[StandingPost]()
        for (_, pair, kind), author in np.ndenumerate(order):
            if weight[author, pair, kind] >= 0:
                post = posts[int(np.ravel_multi_index((author, pair, kind), weight.shape))]
                document = CorpusDocument(POST_BY + post.by.agent.persona.name, post.text, now)
                new.append(StandingPost(post.name, post.by.agent.id, post.version, document, kind == FALSE))
        self.posts += sorted(new, key=lambda one: one.version)
