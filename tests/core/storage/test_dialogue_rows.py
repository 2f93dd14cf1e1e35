"""Sessions that were opened and replies that were set aside: beside the run's content, never in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openiir.core.records import Place
from openiir.core.storage import RunFile, check_run, content_hash


def test_sessions_are_numbered_in_their_lane_and_step(declared: RunFile) -> None:
    place = Place(lane="ada", asker="system:bot", kind="a.b", subject="", step=1, ordinal=0)
    assert [declared.note_opening("bot", place) for _ in range(3)] == [1, 2, 3]
    for other in ({"lane": "ben"}, {"asker": "ada"}, {"step": 2}):
        assert declared.note_opening("bot", place.model_copy(update=other)) == 1
    assert declared.note_opening("toy", place) == 1
    assert declared.note_opening("bot", place.model_copy(update={"kind": "c.d", "ordinal": 4})) == 4


def test_what_is_set_aside_is_found_no_more_and_hashed_no_more(
    declared: RunFile, call: Callable[..., Any]
) -> None:
    declared.record_call(call("zoe", 1))
    without = content_hash(declared.db).content
    gone = [call("zoe", 2), call("zoe", 2, 1), call("abe", 2)]
    kept = call("abe", 2).model_copy(
        update={"place": call("abe", 2).place.model_copy(update={"lane": "other"})}
    )
    for life in (1, 2):  # the same replies, twice in vain
        for one in gone:
            declared.record_call(one)
        declared.abandon("main", 2)
        assert content_hash(declared.db).content == without
        assert all(declared.find_call(one.place, 0) is None for one in gone)
        assert declared.db.execute("select max(life) from abandoned").fetchone()[0] == life
    declared.record_call(kept)
    declared.abandon("main", 2)
    assert declared.find_call(kept.place, 0) == kept, "another lane's"
    assert declared.usage()["calls"] == 2 and declared.usage(abandoned=True)["calls"] == 2 + 6
    assert (
        declared.db.execute("select reply from abandoned where asker = 'abe'").fetchall()
        == [("abe says 2.0",)] * 2
    )
    check_run(declared)


def test_a_file_from_before_there_were_dialogues_is_read_and_completed(
    tmp_path: Path, call: Callable[..., Any]
) -> None:
    with RunFile.create(tmp_path / "run") as run:
        run.declare({"type": "t", "name": "n", "seed": 1}, [], [], {})
        run.record_call(call("zoe", 1))
        run.db.execute("drop table abandoned")
        run.db.execute("drop table opening")
    with RunFile.open(tmp_path / "run") as run:
        check_run(run)
        assert run.usage()["calls"] == 1
    with RunFile.open(tmp_path / "run", writable=True) as run:
        run.abandon("main", 1)
        assert run.usage() == {"calls": 0, "prompt_tokens": 0, "reply_tokens": 0}


@pytest.mark.parametrize("table", ["opening", "abandoned"])
def test_a_new_file_has_the_tables(declared: RunFile, table: str) -> None:
    assert declared.db.execute(f"select count(*) from {table}").fetchone() == (0,)
