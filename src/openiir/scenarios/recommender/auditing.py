"""How `openiir audit` moves the keys of this type: a small study, and what some keys need beside them to act."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parent / "reference"
AUDITED: Mapping[str, Any] = {"users": 6, "page.most": 4}
ACTS_WITH: Mapping[str, Mapping[str, Any]] = {}
