"""A study that names a ready declaration holds it whole."""

import json

import pytest

from openiir.core.errors import InputError
from openiir.core.hashing import canonical
from openiir.core.systems import SystemSpec
from openiir.runs.study import load_study

STUDY = """type = "recommender"
[system.movies]
ready = "{ready}"
url = "http://127.0.0.1:1/"
timeout = 7
"""


def loaded(place, ready="moviebot", sets=()):
    (place / "study.toml").write_text(STUDY.format(ready=ready))
    return load_study(str(place), sets)


def test_the_document_holds_the_declaration_and_not_its_name(tmp_path):
    stored = json.loads(canonical(loaded(tmp_path).document()))["system"]["movies"]
    assert "ready" not in stored
    assert stored["response"] == ["message.text"]
    assert (stored["url"], stored["timeout"]) == ("http://127.0.0.1:1/", 7)
    assert SystemSpec.model_validate(stored) == loaded(tmp_path).study.system["movies"]


def test_a_key_can_be_set_from_outside(tmp_path):
    system = loaded(tmp_path, sets=['system.movies.url="http://127.0.0.1:2/"']).study.system["movies"]
    assert system.url == "http://127.0.0.1:2/"


def test_a_wrong_name_is_told_with_its_place(tmp_path):
    with pytest.raises(InputError, match=r"study\.toml.*system\.movies.*did you mean 'moviebot'"):
        loaded(tmp_path, ready="moviebott")
