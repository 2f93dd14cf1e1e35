"""Results of checking a model endpoint or a system under test."""

from collections.abc import Iterator

from openiir.core.records.record import Record


class ProbeStep(Record):
    """Result of one check of an endpoint or system."""

    what: str
    """Name of the check, such as `reply` or `closing`."""
    ok: bool = True
    saw: str
    remedy: str = ""
    """What to do; only advice if `ok`."""
    needed: bool = True
    """Whether a study cannot run where the check fails."""

    def lines(self) -> Iterator[str]:
        """Format the result for printing."""
        yield f"  {'ok    ' if self.ok else 'FAILED'}  {self.what}: {self.saw}"
        if self.remedy:
            yield f"          -> {self.remedy}"


class ProbeReport(Record):
    """Checks of one endpoint or system, in order, up to the first after which others are pointless."""

    subject: str
    """Name of what was checked."""
    steps: tuple[ProbeStep, ...]

    @property
    def ok(self) -> bool:
        """Whether every needed check succeeded, so that a study can run."""
        return all(step.ok or not step.needed for step in self.steps)

    def lines(self) -> Iterator[str]:
        """Format the report for printing."""
        yield self.subject
        for step in self.steps:
            yield from step.lines()
