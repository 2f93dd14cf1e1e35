"""Reasons why runs ended, without the addresses of endpoints, which are settings."""

import json
import re
from collections.abc import Mapping
from typing import Any

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>,;()]*[^\s'\"<>,;().:]", re.IGNORECASE)


def withhold_addresses(reason: str, study: Mapping[str, Any] | None = None) -> str:
    """Replace in a reason for failure each address that the study does not name by "the endpoint"."""
    declared = json.dumps(study or {}, ensure_ascii=False)
    told = _ADDRESS.sub(lambda found: found[0] if found[0] in declared else "the endpoint", reason)
    return re.sub(r"the endpoint(?: or the endpoint)+", "the endpoints", told)
