"""Keep how a file spelt its JSON, so that it can be written back unchanged."""

import json
from collections.abc import Mapping
from typing import Any

AS_WRITTEN = "as written"
"""The key of Utterance.extra and Dialogue.metadata under which it is kept."""
_OURS, _THEIRS = "ours", "theirs"


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Return our and their spelling of each key where they differ; a side that lacks the key is left out."""
    return {
        key: {name: whole[key] for name, whole in ((_OURS, ours), (_THEIRS, theirs)) if key in whole}
        for key in dict.fromkeys([*theirs, *ours])
        if (key in ours) != (key in theirs) or not same(ours[key], theirs[key])
    }


def restore(ours: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """Put their spelling back into each key that is unchanged since `kept` was made."""
    unchanged = {
        key: pair
        for key, pair in kept.items()
        if (key in ours) == (_OURS in pair) and (key not in ours or same(ours[key], pair[_OURS]))
    }
    theirs = {key: pair[_THEIRS] for key, pair in unchanged.items() if _THEIRS in pair}
    return {key: value for key, value in ours.items() if key in theirs or key not in unchanged} | theirs


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON, where 1, 1.0 and true are three things."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
