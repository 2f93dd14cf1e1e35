"""Endpoint failures: transient ones, worth a retry, and permanent ones."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from openiir.core.errors import EndpointError
from openiir.core.transport import NoAnswer, TryFailed

WORTH_RETRYING = frozenset({408, 409, 425, 429})
"""Client errors (4xx) worth retrying; of server errors all but 501 are."""
TOO_LARGE = "answer too large"
"""Short name for a response beyond the size limit."""
ENDPOINT_DOWN = frozenset(
    {"connection refused", "host not found", "dropped connection", "time-out", "429", "502", "503", "504"}
)
"""Failures of the endpoint rather than of one request, after which other endpoints take over."""
_NAMES = {
    "time-out": "time-out",
    "too large": TOO_LARGE,
    "nothing listens there": "connection refused",
    "no such host": "host not found",
    "no answer from the host": "time-out",
}


class TransientFailure(TryFailed):
    """Raised for a failure that a retry may cure: 429, 5xx, time-out, dropped connection, no JSON."""

    def __init__(self, what: str, detail: str = "", retry_after: float | None = None) -> None:
        """Create the failure; `what` is its short name in the ledger, `retry_after` is in seconds."""
        super().__init__(f"{what}: {detail}" if detail else what)
        self.what = what
        self.retry_after = retry_after


class RequestRefused(EndpointError):
    """Raised if the endpoint refused a request and would refuse it again."""

    def __init__(self, status: int, message: str, body: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


def worth_retrying(status: int) -> bool:
    """Whether a retry after this HTTP status may succeed."""
    return status in WORTH_RETRYING or (status >= 500 and status != 501)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Parse how many seconds to wait from `retry-after-ms` or Retry-After (seconds or HTTP date).

    None where it does not say or cannot be read; a date in the past is 0.
    """
    after = headers.get("retry-after")
    for seconds, unit in ((headers.get("retry-after-ms"), 1000.0), (after, 1.0)):
        if seconds is not None and re.fullmatch(r"\d+(\.\d+)?", seconds.strip()):
            return float(seconds) / unit
    try:
        then = parsedate_to_datetime(after or "")
    except (ValueError, OverflowError):
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())


def transport_failure(failure: NoAnswer) -> TransientFailure:
    """Convert an exchange without an answer to the failure that the ledger records."""
    what = _NAMES.get(failure.how) or _NAMES.get(failure.why, "dropped connection")
    return TransientFailure(what, failure.why)


def failure_remedy(failure: TryFailed) -> str:
    """Advise the user what to do about a failure that retries did not cure."""
    if failure.what.startswith("429"):
        return "lower `width` in the settings, or wait, and resume"
    return _REMEDIES.get(failure.what, "look at the server's own log, try `openiir doctor`, and resume")


_UNREACHED = "start the server or mend `url` in the settings (`openiir doctor` looks), and resume"
_REMEDIES = {
    "time-out": "raise `timeout` or lower `width` in the settings, and resume",
    TOO_LARGE: "lower max_tokens in the study, lower `batch` or raise `largest` in the settings, and resume",
    "connection refused": _UNREACHED,
    "host not found": _UNREACHED,
}
