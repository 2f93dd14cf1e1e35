"""The forecast says what the run then asks for."""

import asyncio
import sqlite3
from pathlib import Path

from openiir.runs.forecast import forecast_run
from openiir.runs.prepare import prepare_run
from openiir.runs.settings import load_settings
from openiir.runs.study import load_study


def counted(run: Path) -> tuple[dict[str, int], int, int]:
    db = sqlite3.connect(run / "run.db")
    kinds = dict(db.execute("select kind, count(*) from call where attempt = 0 group by kind"))
    prompt, reply = db.execute("select sum(prompt_tokens), sum(reply_tokens) from call").fetchone()
    db.close()
    return kinds, prompt, reply


def test_the_forecast_counts_the_calls_that_are_made(by_model, served, sit, tmp_path):
    settings = load_settings(served()[1])
    with prepare_run(load_study(str(by_model)), tmp_path / "told", settings) as run:
        before = run.usage()
        (forecast,) = asyncio.run(forecast_run(run, settings))
        assert run.usage() == before and run.steps() == {}
    sit(by_model, tmp_path / "made", settings)
    kinds, prompt, reply = counted(tmp_path / "made")
    assert forecast.calls == kinds
    assert 0.6 < forecast.prompt_tokens / prompt < 1.7
    assert forecast.reply_tokens > 0 and reply > 0
    assert forecast.parts.keys() == kinds.keys()
    for parts in forecast.parts.values():
        assert all(
            parts[part] for part in ("who is asked", "what is new", "the form of the reply", "the reply")
        )
        assert parts["the beginning, as last time"], "each of the two is asked more than once"
    (tmp_path / "broken").mkdir()
    with prepare_run(load_study(str(by_model)), tmp_path / "again", settings) as run:
        rehearsed, earlier = asyncio.run(
            forecast_run(run, settings, [tmp_path / "broken", tmp_path / "made"])
        )
    assert rehearsed == forecast
    assert (earlier.prompt_tokens, earlier.reply_tokens) == (prompt, reply)


def test_answers_that_ask_no_model_are_not_forecast(evening, served, tmp_path):
    settings = load_settings(served()[1])
    partly = (
        '[model]\nname = "standin"\n[answers.persona]\nada = "model"\nben = { "parlour.rate" = "model" }\n'
    )
    with prepare_run(load_study(str(evening(tables=partly))), tmp_path / "run", settings) as run:
        (forecast,) = asyncio.run(forecast_run(run, settings))
    assert forecast.calls == {"parlour.rate": 8, "parlour.remark": 8}


def test_a_reply_is_at_least_as_long_as_the_example_shown(by_model, served, tmp_path, parlour, monkeypatch):
    settings = load_settings(served()[1])

    def replies(name):
        with prepare_run(load_study(str(by_model)), tmp_path / name, settings) as run:
            (forecast,) = asyncio.run(forecast_run(run, settings))
        return forecast.parts["parlour.remark"]["the reply"] // forecast.calls["parlour.remark"]

    plain = replies("plain")
    monkeypatch.setattr(parlour.Remark, "example", parlour.Words(text="No."))
    assert replies("short") == plain
    monkeypatch.setattr(parlour.Remark, "example", parlour.Words(text=" ".join(["well"] * 59)))
    assert plain < replies("long") == 80
