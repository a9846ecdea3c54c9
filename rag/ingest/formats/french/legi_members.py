"""Reading LEGI JSON strictly: the file as a whole, and the members of its nodes by type. Refusals echo no text."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import cast

from rag.ingest.formats.base import Source
from rag.ingest.formats.encoding import without_mark
from rag.ingest.formats.xml import MAX_BYTES
from rag.jurisdictions.fr.naming import iso_date
from retrieval.errors import IngestError
from retrieval.strict_json import JsonRefused, parse_json

MAX_JSON_DEPTH = 120  # three levels of JSON a container
OPEN_END = 32_472_144_000_000  # 2999-01-01 in milliseconds
LEGI_ID = re.compile(r"(?:LEGI|JORF)(?:TEXT|SCTA|ARTI)\d+")
_OPEN = (OPEN_END, "2999-01-01")
_DAY = 86_400_000


class LegiMembers:
    """Typed access to the nodes of one file. Every method raises IngestError where a member is of another type."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = source.name

    def load(self) -> dict[str, object]:
        """The file's root object."""
        try:
            if self.source.path.stat().st_size > MAX_BYTES:
                raise self.error(f"is larger than {MAX_BYTES} bytes")
            raw = without_mark(self.source.path.read_bytes())
        except OSError as error:
            raise self.error(f"cannot be read ({type(error).__name__})") from None
        if b"\xef\xbf\xbd" in raw:
            line = raw.count(b"\n", 0, raw.index(b"\xef\xbf\xbd")) + 1
            raise IngestError("its text is damaged by a wrong encoding", file=self.name, line=line)
        try:
            value = parse_json(raw, max_bytes=MAX_BYTES, max_depth=MAX_JSON_DEPTH)
        except JsonRefused as refused:
            raise IngestError(
                f"is not JSON that can be read safely: {refused.reason}", file=self.name, line=_bad_line(raw)
            ) from None
        if not isinstance(value, dict):
            raise self.error("is no JSON object")
        return cast("dict[str, object]", value)

    def data_of(self, node: dict[str, object]) -> dict[str, object]:
        """A node's data object."""
        data = node.get("data")
        if not isinstance(data, dict):
            raise self.error("a node has no data object")
        return cast("dict[str, object]", data)

    def id_of(self, data: dict[str, object]) -> str:
        """A node's LEGI id."""
        value = data.get("id")
        if not isinstance(value, str) or not LEGI_ID.fullmatch(value):
            raise self.error("a node has no LEGI id")
        return value

    def text_of(self, data: dict[str, object], key: str, identifier: str) -> str:
        """A text member; empty where absent or null."""
        value = data.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.error(f"the {key} of {identifier} is no text")
        return value

    def list_of(self, data: dict[str, object], key: str, identifier: str) -> list[object]:
        """A list member; empty where absent or null."""
        value = data.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(f"the {key} of {identifier} is no list")
        return cast("list[object]", value)

    def date_of(self, data: dict[str, object], key: str, identifier: str) -> date | None:
        """A date member; None where absent, null or the open end."""
        value = data.get(key)
        if value is None:
            return None
        found = legi_date(value)
        if found is None and value not in _OPEN:
            raise self.error(f"the {key} of {identifier} is no date at midnight")
        return found

    def error(self, cause: str) -> IngestError:
        """The refusal of this file."""
        return IngestError(cause, file=self.name)


def legi_date(value: object) -> date | None:
    """A LEGI date: milliseconds since 1970 at midnight UTC (or in France), or ISO; None for the open end or no date."""
    if isinstance(value, str):
        try:
            return iso_date(value)
        except ValueError:
            return None
    if not isinstance(value, int) or isinstance(value, bool) or value == OPEN_END:
        return None
    days, rest = divmod(value, _DAY)
    if rest:
        # Midnight in France is one or two hours before midnight UTC.
        if _DAY - rest not in (3_600_000, 7_200_000):
            return None
        days += 1
    try:
        found = date(1970, 1, 1) + timedelta(days=days)
    except OverflowError:
        return None
    return found


def _bad_line(raw: bytes) -> int | None:
    """The line of the first byte that is no UTF-8, where that is what is wrong."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return raw.count(b"\n", 0, error.start) + 1
    return None
