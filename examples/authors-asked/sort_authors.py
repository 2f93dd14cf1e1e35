"""Sort the Cranfield collection by author, and write a study in which authors are the sources.

    python examples/authors-asked/sort_authors.py FOLDER

Reads `$OPENIIR_DATA/ir-cranfield/original`. Each document goes to the folder of its first author. The goals
are the questions whose relevant documents are by the most authors. Questions are numbered by their order, as
they are judged. The original grades fall from 1, a complete answer, to 4; here they rise, 5 less the grade,
and the documents judged -1, one of each question, get 4 (docs/reference/retrieval.md).
"""

import os
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
GOALS = 6


def read_records(file: Path) -> list[dict[str, str]]:
    """Read the fields of each record of a SMART file by their letter, in order."""
    records = re.split(r"^\.I .*\n", file.read_text("latin-1"), flags=re.MULTILINE)[1:]
    marks = re.compile(r"^\.([TABW])\n", re.MULTILINE)
    found = []
    for record in records:
        _, *parts = marks.split(record)
        fields = dict(zip(parts[::2], (" ".join(part.split()) for part in parts[1::2]), strict=True))
        found.append(fields)
    return found


def name_author(fields: dict[str, str]) -> str:
    """Return the name of the first author as that of a folder; empty where the record names none."""
    first = re.split(r",? and |,\s*(?=[a-z-]{3})", fields.get("A", ""))[0]
    return re.sub(r"[^a-z]+", "-", first.lower()).strip("-")


def write_study(folder: Path, data: Path) -> None:
    original, documents = data / "ir-cranfield" / "original", {}
    for number, fields in enumerate(read_records(original / "cran.all.1400"), 1):
        author = name_author(fields)
        if author and fields.get("W"):
            documents[str(number)] = (author, f"authors/{author}/{number:04}.txt")
            (folder / "authors" / author).mkdir(parents=True, exist_ok=True)
            (folder / documents[str(number)][1]).write_text(fields["W"] + "\n", encoding="utf-8")
    judged: dict[int, dict[str, int]] = {}
    for line in (original / "cranqrel").read_text("utf-8").splitlines():
        question, document, grade = line.split()[:3]
        if document in documents:
            judged.setdefault(int(question), {})[document] = 4 if grade == "-1" else 5 - int(grade)

    def count_authors(question: int) -> int:
        return len({documents[one][0] for one in judged[question]})

    goals = sorted(sorted(judged, key=lambda one: (-count_authors(one), one))[:GOALS])
    rows = [f"q{q} 0 {documents[one][1]} {gain}\n" for q in goals for one, gain in judged[q].items()]
    (folder / "qrels.txt").write_text("".join(rows), encoding="utf-8")
    asked = [fields["W"].rstrip(" .?") for fields in read_records(original / "cran.qry")]
    words = [f'q{q} = "{asked[q - 1]}"\n' for q in goals]
    study = (HERE / "study.toml").read_text("utf-8")
    (folder / "study.toml").write_text(f"{study}{''.join(words)}", encoding="utf-8")
    shutil.copy(HERE / "personas.toml", folder)
    print(f"{len({one for one, _ in documents.values()})} authors and {len(goals)} goals in {folder}")


if __name__ == "__main__":
    write_study(Path(sys.argv[1]), Path(os.environ["OPENIIR_DATA"]))
