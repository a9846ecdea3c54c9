"""The MCP server: replies stay below the size that clients accept, and nothing is cut silently."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from mcp_calls import call
from requirements import requirement
from search_law import head, node

from rag import Engine, Settings
from rag.answering.answer import Answer
from rag.documents.model import REPLY_TOKENS, reply_characters
from rag.mcp.context import answer_reply, context_page
from rag.mcp.search import fitting
from rag.presentation.for_models import text_for_model
from retrieval.model import Block, DefinitionInScope, Legs, Omitted, ScopedContext, SearchHit, SearchResult


def big_context(blocks: int, characters: int, omitted: int = 0) -> ScopedContext:
    urns = [f"urn:lex:us:99cfr:{n}" for n in range(blocks)]
    return ScopedContext(
        status="ok", targets=urns[:1], at_date=date(2024, 1, 1), digest="0" * 64,
        blocks=[
            Block(
                id=f"b{n}", urn=urn, role="rule", heading="", text="§ word\n" * (characters // 7), lead_in="", flush="",
                valid_from=None, valid_to=None, parent_urn=None, applies_to=urns[:1], reason="",
            )
            for n, urn in enumerate(urns, start=1)
        ],
        definitions=[
            DefinitionInScope(
                term=urn, urn=urn, scope_urn=urn, applies_to=urns[:1], shadows=[], relation="means", inferred=False,
                phrase="", depth=0,
            )
            for urn in urns
        ],
        omitted=[Omitted(urn=f"urn:lex:us:98cfr:{n}", reason="budget") for n in range(omitted)],
        overrides=[], warnings=[], message="", suggestions=[], trace_id=None,
    )  # fmt: skip


def test_pages_of_a_large_context_hold_all_blocks_and_definitions_once() -> None:
    context = big_context(200, 1400)
    pages = [context_page(context, None)]
    while (following := pages[-1].next_blocks) is not None:
        pages.append(context_page(context, following))
    assert len(pages) > 3
    assert all(reply_characters(page) < REPLY_TOKENS * 3 for page in pages)
    assert pages[0].truncated
    assert [block for page in pages for block in page.blocks] == context.blocks
    assert [definition for page in pages for definition in page.definitions] == context.definitions


def test_a_block_larger_than_a_reply_is_listed_as_left_out() -> None:
    page = context_page(big_context(2, 90_000), None)
    assert (page.blocks, page.truncated, page.next_blocks) == ([], True, "2-2")
    assert [omitted.urn for omitted in page.omitted] == ["urn:lex:us:99cfr:0"]
    assert "get_document" in page.omitted[0].reason


def test_a_text_for_a_model_shows_as_much_of_a_context_in_any_script() -> None:
    context = big_context(10, 7)
    latin, japanese = (
        text_for_model(context.model_copy(update={"blocks": [
            block.model_copy(update={"text": words}) for block in context.blocks
        ]})).count(words)
        for words in ("a" * 2400, "あ" * 800)
    )  # fmt: skip
    assert latin == japanese == 4


@requirement("P10")
def test_what_a_reply_cannot_list_is_counted() -> None:
    page = context_page(big_context(3, 100, omitted=3000), None)
    assert reply_characters(page) < REPLY_TOKENS * 3
    assert len(page.blocks) == 3
    assert [warning.message for warning in page.warnings] == [
        f"{len(page.omitted)} of 3000 entries of `omitted` fit in this reply."
    ]
    context = big_context(1, 10, omitted=3000)
    answer = Answer(
        status="answered", at_date=context.at_date, targets=[], short_answer=None, statements=[],
        definitions=[], limits=[], places=[], judge="none", withheld=[], unanswered=[], refusal=None,
        warnings=[], overrides=[], omitted=context.omitted, context_digest=None, prompt_digest=None,
        provider="extractive", model="none", label="", trace_id=None, context=context,
    )  # fmt: skip
    reply = answer_reply(answer)
    assert reply_characters(reply) < REPLY_TOKENS * 3
    assert "of 3000 entries of `omitted`" in reply.warnings[0].message


def test_a_page_of_long_results_is_cut_and_paged_on() -> None:
    hit = SearchHit(
        urn="urn:lex:us:99cfr:1", document_urn="urn:lex:us:99cfr", heading="H" * 300, snippet="s" * 240, score=1.0,
        relevance_score=None, legs=Legs(), hit_urn="urn:lex:us:99cfr:1",
    )  # fmt: skip
    result = SearchResult(
        query="q" * 9000, at_date=date(2024, 1, 1), mode="hybrid", total=100, results=[hit] * 100, warnings=[]
    )
    page = fitting(result, "results")
    assert reply_characters(page) < REPLY_TOKENS * 3
    assert len(page.results) == page.next_offset
    assert any(f"{page.next_offset} of 100 results fit" in warning for warning in page.warnings)


@pytest.mark.anyio
async def test_law_with_endless_labels_is_read_in_replies_that_fit(empty_settings: Settings, tmp_path: Path) -> None:
    urn, endless = "urn:lex:us-dc:long", "word " * 30_000
    tags = {"note": endless}
    rows = [
        head(urn, title=endless),
        node(urn, "section", parent=None, structure_type="ROOT", heading=endless, tags=tags),
        *(node(f"{urn}:{n}", "legislation", "A zebra shall trot.", heading=endless, tags=tags) for n in range(3)),
    ]
    (tmp_path / "long.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    for n in range(60):  # a store of decisions has a corpus for each
        rows = [head(f"{urn}-{n}"), node(f"{urn}-{n}", "decision", "Dismissed.", parent=None, structure_type="ROOT")]
        (tmp_path / f"{n}.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([tmp_path]).rejected
        where: dict[str, object] = {"language": "en", "jurisdiction": "us-dc"}
        # `call` measures each reply.
        found = await call(engine, "search", query="zebra", **where)
        listed = await call(engine, "list_documents", type="legislation")
        tree = await call(engine, "browse_structure", **where)
        read = await call(engine, "get_document", reference=f"{urn}:1")
        rules = await call(engine, "safety_guidelines", category="jurisdiction", jurisdiction="us-dc")
    assert (found["total"], found["next_offset"]) == (3, 1)
    assert read["blocks"][0]["text"] == "A zebra shall trot."
    for reply in (found, listed, tree, read):
        assert any("are cut at 300 characters" in warning for warning in reply["warnings"])
    assert len(rules["provenance"]) == 30
    assert "30 of 61 corpora" in rules["warnings"][0]
    assert "31 further corpora" in rules["text"]
