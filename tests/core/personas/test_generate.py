"""Personas drafted from a world: distinct, spread, grounded in the corpus, and the same whenever asked."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from openiir.core.asking import PlacedQuestion
from openiir.core.errors import InputError, UnusableAnswer
from openiir.core.hashing import sha256
from openiir.core.personas import (
    DraftPersona,
    PersonaDraft,
    check_persona_file,
    generate_personas,
    load_personas,
    save_personas,
)
from openiir.core.personas.names import NAMES, invented_name
from openiir.core.personas.viewpoints import viewpoints
from openiir.core.records import Budget, Chunk, Persona, Place
from openiir.core.retrieval.tokens import words
from openiir.core.seeds import Draw
from openiir.core.stances import stance_word
from openiir.testing import prompt_checks

TOPIC = "Machines should take over dull work"
CRANES = DraftPersona("p1", TOPIC, "Ada Sato", "undecided", ("Cranes lift containers.",), ("cranes",))


async def offline(question: DraftPersona) -> PersonaDraft:
    reply = question.offline(Draw(11, question.kind, item=question.subject))
    question.check(reply)
    return reply


def drafted(chunks: Sequence[Chunk], n: int, topic: str = TOPIC, **more: Budget) -> tuple[Persona, ...]:
    return asyncio.run(generate_personas(chunks, topic, n, offline, **more))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 40])
def test_as_many_as_asked_with_ids_names_and_stances_of_their_own(chunks: tuple[Chunk, ...], n: int) -> None:
    cast = drafted(chunks, n)
    assert len(cast) == n
    assert len({persona.id for persona in cast}) == n
    assert len({persona.name for persona in cast}) == n
    assert len({persona.bio for persona in cast}) == n


def test_stances_are_spread_over_the_range(chunks: tuple[Chunk, ...]) -> None:
    stances = sorted(persona.stance or 0.0 for persona in drafted(chunks, 9))
    assert stances[0] < -0.7
    assert stances[-1] > 0.7
    assert max(b - a for a, b in zip(stances, stances[1:], strict=False)) < 0.5


def test_interests_and_the_point_of_a_bio_stand_in_the_corpus(chunks: tuple[Chunk, ...]) -> None:
    corpus = " ".join(chunk.text for chunk in chunks)
    for persona in drafted(chunks, 6):
        assert persona.interests
        assert all(word in corpus.lower() for word in persona.interests)
        assert sum(chunk.text in persona.bio for chunk in chunks) == 1


def test_three_subjects_give_three_viewpoints_one_each(chunks: tuple[Chunk, ...]) -> None:
    sources = {chunk.text: chunk.source for chunk in chunks}
    homes = [{sources[passage] for passage in view.passages} for view in viewpoints(chunks, TOPIC, 3)]
    assert sorted(homes, key=sorted) == [{"harbour.md"}, {"library.md"}, {"orchard.md"}]


def test_darker_passages_get_lower_stances(chunks: tuple[Chunk, ...]) -> None:
    by_lean = sorted(viewpoints(chunks, TOPIC, 9), key=lambda view: view.lean)
    place = {passage: rank for rank, view in enumerate(by_lean) for passage in view.passages[:1]}
    frost = next(rank for passage, rank in place.items() if "terrible" in passage)
    plenty = next(rank for passage, rank in place.items() if "wonderful" in passage)
    assert frost < plenty


def test_a_leaning_of_the_callers_own_orders_the_viewpoints(chunks: tuple[Chunk, ...]) -> None:
    def novels(text: str) -> float:
        return 1.0 if "novels" in text else -1.0

    views = viewpoints(chunks, TOPIC, 9, novels)
    held = {view.lean for view in views if any("novels" in passage for passage in view.passages)}
    assert held == set(sorted(view.lean for view in views)[-len(held) :])
    against = viewpoints(chunks, TOPIC, 9, lambda text: -novels(text))
    held = {view.lean for view in against if any("novels" in passage for passage in view.passages)}
    assert held == set(sorted(view.lean for view in against)[: len(held)])


def test_words_of_the_topic_are_nobodys_own(chunks: tuple[Chunk, ...]) -> None:
    views = viewpoints(chunks, "Growers should buy cranes for the apple harvest", 3)
    assert not {"growers", "crane", "cranes", "apple", "harvest"} & {
        term for view in views for term in view.terms
    }


def test_the_order_of_the_chunks_does_not_matter(chunks: tuple[Chunk, ...]) -> None:
    assert drafted(chunks, 5) == drafted(chunks[::-1], 5)


def test_replies_that_come_in_another_order_give_the_same_cast(chunks: tuple[Chunk, ...]) -> None:
    async def late_first(question: DraftPersona) -> PersonaDraft:
        for _ in range(10 - int(question.subject[1:])):
            await asyncio.sleep(0)
        return await offline(question)

    assert asyncio.run(generate_personas(chunks, TOPIC, 5, late_first)) == drafted(chunks, 5)


def test_a_drafted_cast_passes_the_check(
    chunks: tuple[Chunk, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("drafts") / "cast.toml"
    cast = drafted(chunks, 8)
    save_personas(path, cast)
    assert load_personas(path) == cast
    assert check_persona_file(path) == []


def test_a_draft_is_asked_for_in_words_and_tells_all_that_it_knows(chunks: tuple[Chunk, ...]) -> None:
    views = viewpoints(chunks, TOPIC, 3)
    questions = [
        DraftPersona(f"p{i}", TOPIC, invented_name(i), stance_word(v.lean), v.passages, v.terms)
        for i, v in enumerate(views)
    ]
    place = Place(lane="main", asker="generator", kind=DraftPersona.kind, subject="p1", step=0, ordinal=0)
    group = [PlacedQuestion(place, one, None, Draw(3, DraftPersona.kind)) for one in questions]
    for faults in (
        prompt_checks.find_leaks,
        prompt_checks.find_untold_facts,
        prompt_checks.find_hidden_facts,
        prompt_checks.find_unnatural_text,
    ):
        assert faults(group) == []
    assert not prompt_checks.find_misplaced_fields(group[0].question)


def test_whoever_writes_the_bio_names_and_stances_stay_as_they_were_given(chunks: tuple[Chunk, ...]) -> None:
    async def model(question: DraftPersona) -> PersonaDraft:
        return (await offline(question)).model_copy(update={"bio": "Says no to all of it."})

    cast = asyncio.run(generate_personas(chunks, TOPIC, 9, model))
    assert [(p.id, p.name, p.stance) for p in cast] == [(p.id, p.name, p.stance) for p in drafted(chunks, 9)]


@pytest.mark.parametrize("wrong", [{"bio": "Too short."}, {"interests": ("cost", "  ")}])
def test_a_reply_that_fits_the_schema_alone_is_sent_back(wrong: dict[str, object]) -> None:
    reply = CRANES.offline(Draw(1, CRANES.kind))
    CRANES.check(reply)
    with pytest.raises(UnusableAnswer):
        CRANES.check(reply.model_copy(update=wrong))


def test_the_five_factors_are_normal_within_their_bounds() -> None:
    from scipy.stats import kstest, truncnorm

    drafts = [CRANES.offline(Draw(5, CRANES.kind, item=f"p{i}")) for i in range(1, 401)]
    cut = truncnorm(-0.5 / 0.18, 0.5 / 0.18, loc=0.5, scale=0.18)
    for factor in ("openness", "neuroticism"):
        values = [(getattr(draft, factor) + 0.0) / 100 for draft in drafts]
        assert kstest(values, cut.cdf).pvalue > 0.001


def test_no_two_names_are_alike_until_all_are_used() -> None:
    assert len({invented_name(i) for i in range(123, 123 + NAMES)}) == NAMES


def test_a_world_without_prose_still_gives_personas(chunks: tuple[Chunk, ...]) -> None:
    bare = [chunks[0].model_copy(update={"text": "cranes containers harbour"})]
    assert len(drafted(bare, 3)) == 3


def test_a_real_debate_gives_people_who_know_it() -> None:
    home = os.environ.get("OPENIIR_DATA")
    if not home:
        pytest.skip("OPENIIR_DATA is not set, so there is no real corpus to draft from")
    folder = (
        Path(home) / "corpus-wiki-debate" / "wind-power-should-be-a-primary-focus-of-future-energy-supply"
    )
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    pieces = [
        (path.name, piece)
        for path in sorted(folder.glob("*.txt"))
        for piece in path.read_text(encoding="utf-8").split("\n\n")
        if len(piece.split()) > 8
    ]
    world = [
        Chunk(
            id=f"c{i:04d}",
            world="main",
            source=source,
            start=i,
            end=i + len(piece),
            text=piece,
            sha256=sha256(piece),
        )
        for i, (source, piece) in enumerate(pieces, start=1)
    ]
    cast = drafted(world, 8, topic="Wind power should be a primary focus of future energy supply")
    corpus = " ".join(" ".join(words(chunk.text)).lower() for chunk in world)
    assert len({persona.id for persona in cast}) == len({persona.interests for persona in cast}) == 8
    for persona in cast:
        assert all(word in corpus for word in persona.interests)
        assert not {"ref", "nbsp", "one", "wind", "power"} & set(persona.interests)
        assert "[" not in persona.bio


@pytest.mark.parametrize("text", ["", "!!! ... ???", "the of and"])
def test_a_world_without_words_is_refused(chunks: tuple[Chunk, ...], text: str) -> None:
    empty = [chunks[0].model_copy(update={"text": text})]
    with pytest.raises(InputError, match="no words"):
        drafted(empty, 3)
    with pytest.raises(InputError, match="no words"):
        drafted([], 3)


def test_impossible_requests_are_refused(chunks: tuple[Chunk, ...]) -> None:
    for n in (0, -1, NAMES + 1):
        with pytest.raises(InputError, match=f"{n} personas were asked for"):
            drafted(chunks, n)
    with pytest.raises(InputError, match="topic is blank"):
        asyncio.run(generate_personas(chunks, "  ", 3, offline))


@pytest.mark.parametrize(
    "text", ["# " * 30_000, f"{'Ab' * 30_000} is why ropes should be checked.", f"## {'-' * 3_000} ##"]
)
def test_sentences_without_an_end_become_short_passages(text: str) -> None:
    text = f"Ropes are old. {text}"
    (one,) = drafted(
        [Chunk(id="a-0", world="main", source="a", start=0, end=len(text), text=text, sha256=sha256(text))], 1
    )
    assert len(one.bio) <= 1_500 and all(len(word) <= 48 for word in one.interests)
