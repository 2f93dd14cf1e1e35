"""The one tree of errors. A message says what was asked, what is so, and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches


class OpeniirError(Exception):
    """Anything the platform says to its user; caught once, at the edge."""

    exit_code = 1


class InputError(OpeniirError):
    """The user's input is wrong (study, persona, world or settings file, option): exit code 2."""

    exit_code = 2


class UnknownName(InputError):
    """A name that nothing bears; offers the nearest one that exists."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names) or 'none'}"
        super().__init__(f"no {what} is called {name!r}; {hint}")


class DamagedRun(InputError):
    """A run folder that is not what its own record says it is."""


class RunBusy(InputError):
    """Another process is writing this run."""


class ReplayDifference(OpeniirError):
    """The first place where a re-execution departs from the record."""


class RunStopped(OpeniirError):
    """A clean stop before the end (a limit, Ctrl-C); `resume` goes on from here."""


class StorageFull(OpeniirError):
    """The disk refused a write; what was committed stays, and the run can be resumed."""


class EndpointError(OpeniirError):
    """An endpoint (model, embeddings, search, system under test) did not give a usable answer in time."""


class OwnCodeFailed(OpeniirError):
    """Code that the study brings (a ranker, a recommender) raised."""


class UnusableAnswer(ValueError):
    """A reply that does not fit its question; its text is shown to the answerer for the one repair."""
