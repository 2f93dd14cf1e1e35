"""Endpoint failures: transient ones, worth a retry, and permanent ones."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from openiir.core.errors import EndpointError

WORTH_RETRYING = frozenset({408, 409, 425, 429})
"""Client errors (4xx) worth retrying; of server errors all but 501 are."""


TOO_LARGE = "answer too large"
"""Short name for a response beyond the size limit."""
ENDPOINT_DOWN = frozenset(
    {"connection refused", "host not found", "dropped connection", "time-out", "429", "502", "503", "504"}
)
"""Failures of the endpoint rather than of one request, after which other endpoints take over."""


class TransientFailure(EndpointError):
    """Raised for a failure that a retry may cure (429, 5xx, time-out, dropped connection, unreadable body).

    `endpoint` names the one that failed, where there are several.
    """

    endpoint = ""

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
    """Parse how many seconds the endpoint asks to wait: `retry-after-ms`, or Retry-After (seconds or HTTP date).

    None where it does not say or cannot be read; a date in the past is 0.
    """
    millis, after = headers.get("retry-after-ms"), headers.get("retry-after")
    if millis is not None and re.fullmatch(r"\d+(\.\d+)?", millis.strip()):
        return float(millis) / 1000.0
    if after is None:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", after.strip()):
        return float(after)
    try:
        then = parsedate_to_datetime(after)
    except (ValueError, OverflowError):
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())


def connection_failure(error: BaseException) -> TransientFailure:
    """Classify an HTTP client error by the socket error that it wraps."""
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen:
        seen.append(cause)
        cause = cause.__cause__ or cause.__context__
    names = " ".join(type(each).__name__ for each in seen)
    if any(isinstance(each, ConnectionRefusedError) for each in seen):
        return TransientFailure("connection refused", "nothing listens at this address")
    if "gaierror" in names or "DNSError" in names:
        return TransientFailure("host not found", "this host name has no address")
    if any(isinstance(each, TimeoutError) for each in seen):
        return TransientFailure("time-out", "no answer came in time")
    return TransientFailure("dropped connection", "the connection closed before the answer was whole")


def remedy(failure: EndpointError) -> str:
    """Advise the user what to do about a failure that retries did not cure."""
    what = failure.what if isinstance(failure, TransientFailure) else ""
    if what.startswith("429"):
        return "lower `width` in the settings, or wait, and resume"
    if what == "time-out":
        return "raise `timeout` or lower `width` in the settings, and resume"
    if what == TOO_LARGE:
        return (
            "lower max_tokens in the study or `batch` in the settings, or raise `largest` there, and resume"
        )
    if what in ("connection refused", "host not found"):
        return "start the server or mend `url` in the settings (`openiir doctor` looks), and resume"
    return "look at the server's own log, try `openiir doctor`, and resume"
