"""Reasons why runs ended, without the addresses of endpoints, which are settings."""

import json
import re
from collections.abc import Mapping
from typing import Any

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>,;()]*[^\s'\"<>,;().:]", re.IGNORECASE)


def withhold_addresses(reason: str, study: Mapping[str, Any] | None = None) -> str:
    """Return a reason with "the endpoint" for each address that the study itself does not name."""
    declared = json.dumps(study or {}, ensure_ascii=False)
    told = _ADDRESS.sub(lambda found: found[0] if found[0] in declared else "the endpoint", reason)
    return re.sub(r"the endpoint(?: or the endpoint)+", "the endpoints", told)
