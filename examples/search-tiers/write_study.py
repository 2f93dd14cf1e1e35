"""Write a judged collection as this study reads it: a small library, a web, queries and judgements.

    python examples/search-tiers/write_study.py FOLDER cranfield|cisi

FOLDER gets the study beside them. Reads `$OPENIIR_DATA/ir-cranfield/original` or `$OPENIIR_DATA/ir-cisi`. The
library, which all tiers search, has every second document; the web has all. Cranfield's queries are numbered
by their order, as they are judged. Its original grades fall from 1, a complete answer, to 4; here they rise,
5 less the grade, and the documents judged -1, one of each query, get 4 (docs/reference/retrieval.md). CISI's
judgements are yes or no, and 35 of its queries have none and are left out.
"""

import os
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
FILES = {
    "cranfield": ("ir-cranfield/original", "cran.all.1400", "cran.qry", "cranqrel"),
    "cisi": ("ir-cisi", "CISI.ALL", "CISI.QRY", "CISI.REL"),
}
LONGEST = 1_000
"""Characters of a query that a study takes; four of CISI's are longer."""


def read_records(file: Path) -> dict[int, str]:
    """Read title and words (marks T and W) of each record of a SMART file, by its number."""
    found = {}
    for record in re.split(r"^\.I ", file.read_text("latin-1"), flags=re.MULTILINE)[1:]:
        number, _, rest = record.partition("\n")
        parts = re.split(r"^\.([A-Z])\s*\n", rest, flags=re.MULTILINE)
        fields = dict(zip(parts[1::2], parts[2::2], strict=True))
        texts = (" ".join(fields.get(mark, "").split()) for mark in "TW")
        found[int(number)] = "\n\n".join(text for text in texts if text)
    return found


def read_judgements(file: Path, name: str) -> dict[tuple[int, int], int]:
    """Read the gain of each judged pair of query and document."""
    rows = [line.split() for line in file.read_text("utf-8").splitlines() if line.strip()]
    if name == "cisi":
        return {(int(query), int(document)): 1 for query, document, *_ in rows}
    return {(int(q), int(d)): 4 if grade == "-1" else 5 - int(grade) for q, d, grade, *_ in rows}


def write_collection(folder: Path, data: Path, name: str) -> None:
    place, documents, queries, judgements = FILES[name]
    judged = read_judgements(data / place / judgements, name)
    for half in ("library", "elsewhere"):
        (folder / half).mkdir(parents=True, exist_ok=True)
    names = {}
    for number, text in read_records(data / place / documents).items():
        if text:
            names[number] = f"{'library' if number % 2 else 'elsewhere'}/{number:04}.txt"
            (folder / names[number]).write_text(f"{text}\n", encoding="utf-8")
    asked = read_records(data / place / queries)
    if name == "cranfield":
        asked = dict(enumerate(asked.values(), 1))
    served = sorted({query for query, document in judged if document in names})
    words = {query: " ".join(asked[query].split()).replace("\\", " ").replace('"', "'") for query in served}
    lines = [f'q{query:03} = "{text[:LONGEST]}"\n' for query, text in words.items()]
    (folder / "needs.toml").write_text("".join(lines), encoding="utf-8")
    rows = [f"q{q:03} 0 {names[d]} {gain}\n" for (q, d), gain in judged.items() if d in names]
    (folder / "qrels.txt").write_text("".join(rows), encoding="utf-8")
    for file in ("study.toml", "personas.toml"):
        shutil.copy(HERE / file, folder / file)
    print(f"{len(names)} documents, {len(words)} queries and {len(rows)} judgements in {folder}")


if __name__ == "__main__":
    write_collection(Path(sys.argv[1]), Path(os.environ["OPENIIR_DATA"]), sys.argv[2])
