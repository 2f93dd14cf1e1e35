"""URLs of databases: read, shown without passwords, refused where they do not belong."""

import pytest

from openiir.core.errors import InputError
from openiir.core.storage.postgres.url import read_settings_url, read_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ada@lab:5432/runs", "postgresql://ada@lab:5432/runs"),
        ("postgresql://ada:swordfish@lab/runs", "postgresql://ada@lab/runs"),
        ("postgres://ada:sw%40rd@lab/runs", "postgres://ada@lab/runs"),
        ("postgresql://lab/runs?password=swordfish&sslmode=require", "postgresql://lab/runs?sslmode=require"),
        ("postgresql://lab/runs?host=lab&pasword=swordfish", "postgresql://lab/runs?host=lab"),
        ("postgresql://postgres:@/runs?host=/tmp/lab", "postgresql://postgres@/runs?host=/tmp/lab"),
        ("postgresql://ada:swordfish@one:5432,two:5433/runs", "postgresql://ada@one:5432,two:5433/runs"),
    ],
)
def test_a_url_is_shown_without_its_password(url, shown):
    found = read_url(url)
    assert str(found) == found.shown == shown
    assert bool(found.passwords) == ("sw" in url and "pasword" not in url)
    for secret in ("swordfish", "sw%40rd", "sw@rd"):
        assert secret not in repr(found)
        if not found.passwords:
            continue
        if secret in url or secret == "sw@rd" and "sw%40rd" in url:
            assert secret not in found.redact(f"no user with {secret} in {url}")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "runs",
        "mysql://ada:swordfish@lab/runs",
        "postgresql://[ada:swordfish@lab",
        "host=lab password=swordfish",
        "postgresql://ada:swordfish/@lab/runs",
        "postgresql://ada:swordfish#@lab/runs",
        "postgresql://ada:?swordfish@lab/runs",
    ],
)
def test_what_is_no_url_of_postgresql_is_refused_and_not_quoted(url):
    with pytest.raises(InputError, match="postgresql://USER@HOST:5432/DATABASE") as refused:
        read_url(url)
    assert "swordfish" not in str(refused.value)


def test_settings_hold_no_password():
    assert read_settings_url("postgresql://ada@lab/runs").shown == "postgresql://ada@lab/runs"
    with pytest.raises(InputError, match="PGPASSWORD or in ~/.pgpass") as refused:
        read_settings_url("postgresql://ada:swordfish@lab/runs")
    assert "swordfish" not in str(refused.value) and "postgresql://ada@lab/runs" in str(refused.value)


def test_a_settings_file_with_a_password_is_refused_and_not_quoted(openiir, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('mirror = "postgresql://ada:swordfish@lab/runs"\n')
    refused = openiir("run", "panel", "--settings", file, "--out", tmp_path / "run")
    assert refused.code == 2 and "mirror" in refused.err and "PGPASSWORD" in refused.err
    assert "swordfish" not in refused.err and not (tmp_path / "run").exists()
