"""Studies that cannot be are refused before they start, with words that name the key."""

import pytest

from openiir.plugin import InputError
from openiir.testing import run_offline


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("config.choice.requests=5", "requests = 5 of 4 sources"),
        ("config.planted=37", "planted = 37 of 40 members, 4 of them personas"),
        ('config.documents="folder"', "config.documents = 'folder'"),
        ("config.traces=[]", "traces"),
        ('config.traces=["all"]', "traces"),
        ("config.goals={}", "goals"),
        ('config.goals="cranfield"', "goals"),
    ],
)
def test_it_is_refused(setting, words, tmp_path):
    small = ("config.members=40", "config.sources=4", "config.rounds=2")
    with pytest.raises(InputError) as refused:
        run_offline("coordination_emergent", tmp_path / "run", *small, setting)
    assert words in str(refused.value)
