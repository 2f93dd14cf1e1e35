"""No GPL among what openiir needs at run time: walked from its own requirements, as installed."""

import re
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement

COPYLEFT = re.compile(r"(?<!L)(?<!Lesser )\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)


def requirements(name, extras=frozenset()):
    """The distributions a distribution needs here and now."""
    for text in distribution(name).requires or ():
        needed = Requirement(text)
        wanted = [""] if not extras else sorted(extras)
        if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in wanted):
            yield needed.name.lower(), frozenset(needed.extras)


def run_time():
    """Every distribution reached from openiir, with the road there; an unmet optional one is passed over."""
    reached, waiting = {}, [("openiir", frozenset(), ())]
    while waiting:
        name, extras, road = waiting.pop()
        if (name, extras) in reached:
            continue
        try:
            further = list(requirements(name, extras))
        except PackageNotFoundError:
            continue
        reached[name, extras] = (*road, name)
        waiting += [(n, e, (*road, name)) for n, e in further]
    return {name: road for (name, _), road in reached.items()}


def licences(name):
    """What a distribution says of its licence: the SPDX expression, the field if it is short, the
    classifiers."""
    data = distribution(name).metadata
    field = data.get("License") or ""
    return [
        data.get("License-Expression") or "",
        field if len(field) < 200 else field[:200],
        *(c for c in data.get_all("Classifier") or () if c.startswith("License")),
    ]


def test_nothing_needed_at_run_time_is_gpl():
    found = run_time()
    assert len(found) > 40
    strict = {}
    for name, road in found.items():
        said = [text for text in licences(name) if COPYLEFT.search(text)]
        free = [text for text in licences(name) if re.search(r"\bOR\b|MIT|BSD|Apache", text)]
        if said and not free:
            strict[" > ".join(road)] = said
    assert not strict


def test_the_walk_reads_what_it_should():
    assert COPYLEFT.search("License :: OSI Approved :: GNU General Public License v3 (GPLv3)")
    assert COPYLEFT.search("GPL-3.0-or-later") and COPYLEFT.search("AGPLv3")
    assert not COPYLEFT.search("LGPL-2.1") and not COPYLEFT.search("GNU Lesser General Public License")
    assert {"numpy", "pydantic", "aiohttp", "openiir"} <= run_time().keys()
