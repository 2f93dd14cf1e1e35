"""Runs in a lab's PostgreSQL: pushed, pulled, mirrored, broken off at any point, and side by side."""

import asyncio
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openiir.core.errors import InputError
from openiir.core.storage import AfterFile, Log, RunFile
from openiir.core.storage.postgres import connection as connections
from openiir.core.storage.postgres import sending
from openiir.core.storage.postgres.connection import DatabaseAway, connect
from openiir.core.storage.postgres.rows import STATE, TABLES
from openiir.core.storage.postgres.url import read_url
from openiir.runs.engine import Watcher, drive
from openiir.runs.lab import push_to_postgres
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import Settings
from openiir.runs.study import load_study

pytestmark = pytest.mark.extras

GOLDEN = Path(__file__).parents[1] / "golden"
DEADLINE = 20.0
LIVES = [
    "--set",
    "config.data.synthetic={users=30, items=60}",
    "--set",
    "config.dialogues=6",
    "--set",
    "config.turns=6",
]
RUNS_OF = [
    GOLDEN / name
    for name in (
        "by-model-standard",
        "feed-world",
        "social-media",
        "people",
        "recommender-visits",
        "generations",
    )
    if (GOLDEN / name / "run.db").exists()
] + [Path(__file__).parent / "recipe-1"]


@pytest.fixture
def database(lab):
    return lab.new_database()


def content_of(folder):
    return json.loads((folder / "manifest.json").read_text())["content"]


def wait_for(true):
    end = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def rows_of(database):
    """How many rows each table has, by its name."""
    tables = [
        name for (name,) in database.query("select tablename from pg_tables where schemaname = 'openiir'")
    ]
    return {name: database.query(f'select count(*) from openiir."{name}"')[0][0] for name in tables}


def push(folder, database):
    return list(push_to_postgres([folder], database.url))


@pytest.mark.parametrize("folder", RUNS_OF, ids=lambda folder: folder.name)
def test_a_run_comes_back_as_it_was(folder, database, openiir, tmp_path):
    pushed = openiir("push", folder, "--to", database.url)
    assert pushed.code == 0 and f"{folder}: sent, id " in pushed.out, pushed.err
    pulled = openiir("pull", database.url, content_of(folder)[:20], "--out", tmp_path / "back")
    assert pulled.out.splitlines() == [f"run: {tmp_path / 'back'}", f"content: {content_of(folder)}"], (
        pulled.err
    )
    verified = openiir("verify", tmp_path / "back")
    assert verified.code == 0 and verified.out.startswith("intact"), verified.out
    with RunFile.open(folder) as was, RunFile.open(tmp_path / "back") as now:
        assert not [*now.db.execute("pragma foreign_key_check")]
        for table in (*TABLES, STATE):
            if was.db.execute("select 1 from sqlite_master where name = ?", (table,)).fetchone():
                rows = f'select * from "{table}"'
                assert was.db.execute(rows).fetchall() == now.db.execute(rows).fetchall(), table


def test_pushing_again_or_from_a_copy_changes_nothing(database, openiir, tmp_path):
    folder = GOLDEN / "social-media"
    push(folder, database)
    before = rows_of(database)
    assert before["event"] > 100 and before["social_media_posts"] and before["run"] == 1
    shutil.copytree(folder, tmp_path / "copy")
    assert ": there already, id " in push(tmp_path / "copy", database)[0]
    openiir("pull", database.url, content_of(folder), "--out", tmp_path / "back")
    assert ": there already, id " in push(tmp_path / "back", database)[0]
    assert rows_of(database) == before


def test_a_long_run_is_sent_in_several_parts(database, openiir, monkeypatch, tmp_path):
    folder = GOLDEN / "social-media"
    push(folder, database)
    whole = rows_of(database)
    database.query("select openiir.delete_run(id) from openiir.run")
    monkeypatch.setattr(sending, "_EVENTS", 7)
    push(folder, database)
    assert rows_of(database) == whole
    assert openiir("pull", database.url, content_of(folder), "--out", tmp_path / "back").code == 0


