"""Views and interviews of a small run, against what was logged."""

import pytest
from small_evolution import run_small, run_summaries

from openiir.core.storage import Log
from openiir.plugin import Surface
from openiir.scenarios.multi_generational.run.actions import Born, Judged, Met, Posted
from openiir.scenarios.multi_generational.views.interviewing import INTERVIEW
from openiir.scenarios.multi_generational.views.surfaces import SURFACES

VIEWS = {one.name: one for one in SURFACES if isinstance(one, Surface)}
LAST = 3


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return run_small(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def summarised(tmp_path_factory):
    return run_summaries(tmp_path_factory.mktemp("summaries"))


def view(name, finished, **agent):
    return VIEWS[name].view(finished.log, **agent)


@pytest.mark.parametrize("name", VIEWS)
def test_views_stand_runs_under_way_and_summaries(name, finished, summarised):
    for log in [Log(finished.run, until=step) for step in range(5)] + [summarised.log]:
        VIEWS[name].view(log)


def test_the_summary_has_an_arm_a_row_and_blind_judgement_last(finished):
    table = view("summary", finished)
    assert [row[0] for row in table.rows] == [
        "coevolution",
        "frozen detectors",
        "frozen producers",
        "neutral",
        "random genomes",
        "(all judged 0.5)",
    ]
    assert table.rows[-1][1] == round(0.75**5, 3)
    assert len({row[1] for row in table.rows[:-1]}) == 1, "all arms have the same founders"


def test_series_have_a_line_an_arm(finished):
    series = view("generations", finished)
    first = next(row for row in finished.log.table("generations") if row["arm"] == "neutral")
    assert series.lines["neutral"][0] == (0, first["landing"]) and len(series.lines) == 5
    assert max(value for line in series.lines.values() for _, value in line) <= series.high
    assert len(view("detectors", finished).lines) == 10


def test_changes_of_the_configuration_are_marked(tmp_path):
    change = {"step": 2, "set": {"hazard": 0.9}}
    log = run_small(tmp_path, change, generations=2, controls=[], matrix={"generations": 0}).log
    assert [(one.x, "0.9" in one.label) for one in VIEWS["generations"].view(log).marks] == [(1.0, True)]


def test_the_tree_leads_from_founders_to_the_last_generation(finished):
    nodes = view("tree", finished).nodes
    roots = [node for node in nodes if not node.parent]
    alive = sum(node.value or 1 for node in roots)
    assert alive == 9, "4 producers and 5 detectors descend from the roots"
    assert all("-000-" in node.id for node in roots)


def test_a_lineage_tells_each_mutation_on_the_line(finished):
    births = [one for _, one in Born.read(finished.log) if one.side == "detector"]
    place, wanted = 2, []
    for one in reversed(births):
        wanted += [f"{locus}:" for child, locus, *_ in one.mutations if child == place]
        place = one.parents[place]
    cards = view("lineage", finished, agent=f"detector-{LAST:03d}-002").items
    told = "\n".join(card.text for card in cards[1:])
    assert cards[0].id.startswith("detector-000-") and wanted and all(locus in told for locus in wanted)
    assert sum(card.text.count("\n") + 1 for card in cards[1:]) == len(wanted)


def test_a_trait_is_followed_by_its_carriers(finished):
    """Recount who carries a mutation of generation 1 a generation later: children without another."""
    births = {one.generation: one for _, one in Born.read(finished.log) if one.side == "producer"}
    child, locus, *_ = births[1].mutations[0]
    again = {place for place, other, *_ in births[2].mutations if other == locus}
    carriers = sum(parent == child and place not in again for place, parent in enumerate(births[2].parents))
    card = view("lineage", finished, agent=births[1].agents[child]).items[-1]
    assert card.fields[f"{locus}, 1 generation later"].startswith(f"{carriers} of 4 carry it")


def test_without_an_agent_the_lineage_is_of_the_fittest_producer(finished):
    fitness = [one for _, one in Met.read(finished.log)][-1].fitness["producer"]
    best = f"producer-{LAST:03d}-{fitness.index(max(fitness)):03d}"
    assert view("lineage", finished) == view("lineage", finished, agent=best)


def test_a_pair_shows_both_posts_and_what_was_said_of_them(finished):
    agent = "producer-001-002"
    posted = next(one for _, one in Posted.read(finished.log, actor=agent))
    pair = max(range(4), key=lambda n: posted.survival[2 * n + 1])
    cards = view("pairs", finished, agent=agent).items
    assert [card.text for card in cards] == list(posted.texts[2 * pair : 2 * pair + 2])
    p = [one.p[(2 * 4 + pair) * 2 + 1] for _, one in Judged.read(finished.log) if one.generation == 1]
    said = list(cards[1].fields.values())[4:]
    assert len(said) == 3 and f"p = {max(p):.2f}" in said[0] and f"p = {min(p):.2f}" in said[-1]


def test_fitness_is_that_of_the_last_meeting_best_first(finished):
    rows = view("fitness", finished).rows
    met = [one for _, one in Met.read(finished.log)][-1].fitness
    assert [row[3] for row in rows] == [
        round(x, 3) for side in ("producer", "detector") for x in sorted(met[side], reverse=True)
    ]
    judged = next(
        one.p for event, one in Judged.read(finished.log) if event.actor == f"detector-{LAST:03d}-000"
    )
    loss = [sum((p - kind) ** 2 for p in judged[kind::2]) / len(judged[kind::2]) for kind in (0, 1)]
    assert next(row[5] for row in rows if row[1] == f"detector-{LAST:03d}-000") == round(sum(loss) / 2, 3)


def test_shares_of_templates_add_up(finished):
    lines = view("carried", finished).lines
    for side in ("producers", "detectors"):
        for generation in range(LAST + 1):
            assert sum(
                line[generation][1] for name, line in lines.items() if name.startswith(side)
            ) == pytest.approx(1)


def test_a_genome_reads_as_its_bearer_read_it(finished):
    born = next(one for _, one in Born.read(finished.log) if one.side == "detector" and one.generation == 2)
    (card,) = view("genomes", finished, agent=born.agents[1]).items
    assert card.text == born.prompts[1]


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("producer-001-001", "you posted"),
        ("detector-001-001", "you said"),
    ],
)
def test_who_has_left_is_asked_from_its_own_part(finished, agent, words):
    persona = next(one for one in finished.log.personas if one.id == agent)
    question = INTERVIEW.question(finished.log, persona, "What did you do?")
    assert question.remembered and all(one.startswith(words) for one in question.remembered)
    texts = [
        text
        for event, one in Posted.read(finished.log)
        if event.actor == agent or (agent.startswith("detector") and one.generation == 1)
        for text in one.texts
    ]
    assert all(any(text[:60] in one for text in texts) for one in question.remembered)


def test_statements_are_a_producers_posts(finished):
    posted = next(one for _, one in Posted.read(finished.log, actor="producer-002-000"))
    assert [text for _, text in INTERVIEW.statements(finished.log, "producer-002-000")] == list(posted.texts)
    assert INTERVIEW.statements(finished.log, "detector-002-000") == []
