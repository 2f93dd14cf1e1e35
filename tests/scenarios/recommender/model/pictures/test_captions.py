import asyncio
import dataclasses
import json

import pytest

from openiir.core.asking import PlacedQuestion
from openiir.core.llm import Endpoint, Reply, connect
from openiir.core.records import Place
from openiir.core.seeds import Draw
from openiir.scenarios.recommender.model.pictures.image_features import look
from openiir.scenarios.recommender.model.pictures.image_words import describe_picture
from openiir.scenarios.recommender.questions.caption import CaptionPicture
from openiir.scenarios.recommender.run.captions import captions
from openiir.testing import probing
from openiir.testing.standin import StandIn


def run(lane, collection, folder):
    return asyncio.run(captions(lane, collection, folder))


def note(lane):
    """What the captions' event says."""
    (payload,) = [text for _, kind, _, text in lane.rows.events if kind == "recommender.captions"]
    return json.loads(payload)


class Scripted:
    def __init__(self, *texts):
        self.texts, self.asked = list(texts), []

    async def complete(self, request):
        self.asked.append(request)
        return Reply(self.texts.pop(0), "m", 1, 1)


def test_each_distinct_picture_is_captioned_once_for_all_items_that_share_it(
    lane, films, saved, drawn, tmp_path
):
    red = saved(drawn.convert("L").convert("RGB"), "b.png")
    saved(drawn, "a.png")
    saved(drawn, "copy.png")
    here = lane()
    got = run(here, films("a.png", "b.png", "copy.png", ""), tmp_path)
    assert got == (describe_picture(look(saved(drawn))), describe_picture(look(red)), got[0], "")
    assert note(here) == {"given": 0, "made": 3, "pictures": 2, "failed": 0, "skipped": []}
    assert sum(kind == "asked" for _, kind, _, _ in here.rows.events) == 2


def test_captions_in_the_data_stand_and_their_pictures_are_not_even_read(lane, films, saved, drawn, tmp_path):
    saved(drawn, "b.png")
    here = lane()
    got = run(here, films("gone.png", "b.png", captions=("Two men in a café.", "")), tmp_path)
    assert got[0] == "Two men in a café." and got[1].startswith("A ")
    assert note(here)["given"] == note(here)["made"] == 1


def test_without_pictures_nobody_is_asked(lane, films, tmp_path):
    here = lane()
    bare = dataclasses.replace(films("a.png", "b.png"), images=())
    assert run(here, bare, tmp_path) == ("", "") and [kind for _, kind, _, _ in here.rows.events] == [
        "recommender.captions"
    ]


@pytest.mark.parametrize(
    ("write", "says"),
    [
        (None, "does not exist"),
        (b"", "is empty"),
        (b"Heat (1995)", "is no picture"),
        (b"\xff\xd8\xff\xe0 and so on", "cannot be decoded"),
    ],
)
def test_a_bad_picture_is_skipped_and_counted_with_its_item(lane, films, saved, drawn, tmp_path, write, says):
    saved(drawn, "a.png")
    if write is not None:
        (tmp_path / "bad.png").write_bytes(write)
    here = lane()
    got = run(here, films("a.png", "bad.png"), tmp_path)
    assert got[0] and got[1] == ""
    (skipped,) = note(here)["skipped"]
    assert skipped["item"] == "f1" and says in skipped["reason"] and "bad.png" in skipped["reason"]
    assert str(tmp_path) not in skipped["reason"]


def test_pictures_on_the_web_are_not_fetched(lane, films, tmp_path):
    here = lane()
    assert run(here, films("https://x.org/a.png"), tmp_path) == ("",)
    (skipped,) = note(here)["skipped"]
    assert "https://x.org/a.png, and runs fetch nothing" in skipped["reason"]


def test_a_model_sees_the_picture_and_what_it_says_is_the_caption(lane, films, saved, drawn, tmp_path):
    image = saved(drawn)
    provider = Scripted('{"caption":"An orange sun over a blue city."}')
    assert run(lane(provider), films("a.png"), tmp_path) == ("An orange sun over a blue city.",)
    (request,) = provider.asked
    assert request.messages[-1].images == (image,) and "poster of a film" in request.messages[-1].text


def test_an_unusable_caption_leaves_the_item_without_and_is_counted(lane, films, saved, drawn, tmp_path):
    saved(drawn)
    here = lane(Scripted("I see nothing.", '{"caption":""}'))
    assert run(here, films("a.png"), tmp_path) == ("",) and note(here)["failed"] == 1


def test_an_endpoint_captions_over_the_wire(lane, films, saved, drawn, tmp_path):
    saved(drawn)

    async def ask(url):
        connection = connect(Endpoint(url=url))
        try:
            return await captions(lane(connection), films("a.png"), tmp_path)
        finally:
            await connection.aclose()

    with StandIn() as server:
        first, second = asyncio.run(ask(server.url)), asyncio.run(ask(server.url))
    assert first == second and first[0]


def asked(question):
    place = Place(
        lane="main", asker="captioner", kind=question.kind, subject=question.subject, step=1, ordinal=0
    )
    return PlacedQuestion(
        place, question, None, Draw(3, question.kind, agent="captioner", item=question.subject, step=1)
    )


def test_the_captioner_keeps_the_rules_of_questions(saved, drawn):
    pictures = (saved(drawn), saved(drawn.convert("L"), "g.png"))
    group = [asked(CaptionPicture("movie", picture)) for picture in pictures]
    assert not probing.batch_differs(group) and not probing.find_unbounded(group[0].question)
    assert all(probing.explain_impure(one) is None and probing.explain_unusable(one) is None for one in group)


def test_the_subject_is_the_picture_and_not_where_it_lies(saved, drawn):
    pictures = (saved(drawn), saved(drawn, "moved.png"), saved(drawn.convert("L"), "g.png"))
    one, other, grey = (CaptionPicture("movie", picture) for picture in pictures)
    assert one.subject == other.subject != grey.subject
    assert "a shop shows" in dataclasses.replace(one, noun="item").prompt()
