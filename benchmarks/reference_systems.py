"""CPU time per turn of each reference recommender, compared with the random one.

    python benchmarks/reference_systems.py [--items 400 2000 60000] [--dialogues 300]

Made-up films with genre, year, director, two actors and three keywords, ten ratings an item. Users say their
acts: they disclose the wishes of a drawn item, name a liking, criticise, ask, refuse and have had things, in
eight turns whatever is recommended. A turn is one `hear`, `respond` and `said`, by the best of three rounds
of processor time; what is made at first use is timed apart (`first`). A system with a model behind it is
timed offline, with its question (`prompted+question`) and without. `retrieval` searches 5,000 made-up
contexts. Exits with 1 where a turn of `attribute` takes 150 microseconds or more on at most 2,000 items.
"""

import argparse
import sys
import time
from collections.abc import Iterator

import numpy as np

from openiir.kit.items import Collection, Ratings
from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.systems import REFERENCE_SYSTEMS, reference_system
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.system import ReferenceSystem
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue, Need, Slot, Utterance
from openiir.scenarios.conversational.model.titles.facets import Facets

GOAL, SMALL = 150.0, 2_000
TURNS = 8
GENRES = (
    "Action Animation Comedy Crime Documentary Drama Fantasy Horror Musical Romance Thriller Western".split()
)


def make_films(n: int) -> Collection:
    draw = Draw(1, "films")

    def several(slot: str, values: list[str], k: int) -> tuple[tuple[str, ...], ...]:
        at = draw.at(slot).below(len(values), item=np.arange(n)[:, None], step=np.arange(k)[None, :])
        return tuple(tuple(dict.fromkeys(values[one] for one in row)) for row in at.tolist())

    people = [f"Person {number}" for number in range(max(20, n // 4))]
    return Collection(
        "movie",
        ids=tuple(f"f{number}" for number in range(n)),
        titles=tuple(f"Film {number}, The ({1950 + number % 70})" for number in range(n)),
        attributes={
            "genre": several("genre", GENRES, 2),
            "year": several("year", [str(1950 + number) for number in range(70)], 1),
            "director": several("director", people, 1),
            "actor": several("actor", people, 2),
            "keyword": several("keyword", [f"matter {number}" for number in range(max(40, n // 10))], 3),
        },
    )


def make_ratings(n: int) -> Ratings:
    """Build synthetic ratings, ten per item on average and more for the first items."""
    users = max(20, n // 10)
    row = np.arange(10 * n)
    user = Draw(1, "user").below(users, item=row)
    item = np.floor(n * Draw(1, "item").uniform(item=row) ** 2).astype(np.int64)
    pairs = np.unique(user * n + item)
    return Ratings(users, n, pairs // n, pairs % n, np.full(len(pairs), 4.0))


def make_past_dialogues(collection: Collection) -> tuple[Dialogue, ...]:
    draw = Draw(1, "past")
    found = []
    for number in range(1_000):
        lines = []
        for turn in range(5):
            item = draw.below(len(collection), item=number, step=turn)
            values = [value for column in collection.attributes.values() for value in column[item]]
            lines.append(
                Utterance(
                    speaker="user",
                    text=f"I would like something with {', '.join(values)} in dialogue {number}",
                )
            )
            lines.append(
                Utterance(
                    speaker="system",
                    text=f"Number {number}-{turn}: {collection.titles[item]}",
                    items=(collection.ids[item],),
                )
            )
        found.append(Dialogue(id=str(number), utterances=tuple(lines)))
    return tuple(found)


def act(intent: str, *pairs: tuple[str, str | None]) -> Act:
    return Act(intent=intent, slots=tuple(Slot(slot=slot, value=value) for slot, value in pairs))


def scripts(collection: Collection, dialogues: int) -> list[tuple[Need, list[tuple[str, tuple[Act, ...]]]]]:
    """Build the need and the scripted turns of each user."""
    found = []
    for number in range(dialogues):
        item = Draw(1, "need").below(len(collection), item=number)
        wishes = [
            (slot, collection.attributes[slot][item][0]) for slot in ("genre", "actor", "keyword", "year")
        ]
        turns = [
            ("a wish", (act("GREET"), act("DISCLOSE", wishes[0]))),
            ("that one", (act("LIKE", ("title", collection.titles[(7 * item + 1) % len(collection)])),)),
            ("another", (act("DISLIKE"), act("CRITIQUE", wishes[1]))),
            ("who made it", (act("INQUIRE", ("director", None), ("year", None)),)),
            ("seen", (act("CONSUMED"), act("LIKE"))),
            ("a matter", (act("DISCLOSE", wishes[2]),)),
            ("no", (act("DISLIKE"), act("CRITIQUE", wishes[3]))),
            ("no", (act("DISLIKE"),)),
        ]
        others = [collection.ids[(item + one) % len(collection)] for one in range(TURNS)]
        found.append((Need(constraints=tuple(wishes), targets=(collection.ids[item], *others)), turns))
    return found


def hold_dialogues(
    system: ReferenceSystem, dialogues: list[tuple[Need, list[tuple[str, tuple[Act, ...]]]]], asked: bool
) -> Iterator[None]:
    """Hold the dialogues, yielding after each turn."""
    for number, (need, turns) in enumerate(dialogues):
        talk = system.open(need, None)
        for step, (text, acts) in enumerate(turns):
            talk.hear(text, acts)
            if asked:
                system.question(talk, ())  # type: ignore[attr-defined]
            talk.note_turn(talk.respond(Draw(1, "turn", agent=number, item=step)))
            yield


def time_dialogues(
    system: ReferenceSystem, dialogues: list[tuple[Need, list[tuple[str, tuple[Act, ...]]]]], asked: bool
) -> tuple[float, float]:
    """Measure milliseconds of the first dialogue, and microseconds per turn of the others."""
    begun = time.process_time()
    for _ in hold_dialogues(system, dialogues[:1], asked):
        pass
    first = time.process_time() - begun
    rounds = []
    for part in range(3):
        some = dialogues[1 + part :: 3]
        begun = time.process_time()
        turns = sum(1 for _ in hold_dialogues(system, some, asked))
        rounds.append((time.process_time() - begun) / turns)
    return 1e3 * first, 1e6 * min(rounds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, nargs="+", default=[400, 2_000, 60_000])
    parser.add_argument("--dialogues", type=int, default=300)
    given = parser.parse_args()
    slow = False
    for n in given.items:
        collection = make_films(n)
        ratings, dialogues, said = (
            make_ratings(n),
            scripts(collection, given.dialogues + 1),
            make_past_dialogues(collection),
        )
        reference = 0.0
        print(f"{n} items\n| system | first, ms | a turn, us | times `random` |\n|---|---|---|---|")
        for name in (*REFERENCE_SYSTEMS, "prompted+question"):
            known = SystemKnowledge(
                collection, Facets(collection), ratings, dialogues=lambda name, said=said: said
            )
            options = {"dialogues": "past"} if name == "retrieval" else {}
            system = reference_system(name.partition("+")[0], options, known)
            first, turn = time_dialogues(system, dialogues, "+" in name)
            reference = reference or turn
            slow |= name == "attribute" and n <= SMALL and turn >= GOAL
            print(f"| {name} | {first:.1f} | {turn:.0f} | {turn / reference:.1f} |", flush=True)
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
