"""Serve a model file by llama.cpp's server (the `xllamacpp` wheel), for tests and benchmarks.

It runs in a process of its own, on a thread for each slot, and ends with its parent.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONTEXT = 8192
"""Number of tokens of prompt and reply that all slots hold together."""


@contextmanager
def model_server(model: Path, *, slots: int = 1, cache: int = 0, wait: float = 30.0) -> Iterator[str]:
    """Serve a GGUF file; yields the base URL (ending in /v1), where the model is named after its file.

    It answers chat and embeddings (the mean of the last layer). With one slot no prompt is cached, so that
    the same request gets the same reply; with more, each slot keeps its last prompt, and with `cache` as many
    MiB of prompts are kept beside. Raises RuntimeError with the server's last words where it is not healthy
    within `wait` seconds.
    """
    with tempfile.TemporaryFile() as log:
        port = _free_port()
        command = [sys.executable, __file__, str(model), "--port", str(port), "--slots", str(slots)]
        command += ["--cache", str(cache)]
        environment = os.environ | {"OMP_NUM_THREADS": str(slots)}
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment)
        try:
            if not _is_healthy(port, process, wait):
                log.seek(max(0, log.seek(0, os.SEEK_END) - 2000))
                words = log.read().decode("utf-8", "replace")
                raise RuntimeError(
                    f"the model server did not become healthy within {wait:.0f} s; it said:\n{words}"
                )
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()
            process.communicate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_healthy(port: int, process: "subprocess.Popen[bytes]", wait: float) -> bool:
    """Whether the server reports health within `wait` seconds."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + wait
    while time.monotonic() < until and process.poll() is None:
        try:
            with opener.open(f"http://127.0.0.1:{port}/health", timeout=1.0) as answer:
                if json.load(answer).get("status") == "ok":
                    return True
        except (urllib.error.URLError, OSError, ValueError):
            time.sleep(0.02)
    return False


def _serve(model: Path, port: int, slots: int, cache: int) -> None:
    """Run the server in this process until it is killed or its standard input closes with its parent."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    values = {
        "model_alias": {model.stem},
        "hostnames": ["127.0.0.1"],
        "port": port,
        "n_parallel": slots,
        "n_ctx": CONTEXT,
        "cache_prompt": slots > 1 or cache > 0,
        "cache_ram_mib": cache,
        "warmup": False,
        "fit_params": False,
        "ui": False,
        "n_gpu_layers": 0,
        "embedding": True,
        "pooling_type": xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN,
    }
    for name, value in values.items():
        setattr(parameters, name, value)
    parameters.model.path = str(model)
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = slots
    server = xllamacpp.Server(parameters)
    sys.stdin.buffer.read()
    # Destroying a server that has answered nothing yet hangs, so it is never destroyed.
    os._exit(0 if server else 1)


def main() -> None:
    """Serve a model as the process that `model_server` starts."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--slots", type=int, default=1)
    parser.add_argument("--cache", type=int, default=0)
    options = parser.parse_args()
    _serve(options.model, options.port, options.slots, options.cache)


if __name__ == "__main__":
    main()
