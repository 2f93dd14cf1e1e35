"""What goes wrong on the wire is counted and never changes a run;
what a model says wrongly is recorded as said."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tiny_model import tiny_model_server

from openiir.core.llm import without_reasoning
from openiir.runs.settings import load_settings
from openiir.server.reading import Reader
from openiir.testing.standin import TRANSPORT_FAULTS, Faults


def rows(run: Path, sql: str) -> list[Any]:
    with sqlite3.connect(run / "run.db") as db:
        found = db.execute(sql).fetchall()
    db.close()
    return found


def test_faults_of_the_wire_are_counted_and_do_not_enter_the_content(by_model, served, sit, tmp_path):
    _, calm = served()
    content = sit(by_model, tmp_path / "calm", load_settings(calm))
    faults = Faults(share=0.25, kinds=TRANSPORT_FAULTS, most=3, retry_after=0.01, hang=2.0)
    server, stormy = served(faults=faults)
    settings = load_settings(stormy)
    assert sit(by_model, tmp_path / "stormy", settings) == content
    assert sum(server.counts.faults.values()) >= 5
    (tries,) = rows(tmp_path / "stormy", "select count(*) from transport")[0]
    assert tries == sum(server.counts.faults.values())
    assert rows(tmp_path / "calm", "select count(*) from transport") == [(0,)]
    made = "select count(*) from call"
    assert rows(tmp_path / "stormy", made) == rows(tmp_path / "calm", made)


def test_an_endpoint_that_refuses_schemas_is_named_once_and_does_not_change_the_run(
    by_model, served, openiir, tmp_path
):
    _, takes = served(schemas="ignored")
    content = openiir("run", by_model, "--out", tmp_path / "takes", "--settings", takes).content
    server, refuses = served(schemas="refused")
    ran = openiir("run", by_model, "--out", tmp_path / "refuses", "--settings", refuses)
    assert ran.content == content
    assert ran.err.count("refuses JSON schemas") == 1
    told = " ".join(ran.err.split())
    assert f"{server.url} refuses JSON schemas (400: response_format" in told and "asked for text" in told
    ((what,),) = rows(tmp_path / "refuses", "select what from transport")
    assert what.startswith("schema refused; it is asked for text")


def test_reasoning_is_kept_in_the_ledger_and_never_read_as_the_reply(by_model, served, openiir, tmp_path):
    replies = {}
    for thinking in ("", "before", "beside"):
        folder = tmp_path / f"run-{thinking}"
        _, settings = served(thinking=thinking, malformed=0.4)
        content = openiir("run", by_model, "--out", folder, "--settings", settings).content
        assert openiir("replay", folder).content == content
        replies[thinking] = [
            text
            for (text,) in rows(folder, "select reply from call order by lane, asker, kind, step, ordinal")
        ]
        repairs = (
            "select count(*), sum(body like '%<think>%') from call join prompt on hash = prompt_hash where "
            "attempt = 1"
        )
        ((repaired, told),) = rows(folder, repairs)
        assert repaired and not told
        assert rows(folder, "select usable, error from call order by 1, 2") == rows(
            tmp_path / "run-", "select usable, error from call order by 1, 2"
        )
    assert replies["before"] == replies["beside"]
    assert [without_reasoning(text) for text in replies["beside"]] == replies[""]
    assert all(text.startswith("<think>") for text in replies["beside"])


SHORT = 30
"""Tokens of a reply that suffice for the small type's answers, and not for a longer reasoning as well."""


@pytest.mark.parametrize("thinking", ["before", "reasoning", "parts", "hidden"])
def test_a_reply_that_is_cut_within_its_reasoning_is_asked_anew_with_more_tokens(
    by_model, served, openiir, tmp_path, thinking
):
    limit = ("--set", f"model.max_tokens={SHORT}")
    _, settings = served(thinking=thinking, thoughts=SHORT + 10)
    ran = openiir("run", by_model, "--out", tmp_path / "run", "--settings", settings, *limit)
    cut = "error like 'it reached the limit of tokens within its reasoning%'"
    counts = f"select attempt, {cut}, usable, count(*) from call where kind like '%rate%' group by 1, 2, 3"
    assert len(found := rows(tmp_path / "run", counts)) == 2
    assert [row[:3] for row in found] == [(0, 1, 0), (1, None, 1)]
    most = "select distinct json_extract(body, '$.sampling.max_tokens') from call join prompt"
    assert rows(tmp_path / "run", f"{most} on hash = prompt_hash where attempt = 1") == [(2 * SHORT,)]
    assert openiir("replay", tmp_path / "run").content == ran.content


