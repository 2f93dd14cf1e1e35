"""Agreement of the offline judge with crowd labels on the 467 dialogues of CRSArena-Eval.

    OPENIIR_DATA=... python benchmarks/judge_agreement.py

People talked to nine recommenders; a crowd graded each dialogue. Nobody wrote down what they were after, so
the judge reads the words alone: acts and titles are found with the films of the MovieLens 25M sample, whose
genres are the facts it sees. Printed are Spearman's correlations with 95 % intervals over dialogues
(percentile bootstrap), those of dialogue length alone beside them, and Kendall's tau between the judge's
order of the systems and people's. The weights of the reckoning are published ones (MODELS), none is fitted to
these dialogues; what counts as success, as a turn and as a repeat where no end is known was chosen with these
dialogues at hand, so that its correlation is no held-out one.
"""

import math
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from types import SimpleNamespace

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from sklearn.preprocessing import StandardScaler

from entity_linking import load_films
from measuring import data_folder, run_command, show
from openiir.kit.items import Collection
from openiir.kit.statistics import order_agreement
from openiir.kit.statistics.estimate import Estimate, percentile_interval
from openiir.kit.statistics.resampling import resamples
from openiir.plugin import Draw
from openiir.plugin.arguments import words
from openiir.scenarios.conversational.measures.judges import halo, rank_correlations
from openiir.scenarios.conversational.model.dialogue import Dialogue
from openiir.scenarios.conversational.model.formats.crsarena import CROWD, read_crsarena_eval
from openiir.scenarios.conversational.model.grading.heuristic_judge import ESTIMATES, grade
from openiir.scenarios.conversational.model.grading.judged_dialogue import JudgedDialogue, JudgedItem
from openiir.scenarios.conversational.model.understanding.annotating import annotate
from openiir.scenarios.conversational.model.understanding.catalogue import CatalogueReader
from openiir.scenarios.conversational.questions.judge import judge_question
from openiir.scenarios.conversational.run.actions import DialogueJudged
from openiir.scenarios.conversational.run.judge import ASPECTS

DIALOGUES = "crs/crsarena/crs_arena_eval.json"
PAIRS = (
    ("satisfaction", "dialogue_overall"),
    ("satisfaction", "task_completion"),
    ("relevance", "relevance"),
    ("relevance", "dialogue_overall"),
    ("flow", "understanding"),
    ("flow", "dialogue_overall"),
    ("style", "efficiency"),
    ("style", "dialogue_overall"),
    ("fluency", "interestingness"),
    ("fluency", "dialogue_overall"),
)
"""Aspects of the judge, each with the closest crowd label; turn labels are averaged over a dialogue."""
BY_TURN = ("relevance", "understanding", "efficiency", "interestingness")
STATED = {"barcor_redial": 1.48, "barcor_opendialkg": 1.05, "kbrd_redial": 0.51, "unicrs_opendialkg": 0.36}
"""Known means of the crowd's overall impression, 0 to 4, by system, to check the data."""


def judged_talks(dialogues: Sequence[Dialogue], collection: Collection | None) -> list[JudgedDialogue]:
    """Build the judge's view of the dialogues; with words alone if there is no collection."""
    if collection is None:
        return [JudgedDialogue(one.utterances) for one in dialogues]

    def show(turn: int, id: str) -> JudgedItem:
        item = collection.index[id]
        genres = tuple(("genre", value) for value in collection.values("genre", item))
        return JudgedItem(turn, collection.titles[item], genres)

    talks = []
    for one in annotate(dialogues, CatalogueReader(collection), again=True):
        numbered = enumerate(one.utterances, 1)
        shown = (show(n, id) for n, said in numbered if said.speaker == "system" for id in said.items)
        talks.append(JudgedDialogue(one.utterances, tuple(shown)))
    return talks


def crowd_label(dialogue: Dialogue, name: str) -> float:
    """Return the crowd's label of a dialogue; the mean over turns for labels of turns."""
    if name in dialogue.metadata[CROWD]:
        return float(dialogue.metadata[CROWD][name])
    noted = [one for said in dialogue.utterances for one in said.annotations]
    given = [float(value) for aspect, value in noted if aspect == name]
    return sum(given) / len(given) if given else math.nan


def system_of(dialogue: Dialogue) -> str:
    """Return the id of the recommender of a dialogue."""
    return dialogue.system.id if dialogue.system else ""


def by_system(dialogues: Sequence[Dialogue], values: Sequence[float]) -> dict[str, float]:
    """Average values over each system's dialogues."""
    found: dict[str, list[float]] = {}
    for dialogue, value in zip(dialogues, values, strict=True):
        found.setdefault(system_of(dialogue), []).append(value)
    return {system: sum(given) / len(given) for system, given in sorted(found.items())}


def lengths(dialogues: Sequence[Dialogue]) -> dict[str, list[float]]:
    """Count user turns and words of each dialogue, as trivial predictors."""
    return {
        "turns": [float(sum(said.speaker == "user" for said in one.utterances)) for one in dialogues],
        "words": [float(sum(len(words(said.text)) for said in one.utterances)) for one in dialogues],
    }


def ranking_agreement(dialogues: Sequence[Dialogue], grades: Sequence[float]) -> Estimate:
    """Compute Kendall's tau between rankings of the systems by these grades and by people's overall
    impression."""
    overall = [crowd_label(dialogue, "dialogue_overall") for dialogue in dialogues]
    own, people = by_system(dialogues, grades), by_system(dialogues, overall)
    return order_agreement(list(own.values()), list(people.values()))


