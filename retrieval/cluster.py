"""Statements that read the law of several jurisdictions, on a store whose tables are distributed by jurisdiction.

On a Citus cluster one jurisdiction's law lies on one worker. A statement for one jurisdiction runs there whole; for
several it is taken apart, and much of SQL cannot be (tests/database/cluster_rules.py). What joins, fences or recurses
is sent once for each jurisdiction, all in one pipeline, and its results are merged here. On one server the same calls
send one statement for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Generic, Literal, LiteralString, Protocol, TypeVar

import psycopg
from psycopg.rows import RowFactory, tuple_row

from retrieval.queries import QUERIES

Row = TypeVar("Row")
_BY = ("jurisdictions",)


class StoreConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that knows whether the store it leads to is distributed; the code that opens it finds out."""

    distributed = False


def is_distributed(conn: psycopg.Connection[Any]) -> bool:
    """Whether statements for several jurisdictions have to be sent once for each."""
    return isinstance(conn, StoreConnection) and conn.distributed


def use_plans(conn: psycopg.Connection[Any], kind: Literal["generic", "custom"]) -> None:
    """How this server plans the statements that follow in the transaction.

    A cluster's workers plan each statement that they are sent, and settings that reach them are made where a
    transaction begins (rag/store/database.py).
    """
    if is_distributed(conn):
        return
    if kind == "generic":
        conn.execute(QUERIES["use_generic_plans"])
    else:
        conn.execute(QUERIES["use_custom_plans"])


class Sent(Protocol[Row]):
    """What was sent and may not be answered yet: psycopg's cursor, or `Several`."""

    def fetchall(self) -> list[Row]:
        """All rows."""
        ...


class Several(Generic[Row]):
    """A statement that was sent once for each jurisdiction."""

    def __init__(self, sent: Sequence[Sent[Row]]) -> None:
        self._sent = sent

    def fetchall(self) -> list[Row]:
        """The rows of all, in the order of the jurisdictions' codes."""
        return [row for cursor in self._sent for row in cursor.fetchall()]


def send_each(
    conn: psycopg.Connection[Any],
    statement: LiteralString,
    values: Mapping[str, Any],
    *,
    rows: RowFactory[Row] = tuple_row,
    by: Sequence[str] = _BY,
    binary: bool = False,
) -> Sent[Row]:
    """Send a statement; in a pipeline, its rows are waited for where they are read.

    Args:
        statement: a named statement whose rows for several jurisdictions are those for each of them.
        by: which of the values are lists of jurisdictions, as a list or as the text of an array. On a distributed store
            each of them holds one jurisdiction at most, and all that do the same.
        binary: whether rows come in PostgreSQL's binary form.
    """

    split = _split(conn, values, by)
    if len(split) == 1:
        return conn.cursor(binary=binary, row_factory=rows).execute(statement, split[0])
    with _piped(conn):
        return Several([conn.cursor(binary=binary, row_factory=rows).execute(statement, bound) for bound in split])


def ask_each(
    conn: psycopg.Connection[Any],
    statement: LiteralString,
    values: Mapping[str, Any],
    *,
    rows: RowFactory[Row] = tuple_row,
) -> list[list[Row]]:
    """The rows of a statement for each jurisdiction, for the caller to merge; one list where one statement read all.

    Arguments are those of `send_each`.
    """
    split = _split(conn, values, _BY)
    with _piped(conn) if len(split) > 1 else nullcontext():
        sent = [conn.cursor(row_factory=rows).execute(statement, bound) for bound in split]
        return [cursor.fetchall() for cursor in sent]


def ask_page(
    conn: psycopg.Connection[Any],
    statement: LiteralString,
    values: Mapping[str, Any],
    *,
    rows: RowFactory[Row],
    total: Callable[[Row], int],
    place: Callable[[Row], Any],
) -> tuple[int, list[Row]]:
    """A page of what a statement finds, as if all jurisdictions were read at once.

    Args:
        statement: with `limit` and `offset`; it gives the total in each row, and one row at least.
        total: the total of a row.
        place: what a row is ordered by; None for one that only gives the total.

    Returns:
        How many rows there are, and those of the page.
    """
    first, count = values["offset"], values["limit"]
    whole = len(_split(conn, values, _BY)) == 1
    pages = ask_each(conn, statement, values if whole else {**values, "offset": 0, "limit": first + count}, rows=rows)
    found = [row for page in pages for row in page if place(row) is not None]
    if not whole:
        found = sorted(found, key=place)[first : first + count]
    return sum(total(page[0]) for page in pages), found


def _piped(conn: psycopg.Connection[Any]) -> AbstractContextManager[object]:
    return nullcontext() if conn.pgconn.pipeline_status else conn.pipeline()


def _split(conn: psycopg.Connection[Any], values: Mapping[str, Any], by: Sequence[str]) -> list[Mapping[str, Any]]:
    """The values of each statement to send: those given, or on a distributed store those of each jurisdiction."""
    if not is_distributed(conn):
        return [values]
    named = {name: _codes(values[name]) for name in by}
    every = sorted(set[str]().union(*named.values()))
    return [
        {**values, **{name: [code] if code in codes else [] for name, codes in named.items()}} for code in every
    ] or [values]


def _codes(value: Sequence[str] | str) -> Sequence[str]:
    if isinstance(value, str):
        return [code for code in value.strip("{}").split(",") if code]
    return value
