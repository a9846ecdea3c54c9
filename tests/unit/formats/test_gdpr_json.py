"""EU acts in JSON: small invented acts with every shape of unit, and the GDPR as published, word for word."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.contrib.gdpr_json import GdprJson
from rag.ingest.writing.rows import build_rows
from rag.jurisdictions.grammar.union_law import celex_urn
from rag.law.nodes import ParsedDocument, ParsedNode, Tree
from retrieval.errors import IngestError
from retrieval.paths import parse_urn

U = "urn:lex:eu:32031r0007"


def act(**given: Any) -> dict[str, Any]:
    return {"title": "Kite Regulation", "abbrv": "KR", "regulation": "2031/7", "dated": "02/03/2031", **given}


def point(number: str | None, text: str, subpoints: list[Any] | None = None) -> dict[str, Any]:
    return {"number": number, "type": "point", "text": text, "subpoints": subpoints or []}


def article(number: str, *points: dict[str, Any], title: str = "Kites") -> dict[str, Any]:
    return {"number": number, "title": title, "type": "article", "contents": list(points)}


def chapter(*units: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"number": "II", "title": "Flying", "type": "chapter", "contents": list(units)}]


def parse(tmp_path: Path, value: object) -> ParsedDocument:
    file = tmp_path / "act.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    document = GdprJson().parse(Source(file, tmp_path))
    build_rows(document, None)
    return document


def nodes(document: ParsedDocument) -> dict[str, ParsedNode]:
    found = {node.urn.removeprefix(document.corpus.urn).lstrip(":"): node for node in document.nodes}
    assert len(found) == len(document.nodes)
    return found


def refused(tmp_path: Path, value: object) -> str:
    with pytest.raises(IngestError) as caught:
        parse(tmp_path, value)
    assert caught.value.file == "act.json"
    return caught.value.cause


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        ('{"title": "x", "regulation": "2031/7", "chapters": [', True),
        ('\n{\n "recitals": [], "directive": "95/46/EC"}', True),
        ('{"celex": "32031R0007", "articles": [{', True),
        ('{"data": {"cid": "LEGITEXT000031366350", "etat": "VIGUEUR"', False),
        ('{"children": [], "label": ["1022"], "node_type": "regtext"', False),
        ('{"lexscope": 1, "corpus": {}}\n', False),
        ('[{"QuestionID": "x", "regulation": "1/2", "articles": ["', False),
        ('{"regulation": "2031/7", "about": "nothing of its structure"}', False),
        ("<Law Era='Showa'>", False),
        ("", False),
    ],
)
def test_a_file_is_claimed_by_its_members(head: str, claimed: bool) -> None:
    assert GdprJson().claims(Path("any.json"), head.encode()) is claimed


def test_containers_are_named_by_kind_and_number_and_articles_by_number(tmp_path: Path) -> None:
    section = {"number": "1", "title": "High", "type": "section", "contents": [article("5", point("1", "Up."))]}
    found = nodes(parse(tmp_path, act(chapters=chapter(section, article("6", point(None, "Down."))))))
    assert found["chapter_ii"].structure_type == "CHAPTER"
    assert found["chapter_ii:section_1"].kind == "section"
    assert found["chapter_ii:section_1"].structure_type not in ("SECTION", "ARTICLE")
    assert found["5"].parent_urn == f"{U}:chapter_ii:section_1"
    assert (found["5"].heading, found["5"].level) == ("Kites", "article")
    assert found["5"].tags == {"article_number": "5", "celex": "32031R0007", "act_title": "Kite Regulation",
                               "regulation": "2031/7", "code": "KR"}  # fmt: skip
    assert (found["5:1"].content_text, found["5:1"].level) == ("Up.", "paragraph")
    assert found["6"].content_text == "Down."


def test_points_stand_below_their_paragraph_with_its_words_as_lead_in(tmp_path: Path) -> None:
    points = [point("1", "Fly if:", [point("a", "it is day;"), point("(b)", "it is dry.")]), point("2", "Land.")]
    found = nodes(parse(tmp_path, act(chapters=chapter(article("5", *points)))))
    assert (found["5:1"].intro_text, found["5:1"].content_text) == ("Fly if:", "")
    assert (found["5:1:a"].level, found["5:1:a"].content_text) == ("point", "it is day;")
    assert found["5:1:b"].number == "b"
    assert found["5:2"].content_text == "Land."


def test_words_after_a_paragraph_are_its_further_subparagraphs(tmp_path: Path) -> None:
    points = [point("1", "Fly if:", [point("a", "dry.")]), point(None, "Not at night."), point(None, "Never."),
              point("2", "Land.")]  # fmt: skip
    document = parse(tmp_path, act(chapters=chapter(article("5", *points))))
    order = [node.urn.removeprefix(f"{U}:") for node in document.nodes[2:]]
    assert order == ["5", "5:1", "5:1:a", "5:1:sub.2", "5:1:sub.3", "5:2"]
    assert nodes(document)["5:1:sub.2"].content_text == "Not at night."


def test_a_lead_in_before_numbered_points_belongs_to_the_article_and_so_do_words_after_them(tmp_path: Path) -> None:
    points = [point(None, "In this Regulation:"), point("1", "‘kite’ means a toy;"), point(None, "Toys are toys.")]
    found = nodes(parse(tmp_path, act(chapters=chapter(article("4", *points, title="Definitions")))))
    assert found["4"].intro_text == "In this Regulation:"
    assert (found["4:1"].level, found["4:1"].content_text) == ("point", "‘kite’ means a toy;")
    assert found["4:sub.2"].parent_urn == f"{U}:4"


def test_unnumbered_paragraphs_and_indents_keep_their_places(tmp_path: Path) -> None:
    indents = [point(None, "by wind;"), point(None, "by hand.")]
    articles = [article("7", point(None, "First."), point(None, "Second.")), article("8", point("1", "Move:", indents))]
    found = nodes(parse(tmp_path, act(chapters=chapter(*articles))))
    assert (found["7"].intro_text, found["7:sub.2"].content_text) == ("First.", "Second.")
    assert (found["8:1:indent.2"].level, found["8:1:indent.2"].content_text) == ("indent", "by hand.")


def test_recitals_and_footnotes_are_notes(tmp_path: Path) -> None:
    value = act(
        recitals=[{"number": "26", "text": "Kites matter.", "type": "recital"}],
        citations={"0": {"number": "1", "text": "OJ C 1, 1.1.2030, p. 1.", "type": "citation"}},
        chapters=chapter(article("1", point(None, "x"))),
    )
    found = nodes(parse(tmp_path, value))
    assert (found["rec.26"].structure_type, found["rec.26"].tags["recital_number"]) == ("NOTE", "26")
    assert (found["cit.1"].structure_type, found["cit.1"].kind) == ("NOTE", "section")


def test_a_footnote_call_marks_the_act_it_stands_behind(tmp_path: Path) -> None:
    texts = ["As Directive 95/46/EC of the Council (3) says, and Article 9(1) and (4).", "See Decision 1/2 (4)."]
    cited = [{"number": "3", "text": "Directive 95/46/EC of 24 October 1995 (OJ L 281)."},
             {"number": "4", "text": "OJ L 119."}]  # fmt: skip
    value = act(recitals=[{"number": str(i), "text": text} for i, text in enumerate(texts, 1)], citations=cited,
                articles=[article("1", point(None, "x"))])  # fmt: skip
    found = nodes(parse(tmp_path, value))
    (mark,) = found["rec.1"].marks
    assert found["rec.1"].text[mark.start : mark.end] == "Directive 95/46/EC"
    assert (mark.kind, mark.target) == ("reference", "urn:lex:eu:31995l0046")
    assert not found["rec.2"].marks


@pytest.mark.parametrize(
    ("kind", "number", "urn"),
    [
        ("regulation", "2016/679", "32016r0679"),
        ("regulation", "(EC) No 765/2008", "32008r0765"),
        ("regulation", "(EC) No 1999/2001", "32001r1999"),
        ("regulation", "(EU) 2018/2019", "32018r2019"),
        ("regulation", "(EEC) No 1408/71", "31971r1408"),
        ("regulation", "(EEC) No 2015/90", "31990r2015"),
        ("directive", "95/46/EC", "31995l0046"),
        ("directive", "(EU) 2016/680", "32016l0680"),
        ("decision", "2002/16/EC", "32002d0016"),
        ("decision", "No 1313/2013/EU", "32013d1313"),
        ("regulation", "2015/90", ""),
        ("regulation", "of last week", ""),
        ("treaty", "2016/1", ""),
    ],
)
def test_act_numbers_are_read_with_the_year_at_its_place(kind: str, number: str, urn: str) -> None:
    assert celex_urn(kind, number) == (urn and f"urn:lex:eu:{urn}")


def test_the_day_of_adoption_decides_between_two_readings() -> None:
    assert celex_urn("regulation", "2015/90", date(2015, 1, 20)) == "urn:lex:eu:32015r0090"
    assert celex_urn("regulation", "2015/90", date(1990, 7, 1)) == "urn:lex:eu:31990r2015"


@given(st.integers(2015, 2098), st.integers(1, 1900))
def test_present_numbers_have_one_reading(year: int, serial: int) -> None:
    assert celex_urn("regulation", f"(EU) {year}/{serial}") == f"urn:lex:eu:3{year}r{serial:04d}"


def test_a_celex_number_given_is_used(tmp_path: Path) -> None:
    value = {"celex": "31995L0046", "title": "Old", "articles": [article("1", point(None, "x"))]}
    document = parse(tmp_path, value)
    assert document.urn == "urn:lex:eu:31995l0046"
    assert document.edition_date is None


def test_dates_title_and_licence_come_with_the_corpus(tmp_path: Path) -> None:
    document = parse(tmp_path, act(updated="04/05/2031", language="EN", articles=[article("1", point(None, "x"))]))
    assert document.edition_date == date(2031, 5, 4)
    assert document.nodes[0].tags["adopted"] == "2031-03-02"
    assert (document.corpus.language, document.corpus.title) == ("en", "Kite Regulation")
    assert document.corpus.licence


def test_a_number_used_twice_is_kept_and_reported(tmp_path: Path) -> None:
    document = parse(tmp_path, act(articles=[article("1", point("1", "a"), point("1", "b"), point("1", "c"))]))
    assert nodes(document)["1:1~2"].tags["duplicate_of"] == f"{U}:1:1"
    assert nodes(document)["1:1~3"].content_text == "c"
    assert len(document.warnings) == 2


def test_what_is_not_read_is_reported_without_its_words(tmp_path: Path) -> None:
    odd = article("1", point(None, "x")) | {"footnote": "SECRET", "x y": "SECRET"}
    document = parse(tmp_path, act(articles=[odd, article("2")], extra=["SECRET"]))
    text = "\n".join(document.warnings)
    assert "footnote" in text
    assert "extra" in text
    assert "unusual name" in text
    assert f"{U}:2 has no text" in text
    assert "SECRET" not in text


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ('{"regulation": "2031/7", "regulation": "2031/8", "articles": []}', "duplicate keys"),
        ('{"regulation": "2031/7", "articles": [NaN]}', "not valid JSON"),
        ('{"regulation": "2031/7", "articles": ' + "[" * 200 + "]" * 200 + "}", "nested too deeply"),
        ('{"regulation": "2031/7", "articles": ' + "[" * 90_000, "nested too deeply"),
        ('{"regulation": "2031/7", "articles": ["\\ud800"]}', "a lone surrogate"),
        ('{"regulation": "2031/7", "articles": [', "not valid JSON"),
        ("[]", "is no JSON object"),
        ('{"regulation": "2031/7", "articles": {}}', "is no list"),
        ('{"regulation": "2031/7", "articles": ["x"]}', "something else than objects"),
        ('{"regulation": "2031/7", "articles": [{"type": "annex"}]}', "annex"),
        ('{"regulation": "2031/7", "articles": [{"type": "article"}]}', "no number"),
        ('{"regulation": "2031/7", "articles": [{"number": "§", "type": "article"}]}', "no number"),
        ('{"regulation": "2031/7", "articles": [{"number": "1", "title": 7}]}', "title that is no text"),
        ('{"regulation": "2031/7", "dated": "31/02/2031", "articles": []}', "impossible date"),
        ('{"regulation": "seven", "articles": []}', "CELEX"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(tmp_path: Path, text: str, cause: str) -> None:
    assert cause in refused(tmp_path, text)


def test_bytes_that_are_no_utf_8_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "act.json"
    file.write_bytes(b'{"regulation": "2031/7", "about": "\xff", "articles": []}')
    with pytest.raises(IngestError, match="not valid UTF-8"):
        GdprJson().parse(Source(file, tmp_path))


def words(unit: list[dict[str, Any]] | dict[str, Any]) -> Iterator[str]:
    """Every number, title and text of a published unit, in the order of the file."""
    if isinstance(unit, list):
        for entry in unit:
            yield from words(entry)
    else:
        yield from (unit[key] for key in ("number", "title", "text") if unit.get(key))
        yield from words([*unit.get("contents", ()), *unit.get("subpoints", ())])


def stored(node: ParsedNode) -> Iterator[str]:
    made_up = node.number == node.urn.rpartition(":")[2] and not node.number[:1].isdigit() and "." in node.number
    yield from (part for part in ("" if made_up else node.number, node.heading, node.text) if part)


@pytest.mark.data
def test_the_published_act_is_stored_word_for_word_in_its_order(shared_data: Path) -> None:
    path = shared_data / "eu-gdpr" / "gdpr.json"
    published = json.loads(path.read_text(encoding="utf-8"))
    document = GdprJson().parse(Source(path, path.parent))
    build_rows(document, None)
    source = [" ".join(word.split()) for key in ("chapters", "recitals") for word in words(published[key])]
    source += [text for entry in published["citations"].values() for text in (entry["number"], entry["text"])]
    kept = [text for node in document.nodes[1:] if node.level not in ("recitals", "citations") for text in stored(node)]
    assert kept == source
    assert not document.warnings
    levels = Counter(node.level for node in document.nodes)
    assert (levels["chapter"], levels["article"], levels["recital"], levels["citation"]) == (11, 99, 173, 21)


@pytest.mark.data
def test_every_published_node_has_one_address_and_exact_marks(shared_data: Path) -> None:
    path = shared_data / "eu-gdpr" / "gdpr.json"
    document = GdprJson().parse(Source(path, path.parent))
    found = nodes(document)
    tree = Tree(document.nodes)
    assert [node.urn for node in tree.subtree(document.nodes[0])] == [node.urn for node in document.nodes]
    assert all(parse_urn(node.urn).text == node.urn for node in document.nodes)
    for urn in ("4:1", "6:1:sub.2", "9:2:a", "22:4", "51:1", "rec.26"):
        assert found[urn].text
    marks = [(node.text[mark.start : mark.end], mark.target) for node in document.nodes for mark in node.marks]
    assert ("Regulation (EC) No 765/2008", "urn:lex:eu:32008r0765") in marks
    assert len(marks) == 16


@pytest.mark.data
def test_of_all_shared_folders_only_the_act_itself_is_claimed(shared_data: Path) -> None:
    claimed: list[str] = []
    for folder in sorted(path for path in shared_data.iterdir() if path.is_dir()):
        for path in [path for path in sorted(folder.rglob("*")) if path.is_file()][:40]:
            with path.open("rb") as file:
                head = file.read(HEAD_BYTES)
            if GdprJson().claims(path, head) or GdprJson().skips(path, head):
                claimed.append(path.name)
    assert claimed == ["gdpr.json"]
