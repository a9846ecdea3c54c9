"""From a request to its rules: the one it names, or the best entry points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag import requests
from rag.answering.earlier_law import law_of_other_days
from rag.answering.extractive.kinds import provision_asked_for
from rag.answering.run import Run
from rag.finding.named_law import named_law
from rag.finding.resolution import parsers_for, resolve_reference
from rag.law.jurisdiction import SEVERAL
from rag.store.database import Connection, Database
from rag.telemetry.trace import utc_now
from retrieval.entry_points.dense import StoredModel, check_embedder, stored_model
from retrieval.entry_points.legs import EntryPoint, EntryPoints, Mode, find_entry_points
from retrieval.entry_points.lexical import CANDIDATES, Filters
from retrieval.entry_points.reranking import NO_RERANKING, Reranking, leg_hit
from retrieval.errors import ProviderError
from retrieval.model import ScopedContext
from retrieval.nodes import NodeVersion
from retrieval.paths import expand_jurisdictions, is_urn, parse_urn
from retrieval.providers.embedding import Embedder, query_vector
from retrieval.providers.model_card import known_languages
from retrieval.references import lookup
from retrieval.references.pipeline import MAX_REFERENCE

# Further rules join the context when they come this close to the first.
CLOSE_ENOUGH = 0.8


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """A question's embedding by the store's model; empty where the dense leg is off, which the notes explain."""

    vector: list[float] | None = None
    model: StoredModel | None = None
    notes: list[str] = field(default_factory=list[str])
    languages: frozenset[str] = frozenset()  # that the model says it knows; none where it does not say

    def for_law(self, language: str, mode: Mode) -> QuestionVector:
        """The same for law in a language; beside other legs without the vector where the model knows others only."""
        if self.vector is None or mode != "hybrid" or not self.languages or language in self.languages:
            return self
        known = ", ".join(sorted(self.languages))
        return QuestionVector(
            notes=[*self.notes, f"dense: skipped (the embedding model says that it knows {known}, not {language})"]
        )


def embed_question(database: Database, embedder: Embedder | None, question: str, mode: Mode) -> QuestionVector:
    """The question's vector, outside any transaction; a provider that fails switches the leg off, with a note.

    Raises:
        ConfigurationError: the embedder is not the store's model.
    """
    if mode == "keyword" or is_urn(question):
        return QuestionVector()
    if embedder is None:
        return QuestionVector(notes=["dense: skipped (no embedding model is set; words alone were compared)"])
    with database.read() as conn:
        stored = stored_model(conn)
    if stored is None:
        return QuestionVector(notes=["dense: skipped (the store has no embeddings; `lexscope embed` makes them)"])
    check_embedder(stored, embedder)
    try:
        return QuestionVector(query_vector(embedder, question), stored, languages=known_languages(embedder))
    except ProviderError as error:
        return QuestionVector(notes=[f"dense: skipped ({error.code})"])


def find_points(
    conn: Connection,
    run: Run,
    filters: Filters,
    mode: Mode,
    vector: QuestionVector,
    limit: int,
    *,
    expand_synonyms: bool = True,
    named: Sequence[str] = (),
    depth: int = CANDIDATES,
) -> None:
    """Fill the run's entry points; `named` are provisions that the whole question names, and come first.

    `depth` is how many nodes the lexical leg ranks.
    """
    run.filters = filters
    vector = vector.for_law(filters.language, mode)
    if is_urn(run.scenario):  # nothing but the node itself is meant
        cited = [parse_urn(run.scenario).text]
        run.found = find_entry_points(conn, "", filters, mode="semantic", cited=cited, limit=limit)
    else:
        references = requests.cited_references(run.scenario, filters.jurisdictions)
        law = named_law(conn, run.scenario, references, filters)

        def found_in(question: str, cited: Sequence[str], filters: Filters) -> EntryPoints:
            return find_entry_points(
                conn, question, filters, mode=mode, cited=list(dict.fromkeys([*named, *cited])), vector=vector.vector,
                model=vector.model, limit=limit, expand_synonyms=expand_synonyms, depth=depth,
            )  # fmt: skip

        run.found = found_in(law.question, law.cited, law.filters) if law else EntryPoints()
        if law and run.found.points:
            run.found.warnings += [law.note] if law.note else []
        else:
            run.found = found_in(run.scenario, [urn for one in references for urn in one.urns], filters)
        if vector.model is not None and not run.found.legs.get("dense") and stored_model(conn) != vector.model:
            # Between the question's embedding and this snapshot; the old vectors are gone.
            run.found.warnings.append("dense: skipped (the store went over to another embedding model; ask again)")
    run.found.warnings[:0] = vector.notes


def find_rules(
    conn: Connection,
    run: Run,
    sources: Sequence[requests.SourceRow],
    vector: QuestionVector,
    *,
    jurisdiction: str | None,
    language: str | None,
    rules: int,
    candidates: int,
    reranking: Reranking = NO_RERANKING,
) -> tuple[list[NodeVersion], ScopedContext | None]:
    """The rules of a request; or, where there are none, the context that says why.

    Raises:
        InputError: the request's filters cannot be used.
    """
    language = requests.checked_language(language)
    if is_urn(run.scenario):
        targets, missing = lookup.find_targets(conn, [run.scenario], run.at_date)
        language = language or (targets[0].language if targets else None)
        codes = sorted({one.jurisdiction for one in targets})
        run.filters = Filters(tuple(codes), language or "en", run.at_date)
        return targets, missing
    known = {one.jurisdiction for one in sources}
    named = _named_rules(conn, run, jurisdiction, language) if expand_jurisdictions(jurisdiction, known) else None
    if named is not None:
        codes = tuple(sorted({one.jurisdiction for one in named[0]} or known))
        run.filters = Filters(codes, language or (named[0][0].language if named[0] else "en"), run.at_date)
        return named
    run.filters = requests.search_filters(sources, jurisdiction, language, run.at_date)
    find_points(conn, run, run.filters, "hybrid", vector, max(rules, candidates, reranking.candidates))
    if reranking.on:
        reranked = reranking.apply(conn, run.found.points, run.scenario, run.at_date)
        run.found.points = reranked.points
        run.found.warnings.extend(reranked.warnings)
        run.found.legs["rerank"] = [leg_hit(one) for one in reranked.points if one.relevance_score is not None]
    if not run.found.points:
        told = law_of_other_days(conn, run)
        message = "No provision in the store matches the question. That is not a statement that no law exists."
        return [], lookup.empty_context("insufficient", [], run.at_date, f"{message} {told}".rstrip())
    return _closest(run.found.points, rules), None


def _named_rules(
    conn: Connection, run: Run, jurisdiction: str | None, language: str | None
) -> tuple[list[NodeVersion], ScopedContext | None] | None:
    """The rule that the whole text names, as `resolve` finds it; None where it is a question."""
    text = provision_asked_for(run.scenario).rstrip(" ?.")
    if not text or len(text) > MAX_REFERENCE:
        return None
    read = any(parser.tag_queries(text) for parser in parsers_for(jurisdiction))
    # A provision of law that the filter leaves out is none of the law that is left, whatever words they share.
    elsewhere = not read and any(
        query.hint is None for parser in parsers_for(None) for query in parser.tag_queries(text)
    )
    if " " in text and not read and not elsewhere:
        return None
    found = resolve_reference(conn, text, today=utc_now().date(), jurisdiction=jurisdiction, language=language)
    if found.urn is not None:
        run.found.warnings.extend(found.warnings)
        return lookup.find_targets(conn, [found.urn], run.at_date)
    several = [one.urn for one in found.candidates]
    if found.status == "ambiguous" and all(one.hint == SEVERAL for one in found.candidates):
        return lookup.find_targets(conn, several, run.at_date)
    if found.status == "ambiguous":
        return [], lookup.empty_context("not_found", several, run.at_date, found.message, several)
    if elsewhere or any(query.hint is None for query in found.tag_queries):
        message = f"{found.message} That is not a statement that no such law exists."
        return [], lookup.empty_context("not_found", [], run.at_date, message, found.suggestions)
    return None


def _closest(points: Sequence[EntryPoint], count: int) -> list[NodeVersion]:
    """The rules that come near the best one, none of them inside another."""
    rules: list[NodeVersion] = []
    for point in points:
        if point.ranked_by < points[0].ranked_by * CLOSE_ENOUGH or len(rules) == count:
            break
        new = point.rule
        if not any(
            new.jurisdiction == one.jurisdiction
            and (new.node_id in one.ancestor_ids or one.node_id in new.ancestor_ids)
            for one in rules
        ):
            rules.append(new)
    return rules
