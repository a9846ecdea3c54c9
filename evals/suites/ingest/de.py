"""Independent readers of German federal law: Markdown and TEI."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evals.suites.ingest.model import (
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

_DEEPEST = 6
_DESIGNATED = ("absatz", "nummer", "buchstabe", "doppelbuchstabe")


def de_tei(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """A law in nested TEI divisions, one head each."""
    root = read_markup(source.path)
    text = next(element for element in root if name_of(element) == "text")
    for document in documents:
        tree = Tree(document.nodes)
        yield Comparison(
            source.name, document.urn,
            characters("de_tei", "".join(_tei_words(text))),
            characters("de_tei", "".join(_kept(tree, document.nodes[0]))),
            list(markup_outline(text, _tei_label, lambda _: False)),
            node_outline(tree, _tei_number),
        )  # fmt: skip


def de_md(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """A law in Markdown, nested by its headings, which are known by their lines."""
    text = source.path.read_text(encoding="utf-8-sig")
    outline = list(_headings(text))
    lines = {int(chain[-1]) for chain in outline}

    def label(node: ParsedNode) -> str | None:
        return str(node.line) if node.line in lines and node.structure_type != "ROOT" else None

    for document in documents:
        tree = Tree(document.nodes)
        yield Comparison(
            source.name, document.urn,
            characters("de_md", "".join(_markdown_words(text))),
            characters("de_md", "".join(_kept(tree, document.nodes[0]))),
            outline,
            node_outline(tree, label),
        )  # fmt: skip


def _kept(tree: Tree, node: ParsedNode) -> Iterator[str]:
    """A node's subtree as it was printed: designators first, footnotes last below a provision."""
    container = node.kind == "section" or node.structure_type == "ROOT"
    yield re.sub(r"Buch|(?<=\d)-(?=\d)", lambda match: match[0].strip("-"), node.tags.get("designation", ""))
    if node.level in _DESIGNATED:
        yield node.number.replace("-", "")
    yield "" if node.structure_type == "ROOT" else node.heading
    yield node.intro_text
    children = tree.children(node.urn)
    for child in children:
        if container or child.structure_type != "NOTE":
            yield from _kept(tree, child)
    # The list before the first provision is stored as lines, with the point of its numbers.
    front = node.structure_type == "NOTE" and node.urn.count(":") == 4
    yield re.sub(r"^(\d+)\. ", r"\1", node.content_text, flags=re.M) if front else node.content_text
    for child in children:
        if not container and child.structure_type == "NOTE":
            yield from _kept(tree, child)


# TEI


def _tei_label(element: Element) -> str | None:
    heads = [child for child in element if name_of(child) == "head"] if name_of(element) == "div" else []
    return _bare("".join(words_of(head) for head in heads)) if heads else None


def _tei_number(node: ParsedNode) -> str | None:
    shown = node.kind == "section" or node.structure_type in ("SECTION", "ARTICLE", "APPENDIX")
    return _bare(node.tags.get("designation", "") + node.heading) if shown and node.structure_type != "ROOT" else None


def _bare(head: str) -> str:
    """A head without the mark of repeal, and without what joins its number to the next."""
    return re.sub(r"[\W_]|Buch", "", head.replace("(XXXX)", "")).lower()


def _tei_words(text: Element) -> Iterator[str]:
    """All words of a TEI file but the publisher's notes and dashes."""
    own = ""

    def walk(element: Element) -> Iterator[str]:
        nonlocal own
        name, words = name_of(element), words_of(element).strip()
        if name == "head" and element.get("type") is None:
            own = words
            yield words.replace("(XXXX)", "")
            return
        note = own and words.startswith(own.replace("Art ", "Art. ")) and re.match(r"[^:]{3,45}: ", words)
        if name == "p" and (words.startswith("(+++") or words == "-" or note):
            return
        if name == "item":
            yield re.sub(r"\W", "", element.get("n", ""))
        start = element.text or ""
        if name == "p":
            start = re.sub(r"^\s*\((\d+[a-z]*)\)(?: u\. \((\d+)\))?", lambda m: m[1] + (m[2] or ""), start)
        yield start
        for child in element:
            yield from walk(child)
            yield child.tail or ""

    for part in text:
        yield from walk(part)


# Markdown


def _headings(text: str) -> Iterator[Chain]:
    """Chains of the lines of headings; what is above is told by the number of #."""
    open_: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        match = re.match(r"(#{2,6}) (?:\(XXXX\) )?(§|Unter\S+|\S)", line)
        if match:
            # Markdown has no seventh level: what would be there is told by its name.
            deeper = 2 if match[2] == "§" else match[2].startswith("Unter")
            depth = len(match[1]) + (deeper if len(match[1]) == _DEEPEST else 0)
            while open_ and open_[-1][0] >= depth:
                open_.pop()
            open_.append((depth, str(number)))
            yield tuple(one for _, one in open_)


def _markdown_words(text: str) -> Iterator[str]:
    """All words of a Markdown file below its list of dates."""
    text = re.sub(r"\A---\n.*?\n---\n\n# [^\n]*\n", "", text, flags=re.S)
    head, sign, rest = text.partition("\n## ")
    text = re.sub(r"^\S[^\n]*\n: [^\n]*(?:\n +\S[^\n]*)*$", "", head, flags=re.M) + sign + rest
    blank = True
    for line in text.splitlines():
        if heading := re.match(r"#+ (?:\(XXXX\) )?(.*)", line):
            words = heading[1] if heading[1].startswith(("§", "Art ")) else heading[1].replace(" - ", " ", 1)
        else:
            words = re.sub(r"^\[\^\w+\](?::|$)|\*\*", "", line)
            if blank:
                words = re.sub(r"^\((\d+[a-z]?)\)", r"\1", words)
                words = re.sub(r"^( *)(?:(\d+[a-z]?)\. |([a-z]+)\) )", r"\1\2\3", words)
                words = re.sub(r"^ *(?:[*] +|-   )+|^-$", "", words)
        yield re.sub(r"\\(?=\W)", "", words)
        blank = not line.strip()
