"""C(R) with what only this layer knows of it: whether anything ever read its law for definitions and exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from rag.jurisdictions.by_language import reading_note
from rag.jurisdictions.registry import jurisdiction_for
from rag.store.database import Connection
from retrieval.context.compose import assemble
from retrieval.model import ContextWarning, ScopedContext, context_digest
from retrieval.nodes import NodeVersion


def assemble_context(
    conn: Connection,
    targets: Sequence[NodeVersion],
    at_date: date,
    *,
    jurisdictions: Sequence[str],
    budget_tokens: int,
) -> ScopedContext:
    """`retrieval.scoped_context.assemble`, with a warning for law that no module of its jurisdiction reads.

    A context without definitions says "none apply" only where they were looked for.
    """
    context = assemble(conn, targets, at_date, jurisdictions=jurisdictions, budget_tokens=budget_tokens)
    places = dict.fromkeys((one.jurisdiction, one.language) for one in targets)
    notes = [reading_note(jurisdiction_for(code), language) for code, language in places]
    warnings = [ContextWarning(kind="reading", message=f"{note[0].upper()}{note[1:]}.") for note in notes if note]
    if not warnings:
        return context
    said = context.model_copy(update={"warnings": [*context.warnings, *warnings]})
    return said.model_copy(update={"digest": context_digest(said)})
