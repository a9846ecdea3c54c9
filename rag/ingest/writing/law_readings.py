"""Readings of laws in the store: kept by what models were sent, and applied to documents on their way in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from psycopg.types.json import Jsonb
from pydantic import ValidationError

from rag.ingest.law_readings import Applied, LawWindows, Read, Window
from rag.law.nodes import ParsedDocument
from rag.models.law_reading import Items, LawReader
from rag.store.database import Connection, Database
from retrieval.errors import ProviderError, StoreError
from retrieval.queries import QUERIES


@dataclass(slots=True)
class Counts:
    """What reading some windows came to."""

    windows: int = 0  # that a model read now
    kept: int = 0  # items of those that the law bears out
    dropped: dict[str, int] = field(default_factory=dict[str, int])  # reason -> items
    usage: dict[str, int] = field(default_factory=dict[str, int])  # kind -> tokens


def find_readings(conn: Connection, windows: Sequence[Window]) -> list[Read]:
    """The stored readings of some windows, in their order.

    Raises:
        StoreError: another program changed one of them; it is named.
    """
    keys = {window.prompt.key: window for window in windows}
    rows = conn.execute(QUERIES["find_law_readings"], {"digests": list(keys)}).fetchall() if keys else []
    found = {digest: (model, items) for digest, model, items in rows}
    return [Read(window, _items(key, found[key][1]), found[key][0]) for key, window in keys.items() if key in found]


def _items(digest: str, text: str) -> Items:
    try:
        return Items.model_validate_json(text)
    except ValidationError:
        raise StoreError(
            f"The reading {digest} of a law cannot be read by this version: another program changed it. Delete its "
            "row of the table `law_readings`; a model then reads these words again."
        ) from None


def read_window(database: Database, reader: LawReader, law: LawWindows, window: Window, counts: Counts) -> Read:
    """Have a window read, and keep what the law bears out of the reply.

    Raises:
        ProviderError: no usable reply came; nothing is kept.
    """
    reply = reader.read(window.prompt)
    kept, dropped = law.checked(window, reply.items)
    with database.write() as conn:
        conn.execute(
            QUERIES["upsert_law_reading"],
            {
                "digest": window.prompt.key, "prompt_version": window.prompt.version, "provider": reader.provider,
                "model": reader.model, "items": kept.model_dump_json(), "dropped": Jsonb(dropped),
                "usage": Jsonb(reply.usage),
            },
        )  # fmt: skip
    counts.windows += 1
    counts.kept += len(kept.limits) + len(kept.definitions) + len(kept.other_laws)
    for told, into in ((dropped, counts.dropped), (reply.usage, counts.usage)):
        for name, count in told.items():
            into[name] = into.get(name, 0) + count
    return Read(window, kept, reader.model)


class LawReadings:
    """Gives the documents of a run what models read in them; asks one where it is given.

    A provider that fails is not asked again in this run, and `warning` says so; what is stored is applied all the same.
    """

    def __init__(self, database: Database, reader: LawReader | None = None) -> None:
        self._database = database
        self._reader = reader
        self._stored: bool | None = None  # whether there are any; None until the store was asked
        self.counts = Counts()
        self.warning = ""

    def apply(self, document: ParsedDocument) -> Applied:
        """Add to an annotated document what was read in it."""
        if self._stored is None:
            with self._database.read() as conn:
                self._stored = conn.execute(QUERIES["has_law_readings"]).fetchone() is not None
        if not self._stored and self._reader is None:
            return Applied()
        law = LawWindows(document)
        windows = law.windows()
        with self._database.read() as conn:
            readings = find_readings(conn, windows)
        known = {read.window.prompt.key for read in readings}
        for window in windows:
            if self._reader is None or window.prompt.key in known:
                continue
            try:
                readings.append(read_window(self._database, self._reader, law, window, self.counts))
            except ProviderError as error:
                self._reader = None
                self.warning = (
                    f"{document.source}: not read by a model, nor is what follows: {error.message}. "
                    "`lexscope read-law` goes on from there."
                )
        return law.apply(readings)