def test_two_executions_of_one_study_are_two_runs(database, evening, openiir, tmp_path):
    study, mirrored = evening(), database.settings(tmp_path)
    contents = [
        openiir("run", study, "--settings", mirrored, "--out", tmp_path / name).content for name in "ab"
    ]
    assert contents[0] == contents[1]
    ids = [id for (id,) in database.query("select id from openiir.run order by run")]
    assert len(set(ids)) == 2
    for wanted, id in ((contents[0], ids[0]), (ids[1], ids[1])):
        assert openiir("pull", database.url, wanted, "--out", tmp_path / id).content == contents[0]
        assert id in openiir("push", tmp_path / id, "--to", database.url).out
    database.query("update openiir.run set id = 'c0ffee' || id, content = 'sha256:' || id returning id")
    refused = openiir("pull", database.url, "c0ffee", "--out", tmp_path / "back")
    assert refused.code == 2 and all(id in refused.err for id in ids) and not (tmp_path / "back").exists()


@pytest.mark.parametrize("wanted", ["", "abc", "0123456789", "sha256:0123456789"])
def test_a_run_that_is_not_there_is_refused(wanted, database, openiir, tmp_path):
    push(GOLDEN / "by-model-standard", database)
    refused = openiir("pull", database.url, wanted, "--out", tmp_path / "back")
    assert refused.code == 2 and not (tmp_path / "back").exists()


def test_rows_that_were_changed_in_the_database_are_refused(database, openiir, tmp_path):
    folder = GOLDEN / "social-media"
    push(folder, database)
    for change, word in (
        ("update openiir.event set payload = '{}' where seq = 5", "step"),
        ("update openiir.social_media_posts set n = n + 1 where n = 0", "posts-000001.parquet"),
        ("update openiir.run set tables = '[\"create table run (x text); drop table run\"]'", "run"),
        ("update openiir.part set file = '../../x-000001.parquet'", "part"),
    ):
        with transaction(database) as connection:
            connection.execute(change)
            connection.commit()
        refused = openiir("pull", database.url, content_of(folder), "--out", tmp_path / "back")
        assert refused.code == 2 and word in refused.err and "Error:" in refused.err, refused.err
        assert not (tmp_path / "back").exists()
        database.query("select openiir.delete_run(id) from openiir.run")
        assert sum(n for name, n in rows_of(database).items() if name not in ("migration", "columnar")) == 0
        push(folder, database)


def transaction(database):
    import psycopg

    return psycopg.connect(database.url)


def test_a_push_whose_connection_breaks_leaves_nothing_half(database, monkeypatch):
    folder, sent = GOLDEN / "social-media", sending.columnar.send_part

    def send_part(connection, *rest):
        sent(connection, *rest)
        (pid,) = connection.execute("select pg_backend_pid()").fetchone()
        database.query("select pg_terminate_backend(%s)", pid)

    with monkeypatch.context() as patch:
        patch.setattr(sending.columnar, "send_part", send_part)
        with pytest.raises(DatabaseAway, match="does not answer"):
            push(folder, database)
    left = {name: n for name, n in rows_of(database).items() if n}
    assert left.keys() == {"migration", "columnar"}
    push(folder, database)
    assert database.query("select content from openiir.run") == [(content_of(folder),)]


def test_a_push_that_is_killed_leaves_nothing_half(database, tmp_path):
    folder = GOLDEN / "social-media"
    script = (
        "import os, signal, sys; from openiir.runs.lab import push_to_postgres; "
        "from openiir.core.storage.postgres import sending; sent = sending.columnar.send_part; "
        "sending.columnar.send_part = lambda *all: (sent(*all), os.kill(os.getpid(), signal.SIGKILL)); "
        "from pathlib import Path; list(push_to_postgres([Path(sys.argv[1])], sys.argv[2]))"
    )
    died = subprocess.run([sys.executable, "-c", script, folder, database.url], timeout=60)
    assert died.returncode == -signal.SIGKILL
    wait_for(lambda: not database.query("select 1 from pg_stat_activity where application_name = 'openiir'"))
    assert rows_of(database)["event"] == 0
    assert ": sent, id " in push(folder, database)[0]


