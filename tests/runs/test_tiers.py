"""Tiers fit their machines, machines and endpoints find theirs, and the page says what is reckoned."""

import os
from itertools import pairwise
from pathlib import Path

import pytest
from reference_rehearsals import ASKED, rehearse_reference

from openiir.cli.tier_output import print_tier
from openiir.core.llm.response_body import context_length
from openiir.core.storage import UsageFile
from openiir.runs.settings import Settings, load_settings
from openiir.runs.tiers import TIERS, Machine, Pace, find_machine, nearest_tier, reference_studies, tier_of
from openiir.runs.types import list_types

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "tiers.md"


def test_models_fit_into_the_memory_of_their_tiers():
    assert all(tier.needs < tier.memory for tier in TIERS)


@pytest.mark.parametrize(("memory", "name"), [(25.8, "24 GB GPU"), (12.0, "8 GB GPU"), (6.0, "CPU alone")])
def test_a_machine_has_a_tier_by_its_gpu(memory, name):
    assert tier_of(Machine(8, 32.0, "some GPU", memory)).name == name


def test_an_endpoint_has_the_tier_that_is_as_fast():
    for tier in TIERS:
        assert nearest_tier(tier.pace) is tier


def test_more_calls_at_once_write_more_up_to_the_width():
    pace = Pace(prompt=1_000.0, reply=50.0, width=8)
    together = [pace.together(n) for n in range(1, 12)]
    assert all(a < b for a, b in pairwise(together[:8])) and len(set(together[7:])) == 1
    measured = Pace(prompt=1_000.0, reply=50.0, width=8, wide=120.0)
    assert (measured.together(1), measured.together(8), measured.together(100)) == (50.0, 120.0, 120.0)
    assert pace.seconds(2_000, 0, 1) == 2.0


def test_gpus_are_found_by_what_their_programs_say(tmp_path, monkeypatch):
    for name, words in (
        ("nvidia-smi", "8192, NVIDIA Small\n24576, NVIDIA Large"),
        ("rocm-smi", "device,VRAM Total Memory (B),VRAM Total Used Memory (B)\ncard0,17163091968,12\n"),
    ):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{words}\nEND\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = find_machine()
    assert (found.gpu, round(found.gpu_memory, 1)) == ("NVIDIA Large", 25.8)
    assert found.cores >= 1 and found.memory > 0.5
    (tmp_path / "nvidia-smi").unlink()
    assert round(find_machine().gpu_memory, 1) == 17.2


@pytest.mark.parametrize(
    ("entry", "context"),
    [
        ({"id": "m", "max_model_len": 4096}, 4096),
        ({"id": "m", "meta": {"n_ctx_train": 8192, "n_ctx": 2048}}, 2048),
        ({"id": "m", "meta": None, "context_length": "long"}, None),
    ],
)
def test_a_context_is_read_where_the_server_tells(entry, context):
    assert context_length(entry) == context


def test_every_type_has_its_reference_study():
    own = {known.name for known in list_types() if known.origin.startswith("openiir ")}
    assert {study.type for study in reference_studies()} == own == set(ASKED)


@pytest.mark.parametrize("name", ["asymmetric_memory", "panel", "twin_ecosystem"])
def test_the_kept_rehearsals_are_those_of_today(name, tmp_path):
    kept = next(study for study in reference_studies() if study.type == name)
    assert rehearse_reference(name, tmp_path / "run") == kept, "run benchmarks/reference_studies.py"


def test_the_page_of_tiers_says_what_is_reckoned():
    page = PAGE.read_text(encoding="utf-8")
    for tier in TIERS:
        assert tier.start in page and tier.hardware.source in page and f"{tier.pace.prompt:,.0f}" in page
    for study in reference_studies():
        line = next(line for line in page.splitlines() if line.startswith(f"| {study.type} |"))
        assert f"| {study.calls:,} | {study.prompt_tokens:,} |" in line


def test_a_machine_without_endpoint_is_reckoned_by_its_tier(capsys):
    print_tier(Settings(), None)
    said = capsys.readouterr().out
    assert "no endpoint in the settings: by " in said
    assert all(f"\n{name} " in said for name in ASKED)


def test_an_endpoint_is_timed(served, capsys):
    print_tier(load_settings(served(latency=0.01)[1]), None)
    said = capsys.readouterr().out
    assert "standin, no word on its context" in said and "as fast as tier " in said


def test_the_calls_that_time_an_endpoint_count_for_limits_that_runs_share(served, capsys, tmp_path):
    limited = f'usage = "{tmp_path / "usage.db"}"\n[endpoint]\nurl = "URL"\nrequests_per_minute = 500\n'
    server, file = served(limited)
    settings = load_settings(file)
    print_tier(settings, None)
    with UsageFile(settings.usage) as usage:
        counted, _ = usage.count_recent(settings.endpoint[0].account, settings.endpoint[0].rate_limits)
    assert 0 < server.counts.requests <= counted and "as fast as tier" in capsys.readouterr().out
