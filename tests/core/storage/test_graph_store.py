"""Graph stores beside a stand-in for the driver: what it is handed, and what its errors become."""

import sys
from types import SimpleNamespace

import pytest

from openiir.core.errors import EndpointError, InputError
from openiir.core.storage import graph_store
from openiir.core.storage.graph_store import GraphStore, open_graph_store
from openiir.core.storage.graph_tables import CLAIM, EDGES, LINK, NODES, RUN, SAID


class Failed(Exception):
    code = "Neo.ClientError.Security.Unauthorized"


class Transient(Failed):
    pass


class Auth(Failed):
    pass


class Driver:
    """What of the driver a store uses; statements run in managed transactions are kept."""

    def __init__(self):
        self.opened, self.ran, self.fails, self.closed = [], [], [], False

    def driver(self, url, **options):
        self.opened.append((url, options))
        return self

    def verify_connectivity(self):
        if self.fails:
            raise self.fails.pop()

    def session(self, database):
        self.database = database
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def execute_write(self, work):
        return work(SimpleNamespace(run=self._run))

    def _run(self, statement, parameters):
        if self.fails:
            raise self.fails.pop()
        self.ran.append((statement, parameters))
        return [SimpleNamespace(values=lambda: [True])] if "RETURN n.complete" in statement else []

    def close(self):
        self.closed = True


@pytest.fixture
def driver(monkeypatch):
    made = Driver()
    errors = SimpleNamespace(AuthError=Auth, DriverError=Transient, Neo4jError=Transient)
    monkeypatch.setitem(sys.modules, "neo4j", SimpleNamespace(GraphDatabase=made, exceptions=errors))
    for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.mark.parametrize(
    ("url", "shown", "auth", "database"),
    [
        ("neo4j://lab", "neo4j://lab:7687", None, None),
        ("bolt+s://lab:7/graphs", "bolt+s://lab:7", None, "graphs"),
        ("neo4j://ada:p%40ss@lab/", "neo4j://lab:7687", ("ada", "p@ss"), None),
        ("neo4j+ssc://[::1]:9", "neo4j+ssc://[::1]:9", None, None),
    ],
)
def test_a_url_names_server_user_and_database(driver, url, shown, auth, database):
    with open_graph_store(url) as store:
        store.execute("RETURN 1")
        ((opened, options),) = driver.opened
        assert (opened, options["auth"], driver.database) == (shown, auth, database)
    assert driver.closed


def test_user_and_password_are_read_from_the_environment(driver, monkeypatch):
    monkeypatch.setenv("NEO4J_USERNAME", "bo")
    monkeypatch.setenv("NEO4J_PASSWORD", "secret")
    with open_graph_store("bolt://lab"), open_graph_store("bolt://ada:own@lab"):
        assert [options["auth"] for _, options in driver.opened] == [("bo", "secret"), ("ada", "own")]


@pytest.mark.parametrize("url", ["neo4j:", "bolt://lab:70000", "bolt://u:secret@lab/a/b", "neo4j://lab?x=1"])
def test_a_url_without_a_server_is_refused_without_its_password(driver, url):
    with pytest.raises(InputError, match=r"names no server; give \w+://HOST:7687") as refused:
        open_graph_store(url)
    assert "secret" not in str(refused.value) and not driver.opened


@pytest.mark.parametrize("url", ["ladybug://u:secret@host/x", "ladybug:", "ladybug:///folder/"])
def test_a_url_without_a_file_is_refused(url):
    with pytest.raises(InputError, match="names no file; give ladybug:///FOLDER/FILE") as refused:
        open_graph_store(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(("module", "url"), [("neo4j", "bolt://lab"), ("ladybug", "ladybug:x")])
def test_without_the_package_the_command_that_brings_it_is_told(monkeypatch, module, url):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=rf"pip install 'openiir\[{module}\]'"):
        open_graph_store(url)


def test_rows_are_merged_by_the_statement_of_their_table(driver):
    with open_graph_store("bolt://lab") as store:
        store.create_tables()
        assert len(driver.ran) == 2 * len(NODES)
        assert (
            "CREATE CONSTRAINT openiir_claim_key IF NOT EXISTS FOR (n:Claim) REQUIRE n.key IS UNIQUE",
            {},
        ) in driver.ran
        store.merge(EDGES["counters"], rows := [{"source": "r/b", "target": "r/a", "number": 0}])
    assert driver.ran[-1] == (
        "UNWIND $rows AS row MATCH (a:Claim {key: row.source}) MATCH (b:Claim {key: row.target}) "
        "MERGE (a)-[r:COUNTERS {`number`: row.number}]->(b) SET r.`confidence` = row.confidence, "
        "r.`extractor` = row.extractor, r.`step` = row.step",
        {"rows": rows},
    )
    assert SAID.merge.endswith("MERGE (a)-[r:SAID]->(b)")
    assert "MERGE (a)-[r:LINK {`kind`: row.kind, `number`: row.number}]->(b)" in LINK.merge


def test_errors_of_the_driver_say_what_to_do(driver):
    driver.fails = [Auth()]
    with pytest.raises(InputError, match="refuses user and password .* NEO4J_PASSWORD"):
        open_graph_store("bolt://ada:secret@lab")
    assert driver.closed
    with open_graph_store("bolt://ada:secret@lab") as store:
        driver.fails = [Transient("Couldn't connect:\nmore")]
        with pytest.raises(EndpointError, match="bolt://lab:7687: Couldn't connect; .* push again") as told:
            store.execute("RETURN 1")
    assert "secret" not in str(told.value)


class Kept(GraphStore):
    """A store that notes what is done to it, and breaks at a number of merges."""

    def __init__(self, breaks=99):
        self.complete, self.merged, self.breaks = False, [], breaks

    def create_tables(self):
        pass

    def execute(self, statement, **parameters):
        if "SET n.complete = true" in statement:
            self.complete = True
        return [[self.complete]] if self.merged else []

    def merge(self, table, rows):
        self.breaks -= 1
        if not self.breaks:
            raise EndpointError("gone")
        if table is RUN:
            self.complete = rows[0]["complete"]
        self.merged.append((table, len(rows)))

    def __exit__(self, *_):
        pass


def test_a_push_that_breaks_is_never_whole_and_is_completed_by_the_next(monkeypatch):
    monkeypatch.setattr(graph_store, "BATCH", 2)
    rows = [(CLAIM, {"key": f"r/{n}"}) for n in range(5)] + [(SAID, {"source": "r/a", "target": "r/0"})]
    store = Kept(breaks=4)
    with pytest.raises(EndpointError):
        store.save({"key": "r"}, iter(rows))
    assert store.merged == [(RUN, 1), (CLAIM, 2), (CLAIM, 2)] and not store.complete
    assert store.save({"key": "r"}, iter(rows)) == 6
    assert store.merged[3:] == [(RUN, 1), (CLAIM, 2), (CLAIM, 2), (CLAIM, 1), (SAID, 1)] and store.complete
    assert store.save({"key": "r"}, iter(rows)) is None and len(store.merged) == 8
