import asyncio

import pytest

from openiir.core.llm import Endpoint
from openiir.core.llm.probe import probe_endpoint


def look(url, model=None, **settings):
    endpoint = Endpoint(url=url, first_wait=0.001, **settings)
    report = asyncio.run(probe_endpoint(endpoint, model))
    return report, {step.what: step for step in report.steps}


def test_a_server_that_can_do_everything(standin):
    report, found = look(standin(models=("nomic-embed-text", "qwen3:8b")).url)
    assert report.ok
    assert found["models"].saw == "2: nomic-embed-text, qwen3:8b" and "qwen3:8b" in found["reply"].saw
    assert all(step.ok and not step.remedy for step in report.steps)
    assert list(found) == ["answers", "models", "reply", "schema", "embeddings"]
    assert "nomic-embed-text" in found["embeddings"].saw and "32" in found["embeddings"].saw


@pytest.mark.parametrize("ways", ["ignored", "refused", "json_object"])
def test_a_server_that_keeps_to_no_schema_is_usable_and_says_so(standin, ways):
    report, found = look(standin(schemas=ways).url)
    assert report.ok and not found["schema"].ok and found["schema"].remedy


def test_a_server_without_embeddings(standin):
    report, found = look(standin(embeddings=False).url)
    assert report.ok and not found["embeddings"].ok
    assert "404" in found["embeddings"].saw and "nomic-embed-text" in found["embeddings"].remedy


def test_a_model_that_is_not_there(standin):
    report, found = look(standin(models=("a", "b")).url, "c")
    assert not report.ok
    assert not found["models"].ok and "a, b" in found["models"].saw and "c" in found["models"].remedy
    assert "schema" not in found


def test_a_server_without_models(scripted):
    report, found = look(scripted(lambda path, body: (200, {}, {"data": []}))[0])
    assert not report.ok and "ollama pull" in found["reply"].remedy


def test_a_server_that_lists_no_models_may_still_reply(scripted, completion):
    def answer(path, body):
        return (
            (404, {}, {"error": "no"}) if path.endswith("models") else (200, {}, completion("The sea rises."))
        )

    report, found = look(scripted(answer)[0], "m")
    assert report.ok and found["answers"].ok and not found["models"].ok


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://no-such-host.invalid/v1"])
def test_nobody_there_is_one_finding_with_a_remedy(url):
    report, found = look(url, "m")
    assert not report.ok and list(found) == ["answers"]
    assert "url" in found["answers"].remedy


def test_a_missing_key_is_named_as_that(standin):
    report, found = look(standin(key="k" * 20).url, "m")
    assert not report.ok and "key_env" in found["answers"].saw
