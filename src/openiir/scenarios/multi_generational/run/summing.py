"""What is logged of a generation: births, meetings, and the summary of every arm."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from openiir.kit.evolution import Birth
from openiir.kit.measures import hill_number
from openiir.plugin import ClaimSource, Stage
from openiir.scenarios.multi_generational.behaviour.genomes import SIDES, Side, describe_genome
from openiir.scenarios.multi_generational.model.credibility.contest import FALSE, TRUE, summarise_judgements
from openiir.scenarios.multi_generational.model.credibility.pairs import name_versions
from openiir.scenarios.multi_generational.run.actions import Judged, Met, Posted, Standing
from openiir.scenarios.multi_generational.run.births import describe_births
from openiir.scenarios.multi_generational.run.evolving import EvolvingArm
from openiir.scenarios.multi_generational.run.meeting import ContestResult

TABLE = "generations"


def log_births(stage: Stage, arm: EvolvingArm, born: Mapping[Side, Sequence[Birth]], generation: int) -> None:
    """Log who was born to whom, and what mutated."""
    for side, births in born.items():
        whole = births if stage.config.log == "everything" else []
        prompts = ["\n".join(describe_genome(one.genome)) for one in whole]
        personas = [one.agent.persona for one in arm.players[side]]
        stage.act(None, describe_births(side, generation, births, personas, prompts))


def log_contest(stage: Stage, arm: EvolvingArm, meeting: ContestResult, generation: int) -> None:
    """Log the posts, judgements and fitness of a contest, and the posts that remain searchable."""
    met = Met(
        generation=generation,
        pairs=tuple(pair.id for pair in meeting.pairs),
        fitness={side: tuple(own.tolist()) for side, own in meeting.fitness.items()},
        opponents={side: tuple(one.agent.id for one in arm.opponents[side]) for side in SIDES},
    )
    stage.act(None, met)
    posts = tuple(one.name for one in arm.board.posts)
    stage.act(None, Standing(generation=generation, removed=tuple(meeting.removed), posts=posts))
    if stage.config.log != "everything":
        return
    sources = [*(one.source for one in arm.corpus.pages), *(one.name for one in meeting.found)]
    each = 2 * len(meeting.pairs)
    survival, landed = meeting.survival.ravel().tolist(), meeting.landed.ravel().tolist()
    for n, player in enumerate(arm.players["producer"]):
        own = slice(n * each, (n + 1) * each)
        posted = Posted(
            generation=generation,
            texts=tuple(post.text for post in meeting.posts[own]),
            uses=tuple(tuple(sources[one] for one in post.uses) for post in meeting.posts[own]),
            survival=tuple(survival[own]),
            landed=tuple(landed[own]),
        )
        stage.act(player.agent, posted)
    for n, player in enumerate(arm.players["detector"]):
        found = meeting.judged
        p, evidence, seen = (one[:, n].tolist() for one in (found.p, found.evidence, found.seen))
        judged = Judged(
            generation=generation,
            p=tuple(p),
            evidence=tuple(None if math.isnan(one) else one for one in evidence),
            seen=tuple(sources[one] if one >= 0 else "" for one in seen),
        )
        stage.act(player.agent, judged)


async def publish_posts(stage: Stage, arm: EvolvingArm, meeting: ContestResult, generation: int) -> None:
    """Extract the claims of the posts new on the board, and make them available to interviews and citations.

    A claim supports or challenges the version of its pair that comes first in the alphabet, which may be the
    false one.
    """
    new = [one for one in arm.board.posts if one.document.born == generation]
    topic = {name: min(pair.true, pair.false) for pair in meeting.pairs for name in name_versions(pair)}
    await stage.extract_all(
        [
            ClaimSource(one.document.text, one.by, number, topic[one.version])
            for number, one in enumerate(new, generation * len(meeting.posts))
        ]
    )
    await stage.publish({one.name: one.document.text for one in new})


def log_summary(stage: Stage, arm: EvolvingArm, meeting: ContestResult, generation: int) -> None:
    """Log a generation's measures as a row of the table `generations`."""
    p = meeting.judged.p.reshape(*meeting.survival.shape, -1)
    reads = {"producer": np.array(meeting.read), "detector": meeting.judged.read}
    genomes = {side: [one.genome for one in arm.players[side]] for side in SIDES}
    templates = {side: [str(one.values["template"]) for one in genomes[side]] for side in SIDES}
    counts = {side: np.unique(templates[side], return_counts=True)[1] for side in SIDES}
    stage.row(
        TABLE,
        generation=generation,
        arm=arm.control or stage.config.arm,
        landing=_mean(meeting.survival[..., FALSE]),
        landing_true=_mean(meeting.survival[..., TRUE]),
        **summarise_judgements(p, meeting.posted),
        **{f"reads_posts_{side}": _mean(read >= len(arm.corpus.pages)) for side, read in reads.items()},
        standing=len(arm.board.posts),
        standing_false=_mean(np.array([one.false for one in arm.board.posts])),
        removed=len(meeting.removed),
        abstained=meeting.abstained,
        **{f"fitness_{side}": _mean(own) for side, own in meeting.fitness.items()},
        **{f"fitness_variance_{side}": float(own.var()) for side, own in meeting.fitness.items()},
        **{f"distance_{side}": arm.spec(side).distance(genomes[side]) for side in SIDES},
        **{f"templates_{side}": hill_number(counts[side], 1) for side in SIDES},
    )


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")
