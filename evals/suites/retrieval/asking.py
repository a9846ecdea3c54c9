"""Asks a store the questions of a set through the product's own search, and ranks what each leg gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial

from evals.suites.retrieval.sets import QuestionSet
from rag import Engine, requests
from rag.languages.registry import language_told
from rag.models.rewriting import rewritten
from rag.store.database import Connection
from retrieval.entry_points.finding import QuestionVector, embed_question
from retrieval.entry_points.fusion import fuse_nodes
from retrieval.entry_points.legs import EntryPoints, Mode, find_entry_points
from retrieval.entry_points.lexical import Filters
from retrieval.entry_points.sources import search_filters, stored_sources
from retrieval.entry_points.synonyms import find_synonyms
from retrieval.errors import InputError
from retrieval.paths import is_urn

LEGS = ("lexical", "synonym", "dense", "hybrid", "rewritten")
DEPTH = 10
_PASSAGES = """select coalesce(tags ->> 'document_id', '') || '/' || (tags ->> 'passage_id'), urn from legal_nodes
where tags ? 'passage_id' order by urn desc"""
_ALIASES = """select a.alias, n.urn from unnest(%s::text[]) as a (alias)
join legal_nodes n on n.aliases @> array[a.alias] order by n.urn desc"""
_STORED = "select distinct urn from legal_nodes where urn = any(%s)"


@dataclass(slots=True)
class Asking:
    """A set asked of a store.

    Attributes:
        engine: over the set's law.
        set: the questions.
        day: of the law.
        qrels: question -> URN -> grade, after `rankings`.
        notes: what was not asked, or not found in the store, and why.
    """

    engine: Engine
    set: QuestionSet
    day: date
    qrels: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    notes: list[str] = field(default_factory=list[str])


def rankings(asking: Asking) -> dict[str, dict[str, list[str]]]:
    """The first ten of each leg: leg -> question -> URNs. Legs that the store cannot run are left out, with a note.

    A ranking by rules names a judged provision where the rule is it, lies in it, or holds it.

    Raises:
        StoreError: the store failed.
        ProviderError: the embedder failed.
    """
    engine, name = asking.engine, asking.set.name
    out: dict[str, dict[str, list[str]]] = {}
    with engine.database.read() as conn:
        sources = stored_sources(conn)
        golden = _urns(conn, asking)
        has_synonyms = conn.execute("select from legal_synonyms limit 1").fetchone() is not None
    unasked = 0
    for question in asking.set.questions:
        try:
            checked = requests.checked_question(question.text)
            told = partial(language_told, checked)
            where, language = question.jurisdiction or None, question.language or None
            filters, _ = search_filters(sources, where, language, asking.day, told)
        except InputError as error:
            unasked += 1
            if unasked == 1:
                asking.notes.append(f"{name}: {question.id} is not asked: {error.message}")
            continue
        grades = {golden.get(gold, gold): grade for gold, grade in question.gold.items()}
        asking.qrels[question.id] = grades
        vector = embed_question(engine.database, engine.embedder, checked, "hybrid")
        if vector.notes:
            asking.notes.append(f"{name}: {question.id}: {', '.join(vector.notes)}")
        terms, untold = rewritten(engine.rewriter, checked, filters.language)
        asking.notes += [f"{name}: {question.id}: {note}" for note in untold]
        named = embed_question(engine.database, engine.embedder, checked, "hybrid", terms) if terms else vector
        with engine.database.read() as conn:
            for leg, found in _found(conn, checked, filters, vector, has_synonyms, terms, named).items():
                ranked = _nodes(found, leg) if asking.set.level == "node" else _rules(found, grades)
                out.setdefault(leg, {})[question.id] = ranked
    if unasked > 1:
        asking.notes.append(f"{name}: {unasked} questions are not asked, for reasons as this one's")
    return out


def _urns(conn: Connection, asking: Asking) -> dict[str, str]:
    """Judged provisions that are no URN -> the URNs of the store; notes what the store does not have."""
    gold = {urn for question in asking.set.questions for urn in question.gold}
    other = sorted(urn for urn in gold if not is_urn(urn))
    passages = dict(conn.execute(_PASSAGES).fetchall()) if other else {}
    named = {name: passages[name] for name in other if name in passages}
    named.update(dict(conn.execute(_ALIASES, ([name for name in other if name not in named],)).fetchall()))
    wanted = sorted({named.get(urn, urn) for urn in gold})
    stored = {row[0] for row in conn.execute(_STORED, (wanted,))}
    gone = [entry for entry in wanted if entry not in stored]
    if gone:
        asking.notes.append(f"{asking.set.name}: {len(gone)} judged provisions are not in the store, such as {gone[0]}")
    return named


def _found(
    conn: Connection,
    question: str,
    filters: Filters,
    vector: QuestionVector,
    has_synonyms: bool,
    terms: Sequence[str],
    named: QuestionVector,
) -> dict[str, EntryPoints]:
    def ask(mode: Mode, *, expand: bool = True, terms: Sequence[str] = ()) -> EntryPoints:
        asked = (named if terms else vector).for_law(filters.language, mode)
        return find_entry_points(
            conn, question, filters, mode=mode, vector=asked.vector, model=asked.model, limit=DEPTH,
            expand_synonyms=expand, terms=terms,
        )  # fmt: skip

    out = {"lexical": ask("keyword", expand=False)}
    if has_synonyms:
        out["synonym"] = ask("keyword") if _expands(conn, question, filters) else out["lexical"]
    if vector.vector is not None:
        out["dense"] = ask("semantic", expand=False)
        out["hybrid"] = ask("hybrid")
    if terms:
        out["rewritten"] = ask("hybrid", terms=terms)
    return out


def _expands(conn: Connection, question: str, filters: Filters) -> bool:
    return bool(find_synonyms(conn, question, language=filters.language, jurisdictions=filters.jurisdictions))


def _nodes(found: EntryPoints, leg: str) -> list[str]:
    """Single nodes, before they are grouped under their rules."""
    legs = {"lexical": found.legs["lexical"]} if leg == "lexical" else found.legs
    return [fuse_node.hit.urn for fuse_node in fuse_nodes(legs, found.sections, found.most)[:DEPTH]]


def _rules(found: EntryPoints, grades: dict[str, int]) -> list[str]:
    """Rules under the names of what is judged; a judged provision keeps its first place and takes no second."""
    ranked: list[str] = []
    for point in found.points[:DEPTH]:
        judged = (gold for gold in grades if same_provision(gold, point.rule.urn) and gold not in ranked)
        ranked.append(next(judged, point.rule.urn))
    return list(dict.fromkeys(ranked))


def same_provision(gold: str, rule: str) -> bool:
    """Whether of two provisions one is, or lies in, the other."""
    return f"{rule}:".startswith(f"{gold}:") or f"{gold}:".startswith(f"{rule}:")
