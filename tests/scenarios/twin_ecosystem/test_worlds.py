"""Two worlds in one run: alike without a policy, each with a store of its own; parts of a difference."""

import json

import numpy as np
import pytest

from openiir.core.storage import Log
from openiir.plugin import InputError
from openiir.scenarios.twin_ecosystem import TwinEcosystem
from openiir.scenarios.twin_ecosystem.measures import read_outcomes
from openiir.scenarios.twin_ecosystem.model.documents import list_documents
from openiir.scenarios.twin_ecosystem.run import ARMS, DIRECT, FREE, REGULATED
from openiir.testing import run_offline

NONE = "config.policy.by=none"
CAP = 'config.policy={by="cap", most=1}'
DOWN = 'config.policy={by="down_rank", factor=0.0}'
BEST_LAST = 'config.policy={by="down_rank", provider="county-clinic", factor=0.0}'
WORTHLESS = 'config.policy={by="quota", provider="quick-remedies", share=1.0}'
TABLES = ("pages", "versions", "twin_ecosystem_used")
MUTE = ("config.writing=0.0", "config.learning=0.0")


def values(run):
    return {name: one.value for name, one in TwinEcosystem().metrics(run.log).items()}


def rows_of(log: Log, arm: str, table: str = "pages"):
    rows = [row for row in log.table(table) if row.pop("arm") == arm]
    return json.dumps(rows)


def test_the_same_rule_in_both_worlds_gives_the_same_log_bit_for_bit(play):
    run = play(NONE)
    assert rows_of(run.log, FREE) == rows_of(run.log, REGULATED) == rows_of(run.log, DIRECT) != "[]"
    for table in TABLES[1:]:
        assert rows_of(run.log, FREE, table) == rows_of(run.log, REGULATED, table) != "[]"
    found = values(run)
    assert not [name for name, value in found.items() if name.startswith("total/") and value != 0.0]
    assert np.isnan(found["first_divergence"]) and np.isnan(found["equivalence/utility"])


def test_no_policy_reaches_the_free_world(play):
    free = {
        tuple(
            rows_of(play(policy).log, FREE, table) for table in ("pages", "versions", "twin_ecosystem_used")
        )
        for policy in (NONE, CAP, DOWN, BEST_LAST)
    }
    assert len(free) == 1


def test_what_is_written_in_one_world_is_not_in_the_other(play):
    log = play(DOWN).log
    own = {arm: {row["document"] for row in log.table("versions") if row["arm"] == arm} for arm in ARMS}
    begin = set(log.columns("works")["document"])
    stores = {arm: set(list_documents(log.chunks(arm))) for arm in (FREE, REGULATED)}
    assert own[FREE] - own[REGULATED] and own[REGULATED] - own[FREE] and not own[DIRECT]
    for arm in (FREE, REGULATED):
        assert stores[arm] == begin | own[arm]
    pages = log.columns("pages")
    shown = {arm: set(pages["document"][pages["arm"] == arm]) for arm in ARMS}
    assert shown[FREE] & own[FREE] and shown[REGULATED] & own[REGULATED]
    assert shown[FREE] <= stores[FREE] and shown[REGULATED] <= stores[REGULATED]
    assert shown[DIRECT] <= stores[FREE], "the direct effect is one on the free world's documents"


def test_harmful_documents_disappear_where_their_relevance_is_nothing(play):
    found = values(play(DOWN))
    assert found["regulated/harm_shown"] == found["regulated/harm"] == 0.0 < found["free/harm_shown"]
    assert found["total/help_harm"] > 0.3


@pytest.mark.parametrize("policy", [BEST_LAST, WORTHLESS])
def test_a_policy_that_removes_what_is_best_lowers_utility(play, policy):
    found = values(play(policy))
    assert found["free/utility"] > found["regulated/utility"] + 0.1
    assert found["direct/utility"] < -0.05


def test_a_cap_lets_no_provider_have_two_places(play):
    log = play(CAP).log
    pages, provider = log.columns("pages"), log.columns("works")["provider"]
    for arm, most in ((REGULATED, 1), (DIRECT, 1), (FREE, 2)):
        of = provider[pages["work"][pages["arm"] == arm]].reshape(-1, 5)
        assert max(np.bincount(page).max() for page in of) >= most
        assert arm == FREE or max(np.bincount(page).max() for page in of) == 1
    assert values(play(CAP))["total/hhi"] < 0


def test_total_is_direct_effect_and_feedback(play):
    outcomes = read_outcomes(play(DOWN).log)
    for name in outcomes.by_round:
        total, direct, feedback = outcomes.differences(name).values()
        np.testing.assert_allclose(total, direct + feedback, atol=1e-12)
        assert feedback[0] == 0, "nobody has responded in the first round"
        free, regulated, _ = outcomes.by_round[name].T
        assert (total == regulated - free).all()


