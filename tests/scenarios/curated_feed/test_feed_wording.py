"""Words of a feed's prompts."""

import pytest

from openiir.scenarios.curated_feed.wording import nth

ORDINALS = "1st 2nd 3rd 4th 9th 10th 11th 12th 13th 14th 20th 21st 22nd 23rd 24th 30th 101st 111th 112th 113th 122nd"


@pytest.mark.parametrize("ordinal", ORDINALS.split())
def test_ordinals_in_figures(ordinal: str) -> None:
    assert nth(int(ordinal[:-2])) == ordinal
