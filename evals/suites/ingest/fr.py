"""Independent readers of French codes: LEGI JSON and Legalize Markdown."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from evals.suites.ingest.model import Chain, Comparison, characters
from rag.ingest.formats.base import Source
from rag.law.nodes import ParsedDocument, ParsedNode, Tree

_KINDS = r"(?:sous-)?(?:partie|livre|titre|chapitre|section|paragraphe)|annexe"


def legi_json(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """A code of the LEGI base: articles by their ids, words from their HTML and their notes."""
    value = cast("dict[str, object]", json.loads(source.path.read_text(encoding="utf-8-sig")))
    for document in documents:
        tree = Tree(document.nodes)
        articles = [node for node in document.nodes if "legi_id" in node.tags]
        yield Comparison(
            source.name, document.urn,
            characters("legi_json", "".join(_legi_words(value))),
            characters("legi_json", "".join(_printed(tree, article) + _nota(tree, article) for article in articles)),
            list(_legi_outline(value, ())),
            [(*_above(tree, article), article.tags["legi_id"]) for article in articles],
        )  # fmt: skip


def _legi_words(value: dict[str, object]) -> Iterator[str]:
    data = cast("dict[str, object]", value.get("data") or {})
    if value["type"] == "article":
        yield html.unescape(re.sub(r"<[^>]*>", " ", str(data.get("texteHtml") or "")))
        yield html.unescape(re.sub(r"<[^>]*>", " ", str(data.get("nota") or "")))
    for child in cast("list[dict[str, object]]", value.get("children") or []):
        yield from _legi_words(child)


def _legi_outline(value: dict[str, object], above: Chain) -> Iterator[Chain]:
    """Each article's id below the titles it is under, without the words that count them."""
    data = cast("dict[str, object]", value.get("data") or {})
    if value["type"] == "article":
        yield (*above, str(data["id"]))
    elif value["type"] == "section":
        above = (*above, _title(str(data.get("title") or "")))
    for child in cast("list[dict[str, object]]", value.get("children") or []):
        yield from _legi_outline(child, above)


def _title(text: str) -> str:
    text = re.sub(rf"\A\s*(?:(?:{_KINDS})\b\s*:?|\w+ (?:sous-)?partie)[^:]*:", "", text, flags=re.IGNORECASE)
    return characters("legi_json", text).lower()


def _above(tree: Tree, node: ParsedNode) -> list[str]:
    return [
        _title(ancestor.heading) for ancestor in reversed(tree.ancestors(node)) if ancestor.structure_type != "ROOT"
    ]


def _printed(tree: Tree, node: ParsedNode) -> str:
    """A node's subtree as it was printed, without its note."""
    own = node.number.split("~")[0] if node.level == "point" else ""
    children = (_printed(tree, child) for child in tree.children(node.urn) if child.level != "nota")
    return own + node.intro_text + "".join(children) + node.content_text


def _nota(tree: Tree, node: ParsedNode) -> str:
    return "".join(child.text for child in tree.children(node.urn) if child.level == "nota")


# Legalize


def legalize_md(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """A law whose articles are headings; an article printed again with another text is superseded and left out."""
    text = source.path.read_text(encoding="utf-8-sig")
    for document in documents:
        tree = Tree(document.nodes)
        articles = {node.line: node for node in document.nodes if _is_article(node)}
        published = list(_pieces(text))
        numbers = Counter(piece.heading for piece in published if piece.article)
        kept = Counter(_number(_shown(node)) for node in articles.values())
        words: list[str] = []
        outline: list[Chain] = []
        for piece in published:
            # Left out on purpose is only what the number has another text for.
            if piece.article and piece.line not in articles and numbers[piece.heading] > 1 and kept[piece.heading]:
                continue
            words.append(piece.heading + piece.words)
            if piece.article:
                outline.append((*piece.above, str(piece.line)))
        printed = [
            _number(_shown(node)) + _printed(tree, node)
            if _is_article(node)
            else _title(node.heading) + node.intro_text
            for node in document.nodes[1:]
            if _is_article(node) or node.kind == "section"
        ]
        yield Comparison(
            source.name, document.urn,
            characters("legalize_md", "".join(words)),
            characters("legalize_md", document.nodes[0].intro_text + "".join(printed)),
            outline,
            [(*_lines_above(tree, article), str(article.line)) for article in articles.values()],
        )  # fmt: skip


def _is_article(node: ParsedNode) -> bool:
    return node.structure_type in ("ARTICLE", "APPENDIX")


def _shown(node: ParsedNode) -> str:
    return f"Article {node.number.partition('~')[0]}"


def _number(heading: str) -> str:
    return re.sub(r"\W", "", heading).lower()


def _lines_above(tree: Tree, node: ParsedNode) -> list[str]:
    """The line of the nearest heading above; how far up it goes on depends on kinds and not on the mark-up."""
    near = next(
        (ancestor for ancestor in tree.ancestors(node) if ancestor.kind == "section" and ancestor.line is not None),
        None,
    )
    return [str(near.line)] if near is not None else []


@dataclass(slots=True)
class _Piece:
    """One heading with the lines below it. `heading` is an article's designator, or a container's words."""

    line: int
    heading: str
    above: Chain
    article: bool = False
    words: str = ""


def _pieces(text: str) -> Iterator[_Piece]:
    """Headings with what is below each, `above` being the nearest container's line; first what has no heading."""
    lines = text.replace("\r\n", "\n").split("\n")
    start = lines.index("---", 1) + 1
    marked = any(re.match("#{2,6} ", line) for line in lines)
    piece = _Piece(start, "", ())
    for number, line in enumerate(lines[start:], start=start + 1):
        sign = re.match(r"(#{1,6})\s+(?=\S)", line.strip())
        words = line.strip()[sign.end() :] if sign else line.strip()
        article = re.fullmatch(r"(?:Articles?\s\S.{0,60}|Annexe\b.{0,80})", words) is not None
        if sign and len(sign[1]) == 1 and number < start + 3:
            continue  # the law's own title
        if article and (sign or not marked):
            yield piece
            piece = _Piece(number, _number(words), piece.above, article=True)
        elif sign or (not marked and _bare_heading(words)):
            yield piece
            piece = _Piece(number, _title(words), (str(number),))
        else:
            piece.words += words
    yield piece


def _bare_heading(words: str) -> bool:
    """Whether a line without # heads a container: a kind with its number, or one of the names that need none."""
    rank = rf"(?:{_KINDS})\s+(?::\s*)?(?:[IVXLC]+(?:er|re)?|\d+(?:er|re)?|préliminaire|unique)\b"
    counted = re.match(rf"{rank}|\w+ (?:sous-)?partie\s*:", words, re.IGNORECASE)
    named = re.fullmatch(
        r"Dispositions\s(?:générales|communes|préliminaires|diverses|particulières|finales)\b.{0,120}", words
    )
    return counted is not None or (named is not None and not words.endswith((";", ",")))
