"""From nodes to the public results of a search: snippets, dates, documents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from retrieval.browse import Browsed, served_as
from retrieval.entry_points import EntryPoint
from retrieval.model import Legs, SearchHit
from retrieval.nodes import Connection, NodeVersion, nodes_by_ids, versions_by_urn
from retrieval.queries import QUERIES
from retrieval.snippets import Lexemes, read_lexemes, snippet, wanted_lexemes
from retrieval.synonyms import SynonymHit


def search_hits(
    conn: Connection, points: Sequence[EntryPoint], at_date: date, query: str, synonyms: Sequence[SynonymHit]
) -> list[SearchHit]:
    """Entry points as hits, each with the part of its words that the query is about."""
    found = {
        one.urn: one
        for one in versions_by_urn(conn, [point.hit_urn for point in points])
        if one.in_force(at_date)
    }  # fmt: skip
    shown = [found.get(point.hit_urn, point.rule) for point in points]
    below = _first_words(conn, [one for one in shown if not one.text and not one.heading], at_date)
    said = {one.id: one.text or one.heading or below.get((one.jurisdiction, one.node_id), "") for one in shown}
    terms = [one.target for one in synonyms if not one.is_urn]
    words: dict[str, tuple[Lexemes, frozenset[str], frozenset[str]]] = {}
    for language in sorted({one.language for one in shown}):
        texts = [said[one.id] for one in shown if one.language == language]
        lexemes = read_lexemes(conn, [query, *terms, *texts], language)
        words[language] = lexemes, wanted_lexemes(lexemes, [query]), wanted_lexemes(lexemes, terms)
    facts = _Facts(conn, [point.rule for point in points], at_date)
    return [
        facts.hit(point.rule, snippet(said[node.id], *words[node.language], query=query), point)
        for point, node in zip(points, shown, strict=True)
    ]


def browsed_hits(conn: Connection, browsed: Browsed, at_date: date) -> list[SearchHit]:
    """Browsed nodes as hits, in their order; a node without words of its own shows the first below it."""
    nodes = {
        (one.jurisdiction, one.node_id): one
        for one in nodes_by_ids(conn, ((code, node) for code, node, _ in browsed.nodes), at_date)
    }
    rows = [nodes[code, node] for code, node, _ in browsed.nodes]
    facts = _Facts(conn, rows, at_date)
    nothing = Lexemes({})
    below = _first_words(conn, [one for one in rows if not one.text], at_date)
    return [
        facts.hit(
            one, snippet(one.text or below.get((one.jurisdiction, one.node_id), one.heading), nothing, frozenset())
        )
        for one in rows
    ]


def _first_words(conn: Connection, nodes: Sequence[NodeVersion], at_date: date) -> dict[tuple[str, int], str]:
    """The first words below nodes that have none themselves, by (jurisdiction, node id)."""
    if not nodes:
        return {}
    codes = sorted({one.jurisdiction for one in nodes})
    values = {"jurisdictions": codes, "ids": [one.node_id for one in nodes], "at_date": at_date}
    return {(code, node): words for code, node, words in conn.execute(QUERIES["find_first_words"], values)}


class _Facts:
    """What a hit says of its node beside its words, read once for a page."""

    def __init__(self, conn: Connection, nodes: Sequence[NodeVersion], at_date: date) -> None:
        codes = sorted({one.jurisdiction for one in nodes})
        values = {"jurisdictions": codes, "ids": sorted({one.document_id for one in nodes})}
        self._documents = {(row[0], row[1]): row[2] for row in conn.execute(QUERIES["find_document_urns"], values)}
        self._served = served_as(conn, ((one.jurisdiction, one.node_id) for one in nodes), at_date)

    def hit(self, node: NodeVersion, words: str, point: EntryPoint | None = None) -> SearchHit:
        day, kind = self._served.get((node.jurisdiction, node.node_id), (None, node.kind))
        return SearchHit(
            urn=node.urn,
            document_urn=self._documents.get((node.jurisdiction, node.document_id), node.urn),
            heading=node.heading,
            snippet=words,
            score=point.score if point else 0.0,
            relevance_score=point.relevance_score if point else None,
            legs=Legs(**point.legs) if point else Legs(),
            hit_urn=point.hit_urn if point else node.urn,
            kind=kind,
            jurisdiction=node.jurisdiction,
            language=node.language,
            day=day,
        )