def test_a_reasoning_longer_than_twice_the_limit_is_said_with_its_remedy(by_model, served, openiir, tmp_path):
    limit = ("--set", f"model.max_tokens={SHORT}")
    _, settings = served(thinking="beside", thoughts=10 * SHORT, lines="")
    content = openiir("run", by_model, "--out", tmp_path / "run", "--settings", settings, *limit).content
    failed = "select distinct json_extract(payload, '$.failure') from event where kind = 'asked'"
    ((said,),) = rows(tmp_path / "run", failed)
    assert "within its reasoning, before any answer" in said and "raise max_tokens" in said
    shown = rows(
        tmp_path / "run", "select body from call join prompt on hash = prompt_hash where attempt = 1"
    )
    assert shown and not any("max_tokens in the study" in body for (body,) in shown)
    assert rows(tmp_path / "run", "select distinct finish from call_details") == [("length",)]
    assert openiir("replay", tmp_path / "run").content == content


def test_details_of_calls_are_recorded_beside_the_content(by_model, served, openiir, tmp_path):
    plain, named = '[endpoint]\nurl = "URL"\n', '[endpoint]\nurl = "URL"\nname = "lab"\nstructured = "json"\n'
    _, settings = served(plain, schemas="ignored")
    content = openiir("run", by_model, "--out", tmp_path / "plain", "--settings", settings).content
    _, settings = served(named, cached=0.5, schemas="ignored")
    other = openiir("run", by_model, "--out", tmp_path / "named", "--settings", settings)
    details = "select distinct endpoint, form, finish, cached_tokens > 0 from call_details"
    assert rows(tmp_path / "named", details) == [("lab", "json_object", "stop", 1)]
    assert rows(tmp_path / "plain", details) == [("", "strict", "stop", 0)]
    requests = "select distinct prompt_hash from call order by 1"
    assert rows(tmp_path / "named", requests) == rows(tmp_path / "plain", requests)
    told = openiir("inspect", tmp_path / "named", "--calls").out
    assert "lab" in told and "json_object" in told and "49.8 %" in " ".join(told.split())
    shown = openiir("show", tmp_path / "named", "ratings").out
    assert "% of the prompts' tokens cached" in " ".join(shown.split())
    assert openiir("verify", tmp_path / "named").code == 0
    assert openiir("replay", tmp_path / "plain").content == content and other.code == 0
    with sqlite3.connect(tmp_path / "named" / "run.db") as db:
        db.execute("update call_details set cached_tokens = 0")
    db.close()
    assert "changed: call_details" in openiir("verify", tmp_path / "named").out


def test_reasoning_is_shown_apart_from_the_reply(by_model, served, openiir, tmp_path):
    _, settings = served(thinking="beside")
    openiir("run", by_model, "--out", tmp_path / "run", "--settings", settings)
    ((number,),) = rows(tmp_path / "run", "select min(seq) from event where kind = 'asked'")
    shown = openiir("inspect", tmp_path / "run", number).out
    thought, reply = shown.split("--- reasoning of model")[1].split("--- reply of model")
    assert "no part of the reply" in thought and reply.strip().startswith("{") and "think>" not in shown
    (answer,) = Reader(tmp_path, load_settings(settings)).question("run", number)["replies"]
    assert answer["reasoning"] in thought and answer["reply"].startswith("{") and "details" not in answer
    page = tmp_path / "run.html"
    assert openiir("export", tmp_path / "run", "--out", page).code == 0
    assert openiir("verify", page).out.startswith("intact")


def test_a_server_that_never_answers_ends_the_run_with_words_and_a_later_one_goes_on(
    by_model, served, openiir, tmp_path
):
    _, good = served()
    content = openiir("run", by_model, "--out", tmp_path / "good", "--settings", good).content
    dead = '[endpoint]\nurl = "URL"\nfirst_wait = 0.001\ntries = 2\n'
    server, bad = served(dead, faults=Faults(share=1.0, kinds=("500",), most=99))
    failed = openiir("run", by_model, "--out", tmp_path / "bad", "--settings", bad)
    assert failed.code == 1
    assert "500" in failed.err and "resume" in failed.err and "Traceback" not in failed.err
    assert rows(tmp_path / "bad", "select value from state where key = 'status'") == [("failed",)]
    assert rows(tmp_path / "bad", "select count(*) from transport")[0][0] == server.counts.requests
    assert openiir("show", tmp_path / "bad", "ratings").code == 0
    assert openiir("replay", tmp_path / "bad").code == 2
    assert openiir("resume", tmp_path / "bad", "--settings", good).content == content


