"""Entry points: from a question to candidate rules. Every leg's ranking is kept for the trace.

citation leg   references in the question win outright
lexical leg    BM25 over the question's words and the statutory terms of its synonyms
synonym leg    exact statutory terms among those candidates
dense leg      nearest neighbours, where the store has vectors and an embedder is configured
-> fusion of normalised scores, nodes grouped under their rules, ties broken by URN
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from retrieval.entry_points.dense import (
    StoredModel,
    find_sections,
    send_dense,
    similar_hits,
    vector_values,
    with_similarities,
)
from retrieval.entry_points.filters import passing
from retrieval.entry_points.fusion import FusedRule, fuse
from retrieval.entry_points.lexical import (
    CANDIDATES,
    Filters,
    LegHit,
    Section,
    Sections,
    candidates_statement,
    find_candidates,
    looked_at,
    rank_words,
)
from retrieval.entry_points.question_words import MAX_WORDS, QuestionWords, read_question_words
from retrieval.entry_points.synonyms import SynonymHit, find_synonyms, named_by_model
from retrieval.nodes import Connection, NodeVersion, nodes_by_ids, versions_by_urn

Mode = Literal["keyword", "semantic", "hybrid"]
# How many of the dense leg's nearest nodes the lexical leg ranks as well. All hundred find one colloquial question in a
# hundred more, and cost a tenth of the search; ObliQA dev gains nothing.
NEAREST = 50


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A candidate rule and why it is one."""

    rule: NodeVersion
    hit_urn: str
    score: float
    legs: dict[str, float]
    relevance_score: float | None = None  # a reranker's, where one judged it
    hit: NodeVersion | None = None  # the node whose words matched, where it was asked for

    @property
    def ranked_by(self) -> float:
        """What puts it in its place: the reranker's score where there is one, else the fused one."""
        return self.score if self.relevance_score is None else self.relevance_score


@dataclass(slots=True)
class EntryPoints:
    """Candidates, best first, and everything that led to them."""

    points: list[EntryPoint] = field(default_factory=list[EntryPoint])
    legs: dict[str, list[LegHit]] = field(default_factory=dict[str, list[LegHit]])
    synonyms: list[SynonymHit] = field(default_factory=list[SynonymHit])
    cited: list[str] = field(default_factory=list[str])
    lacking: list[str] = field(default_factory=list[str])  # URNs the question cites, without a text in force
    unheld: list[str] = field(default_factory=list[str])  # names of laws in the question that no document has
    named: list[str] = field(default_factory=list[str])  # URNs of whole laws that the question names
    matter: str = ""  # the question without what it cites; empty where the whole request is a reference
    share: float = 0.0  # how much of what is asked the first of the lexical leg has, by rarity
    most: float = 0.0  # the most of it that one of the first five has
    evidence: float = 0.0  # the best score by words, as a number of words that only one node has
    nodes: float = 0  # among which words were searched
    rarity: dict[str, float] | None = None  # word of the question -> idf; None where nothing was searched
    unknown: list[str] = field(default_factory=list[str])  # words of the question that the law searched never uses
    sections: Sections = field(default_factory=dict[tuple[str, int], Section])  # where hits stand
    apart: bool = False  # whether vectors of another model than the store's were compared, made for a language
    terms: list[str] = field(default_factory=list[str])  # that a model named for the question, searched with it
    warnings: list[str] = field(default_factory=list[str])
    total: int = 0  # candidates before the limit
    absent: tuple[str, ...] = ()  # countries and states the question names, of whose own law none was searched
    elsewhere: bool = False  # none of the law searched holds in the places that the question names
    meaning: str = ""  # the defined term, normalised, whose meaning the whole question asks for
    meanings: int = 0  # how many definitions it has there


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
    expand_synonyms: bool = True,
    depth: int = CANDIDATES,
    terms: Sequence[str] = (),
    with_hits: bool = False,
) -> EntryPoints:
    """Find candidate rules.

    Args:
        conn: a read connection; its transaction is the snapshot.
        filters: jurisdictions, language, date and kinds.
        mode: `keyword` leaves the dense leg out, `semantic` all others but citations.
        cited: URNs that references inside the question were read as.
        vector: the question's embedding by `model`; None switches the dense leg off.
        model: the store's embedding model.
        limit: how many rules at most.
        expand_synonyms: False searches the question's own words alone.
        depth: how many nodes the lexical leg ranks; as many as a leg can have for who pages through all.
        terms: statutory terms that a model named for the question, searched as those of the thesauri are.
        with_hits: whether the nodes that matched are read beside their rules.
    """
    with conn.pipeline():  # no look-up waits for more than the results that it needs
        found = EntryPoints(terms=list(terms))
        cited_rules = _citation_leg(conn, found, cited, filters)
        nearby = (vector, model) if mode != "keyword" and vector is not None and model is not None else None
        words = read_words(conn, found, question, filters, expand_synonyms=expand_synonyms, with_kin=nearby is None)
        if mode != "semantic" and len(question.split()) > MAX_WORDS:
            found.warnings.append(f"The lexical leg searched the first {MAX_WORDS} words of the question.")
        _run_legs(conn, found, None if mode == "semantic" else words, nearby, filters, depth=depth)
        if nearby and mode != "semantic" and found.legs["dense"]:
            sections = find_sections(conn, vector_values(*nearby), found.legs, filters)
            found.sections = _with_shares(sections, found.sections, found.legs)
        fused = fuse(found.legs, found.sections, found.most, filters.named)
        if mode != "semantic":
            fused = _with_named_nodes(conn, found, fused, filters)
        cited_keys = {(cited_rule.rule.jurisdiction, cited_rule.rule.node_id) for cited_rule in cited_rules}
        fused = [fused_rule for fused_rule in fused if (fused_rule.jurisdiction, fused_rule.rule_id) not in cited_keys]
        found.total = len(cited_rules) + len(fused)
        found.points = [*cited_rules, *_offered(conn, fused, filters, limit - len(cited_rules), with_hits)][:limit]
        return found


