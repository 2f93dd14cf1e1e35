"""A review of a roster: what is typed is kept at the end, and nothing where it does not come to its end."""

import io

import pytest

from openiir.cli.personas import check_personas
from openiir.core.errors import OpeniirError
from openiir.core.personas import load_personas

ROSTER = "".join(
    f'[[persona]]\nid = "{n}"\nname = "{n.title()}"\nbio = "Writes about wind."\n\n' for n in ("ada", "bo")
)


@pytest.fixture
def review(tmp_path, monkeypatch):
    """Reviews a roster of two with what is typed; returns the file."""
    file = tmp_path / "roster ü.toml"
    file.write_text(ROSTER, encoding="utf-8")

    def typed(text):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        check_personas(file, review=True, keep=False, settings_file=None)

    typed.file = file
    return typed


def test_a_bio_and_a_stance_are_changed_and_a_persona_is_taken_out(review):
    review("b Repairs turbines.\ns nan\ns 0.5\na\nx\n")
    (ada,) = load_personas(review.file)
    assert (ada.id, ada.bio, ada.stance, ada.traits) == ("ada", "Repairs turbines.", 0.5, {"reviewed": True})


@pytest.mark.parametrize(("text", "says"), [("a\n", "before its end"), ("x\nx\n", "everybody was taken out")])
def test_a_review_that_leaves_nothing_to_keep_leaves_the_file(review, text, says):
    with pytest.raises(OpeniirError, match=says):
        review(text)
    assert review.file.read_text(encoding="utf-8") == ROSTER
