"""A record made of one's own values is the record that checking would have made."""

import pytest
from pydantic import ValidationError

from openiir.core.hashing import canonical
from openiir.core.records import Place

VALUES = {"lane": "main", "asker": "ada", "kind": "panel.utter", "subject": "", "step": 2, "ordinal": 0}


def test_it_equals_the_checked_record_and_is_spelt_alike():
    made, checked = Place.of_own(**VALUES), Place(**VALUES)
    assert made == checked and hash(made) == hash(checked)
    assert canonical(made) == canonical(checked) and repr(made) == repr(checked)


def test_it_is_frozen_as_well_and_can_be_copied():
    made = Place.of_own(**VALUES)
    with pytest.raises(ValidationError):
        made.step = 3
    assert made.model_copy(update={"step": 3}) == Place(**{**VALUES, "step": 3})
