"""The hierarchy of passages, rebuilt from their ids: `1.1.2`, `3.2.1.(2).(b)`, `Part 2.Chapter 3`, `12)`, `Guidance`.

An id is cut at its full stops and before its brackets; a passage's parent is the one whose id is the longest beginning
of its own. No level is invented: where `1.1.1.(1)` stands without `1.1.1`, it hangs on `1.1`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from retrieval.paths import segment, slug

_BRACKETED = re.compile(r"\([0-9A-Za-z]{1,7}\)")
_TRAILING = re.compile(r"(.*?[0-9A-Za-z])((?:\([0-9A-Za-z]{1,7}\))+)\Z")
_NUMERAL = re.compile(r"(\d{1,4})\Z")


@dataclass(slots=True)
class Passage:
    """One passage with its place. `parts` are the components of its id, `key` their URN segments."""

    identifier: str
    uuid: str
    text: str
    parts: tuple[str, ...]
    key: tuple[str, ...]
    line: int | None = None
    suffix: int = 1  # which of several passages with this address
    item_of: Passage | None = None  # an item of an unnumbered list belongs to the passage before it
    parent: Passage | None = None
    children: list[Passage] = field(default_factory=list["Passage"])


def split_id(identifier: str) -> tuple[str, ...]:
    """The components of a passage id: `PART 4.9.1.(2)(b)` -> `PART 4`, `9`, `1`, `(2)`, `(b)`."""
    parts: list[str] = []
    for piece in identifier.split("."):
        one = " ".join(piece.split())
        match = _TRAILING.match(one)
        if match and " " not in match[1]:
            parts.extend((match[1], *_BRACKETED.findall(match[2])))
        elif one:
            parts.append(one)
    return tuple(parts)


def component_key(part: str) -> str:
    """The URN segment of one component: `(2)` -> `2`, `Part 3` -> `part_3`, words -> a slug."""
    named = re.match(r"([A-Za-z]{3,})\s+([0-9A-Za-z]{1,6})[:.]?\Z", part)
    if named and re.search(r"\d|^[A-Z]{1,5}$", named[2]):
        return f"{named[1].lower()}_{named[2].lower()}"
    bare = part.strip("()[]:. ")
    if re.fullmatch(r"[0-9A-Za-z-]{1,12}", bare):
        return segment(bare)
    return slug(bare)


def arrange(passages: Sequence[Passage], warnings: list[str]) -> list[Passage]:
    """Give every passage its parent and a unique address.

    Args:
        passages: in the order of the file; `parent`, `children`, `suffix` and `item_of` are set.
        warnings: what is odd is appended here.

    Returns:
        The passages without parent, in order.
    """
    _find_items(passages)
    roots: list[Passage] = []
    placed: dict[tuple[str, ...], Passage] = {}
    counts: dict[tuple[int, tuple[str, ...]], int] = {}
    last: Passage | None = None
    for one in passages:
        one.parent = one.item_of or _parent(one, placed)
        mark = (id(one.parent), own_key(one))
        counts[mark] = counts.get(mark, 0) + 1
        one.suffix = counts[mark]
        if one.suffix > 1:
            warnings.append(f"passage {len(placed)}: {one.suffix} passages have the id {':'.join(one.key)}")
        if one.item_of is None:
            placed.setdefault(one.key, one)
        if last is not None and one.parent is not None and not _is_open(one.parent, last):
            warnings.append(f"{':'.join(one.key)}: stands apart from its parent and is moved to it")
        (one.parent.children if one.parent else roots).append(one)
        last = one
    return roots


def own_key(one: Passage) -> tuple[str, ...]:
    """The part of a passage's key that its parent's does not already give."""
    if one.parent is None or one.item_of is not None:
        return one.key
    return one.key[len(one.parent.key) :]


def _parent(one: Passage, placed: dict[tuple[str, ...], Passage]) -> Passage | None:
    for length in range(len(one.key) - 1, 0, -1):
        found = placed.get(one.key[:length])
        if found is not None:
            return found
    return None


def _is_open(parent: Passage, last: Passage) -> bool:
    current: Passage | None = last
    while current is not None and current is not parent:
        current = current.parent
    return current is not None


def _find_items(passages: Sequence[Passage]) -> None:
    """Find the items of lists whose ids hold the item's number alone (`1.` after `2.6.Guidance`).

    A single numeral after deeper ids is the next chapter only if it is followed by a passage of its own, or counts on
    from the chapter before while no such list is open.
    """
    chapter, host, item = 0, None, 0
    for number, one in enumerate(passages):
        match = _NUMERAL.match(one.key[0]) if len(one.key) == 1 else None
        if match is None:
            item = 0
            if len(one.key) > 1:
                host = one
            continue
        value = int(match[1])
        following = passages[number + 1].key if number + 1 < len(passages) else ()
        has_own = len(following) > 1 and following[0] == one.key[0]
        goes_on = item and value == item + 1
        if host is None or has_own or (value == chapter + 1 and not goes_on):
            chapter, item = value, 0
            host = None if not has_own else host
        elif goes_on or value == 1:
            one.item_of, item = host, value
        else:
            chapter, item = value, 0
