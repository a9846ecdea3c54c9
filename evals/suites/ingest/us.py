"""Independent readers of American statutes: USLM, the D.C. Code, and the Markdown chunks of the U.S. Code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from evals.suites.ingest.model import (
    LEFT_OUT,
    Chain,
    Comparison,
    characters,
    markup_outline,
    name_of,
    node_outline,
    read_markup,
    words_of,
)
from rag.ingest.formats.base import Source
from rag.ingest.formats.xml import Element
from rag.law.nodes import ParsedDocument, ParsedNode, Tree

USLM_LEVELS = frozenset(
    {"section", "subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem", "title", "chapter",
     "subchapter", "part", "subtitle", "subpart", "division", "subdivision", "article", "subarticle"}
)  # fmt: skip


# USLM


def uslm(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """Titles of the U.S. Code and statute compilations."""
    root = read_markup(source.path)
    body = next(element for element in root if name_of(element) == "main")
    compiled = name_of(root) == "statuteCompilation"
    for document in documents:
        tree = Tree(document.nodes)
        yield Comparison(
            source.name, document.urn,
            characters("uslm", "".join(uslm_words(body, compiled, frozenset()))),
            characters("uslm", "".join(_uslm_kept(tree, document.nodes[0]))),
            list(markup_outline(body, _uslm_label, lambda one: _uslm_beside(one, compiled))),
            node_outline(tree, _uslm_number),
        )  # fmt: skip


def _uslm_beside(element: Element, compiled: bool) -> bool:
    name = name_of(element)
    return name in LEFT_OUT["uslm"] and (name != "quotedContent" or compiled)


def _uslm_label(element: Element) -> str | None:
    num = next((child for child in element if name_of(child) == "num"), None)
    if name_of(element) not in USLM_LEVELS or num is None:
        return None
    return characters("uslm", re.sub(r"[()]", "", num.get("value", ""))) or None


def _uslm_number(node: ParsedNode) -> str | None:
    if node.level not in USLM_LEVELS or _made(node) or node.tags.get("number_inferred") is not None:
        return None
    return characters("uslm", node.number.partition("~")[0]) or None


def uslm_words(element: Element, compiled: bool, footnotes: frozenset[str]) -> Iterator[str]:
    """The law in an element, designators as their values, headings before texts."""
    if name_of(element) in ("section", "title"):
        found = list(element.iter("{*}note", "{*}footnote"))
        marks = [part for note in found for part in note if name_of(part) in ("num", "sup")]
        footnotes = frozenset(words_of(part).strip() for part in marks) or footnotes
    yield element.text or ""
    headers = {"num": 0, "heading": 1}
    ranked = name_of(element) in USLM_LEVELS
    for part in sorted(element, key=lambda one: headers.get(name_of(one), 2)) if ranked else element:
        name = name_of(part)
        footnote_mark = name == "ref" and part.get("class") == "footnoteRef"
        repeated = name == "sup" and words_of(part) in footnotes
        if name == "num":
            yield re.sub(r"[()]", "", part.get("value", ""))
        elif not (_uslm_beside(part, compiled) or footnote_mark or repeated):
            yield from uslm_words(part, compiled, footnotes)
        yield part.tail or ""


def _made(node: ParsedNode) -> bool:
    """Whether the number is a segment made for an unnumbered provision."""
    return bool(re.match(r"(p|note)\.\d+\Z", node.number)) or node.structure_type in ("DEFINITION", "ROOT")


def _uslm_kept(tree: Tree, node: ParsedNode) -> Iterator[str]:
    if not _made(node) and node.tags.get("number_inferred") is None:
        yield node.number.partition("~")[0]
    if node.structure_type != "ROOT":
        yield node.heading
    yield node.intro_text
    for child in tree.children(node.urn):
        yield from _uslm_kept(tree, child)
    yield node.content_text


# D.C. Code

_VALUE = "{https://code.dccouncil.us/schemas/codify}value"


def dc_xml(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """A title of the D.C. Code: its index and its section files."""
    index = read_markup(source.path)
    for document in documents:
        tree = Tree(document.nodes)
        root = document.nodes[0]
        yield Comparison(
            source.name, document.urn,
            characters("dc_xml", "".join(_dc_source(index, source.path.parent))),
            characters("dc_xml", "".join(_dc_kept(tree, root))),
            list(_dc_outline(index, source.path.parent, ())),
            node_outline(tree, _dc_number),
        )  # fmt: skip


def _dc_children(element: Element, folder: Path) -> Iterator[tuple[Element, Path]]:
    """The parts of an element, each included file as its own root."""
    for part in element:
        if name_of(part) == "include":
            path = folder / part.get("href", "")
            yield read_markup(path), path.parent
        else:
            yield part, folder


def _dc_source(element: Element, folder: Path) -> Iterator[str]:
    """Words in the order of the file, headings of sections first; designators are compared by the outline."""
    head = {"heading": 0} if name_of(element) == "section" else {}
    yield element.text or element.get(_VALUE) or ""
    for part, place in sorted(_dc_children(element, folder), key=lambda one: head.get(name_of(one[0]), 1)):
        name = name_of(part)
        stub = name == "reason" and any(name_of(child) == "text" for child in element)
        if name == "subheading":
            yield words_of(part).partition(".")[2]
        elif name not in ("num", "prefix", "annotations") and not stub:
            yield from _dc_source(part, place)
        yield part.tail or ""


def _dc_kept(tree: Tree, node: ParsedNode) -> Iterator[str]:
    yield node.heading + node.intro_text
    for child in tree.children(node.urn):
        yield from _dc_kept(tree, child)
    yield node.content_text


def _dc_outline(element: Element, folder: Path, above: Chain) -> Iterator[Chain]:
    name = name_of(element)
    if name == "annotations":
        return
    prefix = next((words_of(child).strip().lower() for child in element if name_of(child) == "prefix"), "")
    if name in ("container", "section", "para") and prefix != "subtitle":
        number = next((words_of(child) for child in element if name_of(child) == "num"), "")
        above = (*above, re.sub(r"[()\s]", "", number).lower())
        yield above
    for part, place in _dc_children(element, folder):
        yield from _dc_outline(part, place, above)


def _dc_number(node: ParsedNode) -> str | None:
    if node.level == "subtitle":
        return None  # often a mere subheading, no element around what follows it; its heading is compared as words
    made = re.fullmatch(r"p\.\d+", node.number)
    return "" if made else re.sub(r"[()\s]", "", node.number.partition("~")[0]).lower()


# Markdown chunks of the U.S. Code


def md_statutes_jsonl(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """One title as chunks, one a line, which repeat the headings they are under."""
    published, outline = _chunks(source.path)
    for document in documents:
        tree = Tree(document.nodes)
        sections = [node for node in document.nodes if node.level == "section"]
        yield Comparison(
            source.name, document.urn,
            characters("md_statutes_jsonl", "".join(heading + words for heading, words in published)),
            characters(
                "md_statutes_jsonl", "".join(_md_heading(section) + _md_kept(tree, section) for section in sections)
            ),
            outline,
            [(*_md_above(tree, node), _dashes(node.number)) for node in sections],
        )  # fmt: skip


def _dashes(text: str) -> str:
    return re.sub(r"[\s‐‑–—-]+", "-", text.strip()).lower()


def _md_heading(node: ParsedNode) -> str:
    return f"{_dashes(node.number)}.{node.heading}"


def _md_above(tree: Tree, node: ParsedNode) -> list[str]:
    above = [ancestor.heading for ancestor in reversed(tree.ancestors(node)) if ancestor.level in ("title", "chapter")]
    return [characters("md_statutes_jsonl", urn).lower() for urn in above]


def _chunks(path: Path) -> tuple[list[tuple[str, str]], list[Chain]]:
    """Heading and words of each section, what a chunk repeats from the one before counted once; and the outline."""
    texts = [
        str(json.loads(line)["text"]) for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()
    ]
    found: list[tuple[str, str]] = []
    outline: list[Chain] = []
    for heading, chunks in groupby(texts, key=lambda text: re.findall(r"^#### (.*)$", text, re.MULTILINE)):
        before: list[str] = []
        words = ""
        above: list[str] = []
        for chunk in chunks:
            above = above or re.findall(r"^#{1,3} (.*)$", chunk, re.MULTILINE)
            for line in chunk.split("\n"):
                if line and not re.match(r"#{1,4} |(?:SUBCHAPTER|Part) \S+— ", line) and line not in before:
                    words += line.lstrip("# ")
            before = re.findall(r"^#{5,} .*$", chunk, re.MULTILINE)
        if heading:
            number, _, title = heading[0].replace("\u202f", " ").removeprefix("§ ").partition(". ")
            found.append((f"{_dashes(number)}.{title}", words))
            shown = [urn.partition("— ")[2] for urn in above if re.match(r"(?i)title|chapter", urn)]
            outline.append((*(characters("md_statutes_jsonl", name).lower() for name in shown), _dashes(number)))
    return found, outline


def _md_kept(tree: Tree, node: ParsedNode) -> str:
    out = ""
    if node.level != "section":
        out = ("" if node.number.startswith("p.") else node.number.split("~")[0]) + node.heading
    below = "".join(_md_kept(tree, child) for child in tree.children(node.urn))
    return out + node.intro_text + below + node.content_text