def test_rows_that_are_missing_are_found_and_all_is_sent_again(database, evening, openiir, tmp_path):
    """A crash of the machine may take back steps that a mirror sent, and others come in their place."""
    run = tmp_path / "run"
    openiir("run", evening(), "--out", run)
    push(run, database)
    whole = rows_of(database)
    with transaction(database) as connection:
        connection.execute("update openiir.run set content = null, manifest = null, status = 'running'")
        connection.execute("update openiir.step set digest = 'other' where number = 2")
        connection.execute("delete from openiir.step where number > 2")
        connection.commit()
    push(run, database)
    assert rows_of(database) == whole
    with transaction(database) as connection:
        connection.execute("update openiir.run set content = null, manifest = null, status = 'running'")
        connection.execute("delete from openiir.event where seq = 3")
        connection.commit()
    push(run, database)
    assert rows_of(database) == whole


def test_what_was_asked_and_measured_later_goes_with_the_run(database, evening, openiir, tmp_path):
    run, back = tmp_path / "run", tmp_path / "back"
    openiir("run", evening(), "--out", run)
    push(run, database)
    with AfterFile(run, content_of(run)) as after:
        after.add_interview("ada", "Why?\0", '"So."', "offline", None, "t1")
        after.add_interview("ben", "Why?", None, "model", {"reply": "\0"})
        after.add_validation("ada", "c1", "agree", "", "Ida")
        after.add_measures({"one": (4.0, None), "none": (None, "nobody spoke")}, {"top": 3})
    assert "there already" in (told := push(run, database)[0]) and "; 5 later answers" in told
    assert "later" not in push(run, database)[0]
    assert database.query("select name, value, reason, set_by ->> 'top' from openiir.measures") == [
        ("none", None, "nobody spoke", "3"),
        ("one", 4.0, None, "3"),
    ]
    assert openiir("pull", database.url, content_of(run), "--out", back).code == 0
    assert openiir("verify", back).code == 0
    with AfterFile.read(run, content_of(run)) as was, AfterFile.read(back, content_of(run)) as now:
        assert was.interviews() == now.interviews() and was.validations() == now.validations()
        assert [*was.db.execute("select * from measure")] == [*now.db.execute("select * from measure")]
    assert "later" not in push(back, database)[0]


class StoppingWatcher(Watcher):
    """Stops the server after one step of a run and starts it after another."""

    def __init__(self, server, database, stop, start):
        self.server, self.database, self.stop, self.start = server, database, stop, start
        self.notes, self.times = [], []

    def step(self, number, label):
        if number == self.stop:
            wait_for(lambda: self.database.query("select to_regclass('openiir.step')")[0][0])
            wait_for(lambda: self.database.query("select 1 from openiir.step"))
            self.server.stop()
        self.times.append(time.monotonic())
        if number == self.stop + 1:
            wait_for(lambda: self.notes)
        if number == self.start:
            self.server.start()
        self.times[-1] = time.monotonic()

    def note(self, text):
        self.notes.append(text)


def test_a_database_that_goes_away_delays_nothing_and_catches_up(
    lab, database, evening, tmp_path, monkeypatch
):
    monkeypatch.setattr("openiir.runs.mirror._FIRST_WAIT", 0.05)
    watcher = StoppingWatcher(lab, database, stop=3, start=30)
    settings = Settings(mirror=database.url)
    study = load_study(str(evening()), ("config.steps=40",))
    with prepare_run(study, tmp_path / "run", settings) as run:
        content = asyncio.run(drive(run, settings, watcher))
    assert [text for text in watcher.notes if "does not answer" in text] == watcher.notes[:1]
    assert len(watcher.notes) == 1 and database.url in watcher.notes[0]
    away = watcher.times[4:29]
    assert max(b - a for a, b in zip(away, away[1:], strict=False)) < 1.0
    assert database.query("select content, steps from openiir.runs") == [(content, 40)]
    assert "there already" in push(tmp_path / "run", database)[0]


