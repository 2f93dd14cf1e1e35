"""Authors write: what each reads before it, and its post for every version of every pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openiir.plugin import Stage
from openiir.scenarios.multi_generational.behaviour.genomes import Player, describe_genome
from openiir.scenarios.multi_generational.model.credibility.claim_posts import (
    ClaimPost,
    PostOrder,
    ReadPassage,
    write_claim_post,
)
from openiir.scenarios.multi_generational.model.credibility.corpus import SharedCorpus
from openiir.scenarios.multi_generational.model.credibility.pairs import (
    ClaimPair,
    name_versions,
    pair_of_version,
)
from openiir.scenarios.multi_generational.questions import AuthorPost


@dataclass(frozen=True)
class ProducerPost:
    """A producer's post for the true or false version of a claim; the text is empty if none was written."""

    by: Player
    version: str
    text: str
    uses: tuple[int, ...]
    """Documents of the corpus that it uses."""

    @property
    def name(self) -> str:
        """Name of the post in the ledger of calls and where other posts cite it."""
        return f"{self.by.agent.id}/{self.version}"


async def write_posts(
    stage: Stage,
    corpus: SharedCorpus,
    authors: Sequence[Player],
    pairs: Sequence[ClaimPair],
    now: int,
    asks: bool,
) -> tuple[list[ProducerPost], list[int]]:
    """Let each producer write for both versions of each pair; returns the posts and the documents read.

    With `asks`, the authors are on the stage and are asked there; else the behaviour model answers, by the
    same draws.
    """
    claims = [claim for pair in pairs for claim in (pair.true, pair.false)]
    versions = [name for pair in pairs for name in name_versions(pair)]
    look = corpus.look_up(claims, now)
    stands = look.mean_support()
    shown = [ReadPassage(one.text, one.source) for one in corpus.documents]
    orders: list[tuple[Player, str, PostOrder, list[int]]] = []
    for author in authors:
        mix, recency = author.read_number("retrieval.mix"), author.read_number("retrieval.recency")
        chosen = look.read(mix, recency, author.depth)
        found, bears = look.documents[chosen].tolist(), stands[chosen].tolist()
        ends = np.cumsum(chosen.sum(axis=1)).tolist()
        habits: dict[str, Any] = {
            "form": author.option,
            "cues": tuple(author.cues),
            "boldness": author.read_number("bio.boldness"),
            "expertise": str(author.genome.values["bio.expertise"]),
        }
        for version, claim, start, end in zip(versions, claims, [0, *ends], ends, strict=False):
            read, support = found[start:end], tuple(bears[start:end])
            passages = tuple(shown[one] for one in read)
            order = PostOrder(claim=claim, found=passages, support=support, **habits)
            orders.append((author, version, order, read))
    if asks:
        # Asked by the versions' names, whose order does not tell which is true.
        turns = sorted(range(len(orders)), key=lambda n: (n // len(claims), orders[n][1]))
        manners = {author.agent.id: describe_genome(author.genome) for author in authors}
        questions = [
            (author.agent, AuthorPost(**vars(order), version=version, manner=manners[author.agent.id]))
            for author, version, order, _ in (orders[n] for n in turns)
        ]
        said = dict(zip(turns, await stage.ask_all(questions), strict=True))
        written = [
            ClaimPost(reply.text, tuple(n - 1 for n in reply.uses)) if reply else ClaimPost("", ())
            for _, reply in sorted(said.items())
        ]
    else:
        draw = stage.draw(AuthorPost.kind)
        written = [
            write_claim_post(order, draw.at(agent=author.slot, item=pair_of_version(version)))
            for author, version, order, _ in orders
        ]
    posts = [
        ProducerPost(author, version, text, tuple(read[n] for n in uses))
        for (author, version, _, read), (text, uses) in zip(orders, written, strict=True)
    ]
    return posts, [one for *_, read in orders for one in read]
