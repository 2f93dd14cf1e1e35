"""Search over posts that grow, beside an index over all of them."""

import asyncio

import pytest

from openiir.core.retrieval import LSA, HybridIndex
from openiir.scenarios.social_media.model.posts.post_store import PostIndex, Posts

TEXTS = [
    "Wind turbines make power.",
    None,
    "Solar panels make power from light.",
    "Poems need no light.",
    None,
    "Wind turbines make power.",
    "Birds fear turbines.",
]


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
def test_posts_are_found_as_if_all_had_been_there_from_the_start(mode):
    written = {id: text for id, text in enumerate(TEXTS) if text}
    embedder = LSA.fit([*written.values()][:3])

    async def search_while_growing():
        posts, index = Posts(topics=1), PostIndex(embedder)
        for minute, text in enumerate(TEXTS):
            posts.add(0, step=0, minute=minute, topics=1, texts=[text])
            if minute % 2:
                await index.follow(posts)
                await index.search("turbines", mode=mode)
        await index.follow(posts)
        await index.follow(posts)
        whole = await HybridIndex.build([*written], [*written.values()], embedder)
        for query in ("turbines power", "light", "poems of birds"):
            found = await index.search(query, 4, mode)
            assert found and found == await whole.search(query, 4, mode)
        return [hit.id for hit in await index.search("wind", mode="keyword")]

    assert asyncio.run(search_while_growing()) == [0, 5]


def test_posts_without_texts_are_not_searched():
    async def search():
        posts, index = Posts(topics=1), PostIndex()
        posts.add([1, 2], step=0, minute=0, topics=1)
        await index.follow(posts)
        return index.ids, await index.search("wind", mode="keyword")

    assert asyncio.run(search()) == ([], [])
