"""CPU time per turn of each reference recommender, compared with the random one.

    python benchmarks/reference_systems.py [400 2000 60000] [--dialogues 300]

Made-up films with genre, year, director, two actors and three keywords, ten ratings an item. Users say their
acts: they disclose the wishes of a drawn item, name a liking, criticise, ask, refuse and have had things, in
eight turns whatever is recommended. A turn is one `hear`, `respond` and `said`, by the best of three rounds
of processor time; what is made at first use is timed apart (`first`). A system with a model behind it is
timed offline, with its question (`prompted+question`) and without. `retrieval` searches 5,000 made-up
contexts. Exits with 1 where a turn of `attribute` takes 150 microseconds or more on at most 2,000 items.
"""

import sys

import numpy as np

from measuring import Sizes, print_table, read_clocks, run_command, since
from openiir.kit.items import Collection, Ratings
from openiir.plugin import Draw
from openiir.scenarios.conversational.behaviour.systems import REFERENCE_SYSTEMS, reference_system
from openiir.scenarios.conversational.behaviour.systems.knowledge import SystemKnowledge
from openiir.scenarios.conversational.behaviour.systems.system import ReferenceSystem
from openiir.scenarios.conversational.model.dialogue import Act, Dialogue, Need, Slot, Utterance
from openiir.scenarios.conversational.model.titles.facets import Facets

GOAL, SMALL = 150.0, 2_000
TURNS = 8
SYSTEMS = (*REFERENCE_SYSTEMS, "prompted+question")
Script = tuple[Need, list[tuple[str, tuple[Act, ...]]]]
"""A need, and the words and acts of each turn."""
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
            asked = f"I would like something with {', '.join(values)} in dialogue {number}"
            said, items = f"Number {number}-{turn}: {collection.titles[item]}", (collection.ids[item],)
            lines.append(Utterance(speaker="user", text=asked))
            lines.append(Utterance(speaker="system", text=said, items=items))
        found.append(Dialogue(id=str(number), utterances=tuple(lines)))
    return tuple(found)


def act(intent: str, *pairs: tuple[str, str | None]) -> Act:
    return Act(intent=intent, slots=tuple(Slot(slot=slot, value=value) for slot, value in pairs))


def scripts(collection: Collection, dialogues: int) -> list[Script]:
    """Build the need and the scripted turns of each user."""
    found = []
    for number in range(dialogues):
        item = Draw(1, "need").below(len(collection), item=number)
        slots = ("genre", "actor", "keyword", "year")
        wishes = [(slot, collection.attributes[slot][item][0]) for slot in slots]
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


def hold_dialogues(system: ReferenceSystem, dialogues: list[Script], asked: bool) -> float:
    """Hold the dialogues; return CPU seconds per turn."""
    start, turn = read_clocks(), 0
    for number, (need, turns) in enumerate(dialogues):
        talk = system.open(need, None)
        for step, (text, acts) in enumerate(turns):
            talk.hear(text, acts)
            if asked:
                system.question(talk, ())  # type: ignore[attr-defined]
            talk.note_turn(talk.respond(Draw(1, "turn", agent=number, item=step)))
            turn += 1
    return since(start).cpu / turn


def main(items: Sizes = (400, 2_000, 60_000), dialogues: int = 300) -> None:
    turns = {n: time_systems(n, dialogues) for n in items}
    sys.exit(any(turn >= GOAL for n, turn in turns.items() if n <= SMALL))


def time_systems(n: int, number: int) -> float:
    """Print a row for each system on so many items; return the microseconds of a turn of `attribute`."""
    collection = make_films(n)
    ratings, talks, past = make_ratings(n), scripts(collection, number + 1), make_past_dialogues(collection)
    costs: dict[str, float] = {}

    def measure(name: str) -> tuple[str, ...]:
        known = SystemKnowledge(collection, Facets(collection), ratings, dialogues=lambda name: past)
        options = {"dialogues": "past"} if name == "retrieval" else {}
        system, asked = reference_system(name.partition("+")[0], options, known), "+" in name
        first = 1e3 * TURNS * hold_dialogues(system, talks[:1], asked)
        turn = costs[name] = 1e6 * min(
            hold_dialogues(system, talks[1 + part :: 3], asked) for part in range(3)
        )
        return name, f"{first:.1f}", f"{turn:.0f}", f"{turn / next(iter(costs.values())):.1f}"

    print(f"{n} items")
    print_table("system | first, ms | a turn, us | times `random`", map(measure, SYSTEMS))
    return costs["attribute"]


if __name__ == "__main__":
    run_command(main)
