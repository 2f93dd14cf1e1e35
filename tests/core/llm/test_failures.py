from datetime import UTC, datetime

import pytest

from openiir.core.llm.failures import (
    TransientFailure,
    failure_remedy,
    retry_after,
    transport_failure,
    worth_retrying,
)
from openiir.core.transport import NoAnswer

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


@pytest.mark.parametrize(
    ("how", "why", "what"),
    [
        ("no connection", "nothing listens there", "connection refused"),
        ("no connection", "no such host", "host not found"),
        ("no connection", "no answer from the host", "time-out"),
        ("no connection", "no TLS is spoken there", "dropped connection"),
        ("time-out", "no answer within 3 s", "time-out"),
        ("too large", "its body is more than 1 MiB", "answer too large"),
        ("no HTTP", "the exchange is no proper HTTP", "dropped connection"),
    ],
)
def test_an_exchange_without_an_answer_has_the_ledgers_name(how, why, what):
    failure = transport_failure(NoAnswer(how, why))
    assert failure.what == what and str(failure) == f"{what}: {why}"


def test_every_failure_has_a_remedy():
    failures = [
        TransientFailure(what) for what in ("429", "time-out", "connection refused", "host not found", "500")
    ]
    remedies = [failure_remedy(failure) for failure in failures]
    assert all("resume" in text for text in remedies)
    assert len(set(remedies)) >= 4
