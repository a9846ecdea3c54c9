"""Independent readers of federal regulations: eCFR XML, RegML and eRegs JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import cast

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

_DIVISION = re.compile(r"DIV[1-9]\Z")
_ECFR_KINDS = {
    "TITLE": "title", "SUBTITLE": "subtitle", "CHAPTER": "chapter", "SUBCHAP": "subchapter", "PART": "part",
    "SUBPART": "subpart", "SUBJGRP": "subjgrp", "SECTION": "section", "APPENDIX": "appendix",
}  # fmt: skip
_ECFR_LEVELS = frozenset(_ECFR_KINDS.values())
_ANNOUNCES = re.compile(r":\s*\Z")


# eCFR


def ecfr_xml(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """A title or a part of one. Designators in the text are the publisher's, so the words include them."""
    root = read_markup(source.path)
    for document in documents:
        tree = Tree(document.nodes)
        yield Comparison(
            source.name, document.urn,
            characters("ecfr_xml", "".join(_ecfr_words(root))),
            characters("ecfr_xml", "".join(_ecfr_kept(tree, document.nodes[0]))),
            list(markup_outline(root, _ecfr_label, lambda _: False)),
            node_outline(tree, _ecfr_number),
        )  # fmt: skip


def _ecfr_words(element: Element) -> Iterator[str]:
    """The words of every DIV in order: its head, then everything in it but annotations."""
    if not _DIVISION.match(name_of(element)):
        for child in element:
            yield from _ecfr_words(child)
        return
    yield _ecfr_head(element)
    yield element.text or ""
    for child in element:
        name = name_of(child)
        if _DIVISION.match(name):
            yield from _ecfr_words(child)
        elif name != "HEAD" and (name not in LEFT_OUT["ecfr_xml"] or _displayed(child)):
            yield words_of(child)
        yield child.tail or ""


def _displayed(element: Element) -> bool:
    """Whether an authority citation is a part of the text, an example announced by the paragraph before it."""
    before = element.getprevious()
    return name_of(element) == "AUTH" and before is not None and bool(_ANNOUNCES.search(words_of(before)))


def _ecfr_head(element: Element) -> str:
    """A head without the words that count it: `PART 2—GENERAL INFORMATION` is `GENERAL INFORMATION`."""
    head = next((words_of(child) for child in element if name_of(child) == "HEAD"), "")
    head = re.sub(r"\s+", " ", head).strip()
    kind = element.get("TYPE", "")
    if kind == "SUBJGRP":
        return head
    if kind == "SECTION":
        number = _ecfr_label(element) or ""
        bare = re.sub(r"[‐‑–—]", "-", head).replace(" ", "")
        at = bare.find(number.replace(" ", ""))
        if at < 0:
            return re.sub(r"\A§+\s*\S+\s*", "", head)
        seen, wanted = 0, at + len(number.replace(" ", ""))
        cut = next((index for index, char in enumerate(head) if (seen := seen + (char != " ")) == wanted), -1)
        return head[cut + 1 :].removeprefix(".").strip()
    if kind == "APPENDIX":
        printed = re.sub(r"\s+", " ", element.get("N", "")).strip(" §")
        return head.removeprefix(printed) if printed and head != printed else head
    head = re.sub(r"-+\s*Volume \d+\Z|\s*\(Continued\)\Z", "", head, flags=re.IGNORECASE)
    counted = re.match(r"(?i)(?:title|subtitle|chapter|subchapter|parts?|subparts?) [^—\[]*?(?:—+\s*|\s(?=\[))", head)
    return head[counted.end() :] if counted else head


def _ecfr_label(element: Element) -> str | None:
    kind = _ECFR_KINDS.get(element.get("TYPE", ""))
    if not _DIVISION.match(name_of(element)) or kind in (None, "title", "subjgrp", "appendix"):
        return None
    number = re.sub(r"\s+", " ", re.sub(r"[‐‑–—]", "-", element.get("N", ""))).strip(" §")
    return number if kind == "section" else f"{kind} {number}"


