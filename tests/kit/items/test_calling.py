"""What is kept of a collection's names between processes, and that it never decides anything."""

import pytest

from openiir.kit.items import Collection, Linker, Titles, calling
from openiir.kit.items.calling import FOLDER, KEPT_FROM, called, read_names

TITLES = tuple(
    f"{'Film' if n % 3 else 'Œuvre: Part'} {n}{', The' if n % 4 == 0 else ''}{' (Autre)' if n % 7 == 0 else ''} ({1900 + n % 100})"
    for n in range(KEPT_FROM)
)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_a_second_reading_comes_from_disk_and_says_the_same(kept, monkeypatch):
    plain = read_names(TITLES)
    assert called(TITLES) == plain and len(list(kept.iterdir())) == 1
    monkeypatch.setattr(calling, "read_names", lambda titles: pytest.fail("read again"))
    assert called(TITLES) == plain


def test_other_titles_are_other_names(kept):
    called(TITLES)
    other = (*TITLES[:-1], "Something Else")
    assert called(other) == read_names(other) and len(list(kept.iterdir())) == 2


def test_other_code_reads_anew(kept, monkeypatch):
    called(TITLES)
    monkeypatch.setattr(calling, "_code", lambda: b"another version")
    called(TITLES)
    assert len(list(kept.iterdir())) == 2


@pytest.mark.parametrize(
    "damage", [lambda d: d[:100], lambda d: b"", lambda d: d[:-1] + b"x", lambda d: b"x" + d[1:]]
)
def test_what_is_damaged_is_read_and_written_anew(kept, damage):
    plain = called(TITLES)
    (file,) = kept.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert called(TITLES) == plain and file.read_bytes() == whole


def test_a_folder_that_cannot_be_written_to_is_no_error(kept):
    kept.write_text("a file where the folder would be")
    assert called(TITLES) == read_names(TITLES)


def test_nothing_is_kept_when_off_or_small(kept, monkeypatch):
    called(TITLES[:-1])
    monkeypatch.setenv(FOLDER, "off")
    called(TITLES)
    assert not kept.exists()


def test_no_part_is_left_of_a_write_that_fails(kept, monkeypatch):
    def full(self, target):
        raise OSError("no space left")

    monkeypatch.setattr(calling.Path, "replace", full)
    assert called(TITLES) == read_names(TITLES) and list(kept.iterdir()) == []


def test_titles_that_no_file_can_hold_are_read_each_time(kept):
    odd = (*TITLES, "\ud83d")
    assert called(odd) == read_names(odd) and list(kept.glob("*")) == []


def test_the_oldest_go(kept, monkeypatch):
    monkeypatch.setattr(calling, "_MOST", 2)
    for n in range(4):
        called((*TITLES, str(n)))
    assert len(list(kept.iterdir())) == 2


def test_lookups_do_not_differ(kept):
    def answers():
        titles = Titles(Collection("movie", tuple(map(str, range(len(TITLES)))), TITLES))
        linker = Linker(titles.collection, titles)
        return (
            titles.exact("film 17"),
            titles.exact("autre"),
            titles.prefix("oeuvre"),
            titles.years[:9],
            linker.link("I saw Film 17, The"),
        )

    assert answers() == answers()
