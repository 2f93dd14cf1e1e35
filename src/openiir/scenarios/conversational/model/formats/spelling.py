"""Records of how a file spelt its JSON, so that it can be written back unchanged."""

import json
from collections.abc import Mapping
from typing import Any

AS_WRITTEN = "as written"
"""Key of `Utterance.extra` and `Dialogue.metadata` that holds a file's original spelling."""
_OURS, _THEIRS = "ours", "theirs"


def spelling_differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Return, for each key whose JSON differs, openiir's and the file's value; a missing value is left
    out."""
    return {
        key: {name: whole[key] for name, whole in ((_OURS, ours), (_THEIRS, theirs)) if key in whole}
        for key in dict.fromkeys([*theirs, *ours])
        if (key in ours) != (key in theirs) or not same(ours[key], theirs[key])
    }


def restore(ours: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """Put the file's original spelling back into each key whose value has not changed since."""
    unchanged = {
        key: pair
        for key, pair in kept.items()
        if (key in ours) == (_OURS in pair) and (key not in ours or same(ours[key], pair[_OURS]))
    }
    theirs = {key: pair[_THEIRS] for key, pair in unchanged.items() if _THEIRS in pair}
    return {key: value for key, value in ours.items() if key in theirs or key not in unchanged} | theirs


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON; 1, 1.0 and true are different."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
