"""References, cases and the citation graph: the store alone, no model."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from rag import clock, requests
from rag.jurisdictions.case_clues import case_date, number_spellings
from rag.jurisdictions.court_names import court_spellings
from rag.jurisdictions.grammars import GRAMMARS
from rag.store.database import Database
from retrieval.model import Resolution
from retrieval.nodes import Connection, stored_jurisdictions
from retrieval.paths import expand_jurisdictions
from retrieval.references.cases import CaseResolution, resolve_case
from retrieval.references.citation_graph import Direction, EdgePage, edges_of
from retrieval.references.resolution import resolve_reference


class References:
    """What a store says of what people cite; `Engine.references`."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def resolve(
        self,
        reference: str,
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        at_date: date | str | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> Resolution:
        """The provision that a reference names, or what it may mean; see `resolve_reference`."""
        day = requests.checked_date(at_date) if at_date is not None else None
        with self.database.read() as conn:
            return resolve_reference(
                conn,
                GRAMMARS,
                reference,
                today=clock.today(),
                jurisdiction=jurisdiction,
                language=language,
                at_date=day,
                tags=tags,
            )

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
        """Decisions by what is remembered of them; see `find_case`."""
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
        """The citation graph around a provision; see `retrieval.references.citation_graph.edges_of`."""
        day = requests.checked_date(at_date)
        with self.database.read() as conn:
            return edges_of(conn, urn, direction, at_date=day, kind=kind, limit=limit, offset=offset)


def find_case(
    conn: Connection,
    *,
    court: str | None = None,
    decided: str | None = None,
    case_number: str | None = None,
    case_name: str | None = None,
    limit: int = 5,
    jurisdiction: str | None = None,
) -> CaseResolution:
    """Find decisions by case number, else name (and court), else court (and date); see `retrieval.references.cases`.

    Raises:
        InputError: a clue, the limit or the jurisdiction cannot be used.
    """
    return resolve_case(
        conn, court=court_spellings(court) if court else (),
        date=case_date(decided) if decided and decided.strip() else None,
        case_number=number_spellings(case_number) if case_number else (), case_name=case_name, limit=limit,
        jurisdictions=expand_jurisdictions(jurisdiction, stored_jurisdictions(conn)),
    )  # fmt: skip
