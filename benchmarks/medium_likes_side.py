"""Likes a second of OASIS's platform, in an environment that has it; `medium.py likes` runs this.

    python benchmarks/medium_likes_side.py USERS LIKES

Recommenders, models and agents are left out: their libraries are replaced by stand-ins, so that
`pip install --no-deps camel-oasis` is all that is needed.
"""

import asyncio
import importlib.util
import json
import logging
import os
import sys
import tempfile
import time
import types
from unittest.mock import MagicMock

for name in (
    "torch",
    "sentence_transformers",
    "transformers",
    "neo4j",
    "igraph",
    "numpy",
    "camel",
    "camel.embeddings",
    "camel.types",
    "camel.prompts",
    "sklearn",
    "sklearn.feature_extraction",
    "sklearn.feature_extraction.text",
    "sklearn.metrics",
    "sklearn.metrics.pairwise",
):
    sys.modules[name] = MagicMock()
package = types.ModuleType("oasis")  # its own __init__ imports agents and models
package.__path__ = list(importlib.util.find_spec("oasis").submodule_search_locations)
sys.modules["oasis"] = package


async def run(users: int, likes: int, folder: str) -> dict[str, float]:
    from oasis.social_platform.platform import Platform

    platform = Platform(f"{folder}/oasis.db")
    for user in range(users):
        await platform.sign_up(user, (f"user{user}", f"User {user}", "somebody"))
    posts = max(1, likes // users)
    for post in range(posts):
        await platform.create_post(post, f"Post {post}")
    wall, cpu = time.perf_counter(), time.process_time()
    for n in range(likes):
        done = await platform.like_post(n % users, 1 + n // users % posts)
        assert done["success"], done
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def main() -> None:
    users, likes = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # it writes logs where it is imported
        logging.disable(logging.CRITICAL)
        print(json.dumps(asyncio.run(run(users, likes, folder))))
        os.chdir("/")


if __name__ == "__main__":
    main()
