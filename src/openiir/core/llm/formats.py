"""Variants of `response_format`: tried from the strictest down, remembering which the endpoint accepts."""

import re
from typing import Any, Literal

from openiir.core.hashing import fingerprint

FORMS = ("strict", "json_schema", "json_object", "text")
"""Variants, strictest first: an enforced schema, a schema as a hint, any JSON, plain text."""
Structured = Literal["auto", "schema", "json", "example"]
OFFERED: dict[Structured, tuple[str, ...]] = {
    "auto": FORMS,
    "schema": ("strict", "json_schema"),
    "json": ("json_object",),
    "example": ("text",),
}
"""Variants that are tried by the endpoint's setting `structured`; the last is not tried in another."""
WITHOUT_SCHEMA = {
    "json_object": "it is asked for JSON of any shape, and replies are held to the schema when they are read",
    "text": "it is asked for text, and the JSON in it is held to the schema when it is read",
}
"""Explanations to the user of how replies are validated by an endpoint that refuses schemas."""

_ABOUT_FORMAT = re.compile(
    r"response_?format|json[ _]?schema|json_object|schema|grammar|guided|structured|strict", re.IGNORECASE
)


def refuses_format(status: int, body: str) -> bool:
    """Whether an error response complains about `response_format` rather than another part of the request."""
    if status in (422, 501) or not body.strip():
        return status in (400, 404, 422, 501)
    return status in (400, 404) and _ABOUT_FORMAT.search(body) is not None


def can_be_strict(schema: Any) -> bool:
    """Whether every object in the schema is closed and requires all its properties, as `strict` demands.

    Endpoints that know `strict` refuse other schemas outright.
    """
    if isinstance(schema, list):
        return all(can_be_strict(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    if isinstance(schema.get("properties"), dict):
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema["properties"]) != set(schema.get("required", ())):
            return False
    elif schema.get("type") == "object":
        return False
    return all(can_be_strict(part) for part in schema.values())


def response_format(form: str, schema: dict[str, Any], name: str) -> dict[str, Any] | None:
    """Build the request's `response_format` in one of FORMS; None for plain text."""
    if form == "text":
        return None
    if form == "json_object":
        return {"type": "json_object"}
    plain_name = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "reply"
    described = {"name": plain_name, "schema": schema, "strict": form == "strict"}
    return {"type": "json_schema", "json_schema": described}


class AcceptedFormats:
    """Memory of which `response_format` variants one endpoint accepted or refused in this process.

    A refusal counts for the schema it met, since a server may take one schema and not another. A form that
    some schema was refused in and none was taken in is not tried again for other schemas.
    """

    def __init__(self, structured: Structured = "auto") -> None:
        self._offered = OFFERED[structured]
        self._refused: set[tuple[str, str]] = set()
        self._taken: set[str] = set()
        self._last: tuple[dict[str, Any], bool] = ({}, True)
        """The last schema checked and whether it can be strict, since equal questions come in batches."""

    def forms(self, schema: dict[str, Any]) -> list[str]:
        """List the variants to try for this schema, in order; the last offered one is always among them."""
        mine = fingerprint(schema) if self._refused else ""
        hopeless = {form for _, form in self._refused} - self._taken
        if schema is not self._last[0]:
            self._last = (schema, can_be_strict(schema))
        strict = self._last[1]
        return [
            form
            for form in self._offered
            if form == self._offered[-1]
            or ((mine, form) not in self._refused and form not in hopeless and (strict or form != "strict"))
        ]

    def note_refusal(self, schema: dict[str, Any], form: str) -> None:
        """Record that the endpoint refused this schema in this variant."""
        self._refused.add((fingerprint(schema), form))

    def note_acceptance(self, form: str) -> None:
        """Record that the endpoint accepted a schema in this variant."""
        self._taken.add(form)
