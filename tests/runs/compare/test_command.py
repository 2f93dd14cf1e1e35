import json
import re

import pytest

from openiir.runs.compare import Comparison
from openiir.runs.post_run import measure_all


def plain(text):
    return re.sub(r"\s+", " ", text)


def test_one_page_answers_by_how_much_and_how_sure(openiir, arms):
    done = openiir("compare", *arms, "--measure", "warmth.mean", "--smallest", "warmth.mean=0.5")
    words = plain(done.out)
    assert done.code == 0 and not done.err
    assert "warmth.mean is higher with warmth=0.8 than with warmth=0.2, in 6 of 6 shared seeds" in words
    assert re.search(r"p = 0.031, 0.031 after Holm over 1 test", words)
    assert "differs: config.warmth: A 0.2, B 0.8" in words
    assert "evidence about the model, not about people" in words
    assert len(done.out.splitlines()) < 50


def test_values_side_by_side_without_a_test(openiir, arms):
    done = openiir("compare", arms[0], arms[6])
    assert done.code == 0
    assert "without a test" in plain(done.out) and "warmth.mean" in done.out and "corr." not in done.out


def test_the_file_says_the_format(openiir, arms, tmp_path):
    for name, begins in (("x.json", '{\n "format": 1'), ("x.html", "<!doctype html>"), ("x.txt", "2 arms")):
        assert openiir("compare", *arms, "--out", tmp_path / name).code == 0
        assert (tmp_path / name).read_text().startswith(begins)
    printed = openiir("compare", *arms, "--format", "json").out
    assert printed == (tmp_path / "x.json").read_text()
    assert Comparison.model_validate(json.loads(printed)).paired


def test_many_arms_are_a_line_each(openiir, arms, another):
    more = [another(f"w{n}", "seed=1", f"config.warmth={n / 100}") for n in range(30, 48, 2)]
    done = openiir("compare", *arms, *more, "--measure", "warmth.mean")
    assert done.code == 0 and "shared seeds: " not in done.out
    assert max(map(len, done.out.splitlines())) <= 110 and len(done.out.splitlines()) < 60


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "xml"], "no format of comparisons is called 'xml'"),
        (["--smallest", "warmth.mean"], "write it as NAME=VALUE"),
        (["--smallest", "warmth.mean=much"], "write it as NAME=VALUE"),
        (["--smallest", "warmth.mean=-1"], "a number above 0"),
        (["--measure", "heat"], "no measure is called 'heat'"),
        (["--baseline", "hot"], "no arm is called 'hot'"),
        (["--key", "config.colour"], "no key of these studies"),
        (["--set", "colour"], "write it as key=value"),
        (["--out", "no-such-folder/x.html"], "cannot be written"),
    ],
)
def test_bad_words_end_with_2(openiir, arms, words, said):
    done = openiir("compare", *arms, *words)
    assert done.code == 2 and said in plain(done.err) and "Traceback" not in done.err


def test_bad_folders_end_with_2(openiir, arms, tmp_path):
    for folders in ([tmp_path], [tmp_path / "none"], arms[:1], []):
        done = openiir("compare", *folders)
        assert done.code == 2 and done.err and "Traceback" not in done.err


@pytest.fixture
def panels(tmp_path, sit):
    """Two runs of a built-in type, which other processes know as well."""
    from importlib.resources import files

    study = files("openiir.scenarios.panel").joinpath("reference/study.toml")
    shape = 'config.shape={round=[{name="talk", goal="Talk.", turns=2}]}'
    for seed in (1, 2):
        sit(study, tmp_path / f"panel-{seed}", None, f"seed={seed}", shape)
    return [tmp_path / "panel-1", tmp_path / "panel-2"]


def test_more_processes_measure_the_same(panels):
    one, two = (
        [{name: m.as_json() for name, m in run.items()} for run in measure_all(panels, {}, workers)]
        for workers in (1, 2)
    )
    assert one == two and len(one[0]) > 10
