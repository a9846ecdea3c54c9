"""A connection that counts statements and round trips as the client makes them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Self

import psycopg


class CountedCursor(psycopg.Cursor[Any]):
    """A cursor that tells its connection what it sends."""

    @property
    def _counts(self) -> CountedConnection:
        assert isinstance(self.connection, CountedConnection), "made by a connection that counts"
        return self.connection

    def execute(self, *args: Any, **options: Any) -> Self:
        """Send a statement: a round trip of its own outside a pipeline."""
        self._counts.statements.append(str(args[0]).strip())
        if not self._counts.in_pipeline:
            self._counts.round_trips += 1
        return super().execute(*args, **options)

    def fetchall(self) -> list[Any]:
        """Read all rows; inside a pipeline that waits for the server once more."""
        if self._counts.in_pipeline:
            self._counts.round_trips += 1
        return super().fetchall()


class CountedConnection(psycopg.Connection[Any]):
    """Counts what is sent since `reset`. Begin, commit and preparing are the driver's and not counted."""

    statements: list[str]
    round_trips: int
    in_pipeline: bool

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.cursor_factory = CountedCursor
        self.in_pipeline = False
        self.reset()

    def reset(self) -> None:
        """Count from nothing."""
        self.statements, self.round_trips = [], 0

    @contextmanager
    def pipeline(self) -> Generator[psycopg.Pipeline]:
        """One round trip for all that is sent inside."""
        with super().pipeline() as pipeline:
            self.in_pipeline = True
            self.round_trips += 1
            try:
                yield pipeline
            finally:
                self.in_pipeline = False