def test_a_database_that_is_away_all_the_time_costs_a_line(lab, database, evening, openiir, tmp_path):
    gone = database.url.replace("host=", "host=/nowhere")
    (tmp_path / "away.toml").write_text(f'mirror = "{gone}"\n')
    began = time.monotonic()
    done = openiir("run", evening(), "--settings", tmp_path / "away.toml", "--out", tmp_path / "run")
    assert time.monotonic() - began < 10
    assert done.code == 0 and done.err.count("does not answer") == 1
    assert f"`openiir push {tmp_path / 'run'} --to {gone}` sends what is missing" in done.err
    refused = openiir("push", tmp_path / "run", "--to", gone)
    assert refused.code == 1 and "does not answer" in refused.err
    assert openiir("push", tmp_path / "run", "--to", database.url).code == 0
    assert database.query("select content from openiir.runs") == [(done.content,)]
    plain = openiir("run", evening(), "--out", tmp_path / "plain")
    assert plain.content == done.content
    assert database.query("select count(*) from openiir.run") == [(1,)]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_mirrored_run_that_is_killed_goes_on(share, database, evening, sittings, openiir, served, tmp_path):
    study = evening('answers = "model"', '[model]\nname = "standin"\n[config]\nsteps = 4')
    settings = served()[1]
    plain = ["run", str(study), "--settings", str(settings), "--out"]
    (whole,) = sittings({"argv": [*plain, str(tmp_path / "whole")], "count": True})
    settings.write_text(f'mirror = "{database.url}"\n{settings.read_text()}')
    moment = int(share * len(whole["moments"]))
    (died,) = sittings({"argv": [*plain, str(tmp_path / "run")], "kill": moment})
    assert died["signal"] == signal.SIGKILL
    resumed = openiir("resume", tmp_path / "run", "--settings", settings)
    assert resumed.content == whole["out"].strip().splitlines()[-1].removeprefix("content: "), resumed.err
    assert database.query("select content from openiir.runs") == [(resumed.content,)]
    assert openiir("pull", database.url, resumed.content, "--out", tmp_path / "back").code == 0


def test_a_run_that_was_stopped_goes_on_elsewhere(database, evening, openiir, served, trusted, tmp_path):
    study = evening('answers = "model"', '[model]\nname = "standin"\n[config]\nsteps = 4')
    settings = served()[1]
    plain = settings.read_text()
    settings.write_text(f'mirror = "{database.url}"\n{plain}[limits]\ncalls = 12\n')
    stopped = openiir("run", study, "--settings", settings, "--out", tmp_path / "run")
    assert stopped.code == 1
    ((id, status, steps),) = database.query("select id, status, steps from openiir.runs")
    assert status == "stopped" and 1 <= steps < 4
    pulled = openiir("pull", database.url, id, "--out", tmp_path / "back")
    assert pulled.out == f"run: {tmp_path / 'back'}\n" and "has not ended (stopped)" in pulled.err
    settings.write_text(f'mirror = "{database.url}"\n{plain}')
    assert openiir("trust", tmp_path / "back").code == 0
    resumed = openiir("resume", tmp_path / "back", "--settings", settings)
    assert resumed.code == 0, resumed.err
    assert database.query("select id, content from openiir.runs") == [(id, resumed.content)]
    apart = openiir("push", tmp_path / "run", "--to", database.url)
    assert apart.code == 2 and "two copies of one run went on apart" in apart.err


