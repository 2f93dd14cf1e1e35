"""Moderators act: round after round, on what those who checked the posts say."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from openiir.kit.arrays import Floats
from openiir.plugin import Stage, quantise
from openiir.scenarios.multi_generational.model.credibility.beliefs import BELIEFS, word_belief
from openiir.scenarios.multi_generational.questions import ReviewedPost, TakeDown

MODERATOR = "moderator"
LISTED = 8
"""Largest number of posts in one question."""


def survival_probability(suspicion: Floats, rounds: int, hazard: float) -> Floats:
    """Compute the probability that posts survive rounds of removal with `hazard` times `suspicion`."""
    return np.asarray(quantise((1 - hazard * suspicion) ** rounds))


async def moderate_posts(
    stage: Stage, texts: Sequence[str], names: Sequence[str], p: Floats, asks: bool
) -> Floats:
    """Let moderators review the posts, round after round; returns each post's survival probability.

    `p` are the judgements (posts, judges). A moderator sees the posts shuffled by their names, whichever is
    true. Where somebody else than the behaviour model moderates, a post stands (1) or not (0).
    """
    suspicion, rounds, hazard = p.mean(axis=1), stage.config.rounds, stage.config.hazard
    offline = survival_probability(suspicion, rounds, hazard)
    if not asks or stage.offline_alone(MODERATOR, TakeDown.kind):
        return offline
    said = [Counter(word_belief(one) for one in row) for row in p.tolist()]
    reviewed = [
        ReviewedPost(text, tuple((belief, tally[belief]) for belief in BELIEFS if tally[belief]))
        for text, tally in zip(texts, said, strict=True)
    ]
    place = {name: n for n, name in enumerate(names)}
    shuffled = stage.draw("claims.desk").order(names)
    standing = [place[name] for name in shuffled if texts[place[name]]]
    for _ in range(rounds):
        lists = [standing[at : at + LISTED] for at in range(0, len(standing), LISTED)]
        batch = [
            (MODERATOR, TakeDown(tuple(reviewed[n] for n in some), tuple(suspicion[some].tolist()), hazard))
            for some in lists
        ]
        answered = zip(lists, await stage.ask_all(batch), strict=True)
        removed = {some[n - 1] for some, reply in answered if reply for n in reply.remove}
        standing = [n for n in standing if n not in removed]
    if stage.answerer(MODERATOR, TakeDown.kind) == "offline":
        return offline
    stands = np.zeros(len(texts))
    stands[standing] = 1.0
    return stands
