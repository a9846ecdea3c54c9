"""Reading documents: which node a reference means, the order and the pages of its text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Stores
from hypothesis import given, settings
from hypothesis import strategies as st
from requirements import requirement

from rag import Engine, Settings
from rag.documents.model import REPLY_TOKENS, DocumentText, reply_characters
from rag.documents.reading import Documents
from rag.law.blocks import BLOCK_CHARACTERS, SLACK, Outline, cut_at_space, cut_blocks
from retrieval.errors import InputError
from retrieval.nodes import document_order, nodes_by_ids, subtrees, versions_by_urn

CODE = "urn:lex:us:99cfr"
LONG = "urn:lex:us:99cfr:1.2"


@pytest.fixture(scope="module")
def engine(served: Engine) -> Engine:
    """One for all: nothing that reads the sample here writes."""
    return served


def texts(reply: DocumentText) -> list[tuple[str, str]]:
    return [(block.urn.rpartition(":")[2], block.text) for block in reply.blocks]


# --- which node ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "urn"),
    [
        ("urn:lex:ma:940cmr:3.17:4", "urn:lex:ma:940cmr:3.17:4"),
        ("URN:LEX:us-ma:940cmr:3.17:4", "urn:lex:ma:940cmr:3.17:4"),
        ("940 CMR 3.17(4)", "urn:lex:ma:940cmr:3.17:4"),
        ("940 CMR 3.00", "urn:lex:ma:940cmr:part_3"),  # an alias of the publication
        ("urn:lex:ma:940cmr:3.00", "urn:lex:ma:940cmr:part_3"),  # an alias that is a URN
        ("  16   cfr 310.4. ", "urn:lex:us:16cfr:310.4"),
        ("M.G.L. c. 93A, § 2", "urn:lex:ma:mgl-93a:2"),
    ],
)
def test_a_urn_an_alias_and_a_reference_find_their_node(engine: Engine, reference: str, urn: str) -> None:
    reply = engine.document(reference)
    assert (reply.status, reply.urn) == ("ok", urn)
    assert reply.chain[-1].urn == urn
    assert reply.blocks[0].urn == urn


def test_the_jurisdiction_among_the_tags_narrows_as_in_a_search(engine: Engine) -> None:
    for named in ("us-ma", "fr|us-ma", "*"):
        found = engine.document("940 CMR 3.17(4)", tags={"jurisdiction": named})
        assert (found.status, found.urn) == ("ok", "urn:lex:ma:940cmr:3.17:4")
    assert engine.document("940 CMR 3.17(4)", tags={"jurisdiction": "fr"}).status == "not_found"
    with pytest.raises(InputError, match="differ"):
        engine.document("940 CMR 3.17(4)", tags={"jurisdiction": "fr"}, jurisdiction="us")


def test_the_reply_names_chain_validity_tags_and_source(engine: Engine) -> None:
    reply = Documents(engine.database).document("940 CMR 3.17", at_date="2024-05-01")
    assert [heading.urn for heading in reply.chain] == [
        "urn:lex:ma:940cmr",
        "urn:lex:ma:940cmr:part_3",
        "urn:lex:ma:940cmr:3.17",
    ]
    assert (reply.jurisdiction, reply.language, reply.structure_type) == ("us-ma", "en", "SECTION")
    assert (str(reply.valid_from), reply.valid_to, str(reply.at_date)) == ("2005-01-01", None, "2024-05-01")
    assert reply.tags["section_number"] == "3.17"
    assert reply.document_urn == "urn:lex:ma:940cmr"
    assert reply.source is not None
    assert reply.source.title.startswith("Sample text, not official law")
    assert (reply.source.publisher, reply.source.licence) == ("Lexscope project", "MIT")


def test_the_version_in_force_at_the_date_is_read(engine: Engine) -> None:
    before = engine.document("urn:lex:ma:940cmr:3.17:5", at_date="2019-06-30")
    after = engine.document("urn:lex:ma:940cmr:3.17:5", at_date="2019-07-01")
    assert str(before.valid_to) == str(after.valid_from) == "2019-07-01"
    assert texts(before) != texts(after)


def test_a_repealed_node_is_not_in_force_and_says_when_it_was(engine: Engine) -> None:
    reply = engine.document("940 CMR 3.08", at_date="2015-01-01")
    assert (reply.status, reply.blocks, reply.total_blocks) == ("not_in_force", [], 0)
    assert "1995-01-01" in reply.message
    assert "2015-01-01" in reply.message
    assert engine.document("940 CMR 3.08", at_date="2014-12-31").status == "ok"


def test_an_unknown_urn_is_not_found_with_its_nearest_nodes(engine: Engine) -> None:
    reply = engine.document("urn:lex:ma:940cmr:3.17:99")
    assert reply.status == "not_found"
    assert "urn:lex:ma:940cmr:3.17" in reply.suggestions  # the nearest ancestor, after the nearest siblings
    assert all(engine.document(suggestion).status == "ok" for suggestion in reply.suggestions)


def test_words_that_are_no_reference_are_not_found_and_no_statement_about_the_law(engine: Engine) -> None:
    reply = engine.document("my landlord kept my deposit")
    assert reply.status == "not_found"
    assert "not a statement that no law exists" in reply.message


def test_a_reference_to_law_that_no_store_has_is_told_from_words_that_are_none(engine: Engine) -> None:
    reply = engine.document("14 DCMR § 309")
    assert reply.status == "not_found"
    assert "not read as a reference" not in reply.message
    assert "District of Columbia knows this form" in reply.message


def test_a_reference_to_several_provisions_is_ambiguous(engine: Engine) -> None:
    reply = engine.document("940 CMR 3.17(4) and (5)")
    assert reply.status == "ambiguous"
    assert reply.suggestions == ["urn:lex:ma:940cmr:3.17:4", "urn:lex:ma:940cmr:3.17:5"]


def test_one_alias_of_two_nodes_is_ambiguous(empty_settings: Settings, tmp_path: Path) -> None:
    for code in ("98cfr", "99cfr"):
        write_corpus(
            tmp_path / f"{code}.jsonl", f"urn:lex:us:{code}", [{"urn": f"urn:lex:us:{code}:1", "aliases": ["The Act"]}]
        )
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([tmp_path]).rejected
        reply = engine.document("The Act")
    assert (reply.status, reply.suggestions) == ("ambiguous", ["urn:lex:us:98cfr:1", "urn:lex:us:99cfr:1"])


@pytest.mark.parametrize(
    ("reference", "given", "said"),
    [
        ("", {}, "empty"),
        ("x" * 1001, {}, "limit is 1000"),
        ("urn:lex:ma:940cmr:3.17::4", {}, "Part 6"),
        ("940 CMR 3.17", {"at_date": "1.5.2024"}, "YYYY-MM-DD"),
        ("940 CMR 3.17", {"language": "fr"}, "it has en"),
        ("940 CMR 3.17", {"blocks": "all"}, "30-50"),
        ("940 CMR 3.17", {"blocks": "0-3"}, "1 or later"),
        ("940 CMR 3.17", {"blocks": "5-3"}, "does not end before"),
        ("940 CMR 3.17", {"blocks": "900"}, "after the last one"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(
    engine: Engine, reference: str, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        engine.document(reference, **given)


def test_an_empty_store_says_that_it_is_empty(empty_settings: Settings) -> None:
    with Engine.open(empty_settings) as engine, pytest.raises(InputError, match="holds no law yet"):
        engine.document("940 CMR 3.17")


# --- its text --------------------------------------------------------------------------------------------------------


def test_what_follows_a_list_is_read_after_the_list(engine: Engine) -> None:
    reply = engine.document("940 CMR 3.05")
    assert [urn for urn, _ in texts(reply)] == ["3.05", "a", "b", "3.05"]
    assert reply.blocks[0].text == "A seller who:"
    assert reply.blocks[3].text.startswith("shall return the full price")
    assert [block.heading for block in reply.blocks] == ["Refunds", "", "", ""]


def test_every_block_is_its_nodes_text_from_its_start_on(engine: Engine) -> None:
    reply = engine.document("urn:lex:ma:940cmr")
    with engine.database.read() as conn:
        found = {
            node_version.urn: node_version
            for node_version in versions_by_urn(conn, {block.urn for block in reply.blocks})
            if node_version.in_force(reply.at_date)
        }
    assert len(found) == len({block.urn for block in reply.blocks})
    for block in reply.blocks:
        assert found[block.urn].text[block.start : block.start + len(block.text)] == block.text


def test_documents_have_the_order_of_the_contexts(engine: Engine) -> None:
    reply = engine.document("urn:lex:ma:940cmr")
    with engine.database.read() as conn:
        root = versions_by_urn(conn, ["urn:lex:ma:940cmr"])[0]
        nodes = document_order(subtrees(conn, [(root.jurisdiction, root.path)], reply.at_date))
        assert nodes_by_ids(conn, [(root.jurisdiction, root.node_id)], reply.at_date) == [root]
    assert list(dict.fromkeys(block.urn for block in reply.blocks)) == [node.urn for node in nodes]


def test_a_stopped_provision_is_read_with_its_override_up_front(engine: Engine) -> None:
    reply = engine.document("940 CMR 3.18")
    assert reply.message.startswith("Legal Override active (ENJOINED)")
    assert [(override.urn, override.status, override.court) for override in reply.overrides] == [
        ("urn:lex:ma:940cmr:3.18", "ENJOINED", "Sample Superior Court")
    ]
    assert engine.document("940 CMR 3.18", at_date="2021-03-01").overrides == []
    whole = engine.document("940 CMR 3.00")
    assert [override.urn.rpartition(":")[2] for override in whole.overrides] == ["3.12", "3.18"]


# --- its pages -------------------------------------------------------------------------------------------------------


def write_corpus(file: Path, corpus: str, nodes: list[dict[str, object]]) -> None:
    """A document of the native format: a root and what hangs below it."""
    head = {
        "lexscope": 1,
        "corpus": {"urn": corpus, "title": "Invented", "language": "en"},
        "edition_date": "2020-01-01",
    }
    root = {"urn": corpus, "structure_type": "TITLE", "level": "title", "number": "1", "heading": "Invented title"}
    rest = [
        {"parent_urn": corpus, "structure_type": "SECTION", "level": "section", "content_text": "A rule.", **node}
        for node in nodes
    ]
    file.write_text("\n".join(json.dumps(entry) for entry in (head, root, *rest)), encoding="utf-8")


@pytest.fixture(scope="module")
def large(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A store with a title of 600 sections and, among them, a text of many thousand characters with a list."""
    words = "the seller shall give notice “in writing” to every buyer\n"
    nodes: list[dict[str, object]] = [
        {"urn": f"{CODE}:2.{n}", "content_text": f"{n}: {words * 6}", "heading": f"Heading {n}"} for n in range(600)
    ]
    paragraph: dict[str, object] = {"parent_urn": LONG, "structure_type": "PARAGRAPH", "level": "paragraph"}
    long: list[dict[str, object]] = [
        {"urn": LONG, "intro_text": "x" * 20_001, "content_text": words * 500},
        *({**paragraph, "urn": f"{LONG}:{n}"} for n in "ab"),
    ]
    folder = tmp_path_factory.mktemp("large")
    write_corpus(folder / "99cfr.jsonl", CODE, [*long, *nodes])
    with Engine.open(stores.clone(empty_template)) as engine:
        assert not engine.ingest([folder]).rejected
        yield engine


