import asyncio
import base64
import hashlib
import json

import pytest

from openiir.core.errors import InputError
from openiir.core.llm import Request
from openiir.core.llm.content import LARGEST, data_uri, message_content, picture
from openiir.core.llm.failures import RequestRefused
from openiir.core.llm.openai_client import OpenAIClient
from openiir.core.records import Image, Message

PNG = b"\x89PNG\r\n\x1a\n and the rest"
STARTS = {
    "image/png": PNG,
    "image/jpeg": b"\xff\xd8\xff\xe0 JFIF",
    "image/gif": b"GIF89a and more",
    "image/webp": b"RIFF\x10\x00\n\x00WEBPVP8 ",
}


@pytest.fixture
def png(tmp_path):
    file = tmp_path / "poster.png"
    file.write_bytes(PNG)
    return picture(file)


def reply(url, request):
    async def call():
        wire = OpenAIClient(url)
        try:
            return await wire.complete(request)
        finally:
            await wire.aclose()

    return asyncio.run(call())


@pytest.mark.parametrize("media_type", STARTS)
def test_a_picture_is_told_by_its_bytes_and_not_by_its_name(tmp_path, media_type):
    file = tmp_path / "anything.txt"
    file.write_bytes(STARTS[media_type])
    wanted = hashlib.sha256(STARTS[media_type]).hexdigest()
    assert picture(file) == Image(
        media_type=media_type, sha256=wanted, size=len(STARTS[media_type]), path=str(file)
    )


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"Title: Heat", "is no picture: it begins with b'Title: Heat'"),
        (b"RIFF1234WAVEfmt", "no picture"),
    ],
)
def test_what_is_no_picture_is_refused_with_its_file_and_what_to_give(tmp_path, data, says):
    file = tmp_path / "fake.png"
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"fake\.png .*give a PNG, JPEG, GIF or WebP") as refused:
        picture(file)
    assert says in str(refused.value)


def test_a_picture_too_large_to_send_is_refused(tmp_path):
    file = tmp_path / "wall.png"
    file.write_bytes(PNG + bytes(LARGEST))
    with pytest.raises(InputError, match=r"wall\.png has more than 8 MB.*scale it down"):
        picture(file)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "gone.png", tmp_path):
        with pytest.raises(InputError, match="does not exist|is a folder"):
            picture(path)


def test_a_message_without_pictures_is_plain_text_as_ever():
    message = Message(role="user", text="Well?")
    assert message_content(message) == "Well?" and message.model_dump() == {"role": "user", "text": "Well?"}


def test_pictures_follow_the_text_as_data_uris(png):
    assert message_content(Message(role="user", text="What is it?", images=(png,))) == [
        {"type": "text", "text": "What is it?"},
        {
            "type": "image_url",
            "image_url": {"url": "data:image/png;base64," + base64.b64encode(PNG).decode()},
        },
    ]


def test_the_ledger_sees_type_hash_and_size_in_place_of_bytes_and_path(png):
    request = Request("m", (Message(role="user", text="x", images=(png,)),)).plain()
    wanted = {"media_type": "image/png", "sha256": hashlib.sha256(PNG).hexdigest(), "size": len(PNG)}
    assert request["messages"] == [{"role": "user", "text": "x", "images": [wanted]}]
    assert json.loads(json.dumps(request)) == request


def test_a_picture_that_has_changed_is_not_sent(png, tmp_path):
    (tmp_path / "poster.png").write_bytes(PNG + b"!")
    with pytest.raises(InputError, match=r"poster\.png has changed"):
        data_uri(png)


def test_pictures_cross_the_wire(standin, png):
    server = standin()
    request = Request("standin", (Message(role="user", text="What is it?", images=(png,)),))
    first, second = reply(server.url, request), reply(server.url, request)
    assert first == second and first.text
    # "What is it? [image/png]": four words at four tokens for three
    assert first.prompt_tokens == 6


@pytest.mark.parametrize("schema", [None, {"type": "object", "properties": {}}])
def test_an_endpoint_that_sees_nothing_is_named_at_once(standin, png, schema):
    server = standin(sees=False)
    request = Request("standin", (Message(role="user", text="What is it?", images=(png,)),), schema=schema)
    with pytest.raises(
        RequestRefused,
        match="question with a picture: it does not take this picture .*choose a model that sees",
    ):
        reply(server.url, request)
    assert server.counts.requests == 1


def test_the_stand_in_refuses_pictures_that_are_none(standin, png):
    wrong = png.model_copy(update={"media_type": "image/gif"})
    with pytest.raises(RequestRefused, match="the image is no image/gif"):
        reply(standin().url, Request("standin", (Message(role="user", text="x", images=(wrong,)),)))
