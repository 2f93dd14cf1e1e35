"""All exceptions of the platform; messages say what was requested, what was found, and what to do."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class OpeniirError(Exception):
    """Base class of all errors shown to the user; caught once, by the command line."""

    exit_code = 1


class InputError(OpeniirError):
    """Raised for wrong input: a study, persona, world or settings file, or an option; exit code 2."""

    exit_code = 2


class UnknownName(InputError):
    """Raised for an unknown name; the message suggests the nearest known one."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no {what} is called {name!r}; {suggest_name(name, sorted(known), 'known')}")


def suggest_name(name: str, known: Sequence[str], heading: str = "known keys") -> str:
    """Suggest the known name nearest to an unknown one, or else list all under a heading."""
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"{heading}: {', '.join(known) or 'none'}"


class DamagedRun(InputError):
    """Raised for a run folder that is incomplete or does not match its manifest."""


class RunBusy(InputError):
    """Raised if another process is writing to this run."""


class ReplayDifference(OpeniirError):
    """Raised at the first difference between a replay and the recorded run."""


class RunStopped(OpeniirError):
    """Raised on a clean stop before the end (a limit, Ctrl-C); `resume` continues from here."""


class StorageFull(OpeniirError):
    """Raised when writing to disk fails; committed data remain, and the run can be resumed."""


class EndpointError(OpeniirError):
    """Raised if an endpoint (model, embeddings, search, system under test) gave no usable answer in time."""


class OwnCodeFailed(OpeniirError):
    """Raised for an exception in code named by the study (a ranker, a recommender)."""


class UnusableAnswer(ValueError):
    """Raised for a reply that does not fit its question; the answerer sees why and may repair it once."""
