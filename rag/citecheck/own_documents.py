"""How a text cites documents of the store by their names: contracts, house rules, and laws that no grammar knows."""

from __future__ import annotations

from collections.abc import Container, Sequence

from rag.citecheck.references import ByName
from rag.law.jurisdiction import FoundReference, ReferencePart
from rag.store.database import Connection
from retrieval.paths import parse_urn
from retrieval.references.law_names import LawNames, law_names
from retrieval.tag_query import TagQuery


class OwnDocuments:
    """Finds references to documents by their names; a reader of references beside the grammars."""

    code = "named"

    def __init__(self, names: LawNames) -> None:
        self._names = names

    def within(self, jurisdictions: Container[str]) -> list[str]:
        """The URNs of these documents that are law of some jurisdictions."""
        return [urn for urn in self._names.urns if parse_urn(urn).jurisdiction in jurisdictions]

    def find_references(self, text: str, here: None) -> list[FoundReference]:
        """The references of a text to provisions of these documents, in order; see `LawNames.written_in`."""
        found: list[FoundReference] = []
        for one in self._names.written_in(text):
            parts = tuple(ReferencePart(start, end, urn) for start, end, urn in one.parts)
            plain = all(":doc:" in part.urn for part in parts)  # no grammar knows a contract
            kind = FoundReference if plain else ByName
            found.append(kind(one.start, one.end, text[one.start : one.end], parts, "explicit", confident=one.certain))
        return found

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The readings of a whole string."""
        return self._names.tag_queries(reference)


def own_documents(conn: Connection, jurisdictions: Sequence[str]) -> OwnDocuments:
    """What finds the documents of the store that number their provisions; of more than `MOST`, none."""
    return OwnDocuments(law_names(conn, jurisdictions))
