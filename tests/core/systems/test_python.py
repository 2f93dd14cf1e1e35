import asyncio
import sys
import threading

import pytest

from openiir.core.errors import InputError
from openiir.core.systems import SystemFault, open_session, read_system

MODULE = """
import threading

closed = []
release = threading.Event()

def shout(request):
    return request["text"].upper()

async def whisper(request):
    return {"reply": {"text": request["text"].lower()}, "items": ("a", "b")}

def later(request):
    return whisper(request)

def greedy(request):
    request["list"].append("changed")
    return sorted(request)

def thread(request):
    return str(threading.get_ident())

def nothing(request):
    return None

def unwritable(request):
    return {"x": {1, 2}}

def broken(request):
    raise KeyError("movie")

def quits(request):
    raise SystemExit("bye")

async def quits_later(request):
    raise SystemExit("bye")

def infinite(request):
    return [float("inf")]

def endless(request):
    loop = []
    loop.append(loop)
    return loop

def somewhere(request):
    raise ValueError(f"{object()} " + "x" * 5_000)

def floods(request):
    return "x" * (2**20 + 1)

def stops(request):
    raise StopIteration

def times_out(request):
    raise TimeoutError("the database is slow")

def hangs(request):
    release.wait(60)
    return "late"

class Bot:
    def __init__(self):
        self.turns = 0
        self.home = threading.get_ident()

    def __call__(self, request):
        self.turns += 1
        assert threading.get_ident() == self.home
        return str(self.turns)

    def close(self):
        closed.append(self.turns)

class AsyncBot:
    async def __call__(self, request):
        return "async " + request["text"]

class Mute:
    pass

class Picky:
    def __init__(self, model):
        pass

PI = 3
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "bots_under_test.py").write_text(MODULE)
    (tmp_path / "broken_bot.py").write_text("import no_such_library")
    monkeypatch.syspath_prepend(tmp_path)
    yield __import__("bots_under_test")
    sys.modules.pop("bots_under_test").release.set()


def talk(name, *requests, **keys):
    async def main():
        spec = read_system({"connector": "python", "callable": f"bots_under_test:{name}"} | keys)
        session = await open_session(spec, "test")
        try:
            return [await session.send(request) for request in requests]
        finally:
            await session.close()

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("name", "keys", "text"),
    [
        ("shout", {}, "HI THERE"),
        ("whisper", {"response": "reply.text"}, "hi there"),
        ("later", {"response": "reply.text"}, "hi there"),
        ("later", {"response": "items[-1]"}, "b"),
        ("whisper", {}, '{"items":["a","b"],"reply":{"text":"hi there"}}'),
        ("AsyncBot", {}, "async Hi there"),
        ("Bot", {}, "1"),
        ("shout", {"request": {"text": "<{text}>"}}, "<HI THERE>"),
    ],
)
def test_functions_coroutines_and_classes_answer_alike(module, name, keys, text):
    assert talk(name, {"text": "Hi there"}, **keys)[0].text == text


def test_a_class_lives_as_long_as_its_session_and_on_one_thread(module):
    assert [r.text for r in talk("Bot", {}, {}, {})] == ["1", "2", "3"]
    assert [r.text for r in talk("Bot", {})] == ["1"]
    assert module.closed == [3, 1]


def test_a_function_runs_beside_the_event_loop(module):
    assert talk("thread", {})[0].text != str(threading.get_ident())


def test_a_callable_cannot_change_what_is_the_callers(module):
    request = {"text": "hi", "list": ["mine"]}
    assert talk("greedy", request)[0].text == '["list","session","text"]'
    assert request == {"text": "hi", "list": ["mine"]}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", r"raised KeyError: 'movie' \(bots_under_test.py, line \d+\); mend the callable"),
        ("quits", "raised RuntimeError: SystemExit: bye"),
        ("stops", "raised RuntimeError: StopIteration"),
        ("times_out", "raised TimeoutError: the database is slow"),
        ("nothing", "returned nothing; return a text"),
        ("unwritable", "returned what has no JSON form .*set"),
        ("quits_later", "raised SystemExit: bye"),
        ("infinite", "returned what has no JSON form .a number that is not finite"),
        ("endless", "returned what has no JSON form .*a tree that has no end"),
        ("somewhere", r"raised ValueError: <object object at 0x\.\.\.> x{250,300} \(bots_under_test.py"),
        ("floods", "returned more than 1 million characters"),
    ],
)
def test_what_a_callable_does_wrong_is_told(module, name, message, monkeypatch):
    monkeypatch.setattr("openiir.core.systems.python.LARGEST", 2**20)
    with pytest.raises(SystemFault, match=message):
        talk(name, {"text": "hi"})


def test_after_a_call_that_hangs_the_session_is_over_and_closes_at_once(module):
    async def main():
        spec = read_system({"connector": "python", "callable": "bots_under_test:hangs", "timeout": 0.1})
        session = await open_session(spec, "test")
        with pytest.raises(SystemFault, match="no result within 0.1 s"):
            await session.send({"text": "hi"})
        with pytest.raises(SystemFault, match="the session is over: a call that was given up on"):
            await session.send({"text": "hi"})
        assert await session.close() is None

    asyncio.run(main())


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no_such_module:f", "no_such_module cannot be imported .ModuleNotFoundError.*PYTHONPATH"),
        ("broken_bot:f", "broken_bot cannot be imported .*no_such_library"),
        ("bots_under_test:no", "bots_under_test has no no; name something"),
        ("bots_under_test:PI", "is a int, which cannot be called"),
        ("bots_under_test:Mute", "without __call__"),
    ],
)
def test_what_cannot_be_called_is_refused_when_the_session_opens(module, path, message):
    with pytest.raises(InputError, match=message):
        asyncio.run(open_session(read_system({"connector": "python", "callable": path}), "test"))


def test_a_class_that_wants_arguments_is_refused_when_the_session_opens(module):
    with pytest.raises(SystemFault, match="raised TypeError: .*'model'"):
        talk("Picky", {})
