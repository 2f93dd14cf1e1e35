"""Try or time an endpoint of the settings, and tell what is left of the limits that runs share."""

from collections.abc import Iterator

from openiir.core.errors import RunStopped
from openiir.core.llm import Endpoint
from openiir.core.llm.probe import probe_endpoint
from openiir.core.llm.speed import Speed, measure_speed
from openiir.core.records import ProbeReport, ProbeStep
from openiir.core.storage import UsageFile
from openiir.runs.settings import Settings, connect_endpoints


async def try_endpoint(endpoint: Endpoint, model: str | None, settings: Settings) -> ProbeReport:
    """Check an endpoint by short calls, which count as those of runs do."""
    with UsageFile(settings.usage.expanduser()) as usage:
        try:
            report = await probe_endpoint(endpoint, model, usage)
        except RunStopped:  # the budget is spent, as the steps below tell
            report = ProbeReport(subject=endpoint.url, steps=())
        return report.model_copy(update={"steps": (*report.steps, *_describe_use(endpoint, usage))})


async def time_endpoint(endpoint: Endpoint, model: str | None, settings: Settings) -> Speed:
    """Measure the speed of a model at an endpoint; raises as `measure_speed`, and RunStopped at a budget."""
    async with connect_endpoints(settings, (endpoint,)) as connection:
        return await measure_speed(connection, endpoint.width, model)


def _describe_use(endpoint: Endpoint, usage: UsageFile) -> Iterator[ProbeStep]:
    limits = endpoint.rate_limits
    if limits.requests is not None or limits.tokens is not None:
        used = dict(zip(("requests", "tokens"), usage.count_recent(endpoint.account, limits), strict=True))
        parts = [
            f"{used[name]:,} of {most:,} {name}"
            for name, most in (("requests", limits.requests), ("tokens", limits.tokens))
            if most is not None
        ]
        yield ProbeStep(what="rate", saw=f"{' and '.join(parts)} in the last minute, by all runs here")
    if (budget := endpoint.budget) is not None:
        spent = usage.money_spent(endpoint.account, budget.per)
        left = f"{max(0.0, budget.money - spent):.4f} of {budget.money:g} left{budget.when}"
        remedy = "" if spent < budget.money else "raise `budget` of the endpoint in the settings, or wait"
        yield ProbeStep(what="budget", ok=not remedy, saw=f"{left}, {spent:.4f} spent", remedy=remedy)