def test_runs_and_forks_are_side_by_side(database, evening, openiir, tmp_path):
    mirrored = ["--settings", database.settings(tmp_path)]
    study, words = evening(), ["--set", "warmth=0.9"]
    contents = [
        openiir("run", study, *mirrored, "--out", tmp_path / "one").content,
        openiir("run", study, *mirrored, "--set", "seed=12", "--out", tmp_path / "two").content,
        openiir("fork", tmp_path / "one", "--step", 3, *words, *mirrored, "--out", tmp_path / "fork").content,
        openiir("run", study, *mirrored, "--again", "--set", "seed=13", "--out", tmp_path / "two").content,
    ]
    assert openiir("replay", tmp_path / "one").code == 0
    assert openiir("run", study, *mirrored, "--forecast").code == 0
    assert database.query("select content from openiir.runs order by run") == [(one,) for one in contents]


def test_lives_in_processes_are_mirrored(database, openiir, tmp_path):
    words = ["run", "conversational", *LIVES, "--workers", 2]
    plain = openiir(*words, "--out", tmp_path / "plain")
    done = openiir(*words, "--settings", database.settings(tmp_path), "--out", tmp_path / "run")
    assert done.content == plain.content
    assert database.query("select content from openiir.runs") == [(done.content,)]


def test_views_agree_with_the_log(database, tmp_path):
    folder = GOLDEN / "by-model-standard"
    push(folder, database)
    with RunFile.open(folder) as run:
        log = Log(run)
        kinds = dict(database.query("select kind, events from openiir.event_kinds"))
        assert kinds == {
            kind: sum(1 for _ in log.events(kind)) for kind in {event.kind for event in log.events()}
        }
        calls = list(run.calls())
        totals = database.query(
            "select sum(calls), sum(prompt_tokens), sum(unusable) from openiir.call_totals"
        )
        assert totals == [
            (len(calls), sum(call.prompt_tokens for call in calls), sum(not call.usable for call in calls))
        ]
        spoken = {claim.id: (claim.speaker, claim.text) for claim in log.claims()}
        argued = database.query("select * from openiir.argument order by step, source_text, target_text")
        assert sorted(argued, key=str) == sorted(
            ((1, e.step, e.type, e.confidence, *spoken[e.source], *spoken[e.target]) for e in log.edges()),
            key=str,
        )


def test_an_older_schema_is_brought_up_to_date_once(database, monkeypatch):
    known, url = connections.list_migrations(), read_url(database.url)
    later = [*known, (known[-1][0] + 1, "made.sql", "alter table openiir.run add column made text")]
    push(GOLDEN / "by-model-standard", database)
    with monkeypatch.context() as patch:
        patch.setattr(connections, "list_migrations", lambda: later)
        with pytest.raises(InputError, match="any `openiir push` to it brings it up to date"):
            connect(url, writing=False).__enter__()
        for _ in range(2):
            with connect(url):
                pass
        assert database.query("select number, name from openiir.migration order by 1") == [
            (number, name) for number, name, _ in later
        ]
        assert database.query("select made, content from openiir.run")[0][1]
    with pytest.raises(InputError, match="knows schema"):
        connect(url).__enter__()
    broken = [*later, (later[-1][0] + 1, "broken.sql", "create table openiir.half (x text); select 1 / 0")]
    monkeypatch.setattr(connections, "list_migrations", lambda: broken)
    with pytest.raises(InputError, match="division by zero"):
        connect(url).__enter__()
    assert "half" not in rows_of(database)


def test_a_password_is_never_shown(database, openiir, evening, tmp_path):
    secret = database.url.replace("postgres@", "postgres:swordfish@")
    openiir("run", evening(), "--out", tmp_path / "run")
    done = openiir("push", tmp_path / "run", "--to", secret)
    assert done.code == 0 and "swordfish" not in done.out + done.err
    for url in (
        secret.replace("host=", "host=/nowhere"),
        f"{secret}&nothing=swordfish",
    ):
        for words in (
            ["push", tmp_path / "run", "--to", url],
            ["pull", url, "abcdef", "--out", tmp_path / "back"],
        ):
            refused = openiir(*words)
            assert refused.code in (1, 2) and "swordfish" not in refused.out + refused.err, refused.err
