"""Validation of options that a study gives to a named part, such as a recommender."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from openiir.plugin import InputError, Record

Options = TypeVar("Options", bound=Record)


def options_of(record: type[Options], whose: str, options: Mapping[str, Any]) -> Options:
    """Validate a study's options for a named part (such as a ranker) against a record type.

    Raises InputError naming their owner, the key, and the keys there are.
    """
    try:
        return record.model_validate(dict(options))
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        taken = ", ".join(record.model_fields) or "no options"
        raise InputError(f"{whose}: {problems}; it takes {taken}") from None
