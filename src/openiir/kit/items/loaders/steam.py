"""Loader of Steam games, which turns hours of play into ratings.

Tamber's Kaggle set "steam-video-games", in the files of Case Recommender.
"""

from pathlib import Path
from typing import Any

import numpy as np

from openiir.kit.arrays import Floats
from openiir.kit.items.collection import Collection
from openiir.kit.items.dataset import DataSet
from openiir.kit.items.loaders.interactions import USUAL, Interactions, RowRules, encode_ids, index_ratings
from openiir.kit.items.ratings import Scale
from openiir.kit.items.table_files import digest_of, read_separated
from openiir.plugin import InputError, first_smallest

FILES = ("game_play.dat", "game_purchase.dat", "item_info.dat")
LICENCE = (
    "Kaggle tamber/steam-video-games: from public Steam profiles; the files state no licence, so ask before "
    "passing them on"
)


def steam(folder: Path, rules: RowRules = USUAL) -> DataSet:
    """Load Steam from game_play.dat, game_purchase.dat and item_info.dat; all 5,155 games.

    Users are those who played. Hours of a (user, game) that stand in several rows are editions of one game
    and are added up, whatever the rules say of ratings; `skipped` counts the rows merged, and the games
    bought and never played, which say nothing of liking (bundles, gifts). Raises InputError for files that
    are not as published, and for hours not above 0.
    """
    games = read_separated(folder / "item_info.dat", "\t", wanted=("Game_ID", "Game Name"))
    plays = read_separated(folder / "game_play.dat", "\t", wanted=("User_ID", "Game_ID", "Hours"))
    bought = read_separated(folder / "game_purchase.dat", "\t", wanted=("User_ID", "Game_ID"))
    collection = Collection(
        kind="game",
        ids=tuple(games.ids("Game_ID").to_pylist()),
        titles=tuple(games.texts("Game Name").to_pylist()),
    )
    hours = plays.numbers("Hours")
    if len(hours) and hours.min() <= 0:
        at = int(first_smallest(hours))
        raise InputError(
            f"{plays.where(at)}: {hours[at]:g} hours of play; hours are above 0: mend that row or take it out"
        )
    user, item = plays.ids("User_ID"), plays.ids("Game_ID")
    pairs = _pairs(user, item)
    of_pair = encode_ids(pairs)[0]
    total = np.asarray(np.bincount(of_pair, weights=hours), dtype=np.float64)
    rows = Interactions(user, item, stars(total)[of_pair], plays.where)
    found = index_ratings(
        rows, None, collection.ids, Scale(), rules.model_copy(update={"duplicates": "first"})
    )
    purchases = encode_ids(_pairs(bought.ids("User_ID"), bought.ids("Game_ID")))[1]
    never = len(set(purchases).difference(pairs.to_pylist()))
    merged = found.skipped.get("further ratings of a pair", 0)
    skipped = {what: n for what, n in found.skipped.items() if what != "further ratings of a pair"}
    skipped |= {"games bought and never played": never} | (
        {"editions of a game added up": merged} if merged else {}
    )
    return DataSet(
        name="steam",
        collection=collection,
        ratings=found.ratings,
        users=found.users,
        skipped=skipped,
        digest=digest_of([folder / file for file in FILES]),
        licence=LICENCE,
    )


def stars(hours: Floats) -> Floats:
    """Convert hours of play to ratings 1 to 5, by quintiles over all (user, game) pairs.

    Equal hours give equal ratings. Celma (Music Recommendation and Discovery, 2010) rates by fifths of play
    counts too, within each user, which makes every user's mean alike and needs many items a user; here more
    than half the users have one game. Fifths within a game would be undone for the 2,016 of 3,600 games with
    fewer than 5 players, and would build each rating from what others, held-out rows included, played. Over
    all pairs, only four numbers are shared (with the published file 0.7, 2.6, 7.9 and 28 hours). The price: a
    game that takes long looks liked.
    """
    if not len(hours):
        return hours
    return 1.0 + np.asarray(
        np.searchsorted(np.quantile(hours, [0.2, 0.4, 0.6, 0.8]), hours, side="left"), dtype=np.float64
    )


def _pairs(user: Any, item: Any) -> Any:
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(user, item, " ")