def test_without_anybody_who_responds_there_is_no_feedback(play):
    outcomes, found = read_outcomes(play(DOWN, *MUTE).log), values(play(DOWN, *MUTE))
    assert all((outcomes.differences(name)["feedback"] == 0).all() for name in outcomes.by_round)
    assert found["total/utility"] == found["direct/utility"] != 0 and np.isnan(found["first_feedback"])


@pytest.mark.parametrize("channel", MUTE)
def test_clicks_and_writing_are_each_a_way_of_feedback(play, channel):
    found = values(play(DOWN, channel))
    assert found["first_divergence"] == 1 and found["first_feedback"] == 2


def test_a_change_puts_a_policy_in_force_and_the_worlds_part_then(play):
    change = "change=[{step=3, set={policy={by='down_rank', factor=0.0}}}]"
    found = values(play(NONE, change))
    assert (found["first_divergence"], found["first_feedback"]) == (3, 4)
    back = values(play(DOWN, "change=[{step=2, set={policy={by='none'}}}]"))
    assert back["first_divergence"] == 1 and back["first_feedback"] == 2
    outcomes = read_outcomes(play(DOWN, "change=[{step=2, set={policy={by='none'}}}]").log)
    assert not outcomes.differences("cost")["direct"][1:].any(), "no policy, no direct effect"
    assert outcomes.differences("utility")["feedback"][1:].any(), "what was written stays"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('world.regulated.sources=["sources/portal"]', "begin with different documents"),
        ('config.trusted=["nobody"]', "provider of a document"),
        ('config.policy={by="quota"}', "a quota is some provider's"),
        ('config.policy={by="quota", provider="nobody"}', "provider of a document"),
        ('config.policy={by="provenance", factor=0.5}', "with by = 'provenance' it is 1 to 100"),
        ('config.policy={by="down_rank", factor=1.5}', "with by = 'down_rank' it is 0 to 1"),
        ('config.providers={one=["*clinic*"]}', "has no provider; give a pattern"),
        ('config.queries={other="another thing"}', "none of the 29 judgements"),
        ("config.slots=40", "29 documents do not fill a page of 40 results"),
        ("config.searchers=3", "has no room for a cast of 4"),
        ('config.qrels="nowhere.txt"', "nowhere.txt"),
    ],
)
def test_a_study_with_a_mistake_says_what_to_do(play, setting, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        play(setting)


def test_patterns_give_documents_to_providers(play):
    doctors = 'config.providers={doctors=["*clinic*", "*council*"], others=["*"]}'
    run = play(doctors, 'config.trusted=["doctors"]')
    names, trusted = run.log.columns("providers").values()
    assert list(names) == ["doctors", "others"] and trusted.tolist() == [True, False]
    for name, provider in zip(*run.log.columns("works").values(), strict=True):
        assert (provider == 0) == ("clinic" in name or "council" in name)


NAME = "twins-at-the-lake"
LAKE = ("boats leave at nine", "boats leak in spring", "ferries leave on the hour", "the lake freezes late")


@pytest.fixture
def collection(tmp_path):
    """A collection under a name that ir_datasets knows."""
    library = pytest.importorskip("ir_datasets", reason="needs ir_datasets (the extra ir)")
    parts = {
        "docs_tsv": "".join(f"{n}\t{text}\n" for n, text in enumerate(LAKE)),
        "queries_tsv": "q1\twhen do boats leave\nq2\tdoes the lake freeze\nq3\twho was the first\n",
        "qrels_trec": "q1 0 0 2\nq1 0 2 1\nq1 0 1 -1\nq2 0 3 1\n",
    }
    for name, text in parts.items():
        (tmp_path / name).write_text(text)
    made = library.create_dataset(**{name: str(tmp_path / name) for name in parts})
    library.registry.register(NAME, made)
    yield f"ir_datasets:{NAME}"
    del library.registry._registered[NAME]


def test_a_collection_gives_documents_queries_and_judgements(collection, tmp_path):
    world = {"sources": [collection], "dimensions": 2}
    config = {"queries": collection, "qrels": collection, "providers": {"a": ["[01]"], "b": ["*"]}}
    config |= {"slots": 2, "searchers": 30, "rounds": 3, "policy": {"by": "down_rank", "factor": 0.0}}
    study = {"type": "twin_ecosystem", "world": {FREE: world, REGULATED: world}, "config": config}
    run = run_offline({"name": "lake", "seed": 1, **study}, tmp_path / "run")
    log = run.log
    assert log.columns("needs")["id"].tolist() == ["q1", "q2"], "nothing serves the third"
    judged = log.table("judged")
    grades = {(row["need"], row["work"]): row["grade"] for row in judged}
    assert grades == {(0, 0): 1.0, (0, 1): -0.5, (0, 2): 0.5, (1, 3): 0.5}
    assert values(run)["regulated/harm_shown"] == 0.0
    top = {row["need"]: row["document"] for row in log.table("pages") if row["step"] == row["place"] == 1}
    assert top == {0: "0", 1: "3"}
    run.run.close()
