"""Results of checking a model endpoint or a system under test."""

from collections.abc import Iterator

from openiir.core.records.record import Record


class ProbeStep(Record):
    """Result of one check of an endpoint or system."""

    what: str
    """Name of the check, such as `reply` or `closing`."""
    ok: bool
    saw: str
    remedy: str = ""
    """What to do; only advice if `ok`."""

    def lines(self) -> Iterator[str]:
        """Format the result for printing."""
        yield f"  {'ok    ' if self.ok else 'FAILED'}  {self.what}: {self.saw}"
        if self.remedy:
            yield f"          -> {self.remedy}"
