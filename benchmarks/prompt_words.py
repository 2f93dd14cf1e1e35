"""Number of words per prompt, by kind of question, in the studies with reviewed prompts.

    python benchmarks/prompt_words.py [--before TREE] > benchmarks/prompt_words.md

A prompt is all that a model is sent: who it is, what it sees and is asked, and the form of the reply. The behaviour model
answers, so that the figures need no model. `--before` names a checkout of an earlier version, which is asked the same
studies in a process of its own; its prompts may be more or fewer, as its questions ask for more or less at once.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tests" / "golden"), str(ROOT / "tests" / "shared")]
Lengths = dict[str, list[int]]


def count_words() -> Lengths:
    """Count the words of each prompt of all studies, by kind of question."""
    from prompts_asked import asked_in
    from record_prompts import STUDIES

    found: Lengths = {}
    for study, sets, _ in STUDIES:
        for kind, group in asked_in(study, sets).items():
            sent = [" ".join(message.text for message in one.messages()) for one in group]
            found.setdefault(kind, []).extend(len(text.split()) for text in sent)
    return found


def count_before(tree: str) -> Lengths:
    """Count the words of the prompts in another checkout."""
    environment = {**os.environ, "PYTHONPATH": str(Path(tree) / "src")}
    done = subprocess.run(
        [sys.executable, __file__, "--counts"], env=environment, check=True, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout))


def table_cells(lengths: Sequence[int] | None) -> tuple[str, str]:
    """Format the number of prompts and their median number of words."""
    return (f"{len(lengths):,}", f"{median(lengths):,.0f}") if lengths else ("", "")


def write_table(before: Lengths, now: Lengths) -> None:
    """Print a Markdown table with a row for each kind of question and a total."""
    print("# Words a prompt\n\nMedians, written by `benchmarks/prompt_words.py --before TREE`.\n")
    print("| kind | prompts before | words | prompts now | words |\n|---|---|---|---|---|")
    for kind in sorted({*before, *now}):
        print(f"| {' | '.join((kind, *table_cells(before.get(kind)), *table_cells(now.get(kind))))} |")
    both = [[n for lengths in counts.values() for n in lengths] for counts in (before, now)]
    print(f"| all prompts | {' | '.join((*table_cells(both[0]), *table_cells(both[1])))} |")
    total, since = sum(both[0]), sum(both[1])
    print(f"| words in all | | {total:,} | | {since:,} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", help="a checkout of an earlier version")
    parser.add_argument(
        "--counts", action="store_true", help="print each prompt's words as JSON instead of the table"
    )
    args = parser.parse_args()
    if args.counts:
        print(json.dumps(count_words()))
    else:
        write_table(count_before(args.before) if args.before else {}, count_words())


if __name__ == "__main__":
    main()
