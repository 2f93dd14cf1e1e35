"""Cost of extracting a post's claims as posts accumulate, and the share of relations that the claim index
finds.

    OPENIIR_DATA=... python benchmarks/claims_growth.py cost [1000 100000]
    OPENIIR_DATA=... python benchmarks/claims_growth.py shares [--posts 10000]

Posts are the sentences of args-argkp2021, corpus-wiki-debate, social-reddit-top, claims-covidfact,
talk-qmsum, ir-cisi and the film plots of ml-1m, each used once, in a drawn order; where they do not suffice,
the halves of two sentences make a post.

`cost`: every second post replies to one of the latest 500 claims. Posts far from the numbers shown join the
graph as claims without relations, which the cost of later ones does not depend on. The cost is the CPU time
of `Stage.extract` with its events, the median of slices of 25 posts over the 500 posts up to each number; the
slices of all numbers and those of the sentence rules alone are run in turn, so that a busy machine slows all
of them alike. Memory is what a process holds beyond the posts.

`shares` of relations (edges and restatements) that the rules find among the claims chosen from the index, of
those they find where every earlier claim is a candidate, on the same earlier claims and without stated
replies: 1,000 posts each of sources that `CANDIDATES` was not chosen on (it was on corpus-wiki-debate and on
half of the topics of args-argkp2021), and every third of the last 4,000 posts of the long series.
"""

import asyncio
import csv
import gc
import html
import json
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

import numpy as np

from measuring import (
    Sizes,
    data_folder,
    median_spent,
    print_table,
    resident_megabytes,
    run_command,
    spend,
)
from openiir.core.agents import AnswerRouter, Knowledge
from openiir.core.asking import AnswererChoice, OfflineAnswerer
from openiir.core.claims import (
    CLAIM_THRESHOLD,
    ClaimIndex,
    EarlierClaim,
    claim_index,
    claimhood,
    extract_claims,
    stance,
)
from openiir.core.claims.extract import ExtractedClaim
from openiir.core.records import Claim
from openiir.core.retrieval.sentences import sentences
from openiir.core.seeds import Draw
from openiir.plugin import ClaimSource, Stage

csv.field_size_limit(10**8)
T = TypeVar("T")
TOPIC = "Governments should protect people from harm"
SPEAKERS, SLICE, WINDOW, SEED = 2_000, 25, 500, 15


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def split_sentences(text: str) -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in sentences(text)]


def unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if 30 <= len(text) <= 400))


def shuffle(texts: Sequence[T], purpose: str) -> list[T]:
    keys = Draw(SEED, purpose).bits(item=np.arange(len(texts)))
    return [texts[n] for n in np.argsort(keys, kind="stable")]


def reddit(path: Path) -> list[str]:
    rows = [[html.unescape(row[name]) for name in ("title", "selftext")] for row in read_csv(path)]
    return unique(s for title, text in rows for s in (title, *split_sentences(text)))


def argkp(root: Path) -> list[tuple[str, str]]:
    names = ("kpm_data/arguments_train", "kpm_data/arguments_dev", "test_data/arguments_test")
    rows = [row for name in names for row in read_csv(root / "args-argkp2021" / f"{name}.csv")]
    return [(row["topic"], row["argument"]) for row in rows]


def short_series(root: Path) -> dict[str, list[tuple[str, str]]]:
    """Return series of 1,000 posts as (topic, text) that no parameter of the index was chosen on."""
    arguments = argkp(root)
    left_out = sorted({topic for topic, _ in arguments})[1::2]
    series = {}
    for start in range(0, 12, 4):
        some = [one for one in arguments if one[0] in left_out[start : start + 4]]
        series[f"args-argkp2021, 4 topics from {left_out[start]!r}"] = shuffle(some, "argkp")[:1_000]
    for name in ("changemyview", "politics", "climate"):
        texts = shuffle(reddit(root / "social-reddit-top" / f"{name}.csv"), name)[:1_000]
        series[f"social-reddit-top, {name}"] = [(name, text) for text in texts]
    return series


