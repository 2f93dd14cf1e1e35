"""Loading of Python code named in a study, which is imported only if trusted."""

import importlib
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from openiir.core.errors import InputError

_trusted: ContextVar[Collection[str]] = ContextVar("trusted", default=frozenset())


class CodeName(str):
    """A configuration value that names Python code, which the user must trust before it is imported."""

    imports: str
    """The callable (`package.module:name`) or file to import."""

    def __new__(cls, text: str, imports: str = "") -> "CodeName":
        """Create the value; `imports` defaults to the whole text."""
        name = super().__new__(cls, text)
        name.imports = imports or str(text)
        return name


CallableName = Annotated[
    str, Field(min_length=1, max_length=200, validate_default=True), AfterValidator(CodeName)
]
"""Type of configuration keys that hold `package.module:name`, imported with `load_callable`."""


@contextmanager
def trusting(*names: str) -> Iterator[None]:
    """Trust these callables and code files, and no others, within a `with` block.

    Python writes no compiled files there, since a trusted study is one whose folder has not changed.
    """
    token, before = _trusted.set(frozenset(names)), sys.dont_write_bytecode
    sys.dont_write_bytecode = before or bool(names)
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
        _trusted.reset(token)


def check_trusted(name: str) -> None:
    """Raise InputError for code that is not trusted in this context."""
    if name not in _trusted.get():
        raise InputError(
            f"callable {name!r} is not trusted here, so it is not imported; a type declares such a key "
            f"of its configuration as openiir.plugin.CallableName, and Python code says: "
            f"with trusting({name!r})"
        )


def load_callable(path: str) -> Callable[..., Any]:
    """Import `package.module:name`; raises InputError if it does not exist or is not trusted."""
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
