"""Accuracy of the readers of dialogue acts on IARD, compared with nearest-neighbour classification; no
language model.

    OPENIIR_DATA=... python benchmarks/act_understanding.py [--draws 1000]

Reads `crs/iard/formatted_IARD_annotated_gold.json` and the catalogue `crs/redial/id2info.json` below
OPENIIR_DATA. Readers are trained on one half of the dialogues and all are scored on the other half; the rules
were written with the first half in view. Intervals are percentile bootstraps of 95 % over dialogues. At the
end, what reading one sentence costs with catalogues of 2,000 and 60,000 items, and what saying an act costs.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from act_scoring import NearestReader, Reading, is_held_out, score_reader
from iard_labels import IardReader
from openiir.kit.items import Collection
from openiir.plugin import Draw
from openiir.scenarios.conversational.model.dialogue import Act, Slot
from openiir.scenarios.conversational.model.formats.dialoguekit import read_dialogues
from openiir.scenarios.conversational.model.generation.templates import Templates
from openiir.scenarios.conversational.model.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.model.understanding.trained import TrainedReader

SENTENCES = (
    ("user", "I am looking for a comedy about time travel."),
    ("system", "How about Toy Story (1995)? It is a comedy."),
)


def redial(path: Path) -> Collection:
    """Load ReDial's films with genres, actors and directors."""
    rows = [(id, row) for id, row in json.loads(path.read_text()).items() if row["name"].strip()]
    names = {"genre": "genre", "actor": "star", "director": "director"}
    return Collection(
        kind="movie",
        ids=tuple(id for id, _ in rows),
        titles=tuple(row["name"] for _, row in rows),
        attributes={
            slot: tuple(tuple(dict.fromkeys(row[key])) for _, row in rows) for slot, key in names.items()
        },
    )


def reading(reader: CatalogueReader | IardReader | NearestReader | TrainedReader) -> Reading:
    """Return a function that reads either speaker's acts with this reader."""
    return lambda speaker, text, context: (reader.user_acts if speaker == "user" else reader.system_acts)(
        text, context
    )


def made_up(items: int) -> Collection:
    """Build a synthetic catalogue of this size, with made-up titles and a few genres."""
    draw, letters = Draw(1, "titles"), "abdeghiklmnoprstuv"
    words = [
        "".join(letters[draw.below(18, agent=w, item=n)] for n in range(6)).title() for w in range(4_000)
    ]
    titles = [
        f"{words[draw.below(4_000, item=n)]} {words[draw.below(4_000, item=n, step=1)]} {n}"
        for n in range(items)
    ]
    titles[0] = "Toy Story (1995)"
    genres = tuple(((("Comedy", "Horror", "Drama")[n % 3]),) for n in range(items))
    return Collection(
        kind="movie", ids=tuple(map(str, range(items))), titles=tuple(titles), attributes={"genre": genres}
    )


def cost(work: Callable[[], object], times: int = 500) -> float:
    """Measure the CPU time of one call in microseconds, the best of five repeats."""
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for _ in range(times):
            work()
        best = min(best, (time.process_time() - start) / times)
    return best * 1e6


def main() -> None:
    """Print the tables of scores and costs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--draws", type=int, default=1_000)
    draws = parser.parse_args().draws
    data = Path(os.environ["OPENIIR_DATA"]) / "crs"
    dialogues = read_dialogues(data / "iard/formatted_IARD_annotated_gold.json")
    train = [d for d in dialogues if not is_held_out(d.id)]
    test = [d for d in dialogues if is_held_out(d.id)]
    rules = IardReader(CatalogueReader(redial(data / "redial/id2info.json")))
    readers = {
        "nearest, one intent": NearestReader(train, single=True),
        "nearest, all intents": NearestReader(train),
        "rules alone": rules,
        "trained": TrainedReader(train),
        "trained, rules seen": TrainedReader(train, rules),
    }
    print(f"{len(train)} dialogues to train on, {len(test)} held out\n")
    print(
        "| reader | speaker | intents, micro F1 | macro F1 | act + slot + value, F1 |\n|---|---|---|---|---|"
    )
    for name, reader in readers.items():
        for speaker in ("user", "system", None):
            found = score_reader(test, reading(reader), speaker, draws)
            cells = [
                f"{s.f1:.3f} [{s.low:.3f}, {s.high:.3f}]" for s in (found.micro, found.macro, found.triples)
            ]
            print(f"| {name} | {speaker or 'both'} | {' | '.join(cells)} |")
    templates, drawn = Templates(), [Draw(1, "cost", item=str(n)) for n in range(500)]
    said = (
        Act(intent="DISCLOSE", slots=(Slot(slot="genre", value="Comedy"), Slot(slot="year", value="1999"))),
    )
    saying = cost(lambda: [templates.render(said, draw) for draw in drawn], times=4) / len(drawn)
    print(f"\nsaying an act of two values: {saying:.1f} us")
    print("\n| a sentence of | 2,000 items, us | 60,000 items, us | ratio |\n|---|---|---|---|")
    small, large = CatalogueReader(made_up(2_000)), CatalogueReader(made_up(60_000))
    for speaker, text in SENTENCES:
        few, many = (cost(partial(reading(reader), speaker, text, ())) for reader in (small, large))
        print(f"| {speaker} | {few:.0f} | {many:.0f} | {many / few:.2f} |")


if __name__ == "__main__":
    main()