def read_words(
    conn: Connection,
    found: EntryPoints,
    question: str,
    filters: Filters,
    *,
    expand_synonyms: bool,
    with_kin: bool,
) -> QuestionWords:
    """What the thesauri and the law searched know of the question's words."""
    if expand_synonyms:
        found.synonyms = find_synonyms(conn, question, language=filters.language, jurisdictions=filters.jurisdictions)
    terms = [*found.synonyms, *map(named_by_model, found.terms)]
    words = read_question_words(
        conn, question, terms, language=filters.language, jurisdictions=filters.jurisdictions, with_kin=with_kin
    )
    found.rarity, found.unknown = dict(words.rarity), list(words.unknown)
    return words


def _run_legs(
    conn: Connection,
    found: EntryPoints,
    words: QuestionWords | None,
    nearby: tuple[list[float], StoredModel] | None,
    filters: Filters,
    *,
    depth: int,
) -> None:
    """Search by words, by a vector and its model, or by both; `found` gets the legs and what its words have."""
    legs = found.legs
    near = vector_values(*nearby) if nearby else None
    by_words = candidates_statement(words, filters, depth=depth, near=near) if words else None
    search = None
    if nearby and near:
        lexemes = looked_at(words) if words and by_words else []
        read = NEAREST if lexemes else 0
        search = send_dense(conn, near, nearby[1].dimensions, filters, lexemes=lexemes, read=read, beside=by_words)
        candidates, nearest = search.by_words(), search.nearest()
    else:
        candidates = find_candidates(conn, words, filters, depth=depth) if words else []
        nearest = []
    known = {(candidate.jurisdiction, candidate.id): candidate.similarity for candidate in candidates}
    if words:
        others = [candidate for candidate in nearest[:NEAREST] if (candidate.jurisdiction, candidate.id) not in known]
        ranked = rank_words(words, candidates, others, depth=depth)
        legs["lexical"], legs["synonym"] = ranked.lexical, ranked.synonym
        found.share, found.most, found.evidence = ranked.share, ranked.most, ranked.evidence
        found.nodes, found.sections = ranked.nodes, ranked.sections
    if search:
        similarities = {key: score for key, score in known.items() if score is not None}
        legs["dense"] = with_similarities(similar_hits(nearest), legs.get("lexical", []), similarities)


