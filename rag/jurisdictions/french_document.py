"""Places in a French document: the order of its articles and alinéas, and its containers by kind and number."""

from __future__ import annotations

import re
from bisect import bisect_left
from weakref import WeakKeyDictionary

from rag.ingest.nodes import ParsedNode
from rag.jurisdictions.base import DocumentIndex
from rag.jurisdictions.french_laws import law_at
from rag.jurisdictions.french_names import LawName
from rag.jurisdictions.french_text import fold
from rag.jurisdictions.french_units import Unit

_LAW_WORD = re.compile(r"(?<![\w-])(?i:code|loi|ordonnance|decret|constitution)(?=\s)")
RECENT = 20  # laws of one nature; "la même loi" never means one named longer ago


class LawsOfArticle:
    """The laws that the alinéas of one article name, for "la même loi" in a later alinéa."""

    def __init__(self, index: DocumentIndex, section: ParsedNode) -> None:
        self._places: dict[str, int] = {}
        self._named: dict[str, list[tuple[int, LawName]]] = {}
        for place, node in enumerate(index.tree.subtree(section)):
            self._places[node.urn] = place
            text = fold(node.text).text
            for word in _LAW_WORD.finditer(text):
                law = law_at(text, word.start())
                if law is not None and law.name is not None:
                    for nature in ("", plain_nature(law.nature)):
                        self._named.setdefault(nature, []).append((place, law.name))

    def before(self, node: ParsedNode, nature: str) -> list[LawName]:
        """The last laws of a nature (empty: of any) that the alinéas before this one name, the last one first."""
        named = self._named.get(nature, [])
        end = bisect_left(named, self._places.get(node.urn, 0), key=lambda one: one[0])
        return [law for _, law in named[max(0, end - RECENT) : end]][::-1]


_LAWS: WeakKeyDictionary[DocumentIndex, dict[str, LawsOfArticle]] = WeakKeyDictionary()


def laws_of_article(index: DocumentIndex, section: ParsedNode) -> LawsOfArticle:
    """What an article names, read once."""
    known = _LAWS.setdefault(index, {})
    if section.urn not in known:
        known[section.urn] = LawsOfArticle(index, section)
    return known[section.urn]


def plain_nature(nature: str) -> str:
    """The noun by which a law is taken up: a "décret-loi" is "ce décret" too."""
    return nature.partition("-")[0]


class ArticleOrder:
    """The articles of a document in its order, for "l'article précédent"."""

    def __init__(self, index: DocumentIndex) -> None:
        self._articles = [node for node in index.tree.nodes if node.structure_type == "ARTICLE"]
        self._places = {node.urn: place for place, node in enumerate(self._articles)}

    def beside(self, node: ParsedNode, step: int) -> ParsedNode | None:
        """The article `step` places further on (back, if negative)."""
        place = self._places.get(node.urn, -1)
        wanted = place + step
        return self._articles[wanted] if place >= 0 and 0 <= wanted < len(self._articles) else None


_ORDERS: WeakKeyDictionary[DocumentIndex, ArticleOrder] = WeakKeyDictionary()


def article_order(index: DocumentIndex) -> ArticleOrder:
    """The order of a document's articles, made once a document."""
    known = _ORDERS.get(index)
    if known is None:
        known = _ORDERS[index] = ArticleOrder(index)
    return known


def certain(node: ParsedNode) -> bool:
    """Whether nothing else of the document is meant by the same number."""
    return node.tags.get("ambiguous") != "true"


def numbered(index: DocumentIndex, level: str, number: str, within: ParsedNode) -> ParsedNode | None:
    """The only container of a kind and number under another; None where there is none or more than one."""
    spellings = {"preliminaire": "préliminaire"}
    return index.numbered(level, number, within) or index.numbered(level, spellings.get(number, number), within)


def line_count(index: DocumentIndex, urn: str) -> int:
    """The number of alinéas of an article or point; they are numbered without gaps, so that halving finds the last."""
    high = 1
    while index.node(f"{urn}:al.{high}") is not None:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if index.node(f"{urn}:al.{middle}") is not None else (low, middle)
    return low


def line_place(node: ParsedNode, section: ParsedNode) -> int:
    """Which alinéa of its article a node is; 0 where it is none."""
    start = f"{section.urn}:al."
    names = (name for name in (node.urn, *node.aliases) if name.startswith(start))
    return next((int(name[len(start) :]) for name in names if name[len(start) :].isdigit()), 0)


def lines_beside(own: int, unit: Unit, count: int) -> range:
    """The places of the alinéas before or after the one at place `own`; `count` is their number in the article."""
    if unit.which == "previous":
        return range(max(1, own - unit.count) if unit.count else 1, own)
    return range(own + 1, min(count, own + unit.count) + 1 if unit.count else count + 1)
