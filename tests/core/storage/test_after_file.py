"""The after-file: beside the run, bound to it, and never in its way."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from openiir.core.errors import DamagedRun, InputError, StorageFull
from openiir.core.storage import AfterFile, database


def test_what_was_asked_and_measured_is_kept_in_order(tmp_path: Path) -> None:
    with AfterFile(tmp_path, "sha256:1") as after:
        after.add_interview("zoe", "Why?", '{"text":"So."}', "offline", {})
        after.add_interview("abe", "Why?", None, "model", {"reply": "?"}, "t1")
        after.add_validation("zoe", "k001", "agree", "yes indeed", "Ada")
        after.add_measures({"m": (0.5, None), "n": (None, "it is not defined")}, {"at": 3})
    with AfterFile(tmp_path, "sha256:1") as after:
        assert [one[:5] for one in after.interviews()] == [
            ("zoe", "Why?", '{"text":"So."}', "offline", ""),
            ("abe", "Why?", None, "model", "t1"),
        ]
        assert [one[:5] for one in after.validations()] == [("zoe", "k001", "agree", "yes indeed", "Ada")]
        assert all(one.given.endswith("+00:00") for one in (*after.interviews(), *after.validations()))
        measures = list(after.db.execute("select name, value, reason from measure order by id"))
        assert measures == [("m", 0.5, None), ("n", None, "it is not defined")]
    assert [path.name for path in tmp_path.iterdir()] == ["after.db"]


def test_it_belongs_to_one_run(tmp_path: Path) -> None:
    AfterFile(tmp_path, "sha256:1").__exit__()
    with pytest.raises(DamagedRun, match="belongs to the run sha256:1, this one is sha256:2; move it away"):
        AfterFile(tmp_path, "sha256:2")


@pytest.mark.parametrize("content", [b"no database at all, but long enough to be taken for one" * 20, b"x"])
def test_one_that_is_damaged_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "after.db").write_bytes(content)
    with pytest.raises(DamagedRun, match=r"after\.db"):
        AfterFile(tmp_path, "sha256:1")
    assert (tmp_path / "after.db").read_bytes() == content


def test_one_that_was_killed_at_its_birth_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "after.db").write_bytes(b"")
    with AfterFile(tmp_path, "sha256:1") as after:
        assert after.interviews() == []


def test_in_a_read_only_folder_it_is_read_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with AfterFile(tmp_path, "sha256:1") as after:
        after.add_interview("zoe", "Why?", None, "offline", {})
    monkeypatch.setattr(database, "is_writable", lambda folder: False)
    with AfterFile(tmp_path, "sha256:1") as after:
        assert [agent for agent, *_ in after.interviews()] == ["zoe"]
        with pytest.raises(InputError, match="copy the run"):
            after.check_writable()
        with pytest.raises(InputError, match="cannot be opened or written"):
            after.add_interview("zoe", "Why?", None, "offline", {})
    (tmp_path / "after.db").unlink()
    with pytest.raises(InputError, match="copy the run"):
        AfterFile(tmp_path, "sha256:1")
    assert not list(tmp_path.iterdir())


def test_reading_makes_no_file(tmp_path: Path) -> None:
    assert AfterFile.read(tmp_path, "sha256:1") is None
    assert not list(tmp_path.iterdir())


EARLIER = """
insert into run values ('sha256:1');
insert into interview values (1, 'zoe', 'Why?', '{}', 'offline', '{}');
insert into validation values (1, 'zoe', 'k001', 'skip', 'hm'), (2, 'zoe', 'k002', 'agree', '');
pragma user_version = 1;
"""


def test_one_of_an_earlier_release_is_read_and_then_completed(tmp_path: Path) -> None:
    file = tmp_path / "after.db"
    with closing(sqlite3.connect(file)) as db:
        db.executescript(f"{database._sql('after')};{EARLIER}")
    before, verdicts = file.read_bytes(), [("zoe", "k001", "unsure", "hm"), ("zoe", "k002", "agree", "")]
    read = AfterFile.read(tmp_path, "sha256:1")
    assert read is not None
    with read:
        assert [one[:4] for one in read.validations()] == verdicts
    assert file.read_bytes() == before
    with AfterFile(tmp_path, "sha256:1") as after:
        after.add_validation("zoe", "k003", "unsure", person="Ada")
        after.add_interview("zoe", "And?", None, "offline", {}, "t1")
    with AfterFile(tmp_path, "sha256:1") as again:
        assert [one[:4] for one in again.validations()] == [*verdicts, ("zoe", "k003", "unsure", "")]
        assert [(one.question, one.thread) for one in again.interviews()] == [("Why?", ""), ("And?", "t1")]


def test_a_full_disk_is_told_with_what_to_do_then(tmp_path: Path) -> None:
    with AfterFile(tmp_path, "sha256:1") as after:
        pages = after.db.execute("pragma page_count").fetchone()[0]
        after.db.execute(f"pragma max_page_count = {pages}")
        with pytest.raises(StorageFull, match="Make space, then do it again"):
            after.add_interview("zoe", "Why?", "x" * 100_000, "offline", {})
