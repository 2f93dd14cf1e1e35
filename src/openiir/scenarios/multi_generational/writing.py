"""Producers write: what each reads before it, and its post for every version of every pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from openiir.kit.credibility.corpus import SharedCorpus
from openiir.kit.credibility.pairs import ClaimPair
from openiir.kit.evolution import Genome
from openiir.kit.offline_speaker.claim_posts import ClaimPost, PostOrder, ReadPassage, write_claim_post
from openiir.plugin import Agent, Stage
from openiir.scenarios.multi_generational.genomes import FORMS, cue_values, describe_genome, nearest_option
from openiir.scenarios.multi_generational.questions import AuthorPost, name_pair


class Player(NamedTuple):
    """An agent with its genome and its place in its generation, by which its draws are named."""

    agent: Agent
    genome: Genome
    slot: int


def name_versions(pair: ClaimPair) -> tuple[str, str]:
    """Name the true and the false version for draws and the ledger: by their order in the alphabet, not by which is true."""
    first = int(pair.true > pair.false)
    return f"{pair.id}/{first}", f"{pair.id}/{1 - first}"


@dataclass(frozen=True)
class Post:
    """What a producer wrote for one version; an empty text if nothing."""

    by: Player
    version: str
    text: str
    uses: tuple[int, ...]
    """Documents of the corpus that it uses."""

    @property
    def name(self) -> str:
        """Name of the post in the ledger and in other posts' lists of sources."""
        return f"{self.by.agent.id}/{self.version}"


async def write_posts(
    stage: Stage, corpus: SharedCorpus, players: Sequence[Player], pairs: Sequence[ClaimPair], now: int, asks: bool
) -> tuple[list[Post], list[int]]:
    """Let every producer write for every version of the pairs; returns posts and the documents that were read.

    With `asks`, the producers are on the stage and are asked there; else the behaviour model answers, by the same draws.
    """
    claims = [claim for pair in pairs for claim in (pair.true, pair.false)]
    versions = [name for pair in pairs for name in name_versions(pair)]
    look = corpus.look_up(claims, now)
    stands = look.mean_support()
    shown = [ReadPassage(one.text, one.source) for one in corpus.documents]
    orders: list[tuple[Player, str, PostOrder, list[int]]] = []
    for player in players:
        values, cues = player.genome.values, tuple(cue_values([player.genome], "cue")[0].tolist())
        chosen = look.read(
            float(values["retrieval.mix"]), float(values["retrieval.recency"]), int(values["retrieval.depth"])
        )
        form = nearest_option(str(values["template"]), FORMS)
        own = (form, cues, float(values["bio.boldness"]), str(values["bio.expertise"]))
        for n, (version, claim) in enumerate(zip(versions, claims, strict=True)):
            read = look.documents[n, chosen[n]].tolist()
            order = PostOrder(claim, *own, [shown[one] for one in read], stands[n, chosen[n]].tolist())
            orders.append((player, version, order, read))
    if asks:
        manners = {player.agent.id: describe_genome(player.genome) for player in players}
        replies = await stage.ask_all([
            (player.agent, AuthorPost.of(order, version, manners[player.agent.id]))
            for player, version, order, _ in orders
        ])  # fmt: skip
        written = [
            ClaimPost(reply.text, tuple(n - 1 for n in reply.uses)) if reply else ClaimPost("", ()) for reply in replies
        ]
    else:
        draw = stage.draw(AuthorPost.kind)
        written = [
            write_claim_post(order, draw.at(agent=player.slot, item=name_pair(version)))
            for player, version, order, _ in orders
        ]
    posts = [
        Post(player, version, text, tuple(read[n] for n in uses))
        for (player, version, _, read), (text, uses) in zip(orders, written, strict=True)
    ]
    return posts, [one for *_, read in orders for one in read]
