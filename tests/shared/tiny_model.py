"""Build a tiny language model with random weights and serve it by llama.cpp's server, for tests.

It uses the real protocol, keeps to JSON schemas, and writes nonsense. The model is a two-layer Llama, 64
wide, over a byte-level vocabulary. One residual dimension is constant: every token embeds it alike and no
layer writes to it, so the output matrix's column for it is a bias per token. It favours printable ASCII;
without it a random byte model writes invalid UTF-8, and the server answers 500 to part of the requests that
bind the reply to a schema: the same ones each time, where the request fixes a seed. That is a fault worth
having.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from model_server import CONTEXT, model_server
from numpy.typing import NDArray

from openiir.core.seeds import Draw

LAYERS, WIDTH, HEADS, INNER = 2, 64, 4, 128
_MERGES = tuple(
    "t h,i n,e r,a n,o n,Ġ t,Ġ a,Ġ s,Ġ w,r e,e n,a t,Ġ o,Ġ c,th e,Ġt he,an d,in g,i s,e s,o r,Ġ p,Ġ f,Ġ b,"
    "Ġ m,i t,a l,a r,o u,e d,Ġ d,Ġ i,s t,i on,l e,Ġ n,Ġ h,a s,Ġa nd,Ġ r,o m,l l,Ġi n,Ġo f".split(",")
)
_SPECIAL = ("<unk>", "<s>", "</s>", "<|end|>")
_CHAT = (
    "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)


def _byte_letters() -> list[str]:
    """List the visible letter for each byte in a byte-level BPE (Radford et al., GPT-2, 2019)."""
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
    """Compute a bias for each token: for printable ASCII, spaces most; zeros without `printable`."""
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
    plain, special = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    ordinary = len(vocabulary) - len(_SPECIAL)
    metadata = {
        "name": "tiny-random",
        "context_length": CONTEXT,
        "embedding_length": WIDTH,
        "block_count": LAYERS,
        "feed_forward_length": INNER,
        "head_count": HEADS,
        "head_count_kv": HEADS,
        "rope_dimension_count": WIDTH // HEADS,
        "layer_norm_rms_eps": 1e-5,
        "vocab_size": len(vocabulary),
        "tokenizer_model": "gpt2",
        "tokenizer_pre": "gpt-2",
        "token_list": vocabulary,
        "token_types": [plain] * ordinary + [special] * len(_SPECIAL),
        "token_merges": list(_MERGES),
        "unk_token_id": ordinary,
        "bos_token_id": ordinary + 1,
        "eos_token_id": ordinary + 2,
        "add_bos_token": False,
        "chat_template": _CHAT,
    }
    for key, value in metadata.items():
        getattr(writer, f"add_{key}")(value)
    for name, matrix in _tensors(vocabulary, printable):
        writer.add_tensor(name, matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors(vocabulary: list[str], printable: bool) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield the weights with llama.cpp's names, each [out, in]; residual dimension 0 is the constant one."""
    tokens = _normal("tokens", len(vocabulary), WIDTH, 1.0)
    tokens[:, 0] = 4.0
    yield "token_embd.weight", tokens
    for layer in range(LAYERS):
        shapes = dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), (WIDTH, WIDTH))
        shapes |= {"ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER)}
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
def tiny_model_server(printable: bool = True, cache: int = 0, wait: float = 30.0) -> Iterator[str]:
    """Serve the tiny model with one slot and `cache` MiB of cached prompts; gives the base URL."""
    with tempfile.TemporaryDirectory(prefix="openiir-tiny-") as folder:
        model = Path(folder) / "tiny-random.gguf"
        build(model, printable)
        with model_server(model, cache=cache, wait=wait) as url:
            yield url
