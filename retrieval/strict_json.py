"""JSON from outside, read strictly: refused where readers could differ on it, never repaired."""

from __future__ import annotations

import json
import math
from typing import NoReturn, cast

DUPLICATE_KEYS = "duplicate keys"  # a reason


class JsonRefused(ValueError):
    """The text is not JSON of the strict kind. `reason` is one of a closed set and holds none of the text."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def parse_json(source: str | bytes, *, max_bytes: int, max_depth: int | None = None) -> object:
    """Parse one JSON value.

    Refused besides what is not JSON: more than `max_bytes` of UTF-8, other encodings, a byte order mark, duplicate
    keys, NaN and Infinity, and, where `max_depth` is given, deeper nesting than that, lone surrogates and numbers
    that overflow to infinity.

    Raises:
        JsonRefused: with the reason.
    """
    reason = ""
    value: object = None
    try:
        if len(source) > max_bytes or (isinstance(source, str) and len(source.encode()) > max_bytes):
            reason = "too large"
        else:
            text = source if isinstance(source, str) else source.decode("utf-8")
            value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except JsonRefused as refused:
        reason = refused.reason
    except UnicodeError:
        reason = "not valid UTF-8"
    except RecursionError:
        reason = "nested too deeply"
    except ValueError:
        reason = "not valid JSON"
    if not reason and max_depth is not None:
        reason = _flaw(value, max_depth)
    # Raised outside the handlers: the parser's own exceptions carry the text they choked on.
    if reason:
        raise JsonRefused(reason)
    return value


def member(value: object, name: str) -> object:
    """The member of a JSON object; None where it has none of that name or the value is no object."""
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def objects(value: object) -> list[dict[str, object]]:
    """The objects among the elements of a JSON array; none where the value is no array."""
    elements = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, object]", element) for element in elements if isinstance(element, dict)]


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise JsonRefused(DUPLICATE_KEYS)
    return found


def _no_constant(name: str) -> NoReturn:
    raise JsonRefused("not valid JSON")


def _flaw(value: object, max_depth: int) -> str:
    open_values: list[tuple[object, int]] = [(value, 1)]
    while open_values:
        current, depth = open_values.pop()
        if isinstance(current, str):
            if not _encodable(current):
                return "a lone surrogate"
        elif isinstance(current, float):
            if math.isinf(current):
                return "a number beyond all floats"
        elif isinstance(current, dict | list):
            if depth > max_depth:
                return "nested too deeply"
            if isinstance(current, dict):
                members = cast("dict[str, object]", current)
                open_values.extend((part, depth + 1) for pair in members.items() for part in pair)
            else:
                open_values.extend((part, depth + 1) for part in cast("list[object]", current))
    return ""


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
