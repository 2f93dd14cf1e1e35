"""Declared Python systems that behave as badly as some do."""

from typing import Any


def parrot(request: Any) -> str:
    """Says the same for ever."""
    return "What genre would you like?"


def talks_much(request: Any) -> str:
    """Says 50,000 characters."""
    return "word " * 10_000


def controls(request: Any) -> str:
    """Sends control characters."""
    return "\x00How \x1b[31mabout \x07something\u202e funny?\x00"


def strange(request: Any) -> str:
    """Recommends what nobody has."""
    return "You should watch Nineteen Purple Giraffes (1801)."


def silent(request: Any) -> str:
    """Says nothing."""
    return ""


def html(request: Any) -> str:
    """An error page."""
    return "<!doctype html><html><body><h1>500 Internal Server Error</h1></body></html>"


class Sometimes:
    """Breaks in the second turn of every dialogue whose user wants a certain thing, and is fine else."""

    def __init__(self) -> None:
        self.turns = 0

    def __call__(self, request: Any) -> str:
        self.turns += 1
        if self.turns == 2 and len(request["text"]) % 2:
            raise ValueError("out of order")
        return f"Tell me more about what you would like, number {self.turns}."


def last_words(request: Any) -> str:
    """Offers a drama and says goodbye."""
    return "How about The Frozen Carnival (2011)? Goodbye!"