@requirement("P10")
def test_pages_join_to_the_whole_text_and_none_is_larger_than_a_reply(large: Engine) -> None:
    pages = [large.document(CODE)]
    while (following := pages[-1].next_blocks) is not None:
        pages.append(large.document(CODE, blocks=following))
    assert len(pages) > 3
    assert all(reply_characters(page) < REPLY_TOKENS * 3 for page in pages)
    assert pages[0].truncated
    assert "Read on with blocks=" in pages[0].message
    blocks = [block for page in pages for block in page.blocks]
    assert [block.number for block in blocks] == list(range(1, pages[0].total_blocks + 1))
    joined: dict[str, str] = {}
    for block in blocks:
        text = joined.get(block.urn, "")
        joined[block.urn] = text + "\n" * (block.start - len(text)) + block.text  # the break between its two parts
    with large.database.read() as conn:
        assert joined == {node_version.urn: node_version.text for node_version in versions_by_urn(conn, joined)}
    assert max(len(block.text) for block in blocks) <= BLOCK_CHARACTERS + SLACK


def test_a_range_gives_these_blocks_and_what_follows_them(large: Engine) -> None:
    reply = large.document(CODE, blocks="30-33")
    assert [block.number for block in reply.blocks] == [30, 31, 32, 33]
    assert (reply.first_block, reply.last_block, reply.truncated, reply.next_blocks) == (30, 33, False, "34-37")
    assert [block.number for block in large.document(CODE, blocks="31").blocks] == [31]
    last = large.document(CODE, blocks=f"{reply.total_blocks - 1}-")
    assert (last.last_block, last.next_blocks, last.truncated) == (reply.total_blocks, None, False)


