"""A run's content depends on its study alone:
not on hash seeds, widths, latencies, threads or the machine's clock."""

import os
import subprocess
import threading
import time

import pytest

from openiir.core.seeds import Draw
from openiir.runs.settings import load_settings


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_hash_seeds_and_threads_do_not_matter(seed, evening, sit, sitter_words, tmp_path):
    study = evening()
    expected = sit(study, tmp_path / "here")
    words = [*sitter_words, "run", str(study), "--out", str(tmp_path / "there")]
    environment = os.environ | {
        "PYTHONHASHSEED": seed,
        "OPENBLAS_NUM_THREADS": str(1 + int(seed) % 3),
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C",
    }
    done = subprocess.run(words, env=environment, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"content: {expected}"


def test_width_and_latency_do_not_matter(by_model, served, sit, tmp_path):
    contents = set()
    for width in (1, 2, 32):
        file = f'[endpoint]\nurl = "URL"\nwidth = {width}\n'
        server, settings = served(file, malformed=0.2)
        inner, number = server._service.answer, iter(range(10_000))

        def shuffled(*args, inner=inner, number=number, width=width):
            time.sleep(0.004 * Draw(width, "latency").uniform(item=next(number)))
            return inner(*args)

        server._service.answer = shuffled
        contents.add(sit(by_model, tmp_path / f"w{width}", load_settings(settings)))
        assert server.counts.most_at_once <= width
    assert len(contents) == 1


def test_two_runs_side_by_side_do_not_touch_each_other(evening, sit, tmp_path):
    study = evening()
    alone = sit(study, tmp_path / "alone")
    contents: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: contents.append(sit(study, tmp_path / f"beside-{n}")))
        for n in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert contents == [alone] * 3


def test_another_seed_is_another_run(evening, sit, tmp_path):
    study = evening()
    assert sit(study, tmp_path / "a", None, "seed=12") != sit(study, tmp_path / "b")


def test_where_it_runs_and_where_its_files_lie_do_not_matter(evening, sit, tmp_path):
    one = sit(evening(folder="one"), tmp_path / "a")
    assert sit(evening(folder="another"), tmp_path / "deeper" / "b") == one
