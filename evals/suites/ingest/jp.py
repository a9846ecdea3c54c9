"""Independent reader of Japanese law as e-Gov publishes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evals.suites.ingest.model import (
    LEFT_OUT,
    Comparison,
    characters,
    markup_outline,
    name_of,
    node_outline,
    read_markup,
)
from rag.ingest.formats.base import Source
from rag.ingest.formats.xml import Element
from rag.law.nodes import ParsedDocument, ParsedNode, Tree

_CONTAINERS = {"part": "編", "chapter": "章", "section": "節", "subsection": "款", "division": "目"}
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_READINGS = [
    "i", "ro", "ha", "ni", "ho", "he", "to", "chi", "ri", "nu", "ru", "wo", "wa", "ka", "yo", "ta", "re", "so", "tsu",
    "ne", "na", "ra", "mu", "u", "wi", "no", "o", "ku", "ya", "ma", "ke", "fu", "ko", "e", "te", "a", "sa", "ki", "yu",
    "me", "mi", "shi", "we", "hi", "mo", "se", "su",
]  # fmt: skip
_KANA: dict[str, str] = dict(zip(_READINGS, _IROHA, strict=True))
_LEVELS = frozenset({"Part", "Chapter", "Section", "Subsection", "Division", "Article", "Paragraph", "Item"})


def egov_xml(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """A law: its main provisions, each supplementary provision, tables."""
    root = read_markup(source.path)
    for document in documents:
        tree = Tree(document.nodes)
        yield Comparison(
            source.name, document.urn,
            characters("egov_xml", "".join(_words(root))),
            characters("egov_xml", _kept(tree, document.nodes[0])),
            list(markup_outline(root, _label, lambda one: name_of(one) in LEFT_OUT["egov_xml"])),
            node_outline(tree, _number),
        )  # fmt: skip


def _words(element: Element) -> Iterator[str]:
    """All words but the table of contents and ruby readings; numerals of paragraphs as their Num."""
    name, above = name_of(element), element.getparent()
    if name in LEFT_OUT["egov_xml"]:
        return
    if name == "ParagraphNum" and above is not None:
        yield f"[{above.get('Num', '')}]"
        return
    yield element.text or ""
    for child in element:
        yield from _words(child)
        yield child.tail or ""


def _label(element: Element) -> str | None:
    name = name_of(element)
    if re.fullmatch(r"Subitem\d+", name):
        return name.lower()
    return f"{name.lower()} {_num(element.get('Num', ''))}" if name in _LEVELS else None


def _num(text: str) -> str:
    return text.replace("_", "-").replace(":", "..")


def _number(node: ParsedNode) -> str | None:
    if re.fullmatch(r"subitem\d+", node.level):
        return node.level
    return f"{node.level} {node.number.partition('~')[0]}" if node.level.capitalize() in _LEVELS else None


def numeral(number: int) -> str:
    """A number below 10,000 in Chinese numerals as law prints them: 132 is 百三十二."""
    out = ""
    for value, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, value)
        if digit:
            out += ("" if digit == 1 and unit else "〇一二三四五六七八九"[digit]) + unit
    return out


def _branched(number: str) -> str:
    return "の".join(numeral(int(item)) for item in number.split("-"))


def _printed(node: ParsedNode) -> str:
    """Designator and heading as the publication prints them."""
    if node.level in _CONTAINERS:
        return f"第{_branched(node.number)}{_CONTAINERS[node.level]}{node.heading}"
    caption = f"（{node.heading}）" if node.heading else ""
    if node.level == "article":
        low, _, high = node.number.partition("..")
        ends = [_article(part) for part in (low, high) if part]
        neighbours = high and int(high.partition("-")[0]) == int(low.partition("-")[0]) + 1
        return caption + ("及び".join(ends) if neighbours else "から".join(ends) + ("まで" if high else ""))
    if node.level == "paragraph":
        return f"{caption}[{node.number}]"
    if node.level == "item":
        return "及び".join(_branched(item) for item in node.number.split(".."))
    return _KANA.get(node.number, node.number) if node.level == "subitem1" else node.heading


def _article(number: str) -> str:
    first, *branches = number.split("-")
    return f"第{numeral(int(first))}条" + "".join(f"の{numeral(int(branch))}" for branch in branches)


def _kept(tree: Tree, node: ParsedNode) -> str:
    below = "".join(_kept(tree, child) for child in tree.children(node.urn))
    return _printed(node) + node.intro_text + below + node.content_text
