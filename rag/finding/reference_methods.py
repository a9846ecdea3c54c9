"""The engine's methods about references, cases and the citation graph: the store alone, no model."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from rag import requests
from rag.finding.case_clues import find_case
from rag.finding.resolution import resolve_reference
from rag.store.database import Database
from rag.telemetry.trace import utc_now
from retrieval.model import Resolution
from retrieval.references.cases import CaseResolution
from retrieval.references.citation_graph import Direction, EdgePage, edges_of


class ReferenceMethods:
    """Part of `rag.engine.Engine`."""

    database: Database

    def resolve(
        self,
        reference: str,
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        at_date: date | str | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> Resolution:
        """The provision that a reference names, or what it may mean; see `rag.resolution.resolve_reference`."""
        day = requests.checked_date(at_date) if at_date is not None else None
        with self.database.read() as conn:
            return resolve_reference(
                conn, reference, today=utc_now().date(), jurisdiction=jurisdiction, language=language, at_date=day,
                tags=tags,
            )  # fmt: skip

    def resolve_case(
        self,
        *,
        court: str | None = None,
        date: str | None = None,
        case_number: str | None = None,
        case_name: str | None = None,
        limit: int = 5,
        jurisdiction: str | None = None,
    ) -> CaseResolution:
        """Decisions by what is remembered of them; see `rag.case_clues.find_case`."""
        with self.database.read() as conn:
            return find_case(
                conn, court=court, decided=date, case_number=case_number, case_name=case_name, limit=limit,
                jurisdiction=jurisdiction,
            )  # fmt: skip

    def edges(
        self,
        urn: str,
        direction: Direction = "outgoing",
        *,
        kind: str | None = None,
        at_date: date | str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> EdgePage:
        """The citation graph around a provision; see `retrieval.citation_graph.edges_of`."""
        day = requests.checked_date(at_date)
        with self.database.read() as conn:
            return edges_of(conn, urn, direction, at_date=day, kind=kind, limit=limit, offset=offset)