def _ecfr_number(node: ParsedNode) -> str | None:
    if node.level not in _ECFR_LEVELS or node.structure_type == "APPENDIX" or node.level in ("title", "subjgrp"):
        return None
    number = node.number.partition("~")[0]
    return number if node.level == "section" else f"{node.level} {number}"


def _ecfr_kept(tree: Tree, node: ParsedNode) -> Iterator[str]:
    """A node's subtree as it was printed: designator, caption, lead-in, children, flush text."""
    counted = node.level in _ECFR_LEVELS or node.structure_type in ("APPENDIX", "PART", "CHAPTER", "TITLE")
    if not counted and not re.match(r"(p|note|def)\.", node.number):
        yield node.number.split("~")[0]
    yield node.heading + node.intro_text
    for child in tree.children(node.urn):
        yield from _ecfr_kept(tree, child)
    yield node.content_text


# RegML


def without_repeat(caption: str, text: str) -> str:
    """The text without the end of its caption, where publishing software has printed that again.

    That is the whole caption with its full stop, or two words or more of its end that begin in lower case.
    """
    words = caption.split()
    if not caption.rstrip().endswith((".", "—", ":", "?")):
        return text
    for first in range(len(words)):
        tail = " ".join(words[first:])
        if first and (not tail[:1].islower() or " " not in tail):
            continue
        if text.startswith(tail):
            return text[len(tail) :]
    return text