@st.composite
def outlines(draw: st.DrawFn) -> list[Outline]:
    """A tree in document order: each node hangs below some node of the path to the one before it."""
    nodes: list[Outline] = []
    for index in range(draw(st.integers(1, 12))):
        above = nodes[-1].ancestor_ids[: draw(st.integers(1, len(nodes[-1].ancestor_ids)))] if nodes else []
        sizes = [draw(st.sampled_from([0, 1, 50, BLOCK_CHARACTERS, BLOCK_CHARACTERS * 2 + 1])) for _ in "ab"]
        nodes.append(Outline(index, index, f"urn:lex:us:x:{index}", "", index, [*above, index], *sizes))
    return nodes


@given(outlines())
@settings(max_examples=60)
def test_blocks_hold_every_character_once_and_children_before_what_follows_them(outline: list[Outline]) -> None:
    pieces = cut_blocks(outline)
    for node in outline:
        own = [piece for piece in pieces if piece.node is node]
        covered = [at for piece in own for at in range(piece.start, piece.end)]
        gap = {node.intro_length} if node.intro_length and node.content_length else set[int]()
        assert sorted(set(covered) | gap) == list(range(node.length))
        assert len(covered) == len(set(covered))
        assert [piece.first for piece in own] == [True] + [False] * (len(own) - 1)
        inner = [at for at, one in enumerate(pieces) if node.id in one.node.ancestor_ids]
        assert inner == list(range(inner[0], inner[-1] + 1))
        if node.content_length:
            assert pieces[inner[-1]].node is node or len(own) == len(inner)


@given(st.text(alphabet="ab \n", min_size=1, max_size=600), st.integers(1, 600))
@settings(max_examples=60)
def test_a_cut_lies_at_a_space_near_the_limit_or_at_the_limit(text: str, limit: int) -> None:
    limit = min(limit, len(text))
    at = cut_at_space(text, limit)
    assert limit - SLACK <= at <= limit
    assert at == limit or text[at - 1].isspace()
