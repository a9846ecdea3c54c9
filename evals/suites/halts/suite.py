"""Void rules that nobody asked about must halt nobody, and a void rule that is asked for must always halt.

Lay questions, drawn from all sets, are asked in groups of twenty. For each group twenty sections of its law that answer
none of its questions are drawn and made void: a question that halts had an unrelated halt. Then each void section is
asked for, which has to halt: by its URN, by its citation where that names it alone, and by a question with that
citation. At last the sections that answer the questions are void in place of these: whatever comes back, their text
must not be served.
"""

from __future__ import annotations

import json
import random
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from evals.rows import Gate, Row, share_row
from rag.engine import Engine
from rag.jurisdictions.citing import cited_as
from rag.store.reference_data import NewOverride, add_override
from retrieval.standing import GONE

SUITE = "halts"
LAY = Path(__file__).parents[2] / "data" / "lay"
LAW = (
    "dc-code-xml", "ecfr-xml/ECFR-title1.xml", "ecfr-xml/ECFR-title3.xml", "ecfr-xml/ECFR-title11.xml", "uscode-uslm",
    "uk-clml", "de-gesetze-tei", "eu-gdpr", "fr-legalize-md/LEGITEXT000006070721.md",
    "fr-legalize-md/LEGITEXT000031366350.md",
)  # fmt: skip
QUESTIONS = 200
GROUP = 20
ASKED = {"de": "Was gilt nach {}?", "fr": "Que prévoit {} ?", "en": "What does {} require?"}
VOID = 20  # rules of each group's store
NONE = Gate("<=", 0.0)


@dataclass(slots=True)
class Report:
    """Rows, and a line for each wrong halt, missed halt and served void text."""

    rows: list[Row] = field(default_factory=list[Row])
    misses: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class _Question:
    """A lay question, and the sections that answer it."""

    id: str
    question: str
    jurisdiction: str | None  # None where the asker names none
    gold: frozenset[str]


def measure(engine: Engine, *, seed: int, limit: int | None = None) -> Report:
    """Ask the questions over a store that holds their law; overrides are recorded in it and ended again.

    Args:
        engine: over a store that nobody else uses.
        seed: which sections are void.
        limit: most questions; 200 by default.
    """
    out = Report()
    drawn = random.Random(seed)
    sections = _sections(engine)
    every = sorted(questions(), key=lambda question: question.id)
    asked = drawn.sample(every, min(limit or QUESTIONS, len(every)))
    halted = missed = references = served = answered = 0
    for first in range(0, len(asked), GROUP):
        group = asked[first : first + GROUP]
        gold = frozenset[str]().union(*(question.gold for question in group))
        void = _draw(drawn, sections, group, gold)
        with _void(engine, void):
            for one in group:
                context = engine.context(one.question, jurisdiction=one.jurisdiction)
                if context.status == "halted":
                    halted += 1
                    out.misses.append(f"{one.id} halted: {', '.join(notice.urn for notice in context.overrides)}")
            for struck, words in [(urn, words) for urn in void for words in _forms(engine, urn, sections[urn])]:
                references += 1
                if engine.context(words, jurisdiction=sections[struck]).status != "halted":
                    missed += 1
                    out.misses.append(f"{struck} is void, was asked for as {words!r}, and did not halt")
        with _void(engine, sorted(gold & set(sections))):
            for one in group:
                if not (struck := one.gold & set(sections)):  # a recital answers, and no court strikes it down
                    continue
                answered += 1
                context = engine.context(one.question, jurisdiction=one.jurisdiction)
                shown = [
                    block.urn for block in context.blocks if block.role != "warning" and _within(block.urn, struck)
                ]
                if shown and context.status != "halted":
                    served += 1
                    out.misses.append(f"{one.id}: void {shown[0]} is in the context")
    if asked:
        out.rows = [
            share_row(SUITE, "lay", "unrelated_halts", halted, len(asked), NONE),
            share_row(SUITE, "lay", "missed_halts", missed, references, NONE),
            share_row(SUITE, "lay", "void_served", served, answered, NONE),
        ]
    return out


def questions() -> Iterator[_Question]:
    """The questions of all sets; a line names its jurisdiction, or that it is about none, or leaves it out."""
    for path in sorted(LAY.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            place = None if row.get("jurisdiction") in (None, "none") else row["jurisdiction"]
            yield _Question(f"{path.stem}:{row['id']}", row["question"], place, frozenset(row["gold"] or ()))


def _forms(engine: Engine, urn: str, jurisdiction: str) -> Iterator[str]:
    """A section as it is asked for: its URN, its citation where that names it alone, a question with the citation."""
    yield urn
    citation = cited_as(urn)
    if citation and engine.resolve(citation, jurisdiction=jurisdiction).urn == urn:
        yield citation
        yield ASKED.get(jurisdiction, ASKED["en"]).format(citation)


def _sections(engine: Engine) -> dict[str, str]:
    """Sections and articles of the store that are law, not repealed, with their jurisdictions."""
    with engine.database.read() as conn:
        return dict(conn.execute(_IN_FORCE, [list(GONE)]).fetchall())


def _draw(
    drawn: random.Random, sections: dict[str, str], group: Sequence[_Question], gold: frozenset[str]
) -> list[str]:
    """Void sections of the jurisdictions that a group asks about, which answer none of its questions."""
    codes = {question.jurisdiction for question in group} - {None} or set(sections.values())
    able = sorted(urn for urn, code in sections.items() if code in codes and not _within(urn, gold))
    return sorted(drawn.sample(able, min(VOID, len(able))))


def _within(urn: str, gold: frozenset[str]) -> bool:
    return any(urn == place or urn.startswith(f"{place}:") for place in gold)


@contextmanager
def _void(engine: Engine, urns: Sequence[str]) -> Generator[None]:
    """Sections that a court made void, for as long as the block runs."""
    numbers = [
        add_override(
            engine.database, NewOverride(urn_pattern=urn, status="VOID", court="Court", court_citation="1 C. 1")
        )
        for urn in urns
    ]
    try:
        yield
    finally:
        with engine.database.write() as conn:
            conn.execute("delete from judicial_overrides where id = any(%s)", [numbers])


_IN_FORCE = """
select distinct urn, jurisdiction from legal_nodes
where structure_type in ('SECTION', 'ARTICLE') and kind = 'legislation' and upper_inf(validity)
    and lower(coalesce(tags ->> 'status', '')) <> all(%s)
"""
