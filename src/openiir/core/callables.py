"""Python code that a study names: found in any configuration by its type, and imported only where it is trusted."""

import importlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from openiir.core.errors import InputError

_trusted: ContextVar[Collection[str]] = ContextVar("trusted", default=frozenset())


class CodeName(str):
    """A text of a configuration that means Python code, so that a study with it needs leave for that code."""

    imports: str
    """The callable (`package.module:name`) or file that the text leads to."""

    def __new__(cls, text: str, imports: str = "") -> "CodeName":
        """By default the whole text is what is imported."""
        name = super().__new__(cls, text)
        name.imports = imports or str(text)
        return name


CallableName = Annotated[
    str, Field(min_length=1, max_length=200, validate_default=True), AfterValidator(CodeName)
]
"""The type of a configuration's key that holds `package.module:name`; `load_callable` gives what it names."""


@contextmanager
def trusting(*names: str) -> Iterator[None]:
    """Let these callables and files of code be imported by `load_callable` within, and no others."""
    token = _trusted.set(frozenset(names))
    try:
        yield
    finally:
        _trusted.reset(token)


def check_trusted(name: str) -> None:
    """Raises InputError for code that is not trusted here."""
    if name not in _trusted.get():
        raise InputError(
            f"callable {name!r} is not trusted here, so it is not imported; a type declares such a key of its "
            f"configuration as openiir.plugin.CallableName, and Python code says: with trusting({name!r})"
        )


def load_callable(path: str) -> Callable[..., Any]:
    """What `package.module:name` names. Raises InputError that says which part does not exist, or that it is not trusted."""
    check_trusted(path)
    module_name, _, names = path.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as exc:
        raise InputError(
            f"callable {path!r}: {module_name} cannot be imported ({type(exc).__name__}: {exc}); "
            "is it installed, or its folder on PYTHONPATH?"
        ) from exc
    for name in names.split("."):
        if not hasattr(found, name):
            raise InputError(f"callable {path!r}: {module_name} has no {names}; name something it defines")
        found = getattr(found, name)
    if not callable(found):
        raise InputError(
            f"callable {path!r} is a {type(found).__name__}, which cannot be called; name a function"
        )
    return found
