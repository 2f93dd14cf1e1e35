"""`python -m openiir.testing.standin`: serves until interrupted; prints its URL on the first line."""

import argparse
import asyncio
import contextlib

from openiir.testing.standin import Behaviour, Faults, StandIn
from openiir.testing.standin.thoughts import THINKING


def _behaviour(options: argparse.Namespace) -> Behaviour:
    kinds = tuple(options.fault_kinds.split(",")) if options.fault_kinds else Faults.kinds
    own = ("latency", "malformed", "schemas", "thinking", "thoughts", "cached", "upstream")
    faults = Faults(options.faults, kinds, retry_after=options.retry_after, hang=options.hang)
    return Behaviour(faults=faults, **{name: getattr(options, name) for name in own})


def main() -> None:
    """Read the command-line options and serve."""
    parser = argparse.ArgumentParser(prog="python -m openiir.testing.standin", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes any free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--faults", type=float, default=0.0, help="share of tries that fail in transport")
    parser.add_argument("--fault-kinds", default="", help="comma-separated; all but the slow ones by default")
    parser.add_argument("--retry-after", type=float, default=0.05, help="seconds that 429-after asks for")
    parser.add_argument("--hang", type=float, default=30.0, help="seconds that a hanging try hangs")
    parser.add_argument("--malformed", type=float, default=0.0, help="share of replies that fit no schema")
    parser.add_argument(
        "--schemas", choices=["honoured", "ignored", "refused", "json_object"], default="honoured"
    )
    parser.add_argument(
        "--thinking",
        choices=THINKING,
        default="",
        help="where a reasoning stands: in <think>...</think> before a reply, beside it, ...",
    )
    parser.add_argument("--thoughts", type=int, default=0, help="tokens of a reasoning; 0 for its words")
    parser.add_argument("--cached", type=float, default=0.0, help="share of prompts counted as cached")
    parser.add_argument("--upstream", help="a server's base URL, ending in /v1, that answers in its place")
    options = parser.parse_args()
    standin = StandIn(_behaviour(options), options.port)
    with contextlib.suppress(KeyboardInterrupt):
        try:
            asyncio.run(standin.serve(lambda: print(standin.url, flush=True)))
        except OSError as error:
            parser.error(
                f"--port {options.port}: {error.strerror or error}; name another port, or 0 for any free one"
            )


if __name__ == "__main__":
    main()
