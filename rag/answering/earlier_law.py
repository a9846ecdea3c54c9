"""Where law in force does not answer: whether law that has ended, or has yet to begin, would.

"Nothing in the context answers" is half the truth where a repealed section answered it until last year. So a refusal
names such law, with the days on which it is in force and what took its place; it never serves its words.
"""

from __future__ import annotations

from datetime import date, timedelta

from rag.answering.answer import Refusal
from rag.answering.run import Run
from rag.jurisdictions.grammars import GRAMMARS
from rag.store.database import Connection, Database
from retrieval.cluster import send_each
from retrieval.context.compose import assemble_read
from retrieval.entry_points.legs import EntryPoints
from retrieval.entry_points.lexical import Filters
from retrieval.entry_points.sources import stored_sources
from retrieval.languages import text_search_config
from retrieval.queries import QUERIES
from retrieval.references import lookup

LOOKED_AT = 4  # versions of other days, the best by their words
WORDS = 8  # of the question, its rarest: a common word would match much of a store
_BUDGET = 6_000  # tokens of a context that is drafted from and thrown away


def with_other_days(database: Database, run: Run, refusal: Refusal | None) -> Refusal | None:
    """A refusal for want of an answer in the context, with the law of other days that has one.

    Raises:
        StoreError: the store failed.
    """
    if refusal is None or refusal.reason != "insufficient_context" or run.filters is None:
        return refusal
    with database.read() as conn:
        told = law_of_other_days(conn, run.scenario, run.filters, run.found, run.at_date)
    return refusal.model_copy(update={"message": f"{refusal.message} {told}"}) if told else refusal


def law_of_other_days(conn: Connection, question: str, filters: Filters, found: EntryPoints, at_date: date) -> str:
    """A sentence that names law which is not in force at the date and would answer; empty where there is none."""
    rarity = found.rarity
    if not rarity:
        return ""
    language = filters.language
    words = sorted(rarity, key=lambda one: (-rarity[one], one))[:WORDS]
    values = {**filters.values, "words": words, "config": text_search_config(language), "limit": LOOKED_AT}
    rows = send_each(conn, QUERIES["find_law_of_other_days"], values).fetchall()
    rows = sorted(rows, key=lambda row: (-row[4], row[0]))[:LOOKED_AT]
    codes = sorted({source.jurisdiction for source in stored_sources(conn)}) if rows else []
    if not rows:
        return ""
    from rag.answering.extractive.draft import draft_extractive  # a search that finds something needs no draft

    named: dict[str, str] = {}
    for urn, begins, ends, rule, _ in rows:
        day: date | None = ends - timedelta(days=1) if ends is not None and ends <= at_date else begins
        if day is None or urn in named:
            continue
        targets, missing = lookup.find_targets(conn, [rule], day)
        if missing is None:
            context = assemble_read(conn, GRAMMARS, targets, day, jurisdictions=codes, budget_tokens=_BUDGET)
            draft = draft_extractive(context, question, found.synonyms, rarity, language, found.unknown)
            if any(cited.urn == urn for claim in draft.claims for cited in claim.citations):
                named[urn] = f"{urn} ({lookup.days_in_force(conn, [(urn, begins, ends)])})"
    if not named:
        return ""
    return (
        f"Law that is not in force at {at_date.isoformat()} has words that answer: {'; '.join(named.values())}. "
        "Ask with a date on which it is in force to read what it said or will say."
    )
