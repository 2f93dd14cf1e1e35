"""Producers write: what each reads before it, and its post for every version of every pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from openiir.kit.credibility.corpus import NONE, Lookup, SharedCorpus
from openiir.kit.credibility.pairs import ClaimPair
from openiir.kit.evolution import Genome
from openiir.plugin import Agent, Stage
from openiir.scenarios.multi_generational.genomes import FORMS, cue_values, describe_genome, nearest_option
from openiir.scenarios.multi_generational.questions import (
    AuthorDispositions,
    AuthorFacts,
    AuthorPost,
    Passage,
    WrittenClaim,
)


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


def choose_documents(look: Lookup, ranked: np.ndarray, text: int, depth: int) -> tuple[list[int], list[int]]:
    """Choose what an agent reads for a text: positions among the candidates, and numbers of the documents."""
    places = [int(at) for at in ranked[text, :depth] if look.documents[text, at] != NONE]
    return places, look.documents[text, places].tolist()


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
    shown = [Passage(one.source, one.text) for one in corpus.documents]
    asked: list[tuple[Player, AuthorPost, list[int]]] = []
    for player in players:
        values = player.genome.values
        ranked = look.rank(float(values["retrieval.mix"]), float(values["retrieval.recency"]))
        manner, form = describe_genome(player.genome), nearest_option(str(values["template"]), FORMS)
        cues = tuple(cue_values([player.genome], "cue")[0].tolist())
        for n, (version, claim) in enumerate(zip(versions, claims, strict=True)):
            places, read = choose_documents(look, ranked, n, int(values["retrieval.depth"]))
            facts = AuthorFacts(version, manner, claim, tuple(shown[one] for one in read))
            support = tuple(stands[n, places].tolist())
            by = AuthorDispositions(cues, float(values["bio.boldness"]), form, str(values["bio.expertise"]), support)
            asked.append((player, AuthorPost(facts, by), read))
    replies: Sequence[WrittenClaim | None]
    if asks:
        replies = await stage.ask_all([(player.agent, question) for player, question, _ in asked])
    else:
        replies = [
            question.offline(stage.draw(question.kind, agent=player.slot, item=question.subject))
            for player, question, _ in asked
        ]
    posts = [
        Post(player, question.subject, reply.text, tuple(read[n - 1] for n in reply.uses))
        if reply
        else Post(player, question.subject, "", ())
        for (player, question, read), reply in zip(asked, replies, strict=True)
    ]
    return posts, [one for _, _, read in asked for one in read]
