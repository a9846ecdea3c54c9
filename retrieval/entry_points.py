"""Entry points: from a question to candidate rules. Every leg's ranking is kept for the trace.

citation leg   references in the question win outright
lexical leg    BM25 over the question's words and the statutory terms of its synonyms
synonym leg    exact statutory terms and word pairs among those candidates
dense leg      nearest neighbours, where the store has vectors and an embedder is configured
-> fusion of normalised scores, nodes grouped under their rules, ties broken by URN
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from retrieval.dense import StoredModel, search_dense
from retrieval.fusion import FusedRule, fuse
from retrieval.lexical import MAX_WORDS, Filters, LegHit, question_words, score_synonyms, search_lexical, word_rarity
from retrieval.model import Legs, SearchHit, SearchResult
from retrieval.nodes import Connection, NodeVersion, nodes_by_ids, versions_by_urn
from retrieval.queries import QUERIES
from retrieval.synonyms import SynonymHit, find_synonyms

Mode = Literal["keyword", "semantic", "hybrid"]
SNIPPET = 240  # characters


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A candidate rule and why it is one."""

    rule: NodeVersion
    hit_urn: str
    score: float
    legs: dict[str, float]


@dataclass(slots=True)
class EntryPoints:
    """Candidates, best first, and everything that led to them."""

    points: list[EntryPoint] = field(default_factory=list[EntryPoint])
    legs: dict[str, list[LegHit]] = field(default_factory=dict[str, list[LegHit]])
    synonyms: list[SynonymHit] = field(default_factory=list[SynonymHit])
    cited: list[str] = field(default_factory=list[str])
    rarity: dict[str, float] | None = None  # word of the question -> idf; None where nothing was searched
    warnings: list[str] = field(default_factory=list[str])
    total: int = 0  # candidates before the limit


def find_entry_points(
    conn: Connection,
    question: str,
    filters: Filters,
    *,
    mode: Mode = "hybrid",
    cited: Sequence[str] = (),
    vector: list[float] | None = None,
    model: StoredModel | None = None,
    limit: int = 10,
) -> EntryPoints:
    """Find candidate rules.

    Args:
        conn: a read connection; its transaction is the snapshot.
        question: what was asked.
        filters: jurisdictions, language, date and kinds.
        mode: `keyword` leaves the dense leg out, `semantic` all others but citations.
        cited: URNs that references inside the question were read as.
        vector: the question's embedding by `model`; None switches the dense leg off.
        model: the store's embedding model.
        limit: how many rules at most.
    """
    found = EntryPoints()
    cited_rules = _citation_leg(conn, found, cited, filters)
    found.synonyms = find_synonyms(conn, question, language=filters.language, jurisdictions=filters.jurisdictions)
    found.rarity = word_rarity(conn, question_words(question), filters)
    if mode != "semantic":
        found.legs["lexical"] = search_lexical(conn, question, found.synonyms, filters)
        found.legs["synonym"] = score_synonyms(conn, found.legs["lexical"], question, found.synonyms, filters)
        if len(question.split()) > MAX_WORDS:
            found.warnings.append(f"The lexical leg searched the first {MAX_WORDS} words of the question.")
    if mode != "keyword":
        if vector is not None and model is not None:
            found.legs["dense"] = search_dense(conn, vector, model, filters)
        else:
            found.warnings.append("dense: skipped")
    fused = _with_named_nodes(conn, found, fuse(found.legs), filters)
    rules = {
        (node.jurisdiction, node.node_id): node
        for node in nodes_by_ids(conn, ((one.jurisdiction, one.rule_id) for one in fused), filters.at_date)
    }
    seen = {point.rule.urn for point in cited_rules}
    points = [
        EntryPoint(rules[key], one.hit.urn, one.score, one.legs)
        for one in fused
        if (key := (one.jurisdiction, one.rule_id)) in rules and rules[key].urn not in seen
    ]
    found.total = len(cited_rules) + len(points)
    found.points = [*cited_rules, *points][:limit]
    return found


def _citation_leg(conn: Connection, found: EntryPoints, cited: Sequence[str], filters: Filters) -> list[EntryPoint]:
    """What the question itself cites comes first, in the question's order."""
    points: list[EntryPoint] = []
    for urn in cited:
        node = next((one for one in versions_by_urn(conn, [urn]) if one.in_force(filters.at_date)), None)
        if node is None:
            found.warnings.append(f"{urn} is cited in the question and is not in the store in force at the date.")
            continue
        found.cited.append(node.urn)
        points.append(EntryPoint(node, node.urn, 1.0, {"citation": 1.0}))
    return points


def _with_named_nodes(
    conn: Connection, found: EntryPoints, fused: list[FusedRule], filters: Filters
) -> list[FusedRule]:
    """Nodes that a synonym names by URN join the candidates with the synonym leg's full score."""
    urns = sorted({one.target for one in found.synonyms if one.is_urn})
    if not urns:
        return fused
    known = {(one.jurisdiction, one.rule_id): one for one in fused}
    for node in versions_by_urn(conn, urns):
        if node.in_force(filters.at_date) and node.jurisdiction in filters.jurisdictions:
            key = (node.jurisdiction, node.rule_id)
            hit = LegHit(node.jurisdiction, node.id, node.node_id, node.urn, node.rule_id, 1.0)
            found.legs.setdefault("synonym", []).append(hit)
            old = known.get(key)
            legs = {**(old.legs if old else {}), "synonym": 1.0}
            known[key] = FusedRule(
                *key, old.hit if old else hit, round(min((old.score if old else 0.5) + 0.3, 1.0), 9), legs
            )
    return sorted(known.values(), key=lambda one: (-one.score, one.hit.urn, one.hit.id))


def search_result(
    conn: Connection, question: str, filters: Filters, mode: Mode, found: EntryPoints, limit: int
) -> SearchResult:
    """Entry points as the public result."""
    shown = found.points[:limit]
    values = {
        "jurisdictions": list(filters.jurisdictions),
        "ids": sorted({point.rule.document_id for point in shown}),
    }
    documents = {(row[0], row[1]): row[2] for row in conn.execute(QUERIES["find_document_urns"], values)}
    hits = {
        one.urn: one
        for one in versions_by_urn(conn, [point.hit_urn for point in shown])
        if one.in_force(filters.at_date)
    }
    return SearchResult(
        query=question,
        at_date=filters.at_date,
        mode=mode,
        total=found.total,
        results=[
            SearchHit(
                urn=point.rule.urn,
                document_urn=documents.get((point.rule.jurisdiction, point.rule.document_id), point.rule.urn),
                heading=point.rule.heading,
                snippet=snippet(hits.get(point.hit_urn, point.rule)),
                score=point.score,
                relevance_score=None,
                legs=Legs(**point.legs),
                hit_urn=point.hit_urn,
            )
            for point in shown
        ],
        warnings=found.warnings,
    )


def snippet(node: NodeVersion) -> str:
    """The beginning of a node's words, cut at a word with an ellipsis that says so."""
    text = " ".join((node.text or node.heading).split())
    return text if len(text) <= SNIPPET else text[:SNIPPET].rsplit(" ", 1)[0] + " …"
