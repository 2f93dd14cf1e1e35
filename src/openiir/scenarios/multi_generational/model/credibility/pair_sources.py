"""Where pairs come from: COVID-Fact, and any table by a map of its columns."""

from collections.abc import Iterator
from pathlib import Path

from openiir.kit.items.table_files import FileTable, TableFile, read_table
from openiir.plugin import ConfigTable, InputError
from openiir.scenarios.multi_generational.model.credibility.pairs import ClaimPair, refuse_same_ids


class PairColumns(ConfigTable):
    """Names of the columns of a table with one pair a row; an empty name where the table has no such column."""

    id: str = "id"
    topic: str = "topic"
    true: str = "true"
    """Text of the true version."""
    false: str = "false"
    """Text of the false version."""
    evidence: str = ""
    """Evidence strength, 0 to 1."""
    true_ratings: str = ""
    """Plausibility of the true version: a number, or a list with one number a rater."""
    false_ratings: str = ""


def read_pairs(table: TableFile, path: Path, columns: PairColumns) -> tuple[ClaimPair, ...]:
    """Read pairs from a table (text with a separator, JSON, JSONL, Parquet) by a map of its columns.

    Raises InputError for an unknown column, a missing or repeated id, a number that is none, and as `ClaimPair` does.
    """
    found = read_table(table, path, [name for name in columns.model_dump().values() if name])
    texts = [found.texts(name).to_pylist() for name in (columns.topic, columns.true, columns.false)]
    ids = found.ids(columns.id).to_pylist()
    evidence = found.numbers(columns.evidence).tolist() if columns.evidence else [None] * len(ids)
    ratings = [_read_ratings(found, name) for name in (columns.true_ratings, columns.false_ratings)]
    rows = zip(ids, *texts, evidence, *ratings, strict=True)
    return refuse_same_ids([ClaimPair(*row) for row in rows], path)


def _read_ratings(table: FileTable, name: str) -> list[tuple[float, ...]]:
    if not name:
        return [()] * len(table)
    try:
        return [tuple(map(float, ratings)) for ratings in table.lists(name)]
    except ValueError as error:
        raise InputError(
            f"{table.file}: {name} holds a rating that is no number ({error}); mend it"
        ) from None


def covid_fact_pairs(path: Path) -> tuple[ClaimPair, ...]:
    """Read pairs from COVID-Fact (Saakyan, Chakrabarty & Muresan, ACL 2021): a claim and its first counter-claim.

    Claims of one source and one list of evidence sentences belong together; the source is the topic, the sentences
    are the passages. Counter-claims were made by replacing words with a language model, which leaves surface cues:
    put `score_baseline` beside every figure. They have no ratings and stay unmatched.
    """
    table = read_table(TableFile(file=path.name), path, ["claim", "label", "evidence", "gold_source"])
    return refuse_same_ids(list(_pair_claims(table)), path)


def _pair_claims(table: FileTable) -> Iterator[ClaimPair]:
    columns = [table.texts(name).to_pylist() for name in ("claim", "label", "gold_source")]
    groups: dict[tuple[str, tuple[str, ...]], dict[str, str]] = {}
    for claim, label, source, passages in zip(*columns, table.lists("evidence"), strict=True):
        groups.setdefault((source, passages), {}).setdefault(label, claim)
    for number, ((source, passages), claims) in enumerate(groups.items(), 1):
        true, false = claims.get("SUPPORTED", ""), claims.get("REFUTED", "")
        if true and false and true.casefold().split() != false.casefold().split():
            yield ClaimPair(f"covid-fact/{number}", source, true, false, passages=passages)