def _with_shares(sections: Sections, rules: Sections, legs: Mapping[str, Sequence[LegHit]]) -> Sections:
    """Sections with how much of the question the rules of their nodes have, as `rules` tells it of nodes by words."""
    shares = {(code, rule.id): rule.share for (code, _), rule in rules.items()}
    found = {(hit.jurisdiction, hit.id): hit.rule_id for hits in legs.values() for hit in hits}
    return {key: section._replace(share=shares.get((key[0], found[key]), 0.0)) for key, section in sections.items()}


def _offered(
    conn: Connection, fused: Sequence[FusedRule], filters: Filters, count: int, with_hits: bool
) -> list[EntryPoint]:
    """The first so many rules with their versions in force; no more are read than that takes."""
    points: list[EntryPoint] = []
    for start in range(0, len(fused), max(count, 1)):
        if len(points) >= count:
            break
        batch = fused[start : start + count]
        keys = [(rule.jurisdiction, rule.rule_id) for rule in batch]
        hits = [(rule.jurisdiction, rule.hit.node_id) for rule in batch] if with_hits else []
        nodes = {(node.jurisdiction, node.node_id): node for node in nodes_by_ids(conn, keys + hits, filters.at_date)}
        points += [
            EntryPoint(
                nodes[key], one.hit.urn, one.score, one.legs,
                hit=nodes.get((one.jurisdiction, one.hit.node_id)) if with_hits else None,
            )
            for key, one in zip(keys, batch, strict=True)
            if key in nodes
        ]  # fmt: skip
    return points[: max(count, 0)]


def lacks_text(urn: str) -> str:
    """What a search says of a provision that its question cites and the store does not have at the date."""
    return f"{urn} is cited in the question; the store has no text of it in force at the date."


def _citation_leg(conn: Connection, found: EntryPoints, cited: Sequence[str], filters: Filters) -> list[EntryPoint]:
    """What the question itself cites comes first, in the question's order."""
    points: list[EntryPoint] = []
    for urn in cited:
        node = next(
            (node_version for node_version in versions_by_urn(conn, [urn]) if node_version.in_force(filters.at_date)),
            None,
        )
        if node is None:
            found.lacking.append(urn)
            found.warnings.append(lacks_text(urn))
            continue
        if not passing(conn, [node], filters):
            found.warnings.append(f"{urn} is cited in the question and left out by a filter.")
            continue
        found.cited.append(node.urn)
        points.append(EntryPoint(node, node.urn, 1.0, {"citation": 1.0}))
    return points


def _with_named_nodes(
    conn: Connection, found: EntryPoints, fused: list[FusedRule], filters: Filters
) -> list[FusedRule]:
    """Nodes that a synonym names by URN join the candidates with the synonym leg's full score.

    Somebody chose the node for the phrase: with a weight of 1 or more it stands above what words alone bring.
    """
    weights: dict[str, float] = {}
    for synonym in found.synonyms:
        if synonym.is_urn:  # two phrases of a question may name one node
            weights[synonym.target] = max(weights.get(synonym.target, 0.0), synonym.weight)
    urns = sorted(weights)
    if not urns:
        return fused
    chosen: set[tuple[str, int]] = set()
    known = {(fused_rule.jurisdiction, fused_rule.rule_id): fused_rule for fused_rule in fused}
    named = [node_version for node_version in versions_by_urn(conn, urns) if node_version.in_force(filters.at_date)]
    for node in passing(conn, named, filters):
        key = (node.jurisdiction, node.rule_id)
        hit = LegHit(node.jurisdiction, node.id, node.node_id, node.urn, node.rule_id, 1.0)
        found.legs.setdefault("synonym", []).append(hit)
        old = known.get(key)
        legs = {**(old.legs if old else {}), "synonym": 1.0}
        sure = weights.get(node.urn, 0.0) >= 1.0
        score = 1.0 if sure else min((old.score if old else 0.5) + 0.3, 1.0)
        chosen |= {key} if sure else set()
        known[key] = FusedRule(*key, old.hit if old else hit, round(score, 9), legs)
    return sorted(known.values(), key=lambda one: (-one.score, (one.jurisdiction, one.rule_id) not in chosen))
