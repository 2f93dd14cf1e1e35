"""What runs share on a machine: they wait for each other, stop at one budget, and end alike."""

import re
import signal
import subprocess
import time
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from openiir.core.errors import InputError
from openiir.core.llm import Endpoint, Prices
from openiir.runs.settings import Settings, load_settings
from openiir.runs.sweep.execute import _tell_limits

RATE = '[endpoint]\nurl = "URL"\nrequests_per_minute = {}\n'
BUDGET = (
    '[endpoint]\nurl = "URL"\nprices = {{ prompt = 1000.0, reply = 1000.0 }}\nbudget = {{ money = {} }}\n'
)


@pytest.fixture
def shared(served, tmp_path):
    """Starts a server, and writes settings of an endpoint with a limit that runs share in one file."""

    def start(lines, **ways):
        return served(f'usage = "{tmp_path / "usage.db"}"\n{lines}', **ways)

    return start


@pytest.mark.extras
def test_ctrl_c_ends_a_wait_at_once_and_the_run_goes_on(by_model, shared, sitter_words, openiir, tmp_path):
    server, settings = shared(RATE.format(7))
    free = settings.with_name("free.toml")
    free.write_text(f'endpoint = "{server.url}"\n')
    content = openiir("run", by_model, "--out", tmp_path / "free", "--settings", free).content
    words = [*sitter_words, "run", str(by_model), "--out", str(tmp_path / "run"), "--settings", str(settings)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            told = ""
            while "calls wait for its limit of 7 requests a minute" not in told:
                assert (line := run.stderr.readline()), told
                told += line
            asked, started = server.counts.requests, time.monotonic()
            run.send_signal(signal.SIGINT)
            _, rest = run.communicate(timeout=20)
            assert run.returncode == 1 and "openiir resume" in rest and "Traceback" not in rest
            assert time.monotonic() - started < 10 and server.counts.requests == asked
        finally:
            run.kill()
    assert openiir("resume", tmp_path / "run", "--settings", free).content == content


def test_runs_stop_at_one_budget_and_go_on_when_it_is_raised(by_model, shared, openiir, tmp_path):
    server, settings = shared(BUDGET.format(4))
    free = settings.with_name("free.toml")
    free.write_text(f'endpoint = "{server.url}"\n')
    content = openiir("run", by_model, "--out", tmp_path / "free", "--settings", free).content
    before = server.counts.requests
    stopped = openiir("run", by_model, "--out", tmp_path / "run", "--settings", settings)
    assert stopped.code == 1 and "its budget is 4; raise `budget`" in " ".join(stopped.err.split())
    asked = server.counts.requests
    assert 0 < asked - before < before
    other = openiir("run", by_model, "--out", tmp_path / "other", "--settings", settings)
    assert other.code == 1 and server.counts.requests == asked
    doctor = openiir("doctor", "--settings", settings)
    assert doctor.code == 1 and "FAILED  budget: 0.0000 of 4 left this month (UTC)" in doctor.out
    settings.write_text(settings.read_text().replace("money = 4", "money = 400"))
    doctor = openiir("doctor", "--settings", settings)
    assert doctor.code == 0 and " of 400 left this month (UTC), " in doctor.out
    for name in ("run", "other"):
        assert openiir("resume", tmp_path / name, "--settings", settings).content == content


def test_a_sweep_says_what_its_runs_may_use_together_before_they_start():
    told: list[str] = []
    limits = {"requests_per_minute": 1_200, "budget": {"money": 5.5, "per": "day"}}
    endpoint = Endpoint(url="http://127.0.0.1:9/v1", **limits)
    for settings in (Settings(endpoint=endpoint, limits={"calls": 7}), Settings(endpoint=endpoint.url)):
        _tell_limits(SimpleNamespace(asking=3), settings, SimpleNamespace(tell=told.append))
    assert told == [
        "3 runs ask a model; each by itself may use what the settings allow: 7 calls; all of them together: "
        "1,200 requests a minute at http://127.0.0.1:9/v1, 5.5 in money a day at http://127.0.0.1:9/v1",
        "3 runs ask a model; each by itself may use what the settings allow: no limit",
    ]


def test_doctor_tells_how_much_of_a_limit_is_in_use(shared, openiir):
    _, settings = shared(RATE.format(60))
    out = openiir("doctor", "--settings", settings).out
    assert "ok      rate: 4 of 60 requests in the last minute, by all runs here" in out


def test_tokens_of_caches_have_their_price_also_after_a_resume(by_model, served, openiir, tmp_path):
    lines = (
        '[endpoint]\nurl = "URL"\nprices = { prompt = 1000.0, cached = 0.0, reply = 0.0, reasoning = 1.0 }\n'
    )
    _, settings = served(lines + "[limits]\ncalls = 10\n", cached=1.0, thinking="hidden", thoughts=1_000)
    stopped = openiir("run", by_model, "--out", tmp_path / "run", "--settings", settings)
    assert "limit of 10 calls" in stopped.err
    settings.write_text(settings.read_text().replace("calls = 10", "calls = 1000"))
    ended = openiir("resume", tmp_path / "run", "--settings", settings)
    calls, _, spent = ended.err.splitlines()[-1].partition("[")[2].partition(" calls, ")
    assert ended.code == 0 and f", {int(calls) * 1e-3:.4f} spent" in spent


def test_the_page_of_endpoints_has_every_key_as_the_settings_take_it(tmp_path, monkeypatch):
    page = Path(__file__).parents[2] / "docs/reference/endpoints.md"
    blocks = re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    table = next(block for block in blocks if "[endpoint.budget]" in block)
    (tmp_path / "openiir.toml").write_text(table)
    (endpoint,) = load_settings(tmp_path / "openiir.toml").endpoint
    written = tomllib.loads(table)["endpoint"]
    assert written.keys() == Endpoint.model_fields.keys()
    assert written["prices"].keys() == Prices.model_fields.keys()
    shown = {"url", "key_env", "name", "prices", "budget", "requests_per_minute", "tokens_per_minute"}
    for name in written.keys() - shown:
        assert getattr(endpoint, name) == Endpoint.model_fields[name].default, name


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("requests_per_minute = 0", "greater than or equal to 1"),
        ('structured = "xml"', "'auto', 'schema', 'json' or 'example'"),
        ("budget = 5.0", "a table is needed here"),
        ('budget = { money = 5.0, per = "week" }', "'day', 'month' or 'ever'"),
        ("budget = { money = -1 }", "greater than or equal to 0"),
        ("prices = { cache = 1.0 }", "did you mean 'cached'?"),
        ("request_per_minute = 60", "did you mean 'requests_per_minute'?"),
    ],
)
def test_a_mistake_in_a_limit_is_named(line, said, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text(f'[endpoint]\nurl = "http://127.0.0.1:9/v1"\n{line}\n')
    with pytest.raises(InputError, match=re.escape(said)):
        load_settings(file)
