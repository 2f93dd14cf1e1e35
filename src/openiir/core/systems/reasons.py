"""Descriptions of connection and start-up failures, in words that do not vary by Python version."""

import errno
import re
import socket
import ssl

_NUMBER = re.compile(r"\[Errno (\d+)\]")
_WORDS = {
    errno.ECONNREFUSED: "nothing listens there",
    errno.ECONNRESET: "it was broken off",
    errno.ECONNABORTED: "it was broken off",
    errno.EPIPE: "it was broken off",
    errno.ETIMEDOUT: "no answer from the host",
    errno.EHOSTUNREACH: "no way to the host",
    errno.ENETUNREACH: "no way to the host",
    errno.ENOENT: "no such file or folder",
    errno.ENOTDIR: "no such file or folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOEXEC: "it is no program",
}


def describe_failure(exc: BaseException) -> str:
    """Describe an operating system error; of several addresses tried at once, the first one's.

    Libraries word these errors with addresses, ports and version-dependent prefixes, and a fault is recorded.
    """
    if isinstance(exc, socket.gaierror):
        return "no such host"
    if isinstance(exc, ssl.SSLError):
        return "no TLS is spoken there"
    number = exc.errno if isinstance(exc, OSError) else None
    if number is None and (found := _NUMBER.search(str(exc))):
        number = int(found[1])
    if number is None:
        return type(exc).__name__
    return _WORDS.get(number, errno.errorcode.get(number, "an unknown error"))


def describe_certificate(exc: BaseException) -> str:
    """Describe what is wrong with a certificate, without the library's source position."""
    return getattr(exc, "verify_message", "") or "it cannot be verified"
