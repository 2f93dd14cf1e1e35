"""Write relevance judgements of debate articles by how many claims annotators marked in them.

python judge.py OUT: an article is judged 2 for its debate from five claims on, 1 from one claim on. The
folder of the data is named by OPENIIR_DATA.
"""

import csv
import os
import sys
import tomllib
from collections import Counter
from pathlib import Path

MANY = 5


def list_judgements(data: Path, debates: list[str]) -> list[str]:
    """List the lines of a TREC qrels file for these debates, which are folders of the data."""
    lines = []
    for debate in debates:
        with (data / debate / "claims.tsv").open(encoding="utf-8", newline="") as file:
            claims = Counter(row["article"].strip() for row in csv.DictReader(file, delimiter="\t"))
        for article, count in sorted(claims.items()):
            name = f"corpus-wiki-debate/{debate}/{article.replace(' ', '_')}.txt"
            if (data.parent / name).exists():
                lines.append(f"{debate} 0 {name} {1 + (count >= MANY)}")
    return lines


if __name__ == "__main__":
    study = tomllib.loads(Path(__file__).with_name("study.toml").read_text(encoding="utf-8"))
    corpus = Path(os.environ["OPENIIR_DATA"]) / "corpus-wiki-debate"
    found = list_judgements(corpus, list(study["config"]["queries"]))
    Path(sys.argv[1]).write_text("\n".join(found) + "\n", encoding="utf-8")
