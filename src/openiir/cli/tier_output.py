"""Print the tier of this machine and its endpoint, and what the reference studies take on it."""

from openiir.core.llm.speed import Speed
from openiir.runs.edge import run_coroutine
from openiir.runs.endpoint_use import time_endpoint
from openiir.runs.settings import Settings
from openiir.runs.terminal import print_result
from openiir.runs.tiers import Pace, find_machine, nearest_tier, reference_studies, tier_of

_NOTE = """
Calls and tokens are those of rehearsals with offline answers, as `openiir run TYPE --forecast` makes them;
`--pilot N` comes much nearer. Cacheable prompt tokens begin as an earlier prompt did; the time counts all."""


def print_tier(settings: Settings, model: str | None) -> None:
    """Print the machine's tier, the endpoint's measured or the tier's reckoned speed, and the studies."""
    machine = find_machine()
    tier = tier_of(machine)
    print_result(f"machine: {machine}: tier {tier.name}")
    if settings.endpoint:
        endpoint = settings.endpoint[0]
        speed = run_coroutine(time_endpoint(endpoint, model, settings))
        pace = Pace(speed.prompt, speed.reply, speed.width, speed.together)
        near = nearest_tier(pace).name
        print_result(f"endpoint: {endpoint.url}: {_speed_words(speed)}\nas fast as tier {near}")
    else:
        pace, wide = tier.pace, tier.pace.together(tier.width)
        print_result(
            f"no endpoint in the settings: by {tier.hardware.name}, {tier.model.name} would read "
            f"{pace.prompt:,.0f} prompt\ntokens a second and write {pace.reply:,.0f} reply tokens "
            f"({wide:,.0f} with {tier.width} calls at once)"
        )
    print_result(f"\n{'study':24}{'calls':>8}{'prompt':>13}{'cacheable':>11}{'reply':>10}{'time':>10}")
    for study in reference_studies():
        print_result(
            f"{study.type:24}{study.calls:8,}{study.prompt_tokens:13,}{study.cacheable:11.0%}"
            f"{study.reply_tokens:10,}{_duration(study.seconds(pace)):>10}"
        )
    print_result(_NOTE)


def _speed_words(speed: Speed) -> str:
    context = f"{speed.context:,} tokens of context" if speed.context else "no word on its context"
    return (
        f"{speed.model}, {context};\n{speed.prompt:,.0f} prompt tokens a second, "
        f"{speed.reply:,.0f} reply tokens, {speed.together:,.0f} with {speed.width} calls at once"
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"