def long_series(root: Path, number: int) -> list[str]:
    """Return posts without a repetition: sentences first, then halves of two sentences joined."""
    texts = [text for _, text in argkp(root)]
    for path in sorted((root / "corpus-wiki-debate").glob("*/*.txt")):
        texts += split_sentences(path.read_text(encoding="utf-8"))
    for path in sorted((root / "social-reddit-top").glob("*.csv")):
        texts += reddit(path)
    facts = (root / "claims-covidfact" / "COVIDFACT_dataset.jsonl").read_text(encoding="utf-8")
    for row in map(json.loads, facts.splitlines()):
        texts += [row["claim"], *row["evidence"]]
    for path in sorted((root / "talk-qmsum" / "Committee").glob("*.json")):
        turns = json.loads(path.read_text(encoding="utf-8"))["meeting_transcripts"]
        texts += [sentence for turn in turns for sentence in split_sentences(turn["content"])]
    for line in (root / "ml-1m" / "movies_extrainfos.dat").read_text(encoding="latin-1").splitlines():
        row = line.split("::")
        texts += split_sentences(row[9]) if len(row) > 9 else []
    texts += split_sentences((root / "ir-cisi" / "CISI.ALL").read_text(encoding="utf-8"))
    posts = shuffle(unique(texts), "posts")
    halves = [post.split() for post in posts]
    for one, other in zip(halves, shuffle(halves, "halves"), strict=True):
        if len(posts) >= number:
            break
        posts.append(" ".join([*one[: len(one) // 2], *other[len(other) // 2 :]]))
    print(f"{len(halves)} sentences, {max(0, number - len(halves))} posts of two halves\n")
    return posts[:number]


def extract(posts: Sequence[str], number: int) -> Stage:
    """Extract the claims of a number of posts, of which all but the last ones join without relations."""
    answering = AnswerRouter(SEED, AnswererChoice(), {"offline": OfflineAnswerer()})
    stage = Stage(answering, Knowledge({}, None, None), None, None)  # type: ignore[arg-type]
    stage.begin(1)
    for start in range(0, number, SLICE):
        sources = make_sources(stage, posts, start)
        if start < number - WINDOW:
            add_claims(stage, sources)
        else:
            extract_each(stage, sources)
        if start % 1_000 == 0:
            stage.begin(stage.step + 1)  # a new step, so that the rows of the last one can go
    return stage


def time_posts(ends: Sizes = (1_000, 100_000)) -> None:
    """Extract the claims of the last posts before each end, slice by slice in turn; print their cost."""
    posts = long_series(data_folder(), sum(ends))  # of its own for each end, so that no cache knows them
    stages, series, start = {}, {}, 0
    for end in sorted(ends, reverse=True):
        before = resident_megabytes()
        series[end], start = posts[start : start + end], start + end
        stages[end] = extract(series[end], end - WINDOW)
        if end == max(ends):
            stage, grown = stages[end], resident_megabytes() - before
            print(
                f"{len(stage.claims):,} claims, {len(stage.edges):,} edges; {grown:.0f} MB beyond the posts,",
                f"{measure_index(stage):.0f} MB of it in the index of claims\n",
                flush=True,
            )
    times = {end: ([], []) for end in ends}
    for start in range(0, WINDOW, SLICE):
        for end, both in times.items():
            sources = make_sources(stages[end], series[end], end - WINDOW + start)
            for costs, work in zip(
                both, (partial(extract_each, stages[end]), apply_sentence_rules), strict=True
            ):
                costs.append(spend(lambda work=work, sources=sources: work(sources)))
    costs = {end: [1e3 * median_spent(one).cpu / SLICE for one in both] for end, both in times.items()}
    first = costs[ends[0]]
    rows = (
        (f"{end:,}", *(f"{x:.2f}" for own, to in zip(both, first, strict=True) for x in (own, own / to)))
        for end, both in costs.items()
    )
    print_table("posts | ms a post | to the first | sentence rules alone, ms | to the first", rows)


def make_sources(stage: Stage, posts: Sequence[str], start: int) -> list[ClaimSource]:
    """Make sources of a slice of posts; every second one replies to a recent claim."""
    return [_make_source(stage, n, posts[n]) for n in range(start, start + SLICE)]


def _make_source(stage: Stage, number: int, text: str) -> ClaimSource:
    recent = stage.claims[-500:]
    reply = None
    if recent and number % 2:
        reply = recent[Draw(SEED, "post", item=number).below(len(recent))].id
    speaker = f"member{Draw(SEED, 'speaker', item=number).below(SPEAKERS)}"
    return ClaimSource(text, speaker, number, TOPIC, reply)


def measure_index(stage: Stage) -> float:
    """Measure what a second index of the same claims takes, in megabytes."""
    gc.collect()
    before, index = resident_megabytes(), ClaimIndex()
    index.add_new(stage.claims, {})
    return resident_megabytes() - before


def add_claims(stage: Stage, posts: Sequence[ClaimSource]) -> None:
    """Add posts that read as claims to the graph, without relations."""
    for post in posts:
        if claimhood(post.text) >= CLAIM_THRESHOLD:
            stage.claims.append(make_claim(bare_claim(post.text, post.topic), len(stage.claims) + 1, post))


def extract_each(stage: Stage, posts: Sequence[ClaimSource]) -> None:
    async def extract_all() -> None:
        for post in posts:
            await stage.extract(post)

    asyncio.run(extract_all())


def apply_sentence_rules(posts: Sequence[ClaimSource]) -> None:
    """Score sentences without caches: the part of the work that does not depend on the number of posts."""
    for post in posts:
        for start, end in sentences(post.text):
            claimhood.__wrapped__(post.text[start:end])
            stance.__wrapped__(post.text[start:end], TOPIC)


def compare_relations(name: str, posts: Sequence[tuple[str, str]], looked_at: range) -> None:
    """Print how many relations of posts (topic, text) both searches find, and all of the exhaustive one."""
    index, claims = ClaimIndex(), []
    found = of = 0
    for number, (topic, text) in enumerate(posts):
        if number in looked_at:
            ours = relations(extract_from(index, text, topic))
            with patch.object(claim_index, "CANDIDATES", 2**40):
                kept = extract_from(index, text, topic)
            theirs = relations(kept)
            found, of = found + len(ours & theirs), of + len(theirs)
        else:
            kept = [bare_claim(text, topic)] if claimhood(text) >= CLAIM_THRESHOLD else []
        for one in kept:
            if one.same_as is None:
                claims.append(make_claim(one, len(claims) + 1, ClaimSource(text, "", number, topic)))
        index.add_new(claims, {})
    print(f"{name}: {found} of {of} relations found ({found / max(1, of):.3f})", flush=True)


def extract_from(index: ClaimIndex, text: str, topic: str) -> list[ExtractedClaim]:
    chosen = index.choose(text)
    return extract_claims(text, topic, [EarlierClaim(claim.id, claim.text) for claim in chosen.compared])


def relations(found: Sequence[ExtractedClaim]) -> set[tuple[int, str, str]]:
    edges = {(one.start, str(edge.target), edge.type) for one in found for edge in one.edges}
    return edges | {(one.start, one.same_as, "same") for one in found if one.same_as}


def bare_claim(text: str, topic: str) -> ExtractedClaim:
    return ExtractedClaim(text, 0, len(text), stance(text, topic), 1.0, None, ())


def make_claim(found: ExtractedClaim, place: int, post: ClaimSource) -> Claim:
    return Claim(
        id=f"k{place:03d}",
        text=found.text,
        topic=post.topic,
        stance=found.stance,
        step=1,
        speaker=post.speaker,
        utterance=post.number,
        start=found.start,
        end=found.end,
        confidence=found.confidence,
        extractor="benchmark",
    )


def compare_shares(posts: int = 10_000) -> None:
    for name, series in short_series(data_folder()).items():
        compare_relations(f"{name}, {len(series)} posts", series, range(len(series)))
    series = [(TOPIC, post) for post in long_series(data_folder(), posts)]
    some = range(max(0, posts - 4_000), posts, 3)
    compare_relations(f"every third post from {some.start} to {posts}", series, some)


if __name__ == "__main__":
    run_command(cost=time_posts, shares=compare_shares)
