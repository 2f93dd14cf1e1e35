"""What a run logs of its generations, beside the table `generations` of every arm's summaries."""

from typing import ClassVar

from openiir.plugin import Action


class Matched(Action):
    """A claim pair of the evaluation set."""

    kind: ClassVar[str] = "multi_generational.matched"
    pair: str
    topic: str
    group: str
    """`train` or `held out`."""
    versions: tuple[str, str]
    """The true and the false one."""
    plausibility: tuple[float, ...]
    """Mean ratings of both; empty without ratings."""
    evidence: float | None
    """Evidence strength, 0 to 1."""


class Dropped(Action):
    """Pairs were dropped, since their versions differ too much in plausibility."""

    kind: ClassVar[str] = "multi_generational.dropped"
    pairs: tuple[str, ...]


class Born(Action):
    """A generation of producers or detectors was born; lists have an entry for each agent, by index."""

    kind: ClassVar[str] = "multi_generational.born"
    side: str
    version: int
    """Version of the side's loci."""
    generation: int
    agents: tuple[str, ...]
    names: tuple[str, ...]
    parents: tuple[int, ...]
    """Place of each one's parent in the generation before; -1 for founders and for genomes drawn anew."""
    genomes: tuple[str, ...]
    """Content hashes."""
    values: tuple[dict[str, str | int | float], ...]
    """Value of each locus, of those without a parent; the others' follow from parents and mutations."""
    mutations: tuple[tuple[int, str, str | int | float, str | int | float, str], ...]
    """Place of the child, locus, value before, value after, name of the draw."""
    prompts: tuple[str, ...]
    """Genomes as their bearers read them; empty where only summaries are logged."""


class Met(Action):
    """Contest of a generation on its claim pairs; the platform knows which version is true."""

    kind: ClassVar[str] = "multi_generational.met"
    generation: int
    pairs: tuple[str, ...]
    fitness: dict[str, tuple[float, ...]]
    """Fitness of producers and detectors."""
    opponents: dict[str, tuple[str, ...]]
    """Ids of those whom each side was measured against."""


class Posted(Action):
    """A producer's posts of a generation; lists alternate the true and the false version of each pair."""

    kind: ClassVar[str] = "multi_generational.posted"
    generation: int
    texts: tuple[str, ...]
    uses: tuple[tuple[str, ...], ...]
    """Sources that each post uses."""
    survival: tuple[float, ...]
    landed: tuple[bool, ...]


class Judged(Action):
    """A detector's judgements of a generation; lists are in the order of the producers' logged posts."""

    kind: ClassVar[str] = "multi_generational.judged"
    generation: int
    p: tuple[float, ...]
    """Probabilities of being false."""
    evidence: tuple[float | None, ...]
    """How what was read stands to the post, -1 to 1; None where it says nothing about it."""
    seen: tuple[str, ...]
    """Source that was found first."""


class Standing(Action):
    """Posts that remain searchable in the next generation."""

    kind: ClassVar[str] = "multi_generational.standing"
    generation: int
    removed: tuple[str, ...]
    """Names of posts of earlier generations that were taken down in this one."""
    posts: tuple[str, ...]
    """Names of posts: the generation, the author's id, and the version."""


class MetOthers(Action):
    """Contests between different generations on held-out claim pairs."""

    kind: ClassVar[str] = "multi_generational.matrix"
    arm: str
    generations: tuple[int, ...]
    landing: tuple[tuple[float, ...], ...]
    """Mean survival of false posts of a generation's producers (rows) under a generation's detectors."""
    error: tuple[tuple[float, ...], ...]
    pairs: tuple[str, ...]
    p: tuple[tuple[float, ...], ...]
    """Mean judgement of each version by the generation's own detectors: true and false in turn."""
    most: tuple[tuple[float, ...], ...]
    """Share of these judgements above .5, likewise."""
    words: tuple[tuple[float, ...], ...]
    """Mean number of words of the generation's posts, likewise."""
