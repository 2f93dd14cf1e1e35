import os
import subprocess
import sys
from pathlib import Path

import pytest

from openiir.core.errors import InputError
from openiir.core.hashing import sha256
from openiir.core.world import load_sources


@pytest.fixture
def study(tmp_path, make_pdf):
    """A study folder with one source of each kind."""
    folder = tmp_path / "study"
    (folder / "articles" / "deep").mkdir(parents=True)
    (folder / "articles" / "b.md").write_text("# Title\n\nSome *prose*.")
    (folder / "articles" / "a.txt").write_text("Plain words.\r\n")
    (folder / "articles" / ".hidden.xyz").write_text("not a source")
    (folder / "articles" / "deep" / "c.pdf").write_bytes(make_pdf(["Printed words."]))
    (folder / "page.html").write_text(
        "<html><body><p>Words of a web page, long enough to be kept.</p></body></html>"
    )
    return folder


def names(loaded):
    return [source.name for source in loaded.sources]


def refusal(paths, folder, **options):
    with pytest.raises(InputError) as caught:
        load_sources(paths, folder, **options)
    return str(caught.value)


def test_a_folder_is_read_with_all_below_it_in_order_of_name(study):
    loaded = load_sources(["page.html", "articles"], study)
    assert names(loaded) == ["articles/a.txt", "articles/b.md", "articles/deep/c.pdf", "page.html"]
    assert [source.text for source in loaded.sources] == [
        "Plain words.",
        "Title\n\nSome prose.",
        "Printed words.",
        "Words of a web page, long enough to be kept.",
    ]
    assert [s.media for s in loaded.sources] == [
        "text/plain",
        "text/markdown",
        "application/pdf",
        "text/html",
    ]
    assert all(source.sha256 == sha256(source.text) for source in loaded.sources)


def test_a_name_is_the_same_under_every_locale_and_can_be_stored(study):
    for name in (b"stra\xc3\x9fe.txt", b"alt-stra\xdfe.txt"):
        (study / "articles" / os.fsdecode(name)).write_text("Words.")
    code = (
        "import sys; from pathlib import Path; from openiir.core.world import load_sources;"
        "print(ascii([s.name for s in load_sources(['articles/*.txt'], Path(sys.argv[1])).sources]))"
    )
    posix = {**os.environ, "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    told = {
        subprocess.run([sys.executable, "-c", code, study], env=env, capture_output=True, text=True).stdout
        for env in (posix, {**os.environ, "PYTHONUTF8": "1"})
    }
    wanted = ["articles/a.txt", r"articles/alt-stra\xdfe.txt", "articles/stra\xdfe.txt"]
    assert told == {f"{wanted!a}\n"}


def test_a_source_named_twice_is_read_once(study):
    assert names(load_sources(["articles/a.txt", study / "articles" / "a.txt", "articles/*.txt"], study)) == [
        "articles/a.txt"
    ]


def test_patterns_pick_files(study):
    assert names(load_sources(["articles/*.md", "articles/**/*.pdf"], study)) == [
        "articles/b.md",
        "articles/deep/c.pdf",
    ]
    assert "matches no file" in refusal(["articles/*.doc"], study)


