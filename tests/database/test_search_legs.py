"""The legs on real PostgreSQL: scripts without spaces, words that only ask, similarities of what others found."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from conftest import SAMPLE
from fakes.openai_server import FakeOpenAI

from rag import Engine
from rag.settings import Settings
from retrieval.dense import search_dense, stored_model
from retrieval.dense_scores import with_similarities
from retrieval.embedding import OpenAIEmbedder
from retrieval.lexical import Filters, search_lexical

DAY = date(2026, 1, 1)
LAW = {
    ("jp", "ja"): [
        "借地権者は、更新料を支払う義務を負わない。",
        "建物の賃貸人は、敷金を返還しなければならない。",
        "更新の請求は、書面でしなければならない。",
    ],
    ("us", "en"): [
        "The landlord must return the deposit.",
        "The tenant may explain, elaborate and clarify the context of a complaint.",
        "A complaint is heard within ten days.",
    ],
}


def write_law(path: Path, jurisdiction: str, language: str, sections: list[str]) -> Path:
    corpus = f"urn:lex:{jurisdiction}:law"
    lines: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": corpus, "title": "Law", "language": language}},
        {"urn": corpus, "structure_type": "ROOT", "level": "corpus", "number": "law", "kind": "section"},
    ]
    lines += [
        {
            "urn": f"{corpus}:{number}", "parent_urn": corpus, "structure_type": "SECTION", "level": "section",
            "number": str(number), "content_text": text,
        }
        for number, text in enumerate(sections, start=1)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("place", "question", "wanted"),
    [
        (("jp", "ja"), "更新料を払わなければなりませんか", "1"),  # not the third, which only shares "更新"
        (("jp", "ja"), "敷金", "2"),
        (("us", "en"), "Can you explain and clarify, in this context, when a complaint is heard?", "3"),
        (("us", "en"), "deposit", "1"),
    ],
)
def test_a_question_finds_the_section_it_is_about(
    empty_settings: Settings, tmp_path: Path, place: tuple[str, str], question: str, wanted: str
) -> None:
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([write_law(tmp_path / "law.jsonl", *place, LAW[place])]).rejected
        with engine.database.read() as conn:
            found = search_lexical(conn, question, [], Filters((place[0],), place[1], DAY))
    assert found[0].urn == f"urn:lex:{place[0]}:law:{wanted}"


def test_what_another_leg_found_gets_its_similarity_and_keeps_the_order_of_the_nearest(
    empty_settings: Settings,
) -> None:
    with FakeOpenAI() as server, Engine.open(empty_settings) as engine:
        embedder = OpenAIEmbedder("key", "text-embedding-3-small", 64, base_url=server.base_url)
        engine.embedder = embedder
        engine.ingest([SAMPLE])
        vector = embedder.embed(["interest on a security deposit"]).vectors[0]
        filters = Filters(("us-ma",), "en", DAY)
        with engine.database.read() as conn:
            stored = stored_model(conn)
            assert stored is not None
            whole = search_dense(conn, vector, stored, filters)
            nearest, others = whole[:3], [*whole[2:9], *search_lexical(conn, "security deposit", [], filters)]
            completed = with_similarities(conn, nearest, others, vector, stored)
    assert completed[:3] == nearest
    scores = {one.id: one.score for one in whole}
    assert {one.id for one in completed} == {one.id for one in [*nearest, *others]}
    assert [one.score for one in completed] == sorted((one.score for one in completed), reverse=True)
    assert {one.id: one.score for one in completed if one.id in scores} == pytest.approx(
        {one.id: scores[one.id] for one in completed if one.id in scores}, abs=1e-6
    )
