"""References that lean on another one of the same text: `Id.`, `Smith, supra`, and a bare `§ 12`. Pure.

Each is read only where one reading is left: `Id.` where the reference before it is one provision and nothing unread
stands between, `supra` where one earlier reference has the name, a bare section where the text cites no other law.
What is left open stays unread, and is listed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from rag.verify_deadline import NO_DEADLINE, Deadline
from rag.verify_references import Mention
from retrieval.errors import InputError
from retrieval.paths import parse_urn

_SECTION = r"\d[\w:~-]*+(?:\.\d[\w~-]*+)*+"  # possessive: `§ 12 of the lease` is not `§ 1`
_PARTS = r"(?:\s?\((?:\d{1,3}|[A-Za-z]{1,5})\))*+"
_ID = re.compile(
    rf"\b(?:Id|Ibid)\.(?:,?\s(?:at\s)?§\s?(?P<section>{_SECTION})(?P<parts>{_PARTS})|,?\sat\s(?P<page>\d[\d–-]*))?",
)
_SUPRA = re.compile(
    r"(?P<name>[A-Z][\w'’&-]+(?:\s(?:v\.\s)?[A-Z][\w'’&-]+){0,3}),?\ssupra\b(?:\s(?:note|n\.)\s\d+)?(?:,?\sat\s\d[\d–-]*)?"
)
_BARE = re.compile(rf"(?<!§)§\s?(?P<section>{_SECTION})(?P<parts>{_PARTS})(?!\s?(?:of|de|du|des|der|von|vom)\b)")
_REACH = 2_000  # characters that `Id.` looks back over
_NAMED_WITHIN = 160  # characters before a citation in which its name stands
_LOOKED_AT = 200  # earlier references that `supra` may mean


def with_back_references(
    text: str, mentions: Sequence[Mention], unread: Sequence[tuple[int, int]], deadline: Deadline = NO_DEADLINE
) -> list[Mention]:
    """The mentions of a text with those that lean on them, in order.

    Args:
        text: what is verified.
        mentions: what the grammars read in it, in order.
        unread: spans that look like references and were not read, in order.
        deadline: what leans on another reference stays unread after it.
    """
    return _Reader(text, mentions, [start for start, _ in unread]).read(deadline)


class _Reader:
    """One text, read once from its beginning; a text of nothing but short forms takes time in proportion to it."""

    def __init__(self, text: str, mentions: Sequence[Mention], unread: Sequence[int]) -> None:
        self._text = text
        self._unread = unread
        self._mentions = mentions
        self._found: list[Mention] = []  # those that begin at or before the place that is read, in order
        self._starts: list[int] = []
        laws = {law for one in mentions if (law := _law(one))}
        self._only_law = laws.pop() if len(laws) == 1 else ""

    def read(self, deadline: Deadline) -> list[Mention]:
        """All mentions."""
        passed = 0
        for start in self._unread:
            if deadline.passed():
                break
            while passed < len(self._mentions) and self._mentions[passed].start <= start:
                self._add(self._mentions[passed])
                passed += 1
            one = self._back(start) or self._supra(start) or self._bare(start)
            if one is not None and not (self._found and self._found[-1].whole_end > one.start):
                self._add(one)
        return [*self._found, *self._mentions[passed:]]

    def _add(self, one: Mention) -> None:
        self._found.append(one)
        self._starts.append(one.start)

    def _back(self, start: int) -> Mention | None:
        """`Id.`: the reference right before it, or another section of the same law."""
        match = _ID.match(self._text, start)
        if match is None or not self._found:
            return None
        last = self._found[-1]
        several = len(self._found) > 1 and self._found[-2].whole_start == last.whole_start
        unread = bisect_left(self._unread, start) > bisect_left(self._unread, last.whole_end)
        if several or unread or start - last.whole_end > _REACH:
            return None
        law = _law(last)
        if match["section"]:
            return _made(law, match, f"`Id.` was read as {law}.") if law else None
        if match["page"] and law:
            return None  # a section has no pages, so something else is meant
        page = "; the page was not checked" if match["page"] else ""
        return _again(last, match, f"`Id.` was read as {last.words}{page}.")

    def _supra(self, start: int) -> Mention | None:
        """`Smith, supra, at 5`: the one earlier reference that stands after this name."""
        text = self._text
        begin, end = max(0, start - _NAMED_WITHIN), start + _NAMED_WITHIN
        if text.find("supra", begin, end) < 0:
            return None
        match = next((one for one in _SUPRA.finditer(text, begin, end) if one.start() <= start < one.end()), None)
        if match is None:
            return None
        name = re.compile(rf"\b{re.escape(match['name'])}\b[^;\n]{{0,{_NAMED_WITHIN}}}\Z")
        earlier = self._found[: bisect_left(self._starts, match.start())][-_LOOKED_AT:]
        named = [one for one in earlier if name.search(text, max(0, one.whole_start - _NAMED_WITHIN), one.whole_start)]
        if len({one.words for one in named}) != 1:
            return None
        return _again(named[0], match, f"`supra` was read as {named[0].words}; a page was not checked.")

    def _bare(self, start: int) -> Mention | None:
        """`§ 12`: a section of the one law that the text cites."""
        match = _BARE.match(self._text, start) if self._only_law else None
        note = f"Read as a section of {self._only_law}, the one law that the text cites."
        return _made(self._only_law, match, note) if match else None


def _law(mention: Mention) -> str:
    """The URN of the law that a mention with one reading names a section of; empty for a decision."""
    if len(mention.urns) != 1:
        return ""
    try:
        urn = parse_urn(mention.urns[0])
    except InputError:
        return ""
    return urn.prefixes[0] if urn.segments and urn.segments[0][:1].isdigit() else ""


def _made(law: str, match: re.Match[str], note: str) -> Mention:
    """A mention of another section of a law."""
    parts = [one.lower() for one in re.findall(r"\(\s?(\w+)\s?\)", match["parts"])]
    urn = ":".join((law, match["section"].lower().rstrip(".:-"), *parts))
    return Mention(match.start(), match.end(), (urn,), match[0], match.start(), match.end(), note=note, assumed=True)


def _again(one: Mention, match: re.Match[str], note: str) -> Mention:
    """The same provision, named at another place."""
    start, end = match.span()
    return replace(one, start=start, end=end, whole_start=start, whole_end=end, alone=True, range="", note=note)