def regml(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """A part of the C.F.R. as its agency marks it up."""
    root = read_markup(source.path)
    part = next(element for element in root if name_of(element) == "part")
    marked = {element.get("label") for element in part.iter() if (element.get("marker") or "").strip()}
    for document in documents:
        out = ""
        for node in document.nodes[1:]:
            label = node.aliases[0].partition("/")[2] if node.aliases else ""
            own = node.tags.get("marker", node.number).strip("(). ").rpartition("-")[2] if label in marked else ""
            section = f"§{node.number}" if node.level == "section" else ""
            out += section + own.partition("~")[0] + node.heading + node.text
        yield Comparison(
            source.name, document.urn, characters("regml", _regml_words(part)), characters("regml", out),
            list(_regml_outline(part, (), {})),
            node_outline(Tree(document.nodes), _eregs_label),
        )  # fmt: skip


def _regml_words(element: Element) -> str:
    """The part as printed: designators without brackets, captions and text in the order of the file."""
    name = name_of(element)
    if name in LEFT_OUT["regml"]:
        return element.tail or ""
    out = (element.get("marker") or "").strip("(). ")
    words = (element.text or "") + "".join(_regml_words(child) for child in element)
    if name == "appendixTitle":
        words = re.sub(r"\AAppendi(?:x|ces)(?: \w)? to Part \d+", "", words)
    above = element.getparent()
    if name == "content" and above is not None:
        title = next((words_of(element) for element in above if name_of(element) == "title"), "")
        words = without_repeat(_folded(title), _folded(words)) if title else words
    return out + words + (element.tail or "")


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


_REGML_UNITS = frozenset({"section", "paragraph", "appendix", "appendixSection", "interpSection", "interpParagraph"})


def _regml_outline(element: Element, above: Chain, seen: dict[str, Chain]) -> Iterator[Chain]:
    """Chains of labels."""
    if name_of(element) == "tableOfContents":
        return
    own = _cited(element.get("label", "")) if name_of(element) in _REGML_UNITS else None
    if own is not None and not _is_lead_in(element):
        above = (*_under(own, above, seen), own)
        yield above
    for child in element:
        yield from _regml_outline(child, above, seen)


def _is_lead_in(element: Element) -> bool:
    """Whether it is the first paragraph of a rule, with no designator, caption, picture or paragraph of its own."""
    parent, before = element.getparent(), element.getprevious()
    if name_of(element) != "paragraph" or (element.get("marker") or "").strip() or parent is None:
        return False
    first = before is None or name_of(before) in ("subject", "appendixTitle", "title")
    rule = name_of(parent) in ("section", "appendix", "appendixSection")
    own = {name_of(iterdescendant) for iterdescendant in element.iterdescendants()} & {"paragraph", "title", "graphic"}
    return rule and first and not own


def _under(label: str, above: Chain, seen: dict[str, Chain]) -> Chain:
    """What a label is under; `seen` has the chain of every label before it.

    Both publications close a paragraph too late or too early here and there: `c-1-ii` inside `c-1-i` is the next one
    and not a part of it. `c-2-A` inside `c-2-i` is a part of it, for one list has one style of numbers.
    """
    stem = label.replace("-Interp", "")
    plain = [urn.replace("-Interp", "") for urn in above]
    parent, _, last = stem.rpartition("-")
    place = above
    if parent in plain:
        at = plain.index(parent) + 1
        sibling = plain[at].rpartition("-")[2] if at < len(plain) else ""
        place = above[:at] if _style(last) == _style(sibling) else above
    elif "Interp" not in label and parent in seen:
        place = seen[parent]
    seen[stem] = (*place, label)
    return place


def _style(number: str) -> str:
    return "1" if number.isdecimal() else "a" if number.islower() else "A"


def _cited(label: str) -> str | None:
    """The label of a provision; None for those that only count what is not numbered (`1002-B-p1`) or a supplement."""
    label = re.sub(r"\s", "", label)
    return label if label and not re.search(r"-p\d+\Z|\A[^-]+-Interp\Z", label) else None


def _eregs_label(node: ParsedNode) -> str | None:
    labelled = node.level in ("section", "paragraph", "appendix", "appendix section", "comment", "interpretation")
    return _cited(node.aliases[0].partition("/")[2]) if labelled and node.aliases else None


# eRegs


def eregs_json(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """The same regulations as trees of labelled nodes."""
    value = cast("dict[str, object]", json.loads(source.path.read_text(encoding="utf-8-sig")))
    for document in documents:
        kept = "".join(node.heading + node.text for node in document.nodes)
        yield Comparison(
            source.name, document.urn,
            characters("eregs_json", _told(value)), characters("eregs_json", kept),
            list(_told_outline(value, (), {})),
            node_outline(Tree(document.nodes), _eregs_label),
        )  # fmt: skip


def _children(value: dict[str, object]) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", value["children"])


def _told(value: dict[str, object]) -> str:
    """Captions and text of a JSON tree in order, designators and headings' numbers cut off."""
    marker, text, title = str(value.get("marker") or ""), str(value["text"]), str(value.get("title") or "")
    caption = re.sub(r"\A(?:§ [\d.]+ |Appendi(?:x|ces)(?: \w)? to Part \d+)", "", title)
    text = text.removeprefix(marker) if value["node_type"] != "interp" else text
    # A caption is glued to its text: the letter after its full stop stands without a space.
    glued = re.match(r"\s*(.{1,200}?\.)(?=[a-z])", text)
    if glued:
        text = glued[1] + without_repeat(_folded(glued[1]), text[glued.end() :])
    elif caption:
        text = without_repeat(_folded(re.sub(r"\A[\w.-]+\. ", "", caption)), text)
    return caption + re.sub(r"!\[\]\(.*?\)", "", text) + "".join(_told(child) for child in _children(value))


def _told_outline(value: dict[str, object], above: Chain, seen: dict[str, Chain]) -> Iterator[Chain]:
    """Chains of labels."""
    kind, label = value["node_type"], cast("list[str]", value["label"])
    own = _cited("-".join(label)) if kind not in ("subpart", "emptypart") and len(label) > 1 else None
    if own is not None:
        above = (*_under(own, above, seen), own)
        yield above
    for child in _children(value):
        yield from _told_outline(child, above, seen)
