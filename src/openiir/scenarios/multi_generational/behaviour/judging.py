"""Judges of posts: what each reads about a post, and how likely it takes the post to be false."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from openiir.kit.arrays import Bools, Floats, Ints
from openiir.plugin import Stage, first_largest
from openiir.scenarios.multi_generational.behaviour.genomes import Player, describe_genome
from openiir.scenarios.multi_generational.model.credibility.beliefs import BELIEFS, judge_falsehood
from openiir.scenarios.multi_generational.model.credibility.claim_posts import ReadPassage
from openiir.scenarios.multi_generational.model.credibility.corpus import (
    NONE,
    SharedCorpus,
    deduplicate_texts,
)
from openiir.scenarios.multi_generational.model.credibility.text_cues import measure_cues
from openiir.scenarios.multi_generational.questions import JudgePost

ABSTAINED = 0.5
"""Probability of being false where somebody gives no usable answer."""
LOCI = ("retrieval.mix", "bio.suspicion", "weight.evidence", "weight.posts")
"""Loci of the share of words in look-ups, of prior doubt, and of the weights of findings and of posts."""


@dataclass(frozen=True, eq=False)
class Judgements:
    """Detectors' judgements of posts, as arrays (posts, judges)."""

    p: Floats
    """Probability of being false."""
    evidence: Floats
    """How what the judge read stands to the post, -1 to 1."""
    seen: Ints
    """Document that it read, and that equal shares of words and meaning put first; -1 for none."""
    read: Ints
    """Documents that were read, of all judgements."""
    abstained: Bools
    """Where there was no usable answer."""

    def restrict(self, posts: int, judges: int) -> "Judgements":
        """Restrict to the first `posts` posts and `judges` judges."""
        cut = slice(posts), slice(judges)
        p, evidence, seen = self.p[cut], self.evidence[cut], self.seen[cut]
        return Judgements(p, evidence, seen, self.read, self.abstained[cut])


async def judge_posts(
    stage: Stage,
    corpus: SharedCorpus,
    judges: Sequence[Player],
    texts: Sequence[str],
    names: Sequence[str],
    now: int,
    asks: bool,
) -> Judgements:
    """Let each judge rate each post's probability of being false; empty texts are skipped."""
    some, at = deduplicate_texts(texts)
    look = corpus.look_up(some, now)
    cues, documents = measure_cues(some), look.documents[at]
    p, evidence = np.zeros((2, len(texts), len(judges)))
    seen, abstained, read = np.full(p.shape, NONE), np.zeros(p.shape, dtype=np.bool_), list[Ints]()
    choose = cache(partial(look.read, recency=0.0))  # what judges of one habit find is computed once

    @cache
    def weigh(mix: float, depth: int, rule: str, posts: float) -> Floats:
        return look.weigh_evidence(choose(mix, depth=depth), rule, posts)

    # By the posts' names, whose order does not tell which versions are true.
    order = sorted((n for n, text in enumerate(texts) if text), key=names.__getitem__)

    async def ask(judge: Player, chosen: Bools, falsehood: Floats) -> Floats:
        """Ask a judge about each post; returns the probabilities that its words stand for, NaN for none."""
        manner, there, said = describe_genome(judge.genome), corpus.documents, np.full(len(texts), np.nan)
        questions = []
        for n in order:
            found = [there[one] for one in documents[n, chosen[n]]]
            passages = tuple(ReadPassage(one.text, one.source) for one in found)
            questions.append(
                (judge.agent, JudgePost(names[n], manner, texts[n], passages, float(falsehood[n])))
            )
        replies = await stage.ask_all(questions)
        said[order] = [BELIEFS[reply.belief] if reply else np.nan for reply in replies]
        return said

    for n, judge in enumerate(judges):
        mix, prior, trust, posts = (judge.read_number(locus) for locus in LOCI)
        chosen = choose(mix, depth=judge.depth)
        stands = weigh(mix, judge.depth, judge.option, posts if corpus.posts else 1.0)
        first = look.documents[np.arange(len(some)), first_largest(chosen, axis=1)]
        false = judge_falsehood(prior, np.array(judge.cues), trust, judge.depth, cues, stands)
        chosen = chosen[at]
        read.append(documents[chosen])
        seen[:, n] = np.where(chosen.any(axis=1), first[at], NONE)
        evidence[:, n], p[:, n] = stands[at], false[at]
        if asks and not stage.offline_alone(judge.agent.id, JudgePost.kind):
            said = await ask(judge, chosen, p[:, n])
            if stage.answerer(judge.agent, JudgePost.kind) != "offline":
                p[:, n] = said
                abstained[:, n] = np.isnan(said) & [bool(text) for text in texts]
    p[abstained] = p[[not text for text in texts]] = ABSTAINED
    return Judgements(p, evidence, seen, np.concatenate(read), abstained)
