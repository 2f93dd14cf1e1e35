import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from openiir.runs.compare import Comparison, ComparisonOptions, compare
from openiir.runs.compare.page import comparison_page
from openiir.runs.compare.wording import describe_tests


class Balanced(HTMLParser):
    """Every element is closed in its turn, and nothing is loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.addresses = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.addresses += [v for k, v in attrs if k in ("src", "href", "xlink:href", "action", "data")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
        self.addresses += [v for k, v in attrs if k in ("src", "href", "xlink:href", "action", "data")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture
def found(arms):
    return compare(arms, ComparisonOptions(measures=("warmth.mean",), smallest={"warmth.mean": 0.5}))


def test_the_page_needs_nothing_else(found):
    text = comparison_page(found)
    read = Balanced()
    read.feed(text)
    assert read.open == [] and read.seen.count("svg") == 1
    assert all(address.startswith("#") for address in read.addresses)
    assert not re.search(r"<script|@import|url\((?!#)", text)
    assert not re.search(r"dc:date|\d{4}-\d\d-\d\dT", text)


def test_the_page_says_what_a_sceptic_asks(found):
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", comparison_page(found)))
    for said in (
        "warmth.mean is higher with warmth=0.8 than with warmth=0.2, in 6 of 6 shared seeds",
        "config.warmth 0.2 0.8",
        "The unit is the seed",
        "two-sided sign-flip permutation of paired differences, exact; corrected by Holm over 1 test",
        "Significant is not important",
        "not about people",
        found.arms[0].runs[0].content,
    ):
        assert said in words, said


def test_names_are_escaped(found):
    arm = found.arms[0].model_copy(update={"label": "<b>&"})
    text = comparison_page(found.model_copy(update={"arms": (arm, found.arms[1])}))
    assert "<b>&" not in text and "&lt;b&gt;&amp;" in text


def test_the_same_comparison_gives_the_same_bytes_elsewhere(found, tmp_path):
    """In another process, with another hash seed and somebody's own matplotlib settings."""
    (tmp_path / "matplotlibrc").write_text("axes.facecolor: red\nfont.size: 20\nlines.linewidth: 9\n")
    (tmp_path / "found.json").write_text(found.model_dump_json())
    program = (
        "import sys, pathlib; from openiir.runs.compare import Comparison; from openiir.runs.compare.page "
        "import comparison_page; "
        "sys.stdout.write(comparison_page(Comparison.model_validate_json(pathlib.Path('found.json').read_text())))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "77", "PYTHONUTF8": "1"},
    )
    assert done.stdout == comparison_page(found)
    assert isinstance(found, Comparison)


def test_tests_that_nothing_corrects_are_told_without_a_correction(found):
    words = describe_tests(found.model_copy(update={"families": ()}))
    assert words == "Tests: two-sided sign-flip permutation of paired differences, exact."