BAD = {
    "empty.txt": (b"", "is empty"),
    "blank.md": (b" \n\n", "is empty"),
    "marks.txt": (b"--- ...", "holds no word"),
    "zero.txt": (b"words\0words", "binary data"),
    "picture.txt": (b"\x89PNG\r\n\x1a\n....", "wrong ending: it is a PNG picture; convert it"),
    "office.md": (b"PK\x03\x04....", "office document"),
    "print.txt": (b"%PDF-1.4 ...", "wrong ending: it is a PDF; give it the ending of what it is"),
    "page.txt": (b"<!DOCTYPE html><p>words", "wrong ending: it is an HTML page"),
    "words.pdf": (b"just words", "does not begin as a PDF"),
    "words.html": (b"just words", "holds no HTML"),
    "table.csv": (b"a,b", "has the ending '.csv'"),
    "README": (b"words", "has the ending '(none)'"),
    "latin.txt": ("na\xefve".encode("latin-1"), "is not in utf-8"),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_a_bad_file_is_refused_by_name_or_left_out_with_its_reason(study, name):
    data, reason = BAD[name]
    (study / "articles" / name).write_bytes(data)
    message = refusal(["articles"], study)
    assert message.startswith(f"world source articles/{name} ")
    assert reason in message
    loaded = load_sources(["articles"], study, skip_bad=True)
    assert names(loaded) == ["articles/a.txt", "articles/b.md", "articles/deep/c.pdf"]
    assert [one.name for one in loaded.skipped] == [f"articles/{name}"]
    assert reason in loaded.skipped[0].reason


def test_unreadable_pdfs_do_not_hold_up_the_rest(study, encrypted_pdf, picture_pdf):
    (study / "articles" / "locked.pdf").write_bytes(encrypted_pdf)
    (study / "articles" / "scan.pdf").write_bytes(picture_pdf)
    loaded = load_sources(["articles"], study, skip_bad=True)
    assert [one.name for one in loaded.skipped] == ["articles/locked.pdf", "articles/scan.pdf"]
    assert len(loaded.sources) == 3
    assert "(1 more cannot be used either)" in refusal(["articles"], study)


def test_when_nothing_is_left_that_is_an_error(study):
    assert "does not exist" in refusal(["nowhere.txt"], study, skip_bad=True)


def test_a_huge_file_is_refused_unread(study, limit_inputs):
    limit_inputs(document_bytes=10)
    assert "is too large (14 bytes" in refusal(["articles/a.txt"], study)


def test_an_encoding_can_be_named(study):
    (study / "latin.txt").write_bytes(b"na\xefve words")
    assert load_sources(["latin.txt"], study, encoding="windows-1252").sources[0].text == "naïve words"


def test_missing_and_empty_places_are_named(study):
    assert "world source articles/nope.txt does not exist" in refusal(["articles/nope.txt"], study)
    (study / "void").mkdir()
    assert "world source void is an empty folder" in refusal(["void"], study)
    (study / "articles" / "void").mkdir()
    assert len(load_sources(["articles"], study).sources) == 3


@pytest.mark.parametrize("path", ["../secret.txt", "articles/../../secret.txt", "{outside}", "../*.txt"])
def test_a_path_that_leaves_the_study_is_refused(study, path):
    outside = study.parent / "secret.txt"
    outside.write_text("Secret words.")
    assert "lies outside" in refusal([path.format(outside=outside)], study)


def test_a_symbolic_link_that_leaves_the_study_is_refused(study):
    outside = study.parent / "elsewhere"
    outside.mkdir()
    (outside / "secret.txt").write_text("Secret words.")
    (study / "articles" / "link.txt").symlink_to(outside / "secret.txt")
    (study / "articles" / "links").symlink_to(outside)
    (study / "articles" / "dead.txt").symlink_to(study / "nothing.txt")
    loaded = load_sources(["articles", "articles/links/secret.txt"], study, skip_bad=True)
    assert [one.name for one in loaded.skipped] == [
        "articles/dead.txt",
        "articles/link.txt",
        "articles/links",
        "articles/links/secret.txt",
    ]
    assert all("symbolic link" in one.reason for one in loaded.skipped)
    assert not any("Secret" in source.text for source in loaded.sources)


def test_links_inside_the_study_are_followed_once(study):
    (study / "articles" / "again.txt").symlink_to(study / "articles" / "a.txt")
    (study / "articles" / "deep" / "up").symlink_to(study / "articles")
    assert len(load_sources(["articles"], study).sources) == 3


def test_special_files_are_not_opened(study):
    os.mkfifo(study / "articles" / "pipe.txt")
    assert "is no regular file" in refusal(["articles"], study)


def test_shared_data_stands_below_its_variable(study, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENIIR_DATA", raising=False)
    assert "OPENIIR_DATA" in refusal(["$OPENIIR_DATA/set/x.txt"], study)
    (tmp_path / "data" / "set").mkdir(parents=True)
    (tmp_path / "data" / "set" / "x.txt").write_text("Shared words.")
    (tmp_path / "data" / "set" / "x.tsv").write_text("a\tb")
    monkeypatch.setenv("OPENIIR_DATA", str(tmp_path / "data"))
    assert names(load_sources(["$OPENIIR_DATA/set/*.txt", "page.html"], study)) == ["page.html", "set/x.txt"]
    assert "lies outside" in refusal(["$OPENIIR_DATA/../study/page.html"], study)


def test_two_sources_of_one_name_are_refused(study, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "page.html").write_text("<p>Other words.</p>")
    monkeypatch.setenv("OPENIIR_DATA", str(tmp_path / "data"))
    assert "two world sources are called page.html" in refusal(
        ["$OPENIIR_DATA/page.html", "page.html"], study
    )


@pytest.mark.skipif("OPENIIR_DATA" not in os.environ, reason="OPENIIR_DATA is not set")
def test_a_folder_of_real_pdfs_loads_but_for_the_encrypted_one():
    loaded = load_sources(
        ["pdf-samples/us-*.pdf", "pdf-samples/libreoffice*"], Path(os.environ["OPENIIR_DATA"]), skip_bad=True
    )
    assert len(loaded.sources) >= 3
    assert [one.name for one in loaded.skipped] == ["pdf-samples/libreoffice-writer-password.pdf"]
