"""What holds for every test: no network but loopback."""

import ipaddress
import socket

import pytest


def _is_loopback(address):
    if not isinstance(address, tuple):
        return True  # a local socket: a path
    host = address[0]
    if host in ("localhost", "", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class NetworkRefused(Exception):
    """A test tried to leave this machine."""


def _refusing(method):
    def connect(self, address, *rest):
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address):
            raise NetworkRefused(f"a test tried to reach {address}; mark it `network`, or use a stand-in server")
        return method(self, address, *rest)

    return connect


def _knowing_loopback_alone(getaddrinfo):
    def look_up(host, *args, **kwargs):
        if host in (None, "", "localhost", b"localhost") or _is_address(host):
            return getaddrinfo(host, *args, **kwargs)
        raise socket.gaierror(socket.EAI_NONAME, f"tests look no names up, and so not {host!r}")

    return look_up


def _is_address(host):
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return True
    try:
        socket.inet_aton(host)  # takes the odd spellings too, such as 127.1
    except (OSError, TypeError):
        return False
    return True


@pytest.fixture(autouse=True)
def loopback_only(request, monkeypatch):
    """Connects to nothing but loopback and looks no names up; the marker `network` lifts it."""
    if request.node.get_closest_marker("network"):
        return
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, _refusing(getattr(socket.socket, name)))
    monkeypatch.setattr(socket, "getaddrinfo", _knowing_loopback_alone(socket.getaddrinfo))
