"""Fetching data sets, against a publisher on loopback that can fail in every way."""

import hashlib
import io
import sys
import threading
import types
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import EntryPoint

import pytest

from openiir.core.errors import EndpointError, InputError
from openiir.kit.items import published as shelves
from openiir.kit.items.published import MOVIELENS_1M, STEAM, SYNTHETIC, Download, Published
from openiir.runs.datasets import download_data_set

CSV = {
    "movies.csv": b"movieId,title,genres\n1,Rain (1999),Drama\n",
    "ratings.csv": b"userId,movieId,rating,timestamp\n7,1,3.5,0\n",
}


def zipped(files, top="ml-tiny/"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{top}{name}" if isinstance(name, str) else name, content)
    return packed.getvalue()


class Publisher(ThreadingHTTPServer):
    """Serves `body`, and stops after `most` bytes of it."""

    body = b""
    most = 1 << 30
    ranges = True
    asked: list

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        start = self.headers["Range"]
        self.server.asked.append(start)
        first = int(start.removeprefix("bytes=").rstrip("-")) if start and self.server.ranges else 0
        rest = self.server.body[first:]
        self.send_response(206 if first else 200)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        self.wfile.write(rest[: self.server.most])

    def log_message(self, *words):
        pass


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def publisher():
    with Publisher() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def tiny(publisher, body, **changes):
    """A data set whose archive is `body`."""
    publisher.body = body
    address = f"http://127.0.0.1:{publisher.server_port}/ml-tiny.zip"
    made = Download(address, len(body), hashlib.sha256(body).hexdigest(), unpack=True)
    one = Published(
        name="tiny",
        title="Tiny",
        counts="1 user",
        licence="none to speak of",
        citation="-",
        home="https://tiny.example",
        folder="ml-tiny",
        files=("movies.csv", "ratings.csv"),
        read=lambda folder, rules: None,
        downloads=(made,),
    )
    return replace(one, **changes)


class TestFetching:
    def test_files_arrive_without_the_top_folder(self, publisher, tmp_path):
        said = []
        place = download_data_set(tiny(publisher, zipped(CSV)), tmp_path / "new", said.append)
        assert place == tmp_path / "new" / "ml-tiny"
        assert {file.name: file.read_bytes() for file in place.iterdir()} == CSV
        assert [p.name for p in (tmp_path / "new").iterdir()] == ["ml-tiny"] and "ml-tiny.zip" in said[0]

    def test_what_is_there_is_not_fetched_again(self, publisher, tmp_path):
        one = tiny(publisher, zipped(CSV))
        download_data_set(one, tmp_path, print)
        said = []
        download_data_set(one, tmp_path, said.append)
        assert len(publisher.asked) == 1 and "already" in said[0]

    def test_own_files_beside_them_stay(self, publisher, tmp_path):
        (tmp_path / "ml-tiny").mkdir()
        (tmp_path / "ml-tiny" / "plots.csv").write_text("mine")
        place = download_data_set(tiny(publisher, zipped(CSV)), tmp_path, print)
        assert sorted(p.name for p in place.iterdir()) == ["movies.csv", "plots.csv", "ratings.csv"]

    def test_a_plain_file_keeps_its_name(self, publisher, tmp_path):
        one = tiny(publisher, b"1 2\n", files=("ml-tiny.zip",))
        one = replace(one, downloads=(replace(one.downloads[0], unpack=False),))
        assert (download_data_set(one, tmp_path, print) / "ml-tiny.zip").read_bytes() == b"1 2\n"


class TestFailing:
    @pytest.mark.parametrize("ranges", [True, False])
    def test_a_download_that_ends_early_is_gone_on_with(self, publisher, tmp_path, ranges):
        one = tiny(publisher, zipped(CSV))
        publisher.most, publisher.ranges = 100, ranges
        with pytest.raises(EndpointError, match="could not be fetched|ended after 100 of"):
            download_data_set(one, tmp_path, print)
        assert not (tmp_path / "ml-tiny").exists()
        publisher.most = 1 << 30
        download_data_set(one, tmp_path, print)
        assert publisher.asked == [None, "bytes=100-"]
        assert (tmp_path / "ml-tiny" / "movies.csv").read_bytes() == CSV["movies.csv"]

    def test_of_several_files_those_that_arrived_are_not_asked_for_again(self, publisher, tmp_path):
        one = tiny(publisher, b"1 2\n", files=("ml-tiny.zip",))
        first = replace(one.downloads[0], unpack=False)
        one = replace(
            one, downloads=(first, replace(first, url=first.url.replace("tiny.zip", "more.txt"), sha256="0"))
        )
        for _ in range(2):
            with pytest.raises(EndpointError, match=r"more.txt is not the file"):
                download_data_set(one, tmp_path, print)
        assert len(publisher.asked) == 3 and not (tmp_path / "ml-tiny").exists()

    @pytest.mark.parametrize("change", [lambda body: b"x" * len(body), lambda body: body + b"more"])
    def test_another_file_is_thrown_away(self, publisher, tmp_path, change):
        one = tiny(publisher, zipped(CSV))
        publisher.body = change(publisher.body)
        with pytest.raises(EndpointError, match="is not the file it should be"):
            download_data_set(one, tmp_path, print)
        assert not [*tmp_path.iterdir()]

    @pytest.mark.parametrize("name", ["../../evil.csv", "/evil.csv", "C:\\evil.csv"])
    def test_an_archive_cannot_write_elsewhere(self, publisher, tmp_path, name):
        body = zipped({name: b"", **CSV}, top="")
        with pytest.raises(EndpointError, match="leads out of its folder"):
            download_data_set(tiny(publisher, body), tmp_path / "in", print)
        assert not [*tmp_path.rglob("*.csv")]

    def test_nor_through_a_link(self, publisher, tmp_path):
        link = zipfile.ZipInfo("ml-tiny/way")
        link.external_attr = 0o120777 << 16
        with pytest.raises(EndpointError, match="leads out of its folder"):
            download_data_set(tiny(publisher, zipped({link: b"/etc", **CSV})), tmp_path, print)

    def test_an_archive_that_lacks_a_file(self, publisher, tmp_path):
        with pytest.raises(EndpointError, match=r"holds no ratings.csv.*tiny.example"):
            download_data_set(tiny(publisher, zipped({"movies.csv": b""})), tmp_path, print)
        with pytest.raises(EndpointError, match="is no ZIP archive"):
            download_data_set(tiny(publisher, b"<html>"), tmp_path, print)

    def test_no_network(self, tmp_path):
        with pytest.raises(
            EndpointError, match=r"could not be fetched.*Without a network, get the file elsewhere"
        ):
            download_data_set(MOVIELENS_1M, tmp_path, print)

    def test_what_cannot_be_fetched_says_where_it_is(self, tmp_path):
        with pytest.raises(InputError, match=r"steam cannot be fetched.*caserec.*game_play.dat"):
            download_data_set(STEAM, tmp_path, print)
        with pytest.raises(InputError, match="made by code"):
            download_data_set(SYNTHETIC, tmp_path, print)

    def test_a_folder_that_cannot_be_written_to(self, publisher, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError, match="cannot be written to"):
            download_data_set(tiny(publisher, zipped(CSV)), tmp_path / "file", print)


class TestTheCommands:
    @pytest.fixture
    def plugged(self, publisher, monkeypatch):
        module = types.ModuleType("openiir_tests_tiny")
        module.TINY = tiny(publisher, zipped(CSV))
        monkeypatch.setitem(sys.modules, module.__name__, module)
        entries = [
            EntryPoint("tiny", f"{module.__name__}:TINY", shelves.GROUP),
            EntryPoint("odd", "nowhere:X", shelves.GROUP),
        ]
        entries.append(EntryPoint("none", "json:loads", shelves.GROUP))
        monkeypatch.setattr(shelves, "entry_points", lambda group: entries)

    def test_a_set_is_listed_fetched_and_found(self, openiir, plugged, tmp_path, monkeypatch):
        monkeypatch.setenv("OPENIIR_DATA", str(tmp_path))
        before = openiir("data", "list").out
        assert (
            "tiny: Tiny" in before
            and f"not in {tmp_path / 'ml-tiny'}; `openiir data fetch tiny` gets it" in before
        )
        assert "odd\n  broken: ModuleNotFoundError" in before and "none\n  broken: json:loads is no" in before
        done = openiir("data", "fetch", "tiny")
        assert done.code == 0 and done.out.index("licence: none to speak of") < done.out.index(
            "fetching http"
        )
        assert f"in {tmp_path / 'ml-tiny'}" in openiir("data", "list").out
        assert "OPENIIR_DATA is" in openiir("data", "fetch", "tiny", "--to", tmp_path / "b").out

    def test_a_set_that_nobody_knows(self, openiir, plugged):
        failed = openiir("data", "fetch", "tinny")
        assert failed.code == 2 and "known are none, odd, tiny" in failed.err
        assert openiir("data", "fetch", "odd").code == 2


def test_the_built_in_ones_are_registered():
    assert {one.name for one in shelves.list_published() if one.published} >= {
        *("amazon-book", "movielens-100k", "movielens-1m", "movielens-latest-small", "steam", "synthetic")
    }
