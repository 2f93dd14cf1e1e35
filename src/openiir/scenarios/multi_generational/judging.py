"""Detectors judge: what each reads about a post, and how likely it takes the post to be false."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.kit.credibility.beliefs import BELIEFS, judge_falsehood
from openiir.kit.credibility.corpus import NONE, Lookup, SharedCorpus
from openiir.kit.credibility.text_cues import measure_cues
from openiir.kit.offline_speaker.claim_posts import ReadPassage
from openiir.plugin import Stage
from openiir.scenarios.multi_generational.genomes import CHECKS, cue_values, describe_genome, nearest_option
from openiir.scenarios.multi_generational.questions import (
    JudgeDispositions,
    JudgeFacts,
    JudgePost,
)
from openiir.scenarios.multi_generational.writing import Player

ABSTAINED = 0.5
"""Probability of being false where a detector gives no usable answer."""


@dataclass(frozen=True, eq=False)
class Judgements:
    """Judgements of posts (posts, detectors)."""

    p: Floats
    """Probability of being false."""
    evidence: Floats
    """How what the detector read stands to the post, -1 to 1."""
    seen: Ints
    """Document that it read, and that equal shares of words and meaning put first; -1 for none."""
    cues: Floats
    """Cues measured in the posts (posts, cues)."""
    read: Ints
    """Documents that were read, of all judgements."""
    abstained: Bools
    """Where there was no usable answer."""

    def of(self, posts: int, detectors: int) -> "Judgements":
        """Cut to the first posts and detectors."""
        return Judgements(
            self.p[:posts, :detectors], self.evidence[:posts, :detectors], self.seen[:posts, :detectors],
            self.cues[:posts], self.read, self.abstained[:posts, :detectors],
        )  # fmt: skip


async def judge_posts(
    stage: Stage,
    corpus: SharedCorpus,
    players: Sequence[Player],
    texts: Sequence[str],
    names: Sequence[str],
    now: int,
    asks: bool,
    own: Sequence[int] = (),
) -> Judgements:
    """Let every detector judge every text; `names` stand for the posts in the ledger.

    `own` are the numbers of the texts in the corpus, if they stand there: no text is evidence for itself.
    """
    look = corpus.look_up(texts, now, own)
    cues = measure_cues(texts)
    p, evidence = np.zeros((2, len(texts), len(players)))
    rows = np.arange(len(texts))
    seen, abstained, read = np.full(p.shape, NONE), np.zeros(p.shape, dtype=np.bool_), list[Ints]()
    for n, player in enumerate(players):
        values, depth = player.genome.values, int(player.genome.values["retrieval.depth"])
        chosen = look.read(float(values["retrieval.mix"]), 0.0, depth)
        read.append(look.documents[chosen])
        seen[:, n] = np.where(chosen.any(axis=1), look.documents[rows, chosen.argmax(axis=1)], NONE)
        rule = nearest_option(str(values["template"]), CHECKS)
        evidence[:, n] = look.weigh(chosen, rule, float(values["weight.posts"]))
        weights, prior, trust = cue_values([player.genome], "weight")[0], float(values["bio.suspicion"]), float(values["weight.evidence"])
        p[:, n] = judge_falsehood(prior, weights, trust, depth, cues, evidence[:, n])
        if asks and not stage.offline_alone(player.agent.id, JudgePost.kind):
            by = [JudgeDispositions(one) for one in p[:, n].tolist()]
            said = await _ask(stage, corpus, player, texts, names, look, chosen, by)
            if stage.answerer(player.agent, JudgePost.kind) != "offline":
                p[:, n] = said
                abstained[:, n] = np.isnan(said)
    p[abstained] = ABSTAINED
    return Judgements(p, evidence, seen, cues, np.concatenate(read), abstained)


async def _ask(
    stage: Stage, corpus: SharedCorpus, player: Player, texts: Sequence[str], names: Sequence[str],
    look: Lookup, chosen: Bools, by: Sequence[JudgeDispositions],
) -> Floats:  # fmt: skip
    """Ask a detector about each post; returns the probabilities that its words stand for, NaN for no answer."""
    manner, documents = describe_genome(player.genome), corpus.documents
    questions = []
    for n, text in enumerate(texts):
        read = [documents[one] for one in look.documents[n, chosen[n]]]
        found = tuple(ReadPassage(one.text, one.source) for one in read)
        questions.append((player.agent, JudgePost(JudgeFacts(names[n], manner, text, found), by[n])))
    replies = await stage.ask_all(questions)
    return np.array([BELIEFS[reply.belief] if reply else np.nan for reply in replies])
