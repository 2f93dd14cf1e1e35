"""Labels and definitions of measures, by their names."""

import re
from collections.abc import Mapping

Definitions = Mapping[str, tuple[str, str]]
"""Label and definition of measures by name, the first that fits; * is any text, as {} in a label.

Of a name, what comes before a "/", a part in brackets, and the endings `.low`, `.high`
and `.less_X` are left out.
"""


def define_measure(definitions: Definitions, name: str) -> tuple[str, str]:
    """Return the label and the definition of a measure; empty where there is none."""
    whole = re.sub(r"\[.*\]", "", name).rpartition("/")[2]
    base, *other = re.split(r"\.less_", bare := re.sub(r"\.(low|high)$", "", whole))
    end = {".low": ", low end", ".high": ", high end"}.get(whole.removeprefix(bare), "")
    for wanted in dict.fromkeys((bare, base)):
        for pattern, (label, definition) in definitions.items():
            found = re.fullmatch(re.escape(pattern).replace(r"\*", "(.*)"), wanted)
            if found:
                less = f" less {other[0]}" if other and wanted == base else ""
                of = f"{end[2:]} of the 95 % interval: " if end else ""
                parts = [part.replace("_", " ") for part in found.groups()]
                return f"{label.format(*parts)}{less}{end}", of + definition
    return "", ""
