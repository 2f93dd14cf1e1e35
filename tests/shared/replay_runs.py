"""Replay runs in an own process, under the settings of its environment: `python replay_runs.py FOLDER...`

With `OPENIIR_TEST_SHAKE=1` the last bit of every result of exp, log, powers and other functions that
processors compute differently is changed first, up or down by its own bits, so that what depends on it
shows on any processor.
"""

import math
import os
import sys
from pathlib import Path

import numpy as np

SHAKEN = (
    *(
        (np, name)
        for name in ("exp", "exp2", "log", "log2", "log10", "log1p", "expm1", "power", "sin", "cos")
    ),
    *((np, name) for name in ("tanh", "arctan2", "hypot", "dot", "matmul", "einsum", "cumsum", "std", "var")),
    *((math, name) for name in ("exp", "log", "log2", "log10", "log1p", "expm1", "pow", "tanh", "hypot")),
)


def shake(function):
    """Change the last bit of a function's float64 results, unless they are exact: those end in zeros."""

    def shaken(*args, **options):
        found = function(*args, **options)
        values = np.asarray(found)
        if values.dtype != np.float64:
            return found
        last = values.view(np.int64) if values.ndim else values.reshape(1).view(np.int64).reshape(())
        moved = np.nextafter(values, np.where(last & 8, np.inf, -np.inf))
        moved = np.where((last & 7 != 0) & np.isfinite(values), moved, values)
        if isinstance(found, np.ndarray):
            if options.get("out") is not None:
                found[...] = moved
                return found
            return moved
        return type(found)(moved)

    return shaken


def main(*folders: str) -> None:
    if os.environ.get("OPENIIR_TEST_SHAKE"):
        from scipy import special

        for module, name in (*SHAKEN, *((special, name) for name in ("ndtr", "ndtri", "expit", "logit"))):
            setattr(module, name, shake(getattr(module, name)))
    from openiir.core.errors import OpeniirError
    from openiir.runs.execute import LocalOptions, replay_run

    for folder in map(Path, folders):
        try:
            print(folder.name, replay_run(folder, LocalOptions(shown=False)))
        except OpeniirError as error:
            print(folder.name, error)


if __name__ == "__main__":
    main(*sys.argv[1:])
