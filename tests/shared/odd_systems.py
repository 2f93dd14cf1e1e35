"""Declared Python systems that misbehave, for tests of error handling."""

from typing import Any


def parrot(request: Any) -> str:
    """Return the same words in every turn."""
    return "What genre would you like?"


def talks_much(request: Any) -> str:
    """Return 50,000 characters."""
    return "word " * 10_000


def controls(request: Any) -> str:
    """Return control characters."""
    return "\x00How \x1b[31mabout \x07something\u202e funny?\x00"


def strange(request: Any) -> str:
    """Recommend an item that no catalogue has."""
    return "You should watch Nineteen Purple Giraffes (1801)."


def silent(request: Any) -> str:
    """Return nothing."""
    return ""


def html(request: Any) -> str:
    """Return an HTML error page."""
    return "<!doctype html><html><body><h1>500 Internal Server Error</h1></body></html>"


class Sometimes:
    """System that fails in the second turn of about half of the dialogues."""

    def __init__(self) -> None:
        self.turns = 0

    def __call__(self, request: Any) -> str:
        self.turns += 1
        if self.turns == 2 and len(request["text"]) % 2:
            raise ValueError("out of order")
        return f"Tell me more about what you would like, number {self.turns}."


def last_words(request: Any) -> str:
    """Recommend a drama and say goodbye."""
    return "How about The Frozen Carnival (2011)? Goodbye!"
