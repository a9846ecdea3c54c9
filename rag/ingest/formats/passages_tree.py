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
_WORDS = re.compile(r"[a-z]{4,}")
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
        passages: in the order of the file; `parent`, `children` and `suffix` are set.
        warnings: what is odd is appended here.

    Returns:
        The passages without parent, in order.
    """
    _place_items(passages)
    roots: list[Passage] = []
    placed: dict[tuple[str, ...], Passage] = {}
    counts: dict[tuple[str, ...], int] = {}
    last: Passage | None = None
    for one in passages:
        one.parent = _parent(one, placed)
        one.suffix = counts[one.key] = counts.get(one.key, 0) + 1
        if one.suffix > 1:
            warnings.append(f"{':'.join(one.key)}: {one.suffix} passages have this address")
        placed.setdefault(one.key, one)
        apart = one.parent is not None and last is not None and not _is_open(one.parent, last)
        if apart and one.parent is not None and not _is_last(one.parent, roots):
            warnings.append(f"{':'.join(one.key)}: stands apart from its parent and is moved to it")
        (one.parent.children if one.parent else roots).append(one)
        last = one
    return roots


def own_key(one: Passage) -> tuple[str, ...]:
    """The part of a passage's key that its parent's does not already give."""
    return one.key[len(one.parent.key) :] if one.parent else one.key


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


def _is_last(one: Passage, roots: Sequence[Passage]) -> bool:
    """Whether the passage ends the tree as it is, so that a child of it goes on in the order of the file."""
    current = one
    while current.parent is not None:
        if current.parent.children[-1] is not current:
            return False
        current = current.parent
    return roots[-1] is current


def _place_items(passages: Sequence[Passage]) -> None:
    """Put items whose id is their number alone (`1.` after `2.6.Guidance`) under the passage they follow.

    A single numeral after deeper ids is the next chapter if it is followed by a passage of its own, or counts on from
    the chapter before while no list of such items is open.
    """
    chapter = 0
    host: tuple[str, ...] = ()  # what an item would hang on
    item = 0  # the last item's number; 0 where no list is open
    for number, one in enumerate(passages):
        match = _NUMERAL.match(one.key[0]) if len(one.key) == 1 else None
        if match is None:
            ending = _NUMERAL.match(one.key[-1]) if any(_WORDS.match(part) for part in one.key[1:]) else None
            # The numbered items of a guidance may lose the first half of their ids on the way.
            item = int(ending[1]) if ending else 0
            host = (one.key[:-1] if ending else one.key) if len(one.key) > 1 else ()
            continue
        value = int(match[1])
        following = passages[number + 1].key if number + 1 < len(passages) else ()
        has_own = len(following) > 1 and following[0] == one.key[0]
        goes_on = item > 0 and value == item + 1
        if host and not has_own and (goes_on or (value == 1 and chapter > 0)):
            one.key, item = (*host, match[1]), value
        else:
            chapter, item, host = value, 0, ()
