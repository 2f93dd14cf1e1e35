"""Every question the platform and its types ask has a reply that cannot run on."""

import importlib
import pkgutil

import pytest

import openiir
from openiir.plugin import Question
from openiir.testing.probing import unbounded

# Owed from before this rule was a test; an entry goes when its reply is mended, and none is added.


def all_questions():
    for module in pkgutil.walk_packages(openiir.__path__, "openiir."):
        if not module.name.startswith("openiir.cli.template") and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    waiting, found = [Question], []
    while waiting:
        one = waiting.pop()
        waiting += one.__subclasses__()
        if one.__module__.startswith("openiir.") and hasattr(one, "kind"):
            found.append(one)
    return sorted(found, key=lambda q: (q.kind, q.__name__))


@pytest.mark.parametrize("question", all_questions(), ids=lambda q: q.kind)
def test_a_reply_is_bounded(question):
    assert not unbounded(question.Reply)


def test_kinds_are_names_of_their_own():
    kinds = [q.kind for q in all_questions()]
    assert len(set(kinds)) == len(kinds) >= 6
    assert all("." in kind for kind in kinds)
