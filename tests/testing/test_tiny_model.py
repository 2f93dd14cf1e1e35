import pytest


def test_the_model_is_small_and_built_alike_every_time(tmp_path):
    pytest.importorskip("gguf", reason="needs the gguf package to build the model")
    from tiny_model import build

    for name in ("one", "two"):
        build(tmp_path / name)
    build(tmp_path / "raw", printable=False)
    one, two, raw = ((tmp_path / name).read_bytes() for name in ("one", "two", "raw"))
    assert one == two != raw
    assert len(one) < 1_000_000


def test_a_server_that_cannot_start_says_what_it_said(monkeypatch):
    pytest.importorskip("xllamacpp", reason="needs llama.cpp's server (the xllamacpp wheel)")
    import tiny_model

    monkeypatch.setattr(tiny_model, "build", lambda path, printable: path.write_bytes(b"no model"))
    with pytest.raises(RuntimeError, match="did not become healthy"), tiny_model.tiny_model_server(wait=20.0):
        pass
