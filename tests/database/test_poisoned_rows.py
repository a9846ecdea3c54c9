"""F29: a row that another program spoiled costs its own answers at most; the other rows answer as before."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from rag import Engine
from retrieval.errors import LexscopeError
from retrieval.model import SearchResult

SPOILED = "urn:lex:ma:940cmr:3.04"  # none of what is asked for below
POISONS = {
    "tags with values that are none": "tags = '{\"in_force\": \"unknown\", \"date\": null, \"cites\": [1, {}]}'",
    "no text": "heading = '', intro_text = '', content_text = '', fts = ''",
    "days without end": "validity = '(,)', from_basis = 'stated', to_basis = 'stated'",
    "uncertain at all times": "uncertain = '{(,)}'",
    "terms that nobody defined": "used_terms = '{-2147483648,0,2147483647}', line_terms = '{0}'",
    "parts that are not there": "subtree_ids = '{9223372036854775807,-1}', context_ids = '{0}', scope_ids = '{-1}'",
    "a name of nothing": "aliases = '{\"\",\"urn:lex:\"}', number = '', level = '', structure_type = 'OTHER'",
    "a place that is none": "ordinal = -2147483648, source_line = -1",
}  # fmt: skip


def others(found: SearchResult) -> list[str]:
    """The hits beside the row."""
    return [hit.urn for hit in found.results if hit.urn != SPOILED]


def asked(engine: Engine) -> dict[str, Callable[[], object]]:
    """What is asked of the law around the row."""
    return {
        "context": lambda: engine.context("urn:lex:ma:940cmr:3.12", at_date="2014-01-01").digest,
        "another section": lambda: engine.context("940 CMR 3.01").digest,
        "document": lambda: engine.document("940 CMR 3.19").model_dump_json(),
        "resolve": lambda: engine.resolve("940 CMR 3.17(4)").urn,
        "filter": lambda: others(engine.search(tags={"section_number": "3.17"}, limit=100)),
        "another filter": lambda: others(engine.search(tags={"code": "C|CMR"}, limit=100)),
        "negated filter": lambda: others(engine.search(tags={"code": "!=X"}, limit=100)),
        "values": lambda: [value.value for value in engine.search(discover="code").values],
        "search": lambda: engine.search("interest on the security deposit", jurisdiction="us-ma").results[0].urn,
        "documents": lambda: engine.list_documents().model_dump_json(),
    }


@pytest.mark.parametrize("poison", POISONS)
def test_f29_a_spoiled_row_leaves_the_answers_of_the_others(engine: Engine, poison: str) -> None:
    before = {name: ask() for name, ask in asked(engine).items()}
    with engine.database.write() as conn:
        changed = conn.execute(f"update legal_nodes set {POISONS[poison]} where urn = '{SPOILED}'".encode())
        assert changed.rowcount == 1
    after = {name: ask() for name, ask in asked(engine).items()}
    assert after == before
    for ask in (engine.context, engine.document, engine.resolve):
        with suppress(LexscopeError):
            assert ask(SPOILED)