def predict_grades(
    dialogues: Sequence[Dialogue], seen: Sequence[JudgedDialogue], people: Sequence[float], apart: bool
) -> list[float]:
    """Predict people's grades by a cross-fitted ridge regression on the judge's five grades and two lengths.

    Fitted without the dialogue's fold: one of ten, or where `apart`, all dialogues with its system. It is no
    part of the judge, and says what these numbers could tell of people's grades at best.
    """
    columns = [[grade(talk, aspect).grade for talk in seen] for aspect in ESTIMATES]
    x = StandardScaler().fit_transform(np.column_stack([*columns, *lengths(dialogues).values()]))
    fold = [system_of(one) for one in dialogues] if apart else [n % 10 for n in range(len(dialogues))]
    return list(cross_val_predict(Ridge(1.0), x, people, groups=fold, cv=LeaveOneGroupOut()))


def simulate_halos(seen: Sequence[JudgedDialogue], pull: float) -> list[float]:
    """Compute `judge.halo` of each aspect for a simulated judge with a known halo.

    It moves the offline judge's grade of each aspect by a share (`pull`) of the way to its grade of the one
    asked first.
    """
    noted = []
    for n, talk in enumerate(seen):
        question = judge_question(talk, *Draw(7, "benchmark").order(ASPECTS, item=n))
        given = question.by_aspect(question.offline(Draw(7, question.kind, item=n)))
        first = next(iter(given.values())).grade
        for aspect, one in given.items():
            score = round(one.grade + pull * (first - one.grade))
            one = DialogueJudged(number=n, simulator="people", system="any", aspect=aspect, score=score)
            noted.append(SimpleNamespace(payload=one.model_dump()))
    return list(halo(SimpleNamespace(events=lambda kind: noted)).values())


def spearman(a: Sequence[float], b: Sequence[float]) -> Estimate:
    """Compute Spearman's correlation of two labels, with an interval over resampled dialogues.

    Dialogues without both labels are left out.
    """
    both = np.array([a, b], dtype=float)
    one, other = both[:, ~np.isnan(both).any(axis=0)]
    blocks = resamples(len(one), Draw(0, "statistics.ranks"), 2_000)
    found = [rank_correlations(one[picked], other[picked]) for _, picked in blocks]
    value = float(rank_correlations(one[None, :], other[None, :])[0])
    return percentile_interval(value, np.concatenate(found), 0.95, "percentile bootstrap")


format_estimate = partial(show, form="6.3f")


def print_agreement(dialogues: Sequence[Dialogue], seen: Sequence[JudgedDialogue]) -> None:
    """Print how far the judge's view of the dialogues agrees with people's."""
    for aspect, of in PAIRS:
        exact = [grade(talk, aspect).grade for talk in seen]
        labels = [crowd_label(one, of) for one in dialogues]
        both = (format_estimate(spearman(x, labels)) for x in (exact, np.floor(np.array(exact) + 0.5)))
        print(f"  {aspect:12} and {of:18} {'   '.join(both)}")
    for aspect in ESTIMATES:
        tau = ranking_agreement(dialogues, [grade(talk, aspect).grade for talk in seen])
        print(f"  order of the 9 systems by {aspect:12} tau {format_estimate(tau)}")
    for pull in (0.0, 0.25, 0.5, 0.75):
        found = simulate_halos(seen, pull)
        told = f"mean {np.nanmean(found):.2f}, {np.round(found, 2)}"
        print(f"  halo of a judge that moves each grade by {pull:.2f} of the way to its first: {told}")
    overall = [crowd_label(one, "dialogue_overall") for one in dialogues]
    for apart, how in ((False, "ten folds"), (True, "one system left out")):
        found = spearman(predict_grades(dialogues, seen, overall, apart), overall)
        print(f"  a regression fitted to the rest, {how:20} {format_estimate(found)}")


def main() -> None:
    dialogues = read_crsarena_eval(data_folder() / DIALOGUES).dialogues
    overall = [crowd_label(one, "dialogue_overall") for one in dialogues]
    print(f"{len(dialogues)} dialogues, people's overall impression (0 to 4) by system:")
    for system, mean in sorted(by_system(dialogues, overall).items(), key=lambda one: -one[1]):
        print(f"  {system:20} {mean:.2f}" + (f"  (stated: {STATED[system]:.2f})" if system in STATED else ""))
    own = combinations([[crowd_label(one, of) for one in dialogues] for of in BY_TURN], 2)
    together = np.mean([spearman(a, b).value for a, b in own])
    print(f"\nPeople's labels of {', '.join(BY_TURN)} go together by {together:.2f}")
    print("\nDialogue length alone, Spearman with people's overall impression:")
    for name, values in lengths(dialogues).items():
        order = format_estimate(ranking_agreement(dialogues, values))
        print(f"  {name:12} {format_estimate(spearman(values, overall))}   order of systems: {order}")
    films = load_films(data_folder())
    for name, collection in (("words alone", None), ("acts and titles read, genres as facts", films)):
        print(f"\nThe offline judge, {name}; exact grades, then whole ones:")
        print_agreement(dialogues, judged_talks(dialogues, collection))


if __name__ == "__main__":
    run_command(main)
