"""What a search shows of law: sources by their own names, words of nodes that have none, tags of the headings above."""

from __future__ import annotations

import json
from pathlib import Path

from search_law import head, node, write_law

from rag import Engine, Settings


def test_a_source_that_a_publication_names_itself_is_one(empty_settings: Settings, tmp_path: Path) -> None:
    for name in ("acco", "kali"):
        urn = f"urn:lex:fr:{name}-1"
        rows = [head(urn, "fr"), node(urn, "legislation", "La prime est versée.", None, structure_type="ARTICLE",
                                      tags={"source": name})]  # fmt: skip
        (tmp_path / f"x-{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with Engine.open(empty_settings) as opened:
        assert not opened.ingest([tmp_path]).rejected
        for filter_, number in (("acco", "acco"), ("!=acco", "kali"), ("acco|legi", "acco")):
            hits = opened.search(language="fr", tags={"jurisdiction": "fr", "source": filter_}).results
            assert [hit.urn for hit in hits] == [f"urn:lex:fr:{number}-1"]
        values = opened.search(language="fr", jurisdiction="fr", discover="source").values
        assert {value.value for value in values} == {"acco", "kali"}


def test_what_has_no_words_itself_is_shown_by_the_first_below_it(empty_settings: Settings, tmp_path: Path) -> None:
    urn = "urn:lex:fr:code-du-lait"
    rows = [
        head(urn, "fr"),
        node(urn, "section", parent=None, structure_type="ROOT", heading="Code du lait"),
        node(f"{urn}:1", "legislation", structure_type="ARTICLE", tags={"article_number": "1"}),
        node(f"{urn}:1:al.1", "legislation", "Le lait est entier.", structure_type="PARAGRAPH"),
        node(f"{urn}:1:al.2", "legislation", "Il est frais.", structure_type="PARAGRAPH"),
    ]
    (tmp_path / "lait.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with Engine.open(empty_settings) as opened:
        assert not opened.ingest([tmp_path]).rejected
        for query in (None, f"{urn}:1"):
            [hit] = opened.search(query, language="fr", jurisdiction="fr", limit=1).results
            assert (hit.urn, hit.heading, hit.snippet.replace("**", "")) == (f"{urn}:1", "", "Le lait est entier.")


def test_every_tag_that_filters_is_discovered_wherever_it_stands(empty_settings: Settings, tmp_path: Path) -> None:
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([write_law(tmp_path / "law")], jurisdiction="us-dc").rejected
        where = {"jurisdiction": "us-dc|us", "kind": "legislation"}
        values = engine.search(language="en", tags=where, discover="collection").values
        assert {value.value: value.count for value in values} == {"codes": 1, "edicts": 1}  # at the roots of two codes
        assert "collection" in {value.value for value in engine.search(language="en", tags=where, discover="*").values}
        for value in values:
            assert engine.search(language="en", tags={**where, "collection": value.value}).total
        none = engine.search(language="en", tags={"jurisdiction": "us", "kind": "record"}, discover="collection")
        assert none.values == []  # nothing under that root is a record
