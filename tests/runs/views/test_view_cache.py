"""Views kept in the cache folder are what the run shows, and never those of another run or of other code."""

import importlib
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from openiir.cli import run_output
from openiir.core.storage import RunFile
from openiir.runs.post_run import scenario_of, surfaces_of
from openiir.runs.settings import Settings
from openiir.runs.views import view_cache
from openiir.runs.views.view_cache import ViewCache, code_stamp
from openiir.testing.offline import run_offline


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    """A finished panel."""
    made = run_offline("panel", tmp_path_factory.mktemp("made"), "seed=5")
    made.run.close()
    return made.folder


@pytest.fixture
def slow(monkeypatch):
    """Every result counts as slow, so that it is kept in the folder."""
    monkeypatch.setattr(view_cache, "SLOW", 0.0)


def read_all(cache: ViewCache, folder: Path, **narrowed: Any) -> dict[str, list[str]]:
    """Read all pages of all surfaces, seven parts at a time."""
    found: dict[str, list[str]] = {}
    with RunFile.open(folder) as run:
        for name in surfaces_of(scenario_of(run)):
            after: str | None = "0"
            while after is not None:
                page = cache.page(run, name, after=after, limit=7, **narrowed)
                found.setdefault(name, []).append(page.write_json())
                after = page.next if "seek" not in narrowed else None
    return found


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("narrowed", [{}, {"until": 4}, {"seek": 5}])
def test_pages_from_the_folder_equal_computed_ones(panel, tmp_path, monkeypatch, narrowed):
    computed = read_all(
        ViewCache(panel / "run.db"), panel, **narrowed
    )  # no folder: nothing can be kept there
    first = read_all(ViewCache(tmp_path), panel, **narrowed)
    forbid = pytest.fail if not narrowed.get("until") else view_cache.compute_view
    monkeypatch.setattr(view_cache, "compute_view", forbid)
    assert read_all(ViewCache(tmp_path), panel, **narrowed) == first == computed
    assert len(first["transcript"]) > 1 or narrowed


@pytest.mark.usefixtures("slow")
def test_another_run_in_the_folder_shows_its_own_views(panel, tmp_path):
    cache, place = ViewCache(tmp_path / "cache"), tmp_path / "run"
    shutil.copytree(panel, place)
    before = read_all(cache, place)
    shutil.rmtree(place)
    other = run_offline("panel", tmp_path / "other", "seed=6")
    other.run.close()
    shutil.copytree(other.folder, place)
    after = read_all(cache, place)
    assert (
        after == read_all(ViewCache(tmp_path / "fresh"), place)
        and after["transcript"] != before["transcript"]
    )


@pytest.mark.usefixtures("slow")
def test_changed_code_is_not_answered_from_the_folder(panel, tmp_path, monkeypatch):
    read_all(ViewCache(tmp_path), panel)
    monkeypatch.setattr(view_cache, "code_stamp", lambda package: f"{package}, changed")
    computed = list[str]()

    def note(surface, *args, **more):
        computed.append(surface.name)
        return surface.view(args[0])

    monkeypatch.setattr(view_cache, "compute_view", note)
    assert set(read_all(ViewCache(tmp_path), panel)) == set(computed)


@pytest.mark.usefixtures("slow")
def test_measures_from_the_folder_equal_computed_ones(panel, tmp_path, monkeypatch):
    with RunFile.open(panel) as run:
        first = ViewCache(tmp_path).measures(run)
        monkeypatch.setattr(view_cache, "compute_measures", pytest.fail)
        assert ViewCache(tmp_path).measures(run) == first and len(first) > 3


@pytest.mark.usefixtures("slow")
def test_a_damaged_file_in_the_folder_is_not_missed(panel, tmp_path):
    first = read_all(ViewCache(tmp_path), panel)
    (file,) = tmp_path.glob("*.derived")
    for left in tmp_path.glob("*"):
        left.unlink()
    file.write_bytes(b"no database, but long enough to look like one" * 50)
    assert read_all(ViewCache(tmp_path), panel) == first


@pytest.mark.usefixtures("slow")
def test_the_views_of_a_long_run_are_there_before_anybody_looks(panel, monkeypatch):
    monkeypatch.setattr(run_output, "LONG", 20)
    run_output.print_end(panel, "sha256:0")
    monkeypatch.setattr(view_cache, "compute_view", pytest.fail)
    monkeypatch.setattr(view_cache, "search_rows", pytest.fail)
    cache = ViewCache(Settings().cache)
    assert len(read_all(cache, panel)) == 5
    with RunFile.open(panel) as run:
        assert cache.search(run, "the", 0, 5)["total"] > 5


@pytest.mark.parametrize("parts", [("alone.py",), ("den/__init__.py", "den/kind.py"), ("den/kind.py",)])
def test_the_code_of_modules_packages_and_namespace_packages_is_stamped(tmp_path, monkeypatch, parts):
    for part in parts:
        (tmp_path / part).parent.mkdir(exist_ok=True)
        (tmp_path / part).write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("alone", "den", "den.kind"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    module = parts[-1].removesuffix(".py").replace("/", ".")
    importlib.import_module(module)
    before = code_stamp.__wrapped__(module)
    (tmp_path / parts[-1]).write_text("changed = True")
    assert code_stamp.__wrapped__(module) != before


def test_a_long_view_is_shown_from_its_beginning_before_it_is_computed(panel, tmp_path, monkeypatch):
    monkeypatch.setattr(view_cache, "BEGINNING", 30)
    cache = ViewCache(tmp_path)
    with RunFile.open(panel) as run:
        begun = cache.page(run, "transcript", limit=4, beginning=True)
        assert not begun.whole and begun.body == cache.page(run, "transcript", limit=4).body
        whole = cache.page(run, "transcript", limit=4, beginning=True)
        assert whole.whole and whole.total > begun.total and whole.body == begun.body


@pytest.mark.parametrize(
    "asked", [{"until": 4}, {"seek": 5}, {"after": "7"}, {"name": "activity"}, {"events": 10_000}]
)
def test_only_the_first_page_of_a_long_view_that_grows_has_a_beginning(panel, tmp_path, monkeypatch, asked):
    monkeypatch.setattr(view_cache, "BEGINNING", asked.pop("events", 30))
    with RunFile.open(panel) as run:
        assert ViewCache(tmp_path).page(run, **{"name": "transcript", "beginning": True, **asked}).whole


def test_a_view_that_cannot_read_part_of_a_step_is_computed_whole(panel, tmp_path, monkeypatch):
    compute = view_cache.compute_view

    def fail_at_first(surface, log, *args):
        if log.last_event == 30:
            raise KeyError("an event that comes later")
        return compute(surface, log, *args)

    monkeypatch.setattr(view_cache, "BEGINNING", 30)
    monkeypatch.setattr(view_cache, "compute_view", fail_at_first)
    with RunFile.open(panel) as run:
        assert ViewCache(tmp_path).page(run, "transcript", beginning=True).whole
