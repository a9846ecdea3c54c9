"""Small invented laws in e-Gov's standard law XML, for the tests of its parser."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.ingest.formats.base import Source
from rag.ingest.formats.egov.xml import EgovXml
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError
from retrieval.paths import parse_urn

U = "urn:lex:jp:501ac0000000999"
ACT = 'Era="Reiwa" Year="01" Num="999" LawType="Act" Lang="ja" PromulgateMonth="06" PromulgateDay="19"'
NUMBER = "令和元年法律第九百九十九号"


def law(body: str, *, attributes: str = ACT, number: str = NUMBER, title: str = "凧揚げ法") -> str:
    return (
        f"<Law {attributes}><LawNum>{number}</LawNum><LawBody><LawTitle>{title}</LawTitle>"
        f"{body}</LawBody></Law>"
    )  # fmt: skip


def main(body: str) -> str:
    return law(f"<MainProvision>{body}</MainProvision>")


def article(num: str, title: str, *paragraphs: str, caption: str = "") -> str:
    shown = f"<ArticleCaption>{caption}</ArticleCaption>" if caption else ""
    return f'<Article Num="{num}">{shown}<ArticleTitle>{title}</ArticleTitle>{"".join(paragraphs)}</Article>'


def paragraph(num: int, text: str, below: str = "", printed: str = "") -> str:
    return (
        f'<Paragraph Num="{num}"><ParagraphNum>{printed}</ParagraphNum><ParagraphSentence><Sentence>{text}</Sentence>'
        f"</ParagraphSentence>{below}</Paragraph>"
    )


def item(num: str, title: str, text: str, below: str = "", name: str = "Item") -> str:
    return (
        f'<{name} Num="{num}"><{name}Title>{title}</{name}Title><{name}Sentence><Sentence>{text}</Sentence>'
        f"</{name}Sentence>{below}</{name}>"
    )


def parse(tmp_path: Path, xml: str, name: str = "501AC0000000999_20240401_505AC0000000063.xml") -> ParsedDocument:
    file = tmp_path / name
    file.write_text(xml, encoding="utf-8")
    document = EgovXml().parse(Source(file, tmp_path))
    build_rows(document, None)
    return document


def nodes(document: ParsedDocument) -> dict[str, ParsedNode]:
    found = {node.urn.removeprefix(document.corpus.urn).lstrip(":"): node for node in document.nodes}
    assert len(found) == len(document.nodes)
    assert all(parse_urn(node.urn).text == node.urn for node in document.nodes)
    return found


def read(tmp_path: Path, body: str) -> dict[str, ParsedNode]:
    return nodes(parse(tmp_path, main(body)))


def refused(tmp_path: Path, xml: str, name: str = "law.xml") -> IngestError:
    with pytest.raises(IngestError) as caught:
        parse(tmp_path, xml, name)
    assert caught.value.file == name
    return caught.value
