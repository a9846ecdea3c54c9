"""Reranking: a model reads the best candidates beside the question and puts them in a new order.

It is optional, and its failure never costs an answer: the fused order stands then, and a warning says so. What the
question itself cites stays in front, for it was asked for by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol

from retrieval.entry_points.legs import EntryPoint
from retrieval.entry_points.lexical import LegHit
from retrieval.errors import ProviderError
from retrieval.nodes import Connection, NodeVersion, document_order, nodes_by_ids, subtrees
from retrieval.providers.embedding import DOCUMENT_TOKENS, beginning, estimated_tokens

CANDIDATES, KEPT = 15, 5


class Reranker(Protocol):
    """What judges how well documents answer a question."""

    @property
    def model(self) -> str:
        """The model's name; empty where nothing is judged."""
        ...

    def relevance(self, question: str, documents: Sequence[str]) -> list[float]:
        """The relevance of each document, 0 to 1, in the order of the documents.

        Raises:
            ProviderError: no usable judgement came; its subclasses say why.
        """
        ...


class NoReranker:
    """The default: nothing is judged, the fused order stands."""

    model = ""

    def relevance(self, question: str, documents: Sequence[str]) -> list[float]:
        """Nothing: no document is judged."""
        return []


@dataclass(frozen=True, slots=True)
class Reranked:
    """Candidates in their new order, or in the old one where the warnings say so."""

    points: list[EntryPoint]
    warnings: list[str]
    judged: bool = False


def rerank_points(
    points: Sequence[EntryPoint],
    documents: Sequence[str],
    question: str,
    reranker: Reranker,
    *,
    candidates: int = CANDIDATES,
    kept: int = KEPT,
) -> Reranked:
    """Put the best candidates in the order of their relevance, ties by URN, and keep the best of them.

    Args:
        points: entry points, best first.
        documents: what each of them says, in the same order.
        reranker: who judges; `NoReranker` leaves the points as they are.
        candidates: how many are judged at most, cited ones not counted.
        kept: how many of those remain.

    Returns:
        Cited points as they were, then the best judged ones with their `relevance_score`. Where the reranker failed:
        all points as they were, and a warning.
    """
    cited = [point for point in points if "citation" in point.legs]
    judged = [(one, text) for one, text in zip(points, documents, strict=True) if "citation" not in one.legs]
    judged = judged[:candidates]
    if not reranker.model:
        return Reranked(list(points), ["rerank: skipped (no reranker is configured; see LEXSCOPE_RERANKER)"])
    if not judged:
        return Reranked(list(points), [])
    texts = [beginning(text, DOCUMENT_TOKENS) for _, text in judged]
    try:
        scores = reranker.relevance(question, texts)
    except ProviderError as error:
        return Reranked(list(points), [f"rerank: skipped ({error.code}); the order is the legs' own"])
    warnings: list[str] = []
    cut = sum(estimated_tokens(text) > DOCUMENT_TOKENS for _, text in judged)
    if cut:
        warnings.append(f"rerank: {cut} of {len(judged)} candidates were judged by their beginning")
    ranked = [replace(one, relevance_score=score) for (one, _), score in zip(judged, scores, strict=True)]
    ranked.sort(key=lambda one: (-(one.relevance_score or 0.0), one.rule.urn, one.hit_urn))
    if len(points) > len(cited) + kept:
        warnings.append(f"rerank: the best {min(kept, len(ranked))} of {len(ranked)} candidates judged are kept")
    return Reranked([*cited, *ranked[:kept]], warnings, judged=True)


@dataclass(frozen=True, slots=True)
class Reranking:
    """A reranker, and how many candidates it judges and keeps."""

    reranker: Reranker
    candidates: int = CANDIDATES
    kept: int = KEPT

    @property
    def on(self) -> bool:
        """Whether anything is judged."""
        return bool(self.reranker.model)

    def apply(self, conn: Connection, points: Sequence[EntryPoint], question: str, at_date: date) -> Reranked:
        """Rerank entry points by what their rules say at a date; see `rerank_points`."""
        judged = [point for point in points if "citation" not in point.legs][: self.candidates]
        texts = dict(zip(map(id, judged), candidate_texts(conn, judged, at_date), strict=True)) if self.on else {}
        return rerank_points(
            points, [texts.get(id(point), "") for point in points], question, self.reranker,
            candidates=self.candidates, kept=self.kept,
        )  # fmt: skip


NO_RERANKING = Reranking(NoReranker())


def leg_hit(point: EntryPoint) -> LegHit:
    """A judged candidate as a trace shows it, with its relevance."""
    rule = point.rule
    return LegHit(rule.jurisdiction, rule.id, rule.node_id, rule.urn, rule.rule_id, point.ranked_by)


def candidate_texts(conn: Connection, points: Sequence[EntryPoint], at_date: date) -> list[str]:
    """What each candidate's rule says at a date: the headings above it, then its words in document order."""
    rules = [point.rule for point in points]
    nodes = subtrees(conn, ((rule.jurisdiction, rule.path) for rule in rules), at_date)
    keys = {(rule.jurisdiction, above) for rule in rules for above in rule.ancestor_ids[:-1]}
    above = {
        (node_version.jurisdiction, node_version.node_id): node_version
        for node_version in nodes_by_ids(conn, keys, at_date)
    }
    return [_text(rule, nodes, above) for rule in rules]


def _text(rule: NodeVersion, nodes: Sequence[NodeVersion], above: dict[tuple[str, int], NodeVersion]) -> str:
    found = (above.get((rule.jurisdiction, node_id)) for node_id in rule.ancestor_ids[:-1])
    chain = " > ".join(version.heading for version in found if version is not None and version.heading)
    own = [node for node in nodes if node.jurisdiction == rule.jurisdiction and rule.node_id in node.ancestor_ids]
    words = [part for version in document_order(own) for part in (version.heading, version.text) if part]
    return "\n".join([chain, *words] if chain else words)
