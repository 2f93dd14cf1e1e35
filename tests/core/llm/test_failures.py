from datetime import UTC, datetime

import pytest

from openiir.core.llm.failures import (
    RequestRefused,
    TransientFailure,
    connection_failure,
    remedy,
    retry_after,
    worth_retrying,
)

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0.25 "}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "Sun, 01 Mar 2026 12:01:30 GMT"}, 90.0),
        ({"retry-after": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Sun, 01 Mar 2026 12:01:30 -0000"}, 90.0),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": f"Sun, 01 Mar {'9' * 20} 12:01:30 GMT"}, None),
        ({"retry-after": f"Sun, 01 Mar 2026 12:01:30 +{'9' * 20}"}, None),
    ],
)
def test_retry_after_is_read_in_each_of_its_forms(headers, seconds):
    assert retry_after(headers, NOW) == seconds


def test_statuses_worth_another_try_are_exactly_these():
    worth = {status for status in range(400, 600) if worth_retrying(status)}
    assert worth == {408, 409, 425, 429} | set(range(500, 600)) - {501}


def chained(*errors):
    """An error as an HTTP client raises it: each the cause of the one before."""
    for outer, inner in zip(errors, errors[1:], strict=False):
        outer.__cause__ = inner
    return errors[0]


@pytest.mark.parametrize(
    ("inner", "what"),
    [
        (ConnectionRefusedError(), "connection refused"),
        (ConnectionResetError(), "dropped connection"),
        (TimeoutError(), "time-out"),
        (__import__("socket").gaierror(), "host not found"),
    ],
)
def test_the_innermost_cause_names_the_failure(inner, what):
    assert connection_failure(chained(RuntimeError("outer"), OSError("middle"), inner)).what == what


def test_a_cycle_of_causes_ends():
    one, other = OSError(), OSError()
    one.__cause__, other.__cause__ = other, one
    assert connection_failure(one).what == "dropped connection"


def test_every_failure_has_a_remedy():
    failures = [
        TransientFailure(what) for what in ("429", "time-out", "connection refused", "host not found", "500")
    ]
    remedies = [remedy(failure) for failure in [*failures, RequestRefused(400, "no", "")]]
    assert all("resume" in text for text in remedies)
    assert len(set(remedies)) >= 4
