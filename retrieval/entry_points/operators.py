"""The operators of filters: `value`, `!=value`, `a|b`, `!=a|b`, `*`, `!*` on tags; `|` and `&` on edges.

What is typed becomes a typed filter or an error; no message repeats it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from retrieval.errors import InputError
from retrieval.tag_query import TagFilter, TagFilterOp

MAX_FILTERS = 20  # of one request
MAX_VALUES = 50  # of one filter
MAX_VALUE = 500  # characters
OPERATORS = '"value", "!=value", "a|b", "!=a|b", "*" (the key is there) and "!*" (it is not)'
ANY_KIND = "*"  # as the key of an edge filter
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,62}\Z", re.ASCII)


def checked_mapping(name: str, given: object) -> dict[str, str]:
    """Filters as a mapping of text to text.

    Args:
        name: the parameter, for messages.
        given: what the caller gave; None for nothing.

    Raises:
        InputError: no mapping of text to text, or too many entries.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"`{name}` is an object of keys and values, both text.")
    pairs = cast("Mapping[object, object]", given)
    if len(pairs) > MAX_FILTERS:
        raise InputError(f"`{name}` has {len(pairs)} entries; the limit is {MAX_FILTERS}.")
    out: dict[str, str] = {}
    for position, (key, value) in enumerate(pairs.items(), start=1):
        if not isinstance(key, str) or not isinstance(value, str):
            raise InputError(f"Entry {position} of `{name}` is not text; values are text, operators included.")
        out[key] = value
    return out


def tag_filter(key: str, text: str, where: str) -> TagFilter:
    """One filter on a tag, from its value with operators.

    Args:
        where: what messages call the filter.

    Raises:
        InputError: a malformed key, an operator that does not exist, or a value that cannot be used.
    """
    if not _KEY.match(key):
        raise InputError("A tag's name has lower-case letters, digits and underscores only, such as court_level.")
    wanted = text.strip()
    if wanted == "*":
        return TagFilter(key, TagFilterOp.EXISTS)
    if wanted == "!*":
        return TagFilter(key, TagFilterOp.NOT_EXISTS)
    negated = wanted.startswith("!=")
    values = _values(where, wanted[2:] if negated else wanted)
    return TagFilter(key, TagFilterOp.NOT_IN if negated else TagFilterOp.IN, values)


def edge_targets(kind: str, text: str) -> tuple[tuple[str, ...], ...]:
    """The targets of an edge filter: groups that all have to be met, each by any of its targets.

    `a|b&c` is (a or b) and c.

    Raises:
        InputError: a malformed kind, or a value that cannot be used.
    """
    if kind != ANY_KIND and not _KEY.match(kind):
        raise InputError(
            "The key of an edge filter is a kind of edge (lower-case letters, digits, underscores) or `*`."
        )
    where = "An edge filter"
    if "!" in text or text.strip() == "*":
        raise InputError(f'{where} takes ids or URNs: "id", "id1|id2" (either), "id1&id2" (both); no other operator.')
    groups = tuple(_values(where, item) for item in text.split("&"))
    if sum(len(group) for group in groups) > MAX_VALUES:
        raise InputError(f"{where} has more than {MAX_VALUES} targets.")
    return groups


def _values(where: str, text: str) -> tuple[str, ...]:
    if _UNSTORABLE.search(text):
        raise InputError(f"{where} holds a NUL or half a surrogate pair; leave it out.")
    values = tuple(dict.fromkeys(item.strip() for item in text.split("|")))
    if not all(values):
        raise InputError(f"{where} has an empty value. Operators: {OPERATORS}.")
    if len(values) > MAX_VALUES:
        raise InputError(f"{where} has {len(values)} values; the limit is {MAX_VALUES}.")
    for value in values:
        if len(value) > MAX_VALUE:
            raise InputError(f"{where} has a value of {len(value)} characters; the limit is {MAX_VALUE}.")
        if value[0] in "!=<>~" or value.startswith("*") or (value.endswith("*") and len(value) > 1):
            raise InputError(f"{where} has an operator that does not exist. Operators: {OPERATORS}.")
    return values
