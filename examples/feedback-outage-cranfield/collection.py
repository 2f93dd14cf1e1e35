"""Write the Cranfield collection as this study reads it: documents, queries, and judgements.

    python examples/feedback-outage-cranfield/collection.py FOLDER

FOLDER gets the study beside them. Reads `$OPENIIR_DATA/ir-cranfield/original`. Queries are numbered by their
order, which is how they are judged. The original grades fall from 1, a complete answer, to 4; here they rise,
5 less the grade, and the documents judged -1, one of each query, get 4 (see docs/reference/retrieval.md).
"""

import os
import re
import shutil
import sys
from pathlib import Path


def read_records(file: Path) -> list[str]:
    """Read the words (mark W) of each record of a SMART file, in order."""
    records = re.split(r"^\.I .*\n", file.read_text("latin-1"), flags=re.MULTILINE)[1:]
    return [" ".join(f"\n{record}".partition("\n.W\n")[2].split()) for record in records]


def write_collection(folder: Path, data: Path) -> None:
    original = data / "ir-cranfield" / "original"
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    names = {}
    for number, text in enumerate(read_records(original / "cran.all.1400"), 1):
        if text:
            names[str(number)] = f"documents/{number:04}.txt"
            (folder / names[str(number)]).write_text(f"{text}\n", encoding="utf-8")
    queries = enumerate(read_records(original / "cran.qry"), 1)
    lines = [f'q{number:03} = "{text}"\n' for number, text in queries]
    (folder / "queries.toml").write_text("".join(lines), encoding="utf-8")
    judged = {}
    for line in (original / "cranqrel").read_text("utf-8").splitlines():
        query, document, grade = line.split()[:3]
        if document in names:
            judged[int(query), names[document]] = 4 if grade == "-1" else 5 - int(grade)
    rows = [f"q{query:03} 0 {document} {gain}\n" for (query, document), gain in judged.items()]
    (folder / "qrels.txt").write_text("".join(rows), encoding="utf-8")
    for name in ("study.toml", "personas.toml"):
        shutil.copy(Path(__file__).parent / name, folder / name)


if __name__ == "__main__":
    write_collection(Path(sys.argv[1]), Path(os.environ["OPENIIR_DATA"]))
