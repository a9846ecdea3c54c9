"""Batch resolution gives what one-by-one resolution gives, on every kind of reading and on real law."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from conftest import Stores
from hypothesis import given
from hypothesis import strategies as st
from law import DAY, C, document, node, store

from rag import Engine
from rag.jurisdictions.grammars import GRAMMARS
from rag.law.jurisdiction import FoundReference, ReferencePart
from rag.store.database import Connection, Database
from retrieval.errors import InputError
from retrieval.model import Resolution
from retrieval.nodes import stored_jurisdictions
from retrieval.references.batch import resolve_many
from retrieval.references.hits import Request
from retrieval.references.pipeline import ReferenceParser, checked_reference, resolve
from retrieval.references.store_finder import StoreFinder
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

TURN = date(2020, 1, 1)


class Reads:
    """A grammar in which the words of a reference are the numbers of its readings."""

    code = "us"

    def tag_queries(self, reference: str) -> list[TagQuery]:
        return [READINGS[int(item)] for item in reference.split() if item.isdigit() and int(item) < len(READINGS)]

    def find_references(self, text: str, here: None) -> list[FoundReference]:
        if not text.startswith("3"):
            return []
        part = ReferencePart(0, len(text), f"{C}:1:2")
        return [FoundReference(0, len(text), text, (part,), "explicit", confident=True)]


def tags(hint: str | None = None, *, at_date: date | None = None, first: bool = False, **equal: str) -> TagQuery:
    return TagQuery(
        language="en", tag_filters=TagFilterSet.from_tags(equal), hint=hint, at_date=at_date,
        should_sort_in_force_first=first,
    )  # fmt: skip


def other(key: str, op: TagFilterOp, value: str | list[str], hint: str | None = None) -> TagQuery:
    return TagQuery(language="en", tag_filters=TagFilterSet((TagFilter(key, op, value),)), hint=hint)


READINGS = (
    tags(k="a"), tags(k="b"), tags("maybe", k="b", court="x"), tags(k="zzz"), tags(k="a", at_date=date(2019, 1, 1)),
    tags(first=True, k="b"), urn_query(f"{C}:1:1", language="de"), urn_query("urn:lex:fed:tc:uno", language="en"),
    urn_query(f"{C}:1:2", language="en", hint="perhaps"), urn_query(f"{C}:1:9", language="en"),
    other("alias", TagFilterOp.EQ, "SHARED"), other("urn", TagFilterOp.IN, [f"{C}:1:1", f"{C}:1:2"], "one of them"),
    other("k", TagFilterOp.ILIKE, "A"), other("court", TagFilterOp.IN, ["x", "y"]), tags(k="c", at_date=DAY),
    TagQuery(language="en", kind="decision", tag_filters=TagFilterSet.from_tags({"k": "a"})),
)  # fmt: skip
WORDS = (
    f"{C}:1:1", f"{C}:1:2".upper(), "old.1", "shared", "urn:lex:us", "", "nothing", "x" * 1001, "old.1\0", "\ud800",
    *map(str, range(len(READINGS) + 1)),
)  # fmt: skip


@pytest.fixture(scope="module")
def conn(stores: Stores, empty_template: str) -> Iterator[Connection]:
    nodes = [
        node(C), node(f"{C}:1"),
        node(f"{C}:1:1", "First.", aliases=["old.1", "urn:lex:us:tc:uno"], valid_to=TURN, tags={"k": "a"}),
        node(f"{C}:1:1", "Second.", aliases=["new.1"], valid_from=TURN, tags={"k": "a"}),
        node(f"{C}:1:2", "Other.", aliases=["SHARED"], tags={"k": "b", "court": "x"}),
        node(f"{C}:1:3", "Third.", aliases=["SHARED"], tags={"k": "b", "court": "y", "in_force": "false"}),
        node(f"{C}:1:4", "Gone.", valid_to=TURN, tags={"k": "c", "status": "repealed"}),
    ]  # fmt: skip
    with Database(stores.clone(empty_template)) as database:
        store(database, document(nodes))
        with database.read() as connection:
            yield connection


def one_by_one(
    conn: Connection, references: list[str], parsers: list[ReferenceParser], at_date: date | None = None
) -> list[Resolution | str]:
    """The resolution of each, or the message of its refusal."""
    stored = tuple(stored_jurisdictions(conn))
    out: list[Resolution | str] = []
    for text in references:
        try:
            request = Request(checked_reference(text), stored, None, at_date, DAY, {})
            out.append(resolve(StoreFinder(conn), request, parsers))
        except InputError as error:
            out.append(error.message)
    return out


def in_batch(
    conn: Connection, references: list[str], parsers: list[ReferenceParser], at_date: date | None = None, chunk: int = 3
) -> Iterator[Resolution]:
    stored = stored_jurisdictions(conn)
    return resolve_many(conn, references, parsers, jurisdictions=stored, today=DAY, at_date=at_date, chunk=chunk)


def agree(single: Resolution | str, batch: Resolution) -> bool:
    if isinstance(single, str):
        return (batch.status, batch.message) == ("not_found", single)
    return single == batch


_references = st.one_of(
    st.sampled_from(WORDS),
    st.lists(st.integers(0, len(READINGS)), max_size=4).map(lambda numbers: " ".join(map(str, numbers))),
)


@given(st.lists(_references, max_size=8), st.sampled_from([None, date(2019, 6, 1), DAY]))
def test_batch_gives_what_one_by_one_gives(conn: Connection, references: list[str], at_date: date | None) -> None:
    parsers: list[ReferenceParser] = [Reads()]
    single = one_by_one(conn, references, parsers, at_date)
    batch = list(in_batch(conn, references, parsers, at_date))
    assert len(single) == len(batch)
    assert all(agree(one, two) for one, two in zip(single, batch, strict=True))


def test_batch_gives_what_one_by_one_gives_on_real_law(stores: Stores, empty_template: str, shared_data: Path) -> None:
    law = shared_data / "uscode-uslm"
    with Engine.open(stores.clone(empty_template)) as engine:
        engine.ingest([law / "usc01.xml", law / "usc09.xml"])
        with engine.database.read() as conn:
            stored = [row[0] for row in conn.execute("select distinct reference from edges order by 1 limit 200")]
            sections = conn.execute(
                "select urn from legal_nodes where structure_type = 'SECTION' order by urn limit 60"
            )
            cited = [f"{parts[3][:-3]} U.S.C. § {parts[4]}" for (urn,) in sections if (parts := urn.split(":"))]
            references = [
                *stored,
                *cited,
                "1 U.S.C. 7",
                "9 USC § 2",
                "section 112b of title 1",
                "9 U.S.C. 999",
                "§ 2",
                "310.4",
            ]
            parsers = GRAMMARS.parsers_for(None)
            single = one_by_one(conn, references, parsers)
            batch = list(in_batch(conn, references, parsers, chunk=64))
    assert sum(isinstance(one, Resolution) and one.status == "resolved" for one in single) > 40
    assert all(agree(one, two) for one, two in zip(single, batch, strict=True))
