"""When the elements of an Akoma Ntoso document are in force: life-cycle events and the intervals between them."""

from __future__ import annotations

from datetime import date
from typing import TypeAlias

from rag.ingest.formats.akn.meta import parse_date
from rag.ingest.formats.xml import Element  # pyright: ignore[reportPrivateUsage]
from retrieval.errors import IngestError

Period: TypeAlias = tuple[date | None, date | None]


class Periods:
    """The periods that a document's metadata declare.

    Args:
        document: the document element.
        file: what to call the file in messages.

    Raises:
        IngestError: an interval ends before it begins.
    """

    def __init__(self, document: Element, file: str) -> None:
        self._file = file
        self._events = {
            one.get("eId", ""): parse_date(one.get("date", ""))
            for one in document.iterfind("{*}meta/{*}lifecycle/{*}eventRef")
        }
        self._groups: dict[str, Period] = {}
        for group in document.iterfind("{*}meta/{*}temporalData/{*}temporalGroup"):
            intervals = [self._interval(one) for one in group.iterfind("{*}timeInterval")]
            if intervals:
                starts, ends = zip(*intervals, strict=True)
                begin = None if None in starts else min(one for one in starts if one is not None)
                end = None if None in ends else max(one for one in ends if one is not None)
                self._groups[group.get("eId", "")] = (begin, end)

    def of(self, element: Element | None) -> Period:
        """The period an element names itself, `(None, None)` where it names none.

        Raises:
            IngestError: it names a period that the metadata do not declare.
        """
        if element is None:
            return None, None
        if name := element.get("period", "").removeprefix("#"):
            if name not in self._groups:
                raise IngestError(
                    "an element names a period that the metadata do not declare", file=self._file,
                    line=element.sourceline,
                )  # fmt: skip
            return self._groups[name]
        if element.get("start", "").startswith("#") or element.get("end", "").startswith("#"):
            return self._interval(element)
        return None, None

    def _interval(self, element: Element) -> Period:
        begin, end = (self._events.get(element.get(key, "").removeprefix("#")) for key in ("start", "end"))
        if begin and end and begin >= end:
            raise IngestError("a period ends before it begins", file=self._file, line=element.sourceline)
        return begin, end


def within(own: Period, outer: Period) -> Period:
    """An element's own period; where a bound of it is open, that of its parent holds.

    A parent's bound that would leave no day of its own period is disregarded.
    """
    begin, end = own[0] or outer[0], own[1] or outer[1]
    return own if begin and end and begin >= end else (begin, end)


def disjoint(one: Period, other: Period) -> bool:
    """Whether no day lies in both half-open periods."""
    return _ends_before(one, other) or _ends_before(other, one)


def _ends_before(one: Period, other: Period) -> bool:
    return one[1] is not None and other[0] is not None and one[1] <= other[0]
