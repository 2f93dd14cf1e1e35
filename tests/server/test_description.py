"""The JSON interface does what its OpenAPI description says, for requests made up from it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from starlette.testclient import TestClient

from openiir.runs.settings import Settings
from openiir.server.app import build_app
from openiir.server.guard import Access

pytestmark = pytest.mark.extras
schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed: make test-extras")
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "unsupported_method",
)
HEADERS = {"X-Openiir": "1", "Authorization": "Bearer a-token"}

OPERATIONS = [
    (path, method)
    for path, methods in build_app(Path(), Access(), Settings()).openapi()["paths"].items()
    for method in methods
]


@pytest.fixture
def description(served):
    """The server as it describes itself; half of the requests are of a run, view and world that there are."""
    access = Access(hosts=("testserver",), token="a-token", write=True)
    app = build_app(served, access, Settings())
    found = schemathesis.openapi.from_asgi("/openapi.json", app)

    @found.hook
    def map_path_parameters(context, path_parameters):
        known = {"id": "panel", "name": "transcript", "world": "main"}
        return {
            name: known.get(name, v) if len(str(v)) % 2 else v for name, v in (path_parameters or {}).items()
        }

    with TestClient(app):  # ends what requests have begun
        yield found


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_the_server_answers_as_it_is_described(description, path, method):
    checks = [getattr(schemathesis.checks, name) for name in CHECKS]

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=description[path][method].as_strategy())
    def ask(case):
        case.call_and_validate(headers=HEADERS, checks=checks)

    ask()
