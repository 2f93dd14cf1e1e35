"""Forecast a run by the mean tokens of an earlier run."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from openiir.core.errors import OpeniirError
from openiir.core.storage import RunFile
from openiir.core.storage.database import translate_errors
from openiir.runs.forecast.expected import REPLY, Forecast


def forecast_from_earlier_run(folders: Sequence[Path], kinds: Counter[str]) -> Forecast | None:
    """Forecast calls of these kinds by their mean tokens in an earlier run by a model; None without one.

    The first of `folders` with calls of all kinds counts, repairs included; folders that cannot be read are
    skipped.
    """
    for folder in folders:
        try:
            means = _means(folder)
        except OpeniirError:
            continue
        if kinds and kinds.keys() <= means.keys():
            forecast = Forecast(f"the calls of {folder}", calls=Counter(kinds))
            for kind, n in kinds.items():
                forecast.add(kind, "the prompt, repairs included", round(n * means[kind][0]))
                forecast.add(kind, REPLY, round(n * means[kind][1]))
            return forecast
    return None


def _means(folder: Path) -> dict[str, tuple[float, float]]:
    """Compute the mean prompt and reply tokens of a question, by kind."""
    sql = "select kind, 1.0 * sum(prompt_tokens), 1.0 * sum(reply_tokens), sum(attempt = 0) from call"
    with RunFile.open(folder) as run, translate_errors(run.path):
        rows = run.db.execute(f"{sql} where answerer = 'model' group by kind").fetchall()
    return {kind: (prompt / asked, reply / asked) for kind, prompt, reply, asked in rows if asked}
