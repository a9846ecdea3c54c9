"""Reading LEGI JSON strictly: the file as a whole, and the members of its nodes by type. Refusals echo no text."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import cast

from rag.ingest.formats.base import Source
from rag.ingest.formats.json_records import read_json
from rag.jurisdictions.fr.naming import iso_date
from retrieval.errors import IngestError

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
        value = read_json(self.source.path, self.name)
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