def test_several_endpoints_share_a_run_and_the_details_of_calls_alone_tell_which_answered(
    by_model, served, openiir, tmp_path
):
    one, alone = served()
    content = openiir("run", by_model, "--out", tmp_path / "one", "--settings", alone).content
    other, _ = served()
    both = tmp_path / "both.toml"
    lines = f'endpoint = ["{one.url}", {{ url = "{other.url}", width = 2 }}, "http://127.0.0.1:9/v1"]\n'
    both.write_text(lines)
    shared = openiir("run", by_model, "--out", tmp_path / "both", "--settings", both)
    assert shared.content == content
    assert shared.err.count("endpoint http://127.0.0.1:9/v1 is set aside (connection refused)") == 1
    tries = dict(rows(tmp_path / "both", "select what, count(*) from transport group by what"))
    calls = rows(tmp_path / "both", "select count(*) from call")[0][0]
    assert tries.pop("connection refused (http://127.0.0.1:9/v1)") > 0
    assert not tries
    answered = dict(rows(tmp_path / "both", "select endpoint, count(*) from call_details group by endpoint"))
    assert set(answered) == {one.url, other.url} and sum(answered.values()) == calls
    assert rows(tmp_path / "one", "select distinct endpoint from call_details") == [("",)]
    assert openiir("replay", tmp_path / "both").content == content


def test_each_wait_for_a_dead_endpoint_is_told_once_for_all_calls(by_model, openiir, tmp_path):
    settings = tmp_path / "dead.toml"
    settings.write_text('[endpoint]\nurl = "http://127.0.0.1:9/v1"\nfirst_wait = 0.01\ntries = 4\n')
    failed = openiir("run", by_model, "--out", tmp_path / "run", "--settings", settings)
    told = [line for line in failed.err.splitlines() if "next try in" in line]
    assert failed.code == 1 and [line.partition("s (")[2] for line in told] == [
        "2 of 4)",
        "3 of 4)",
        "4 of 4)",
    ]
    assert all("endpoint http://127.0.0.1:9/v1: connection refused" in line for line in told)


def test_malformed_replies_are_recorded_repaired_once_and_replayed(by_model, served, openiir, tmp_path):
    _, file = served(malformed=0.6)
    content = openiir("run", by_model, "--out", tmp_path / "a", "--settings", file).content
    unusable = rows(tmp_path / "a", "select attempt, error from call where usable = 0")
    assert {attempt for attempt, _ in unusable} == {0, 1}
    assert all(error for _, error in unusable)
    repaired = rows(tmp_path / "a", "select count(*) from call where attempt = 1")[0][0]
    assert repaired == sum(attempt == 0 for attempt, _ in unusable)
    failed = rows(
        tmp_path / "a", "select count(*) from event where kind = 'asked' and payload like '%\"failed\"%'"
    )
    assert failed[0][0] == sum(attempt == 1 for attempt, _ in unusable) > 0
    assert openiir("replay", tmp_path / "a").content == content
    assert openiir("run", by_model, "--out", tmp_path / "b", "--settings", file).content == content


def test_a_real_model_of_random_weights_ends_and_replays(evening, served, openiir, tmp_path):
    study = evening(
        'answers = "model"',
        '[model]\nname = "tiny-random"\nmax_tokens = 160\n[config]\nsteps = 1',
    )
    storm = Faults(
        share=0.7, kinds=("429", "500", "garbage", "truncated", "wrong-shape", "empty", "dropped"), most=2
    )
    with tiny_model_server() as url:
        settings = tmp_path / "tiny.toml"
        settings.write_text(f'[endpoint]\nurl = "{url}"\nwidth = 1\ntimeout = 30\n')
        content = openiir("run", study, "--out", tmp_path / "tiny", "--settings", settings).content
        lines = '[endpoint]\nurl = "URL"\nwidth = 1\ntimeout = 30\nfirst_wait = 0.001\n'
        server, faulty = served(lines, upstream=url, faults=storm, models=("tiny-random",))
        stormy = openiir("run", study, "--out", tmp_path / "stormy", "--settings", faulty).content
    assert rows(tmp_path / "tiny", "select count(*) from call")[0][0] >= 7
    assert (
        rows(tmp_path / "stormy", "select count(*) from transport")[0][0] == server.counts.faults.total() > 0
    )
    assert openiir("replay", tmp_path / "tiny").content == content
    assert openiir("replay", tmp_path / "stormy").content == stormy == content
