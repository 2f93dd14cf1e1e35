"""Test collections from ir_datasets as sources: documents, queries and relevance judgements.

ir_datasets (MacAvaney, Yates, Feldman, Downey, Cohan & Goharian, "Simplified Data Wrangling with
ir_datasets", SIGIR 2021) knows where each collection lies and how it is written. Its files stay in its own
folder, `IR_DATASETS_HOME` or `~/.ir_datasets`, where copies made by hand are found too.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from openiir.core.errors import InputError, UnknownName
from openiir.core.world.text import BadSource, from_plain, silence_logger

PREFIX = "ir_datasets:"
"""Prefix of a world's source that names a collection."""
MAX_DOCUMENTS = 100_000
"""Most documents of a collection, since a world is read into memory and indexed as a whole."""


def read_collection(id: str, fetch: bool = False) -> dict[str, str]:
    """Read a collection's documents by id, as ir_datasets' default text (title and text).

    Raises InputError where ir_datasets is not installed or knows no such collection, BadSource where it has
    no documents, more than `MAX_DOCUMENTS`, or its files are neither here nor to be fetched.
    """
    texts: dict[str, str] = {}
    for document in _read_records(id, "docs", fetch):
        if len(texts) == MAX_DOCUMENTS:
            raise BadSource(
                f"holds more than {MAX_DOCUMENTS:,} documents, and a world is read into memory; take a "
                "smaller collection"
            )
        texts[str(document.doc_id)] = from_plain(_document_text(document))
    return texts


def read_queries(id: str) -> dict[str, str]:
    """Return the queries of a collection by id, in its order; raises InputError."""
    return {
        str(query.query_id): " ".join(_document_text(query).split()) for query in _read_all(id, "queries")
    }


def list_judgements(id: str) -> list[tuple[str, str, int, str]]:
    """List a collection's judgements as (query, document, relevance, iteration); raises InputError."""
    return [
        (str(one.query_id), str(one.doc_id), int(one.relevance), str(getattr(one, "iteration", "0")))
        for one in _read_all(id, "qrels")
    ]


def _read_all(id: str, part: str) -> list[Any]:
    try:
        return list(_read_records(id, part, fetch=False))
    except BadSource as error:
        raise InputError(f"{PREFIX}{id} {error}") from None


def _read_records(id: str, part: str, fetch: bool) -> Iterator[Any]:
    """Iterate over the records of one part of a collection; raises InputError and BadSource."""
    try:
        import ir_datasets as library
    except ImportError:
        raise InputError(
            "collections of ir_datasets need that package, which is not installed; run: pip install "
            "'openiir[ir]'"
        ) from None
    try:
        dataset = library.load(id)
    except KeyError:
        raise UnknownName("collection of ir_datasets", id, library.registry) from None
    if not getattr(dataset, f"has_{part}")():
        raise BadSource(f"has no {part}; name a collection that has, such as cranfield")
    refused: list[str] = []
    export = f"`ir_datasets export {id} {part}` downloads it"
    asked = "let a run download it (--fetch)" if part == "docs" else export
    # Its logger sets its own level when it is first made, so it is made before it is silenced.
    library.log.Logger("ir_datasets").logger()
    with _control_downloads(library, fetch, refused, asked), silence_logger("ir_datasets"):
        try:
            yield from getattr(dataset, f"{part}_iter")()
        except (OSError, RuntimeError, ValueError) as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise BadSource(refused[0] if refused else f"cannot be read by ir_datasets ({reason})") from error


@contextmanager
def _control_downloads(library: Any, allowed: bool, refused: list[str], remedy: str) -> Iterator[None]:
    """Prevent downloads by ir_datasets unless `allowed`, since it fetches missing files by itself."""
    requests = library.lazy_libs.requests

    def refuse() -> Any:
        home = library.util.home_path()
        refused.append(f"is not in {home} yet; {remedy}, or put its files there")
        raise OSError(refused[0])

    if not allowed:
        library.lazy_libs.requests = refuse
    try:
        yield
    finally:
        library.lazy_libs.requests = requests


def _document_text(record: Any) -> str:
    default = getattr(record, "default_text", None)
    if default is not None:
        return str(default())
    return "\n\n".join(
        str(getattr(record, field)) for field in ("title", "text", "body") if hasattr(record, field)
    )
