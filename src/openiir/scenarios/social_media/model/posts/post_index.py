"""Search over the texts of posts, by keyword, vector or both, as they are written."""

from itertools import islice

from openiir.kit.lexical import HybridIndex
from openiir.scenarios.social_media.model.posts.post_store import Posts


class PostIndex(HybridIndex[int]):
    """Index of the posts that have a text, by id.

    `search` finds the best for a query, of equals the oldest. Results depend on the posts alone, not on when they were
    added, so that an index is built again after a restart. An embedder (`LSA.fit` on texts of the study, or an
    endpoint's) is needed for the modes `hybrid` and `vector`.
    """

    async def follow(self, posts: Posts) -> None:
        """Add the posts that are not in the index yet."""
        new = [*islice(reversed(posts.texts), len(posts.texts) - len(self.ids))][::-1]
        await self.add(new, [posts.texts[id] for id in new])
