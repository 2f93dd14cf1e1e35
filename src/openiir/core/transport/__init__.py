"""What every connection shares: bounded HTTP exchanges, retries, the listener to failed tries, secrets."""

from openiir.core.transport.exchange import (
    HttpAnswer,
    NoAnswer,
    describe_certificate,
    describe_failure,
    exchange,
    read_bounded,
)
from openiir.core.transport.retry import (
    GivenUp,
    Patience,
    TryFailed,
    call_with_retries,
    listen_to_tries,
    report_try,
)
from openiir.core.transport.secrets import Secret, redact
