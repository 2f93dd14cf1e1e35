"""All errors of the platform. A message says what was requested, what is the case, and what to do."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class OpeniirError(Exception):
    """Base of all errors for the user; caught once, by the command line."""

    exit_code = 1


class InputError(OpeniirError):
    """Wrong input: a study, persona, world or settings file, or an option; exit code 2."""

    exit_code = 2


class UnknownName(InputError):
    """An unknown name; the message suggests the nearest known one."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no {what} is called {name!r}; {suggest_name(name, sorted(known), 'known')}")


def suggest_name(name: str, known: Sequence[str], heading: str = "known keys") -> str:
    """Suggest the known name nearest to an unknown one, or list all under a heading."""
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"{heading}: {', '.join(known) or 'none'}"


class DamagedRun(InputError):
    """A run folder whose content does not match its manifest or is incomplete."""


class RunBusy(InputError):
    """Another process is writing this run."""


class ReplayDifference(OpeniirError):
    """The first difference between a replay and the recorded run."""


class RunStopped(OpeniirError):
    """A clean stop before the end (a limit, Ctrl-C); `resume` continues from here."""


class StorageFull(OpeniirError):
    """A failed write to disk; committed data stay, and the run can be resumed."""


class EndpointError(OpeniirError):
    """An endpoint (model, embeddings, search, system under test) did not give a usable answer in time."""


class OwnCodeFailed(OpeniirError):
    """An exception in code named by the study (a ranker, a recommender)."""


class UnusableAnswer(ValueError):
    """A reply that does not fit its question; the message is shown to the answerer, who may repair it once."""
