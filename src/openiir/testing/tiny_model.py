"""A real model server for tests: llama.cpp's own, on a model of random weights that is built here in a second.

It speaks the true wire, keeps to JSON schemas, and writes nonsense. The model is a two-layer Llama, 64 wide,
over a byte-level vocabulary. One residual dimension is constant: every token embeds it alike and no layer
writes to it, so the output matrix's column for it is a bias per token. It favours printable ASCII; without it
a random byte model writes invalid UTF-8, and the server answers 500 to part of the requests that bind the reply
to a schema: the same ones each time, where the request fixes a seed. That is a fault worth having.
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

import numpy as np
from numpy.typing import NDArray

from openiir.core.seeds import Draw

LAYERS, WIDTH, HEADS, INNER, CONTEXT = 2, 64, 4, 128, 8192
_MERGES = (
    "t h", "i n", "e r", "a n", "o n", "Ġ t", "Ġ a", "Ġ s", "Ġ w", "r e", "e n", "a t", "Ġ o", "Ġ c", "th e",
    "Ġt he", "an d", "in g", "i s", "e s", "o r", "Ġ p", "Ġ f", "Ġ b", "Ġ m", "i t", "a l", "a r", "o u", "e d",
    "Ġ d", "Ġ i", "s t", "i on", "l e", "Ġ n", "Ġ h", "a s", "Ġa nd", "Ġ r", "o m", "l l", "Ġi n", "Ġo f",
)  # fmt: skip
_SPECIAL = ("<unk>", "<s>", "</s>", "<|end|>")
_CHAT = (
    "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)


def _byte_letters() -> list[str]:
    """The visible letter that stands for each byte in a byte-level BPE (Radford et al., GPT-2, 2019)."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    letters = {byte: chr(byte) for byte in shown}
    letters |= {byte: chr(256 + i) for i, byte in enumerate(hidden)}
    return [letters[byte] for byte in range(256)]


def _vocabulary() -> list[str]:
    return [*_byte_letters(), *(merge.replace(" ", "") for merge in _MERGES), *_SPECIAL]


def _normal(name: str, rows: int, columns: int, sd: float) -> NDArray[np.float32]:
    draw = Draw(0, "tiny-model", agent=name)
    matrix: NDArray[np.float64] = draw.normal(
        0.0, sd, item=np.arange(rows)[:, None], step=np.arange(columns)[None, :]
    )
    return matrix.astype(np.float32)


def _bias(vocabulary: list[str], printable: bool) -> NDArray[np.float32]:
    """Logits a token gets whatever the text: for printable ASCII, some more for spaces, few for the end."""
    letters = _byte_letters()
    plain = {letters[byte] for byte in range(0x20, 0x7F)}
    bias = [4.0 if all(c in plain for c in token) else -12.0 for token in vocabulary]
    bias[-len(_SPECIAL) :] = [-12.0, -12.0, 2.0, -12.0]
    bias[vocabulary.index(letters[0x20])] = 6.0
    return np.array(bias if printable else [0.0] * len(bias), dtype=np.float32)


def build(path: Path, printable: bool = True) -> None:
    """Write the model as GGUF (about 0.5 MB); without `printable` it writes invalid UTF-8."""
    import gguf

    vocabulary = _vocabulary()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny-random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(vocabulary))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(vocabulary)
    plain, special = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    ordinary = len(vocabulary) - len(_SPECIAL)
    writer.add_token_types([plain] * ordinary + [special] * len(_SPECIAL))
    writer.add_token_merges(list(_MERGES))
    writer.add_unk_token_id(ordinary)
    writer.add_bos_token_id(ordinary + 1)
    writer.add_eos_token_id(ordinary + 2)
    writer.add_add_bos_token(False)
    writer.add_chat_template(_CHAT)
    for name, matrix in _tensors(vocabulary, printable):
        writer.add_tensor(name, matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors(vocabulary: list[str], printable: bool) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Weights by llama.cpp's names, each [out, in]; residual dimension 0 is the constant one."""
    tokens = _normal("tokens", len(vocabulary), WIDTH, 1.0)
    tokens[:, 0] = 4.0
    yield "token_embd.weight", tokens
    for layer in range(LAYERS):
        shapes = {
            "attn_q": (WIDTH, WIDTH), "attn_k": (WIDTH, WIDTH), "attn_v": (WIDTH, WIDTH),
            "attn_output": (WIDTH, WIDTH), "ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH),
            "ffn_down": (WIDTH, INNER),
        }  # fmt: skip
        for part, (rows, columns) in shapes.items():
            matrix = _normal(f"{layer}/{part}", rows, columns, columns**-0.5)
            if part in ("attn_output", "ffn_down"):
                matrix[0, :] = 0.0
            yield f"blk.{layer}.{part}.weight", matrix
        for norm in ("attn_norm", "ffn_norm"):
            yield f"blk.{layer}.{norm}.weight", np.ones(WIDTH, dtype=np.float32)
    yield "output_norm.weight", np.ones(WIDTH, dtype=np.float32)
    output = _normal("output", len(vocabulary), WIDTH, 0.25)
    output[:, 0] = _bias(vocabulary, printable) / 2.0
    yield "output.weight", output


@contextmanager
def tiny_model_server(printable: bool = True, wait: float = 30.0) -> Iterator[str]:
    """The base URL (ending in /v1) of a server in a process of its own, with one slot and no prompt cache.

    It answers chat and embeddings (the mean of the last layer, 64 wide). Raises RuntimeError with the server's
    last words where it is not healthy within `wait` seconds.
    """
    with tempfile.TemporaryDirectory(prefix="openiir-tiny-") as folder:
        model, log = Path(folder) / "tiny.gguf", Path(folder) / "log"
        build(model, printable)
        port = _free_port()
        command = [sys.executable, "-m", "openiir.testing.tiny_model", str(model), "--port", str(port)]
        with log.open("wb") as sink:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=sink,
                stderr=sink,
                env=os.environ | {"OMP_NUM_THREADS": "1"},
            )
        try:
            _await_health(port, process, log, wait)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()
            process.communicate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_health(port: int, process: "subprocess.Popen[bytes]", log: Path, wait: float) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + wait
    while time.monotonic() < until and process.poll() is None:
        try:
            with opener.open(f"http://127.0.0.1:{port}/health", timeout=1.0) as answer:
                if json.load(answer).get("status") == "ok":
                    return
        except (urllib.error.URLError, OSError, ValueError):
            time.sleep(0.02)
    words = log.read_bytes()[-2000:].decode("utf-8", "replace")
    raise RuntimeError(f"the tiny model server did not become healthy within {wait:.0f} s; it said:\n{words}")


def _serve(model: str, port: int) -> None:
    """Serve in this process until it is killed or its standard input closes with its parent."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.model_alias = {"tiny-random"}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_parallel = 1
    parameters.n_ctx = CONTEXT
    parameters.cache_prompt = False
    parameters.cache_ram_mib = 0
    parameters.warmup = False
    parameters.fit_params = False
    parameters.ui = False
    parameters.n_gpu_layers = 0
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.embedding = True
    parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(parameters)
    sys.stdin.buffer.read()
    # Destroying a server that has answered nothing yet hangs, so it is never destroyed.
    os._exit(0 if server else 1)


def main() -> None:
    """`python -m openiir.testing.tiny_model MODEL --port N`: what `tiny_model_server` runs."""
    parser = argparse.ArgumentParser(prog="python -m openiir.testing.tiny_model", description=main.__doc__)
    parser.add_argument("model")
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    _serve(options.model, options.port)


if __name__ == "__main__":
    main()
