"""One spelling for every value, so that equal content has equal hashes and different content does not."""

import hashlib
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openiir.core.hashing import canonical, fingerprint, hash_rows, sha256
from openiir.core.records import Persona

laws = settings(derandomize=True, deadline=None, max_examples=80, database=None)

leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
)


class TestCanonical:
    @laws
    @given(values)
    def test_it_is_the_standard_librarys_shortest_spelling(self, value):
        spelt = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        assert canonical(value) == spelt

    @laws
    @given(values)
    def test_it_reads_back_as_what_it_was(self, value):
        assert json.loads(canonical(value)) == value

    @laws
    @given(values)
    def test_reading_and_writing_again_changes_nothing(self, value):
        assert canonical(json.loads(canonical(value))) == canonical(value)

    @laws
    @given(st.dictionaries(st.text(), leaves, max_size=6), st.randoms(use_true_random=False))
    def test_the_order_of_keys_does_not_matter(self, value, random):
        keys = random.sample(sorted(value), len(value))
        assert canonical({key: value[key] for key in keys}) == canonical(value)

    @laws
    @given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**62), 2**62))
    def test_numpy_numbers_spell_as_python_numbers(self, x, n):
        assert canonical([np.float64(x), np.int64(n)]) == canonical([x, n])

    def test_a_record_is_its_fields(self):
        persona = Persona(id="ada", name="Ada", bio="Reads.")
        assert fingerprint(persona) == fingerprint(persona.model_dump(mode="json"))

    @pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf], {"x": math.nan}])
    def test_what_is_no_number_is_refused(self, value):
        with pytest.raises(ValueError, match="not JSON compliant"):
            canonical(value)

    def test_what_has_no_spelling_is_refused(self):
        with pytest.raises(TypeError, match="set has no canonical JSON form"):
            canonical({"x": {1, 2}})


class TestHashes:
    def test_text_is_hashed_as_utf8(self):
        assert sha256("naïve") == sha256("naïve".encode()) == hashlib.sha256("naïve".encode()).hexdigest()

    @laws
    @given(st.text(alphabet=st.characters(), max_size=20))
    def test_every_text_has_a_hash(self, text):
        assert len(sha256(text)) == len(sha256(text + "\ud800")) == 64

    @laws
    @given(st.sets(values.map(canonical), min_size=2, max_size=8))
    def test_different_values_have_different_fingerprints(self, spelt):
        assert len({fingerprint(json.loads(text)) for text in spelt}) == len(spelt)


class TestChain:
    @laws
    @given(st.lists(st.text(max_size=6), max_size=6), st.lists(st.text(max_size=6), max_size=6))
    def test_rows_cannot_run_into_each_other(self, one, two):
        assert (hash_rows(one) == hash_rows(two)) == (one == two)

    @laws
    @given(st.text(max_size=8), st.integers(0, 8))
    def test_a_border_inside_a_text_counts(self, text, cut):
        assert hash_rows([text[:cut], text[cut:]]) != hash_rows([text])

    def test_rows_may_stream(self):
        assert hash_rows(row for row in ("a", "b")) == hash_rows(["a", "b"])
