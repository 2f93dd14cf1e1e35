"""Sort the CISI collection onto shelves by author, as a library does, and write a study of it.

    OPENIIR_DATA=... python prepare.py FOLDER

CISI (1,460 abstracts on library science, 76 judged questions) is not part of this repository: `ir-cisi` below
`OPENIIR_DATA` holds it in SMART format.
"""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
SHELVES = ("a-b", "c", "d-f", "g", "h", "i-k", "l", "m", "n-p", "q-r", "s", "t-z")
"""Initials of the first author's surname that each shelf holds."""


def read_records(text):
    """Yield (number, fields by letter) of a file in SMART format."""
    for record in re.split(r"^\.I\s+", text, flags=re.M)[1:]:
        number, _, rest = record.partition("\n")
        fields = {}
        for part in re.split(r"^\.(?=[TAWBX]\s*$)", rest, flags=re.M)[1:]:
            fields.setdefault(part[0], " ".join(part[1:].split()))
        yield int(number), fields


def choose_shelf(author):
    """Return the shelf of an author; a document without a known author stands on the last one."""
    initial = author[:1].lower()
    return next((one for one in SHELVES if one[0] <= initial <= one[-1]), SHELVES[-1])


def main(folder):
    source, target = Path(os.environ["OPENIIR_DATA"]) / "ir-cisi", Path(folder)
    for number, fields in read_records((source / "CISI.ALL").read_text("utf-8")):
        shelf = target / "collection" / f"authors {choose_shelf(fields.get('A', ''))}"
        shelf.mkdir(parents=True, exist_ok=True)
        text = f"{fields.get('T', '')}\n\n{fields.get('A', '')}\n\n{fields.get('W', '')}\n"
        (shelf / f"cisi-{number:04}.txt").write_text(text, "utf-8")
    rows = [line.split()[:2] for line in (source / "CISI.REL").read_text().splitlines() if line.strip()]
    judged = {int(query) for query, _ in rows}
    qrels = "".join(f"q{query} 0 cisi-{int(document):04} 1\n" for query, document in rows)
    (target / "qrels.txt").write_text(qrels)
    asked = [one for one in read_records((source / "CISI.QRY").read_text("utf-8")) if one[0] in judged]
    needs = [(f"q{number}", fields["W"][:300].replace('"', "'")) for number, fields in asked]
    study = (HERE / "study.toml").read_text("utf-8")
    (target / "study.toml").write_text(study + "".join(f'{id} = "{words}"\n' for id, words in needs), "utf-8")
    (target / "personas.toml").write_text((HERE / "personas.toml").read_text("utf-8"), "utf-8")
    print(f"{len(needs)} questions; {len(SHELVES)} shelves in {target}")


if __name__ == "__main__":
    main(*sys.argv[1:])
