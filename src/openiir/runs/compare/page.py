"""Render a comparison as one self-contained HTML page with tables, sentences and plots."""

from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources

from openiir.core.html import html_table
from openiir.runs.compare import wording
from openiir.runs.compare.arms import value_text
from openiir.runs.compare.plots import measure_plot
from openiir.runs.compare.records import ArmValues, ComparedMeasure, Comparison

MOST_KEYS, MOST_VALUE, MOST_PICTURES = 60, 120, 40


def comparison_page(found: Comparison) -> str:
    """Return the HTML of a comparison's page.

    Equal comparisons give equal bytes under the same matplotlib.
    """
    style = resources.files("openiir.runs.compare").joinpath("page.css").read_text(encoding="utf-8")
    title = wording.comparison_title(found)
    body = "\n".join(part for section in (_head(found), _measures(found), _runs(found)) for part in section)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>\n{style}</style>\n</head>\n<body>\n'
        f"<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def _head(found: Comparison) -> Iterator[str]:
    yield from (f'<p class="warn">{escape(words)}.</p>' for words in found.warnings)
    yield from (f'<p class="warn">Left out: {escape(words)}.</p>' for words in found.left_out)
    rows: list[tuple[object, ...]] = [
        (
            arm.id,
            arm.label,
            len(arm.runs),
            ", ".join(map(str, arm.seeds)),
            "baseline" if arm.id == found.baseline else "",
        )
        for arm in found.arms
    ]
    yield "<h2>Arms</h2>"
    yield _table(("arm", "", "runs", "seeds", ""), rows, left=(0, 1, 3, 4))
    yield "<h2>What differs between them</h2>"
    if found.keys:
        yield f'<p class="small">Meant to differ: {escape(", ".join(found.keys))}.</p>'
    rows = [
        (
            key,
            *(value_text(values[arm.id])[:MOST_VALUE] for arm in found.arms),
            "not meant" if key in found.beyond else "",
        )
        for key, values in list(found.differs.items())[:MOST_KEYS]
    ]
    yield _table(("key", *(arm.id for arm in found.arms), ""), rows, left=range(len(found.arms) + 2))
    if len(found.differs) > MOST_KEYS:
        yield f'<p class="small">and {len(found.differs) - MOST_KEYS} more keys; see the JSON form.</p>'
    if found.measuring:
        settings = ", ".join(f"{k} = {value_text(v)}" for k, v in sorted(found.measuring.items()))
        yield f'<p class="small">Measured with {escape(settings)}.</p>'
    yield "<h2>How to read this</h2>"
    for note in (wording.describe_tests(found), *wording.NOTES):
        yield f'<p class="small">{escape(note)}</p>' if note else ""
    yield (
        '<p class="small">Pictures: grey points are seeds, grey lines join the values of one seed across '
        "arms; coloured are means with 95 % intervals. Right: differences from the baseline, filled where "
        "shown after the correction; the grey band holds differences declared too small to matter.</p>"
    )


def _measures(found: Comparison) -> Iterator[str]:
    named = [one for one in found.measures if one.family == "confirmatory"]
    others = [one for one in found.measures if one.family == "exploratory"]
    if named:
        yield "<h2>Confirmatory measures</h2>"
    for one in named:
        yield f"<h3>{escape(one.measure)}</h3>"
        yield from _measure_section(found, one)
    if not others:
        return
    hint = "not declared beforehand" if named else "none was declared beforehand by --measure"
    yield f"<h2>Exploratory measures ({hint})</h2>"
    telling = [one for one in others if any(c.higher or c.lower for c in one.contrasts)]
    telling.sort(key=lambda one: min(c.rank() for c in one.contrasts))
    yield _contrasts(found, telling, names=True)
    for n, one in enumerate(telling):
        yield f"<details><summary>{escape(one.measure)}</summary>"
        yield from _measure_section(found, one, picture=n < MOST_PICTURES)
        yield "</details>"
    yield from _tabulate_equal(found, [one for one in others if one not in telling])


def _tabulate_equal(found: Comparison, measures: Sequence[ComparedMeasure]) -> Iterator[str]:
    """Tabulate measures that are equal in all arms, untested or undefined, with means or the reason."""
    if not measures:
        return
    rows = []
    for one in measures:
        why = next((v.mean.reason for v in one.arms if v.mean.value is None), None)
        same = "the same in every shared seed" if any(c.seeds for c in one.contrasts) else "untested"
        rows.append((one.measure, *(wording.format_number(v.mean.value) for v in one.arms), why or same))
    yield (f"<details><summary>{len(rows)} measures: the same in every arm, untested or undefined</summary>")
    yield _table(("measure", *(arm.id for arm in found.arms), ""), rows, left=(0, len(found.arms) + 1))
    yield "</details>"


def _measure_section(found: Comparison, one: ComparedMeasure, picture: bool = True) -> Iterator[str]:
    for c in one.contrasts:
        kind = "answer shown" if c.is_significant else "answer"
        yield f'<p class="{kind}">{escape(wording.describe_contrast(found, one, c))}</p>'
        if c.equivalence is not None:
            words = wording.describe_equivalence(c)
            yield f'<p class="small">{escape(words[:1].upper() + words[1:])}.</p>'
    if picture and any(c.higher or c.lower for c in one.contrasts):
        yield measure_plot(found, one)
    yield _table(
        ("arm", "mean", "95 % interval", "least", "most", "seeds", ""),
        [(found.arm(v.arm).label, *wording.format_arm(v), _why_undefined(v)) for v in one.arms],
        left=(0, 6),
    )
    yield _contrasts(found, [one], names=False)


def _why_undefined(values: ArmValues) -> str:
    return values.mean.reason or next((p.reason for p in values.points if p.reason), "")


def _contrasts(found: Comparison, measures: Sequence[ComparedMeasure], names: bool) -> str:
    """Tabulate the contrasts of measures with the baseline, one row each."""
    first = (["measure"] if names else []) + (["arm"] if len(found.arms) > 2 or not names else [])
    rows: list[dict[str, str]] = []
    for one in measures:
        for c in one.contrasts:
            own = {"measure": one.measure, "arm": found.arm(c.arm).label}
            rows.append({name: own[name] for name in first} | wording.format_contrast(c))
    if not rows:
        return ""
    return _table(tuple(rows[0]), [tuple(row.values()) for row in rows], left=range(len(first)))


def _runs(found: Comparison) -> Iterator[str]:
    yield "<h2>Runs</h2>"
    rows = [(arm.id, run.seed, run.folder, run.content) for arm in found.arms for run in arm.runs]
    yield f"<details><summary>{len(rows)} runs with their content hashes</summary>"
    yield _table(("arm", "seed", "folder", "content"), rows, left=(0, 2, 3))
    yield f"</details>\n<footer>openiir {escape(found.openiir)}</footer>"


def _table(head: Sequence[str], rows: Sequence[Sequence[object]], left: Sequence[int]) -> str:
    return f'<div class="wide">{html_table(head, rows, left)}</div>'
