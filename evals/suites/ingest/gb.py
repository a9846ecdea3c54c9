"""Independent readers of law of the United Kingdom: Akoma Ntoso (bills, judgments) and CLML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evals.suites.ingest.model import (
    LEFT_OUT,
    Comparison,
    attribute,
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

# Akoma Ntoso

_HIERARCHY = frozenset(
    {"part", "chapter", "hcontainer", "section", "article", "subsection", "paragraph", "subparagraph", "level"}
)
_AS_TEXT = frozenset({"embeddedStructure", "header", "preface", "coverPage", "td", "th", "authorialNote"})
_GENERATED = re.compile(r"(?:p|al|note|def|level)\.|(?:preface|preamble|header|coverpage|conclusions|sch)\Z")


def akn(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """Bills and judgments. Notes stand apart from the text, behind it."""
    body = read_markup(source.path)[0]
    bill = name_of(body) != "judgment"

    def skipped(element: Element) -> bool:
        return _akn_beside(element, bill) or name_of(element) in _AS_TEXT

    for document in documents:
        tree = Tree(document.nodes)
        words, notes = _akn_source(body)
        kept = "".join(text for child in tree.children(document.urn) for text in _akn_kept(tree, child))
        kept_notes = [characters("akn", node.text) for node in document.nodes if node.level == "note"]
        yield Comparison(
            source.name, document.urn,
            characters("akn", words) + "".join(sorted(notes)),
            characters("akn", kept) + "".join(sorted(kept_notes)),
            list(markup_outline(body, _akn_label, skipped)),
            node_outline(tree, _akn_number),
        )  # fmt: skip


def _bare(number: str) -> str:
    plain = re.sub(r"[^\w]+", " ", number).lower().strip()
    return characters("akn", re.sub(r"\b(?:part|chapter|schedule)\b", "", plain))


def _akn_beside(element: Element, bill: bool) -> bool:
    name = name_of(element)
    return name in LEFT_OUT["akn"] and (bill or name not in ("coverPage", "quotedStructure"))


def _akn_numbered(element: Element) -> bool:
    """Whether an item is in a list in which at least one has a number."""
    return name_of(element) == "item" and any(
        re.search(r"\w", num.text or "") for num in element.iterfind("../*/{*}num")
    )


def _akn_label(element: Element) -> str | None:
    if name_of(element) not in _HIERARCHY and not _akn_numbered(element):
        return None
    if attribute(element, "name") == "schedule":
        return None  # its number has the provision that introduces it beside it; compared as words
    return next((_bare(words_of(child)) for child in element if name_of(child) == "num"), "") or None


def _akn_number(node: ParsedNode) -> str | None:
    number = node.number.partition("~")[0].removeprefix("h.")
    headed = node.kind == "section" and node.level in ("crossheading", "level", "schedules")
    unnumbered = headed or node.structure_type == "ROOT" or _GENERATED.match(number)
    return None if unnumbered or node.level == "schedule" else _bare(number) or None


def _akn_source(document: Element) -> tuple[str, list[str]]:
    """All words of a document in the order nodes have, and the words of its notes."""
    bill = name_of(document) != "judgment"
    shown = {element.get("eId"): element.get("showAs") for element in document.iter("{*}TLCConcept", "{*}TLCProcess")}
    notes: list[str] = []

    def walk(element: Element, text: bool) -> Iterator[str]:
        name = name_of(element)
        if name == "authorialNote":
            notes.append(characters("akn", words_of(element)))
            return
        if _akn_beside(element, bill):
            return
        if name == "ref" and element.get("class") == "placeholder":
            yield shown.get(element.get("href", "")[1:]) or ""
        text = text or name in _AS_TEXT
        parts = list(element)
        if not text and (name in _HIERARCHY or _akn_numbered(element)):
            for part in sorted(parts, key=lambda one: {"num": 0, "heading": 1}.get(name_of(one), 2)):
                if name_of(part) == "num":
                    yield _bare("".join(walk(part, True)))
                else:
                    yield from walk(part, text)
            return
        yield attribute(element, "startQuote") + (element.text or "")
        for part in parts:
            yield from walk(part, text)
            yield part.tail or ""
        yield attribute(element, "endQuote")

    return "".join(walk(document, False)), notes


def _akn_kept(tree: Tree, node: ParsedNode) -> Iterator[str]:
    schedule = node.level == "schedule" and not _GENERATED.match(node.number)
    yield _bare(node.number) if schedule else _akn_number(node) or ""
    yield node.heading + node.intro_text
    for child in tree.children(node.urn):
        if child.level != "note":
            yield from _akn_kept(tree, child)
    yield node.content_text


# CLML

_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7",
             "eighth": "8", "ninth": "9", "tenth": "10"}  # fmt: skip
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi")
_OPERATORS = dict.fromkeys(range(0x2061, 0x2065))  # of formulas, which nobody prints
_CLML_CONTENT = ("Primary", "Secondary", "EURetained")
_EDITION = re.compile(r"/?(?:\d{4}-\d\d-\d\d|enacted|made|adopted|created|prospective)\Z")
_PROVISION = re.compile(r"P[1-7]\Z")
_CLML_PROVISIONS = re.compile(
    r"section|article|regulation|rule|order|subsection|(?:sub-)*paragraph|(?:sub-)*point|schedule paragraph"
)


def clml(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """A law of legislation.gov.uk, or the fragment of one that the file's own address names."""
    root = read_markup(source.path)
    notes = {note.get("id", ""): note for note in root.iter("{*}Footnote")}
    content = _fragment(root, next(part for part in root if name_of(part) in _CLML_CONTENT))
    for document in documents:
        tree = Tree(document.nodes)
        yield Comparison(
            source.name, document.urn,
            _folded("".join(clml_words(content, notes))),
            _folded(_clml_kept(tree, document.nodes[0])),
            list(markup_outline(content, _clml_label, _clml_beside)),
            node_outline(tree, _clml_number),
        )  # fmt: skip


def _folded(text: str) -> str:
    """Without what the publisher's style sheets print around words, and in one case."""
    return characters("clml", text.casefold().translate(_OPERATORS))


def _fragment(root: Element, content: Element) -> Element:
    """The element whose address ends in the part of the file's identifier that follows the law's number."""
    for child in root.iter("{*}identifier"):
        match = re.match(
            r"https?://www\.legislation\.gov\.uk/(?:id/)?[a-z]+/\d{4}/[\d-]+/(.+)", words_of(child).strip()
        )
        path = re.sub(_EDITION, "", match[1]) if match else ""
        if path and path not in ("body", "contents", "schedules"):
            named = [
                element for element in content.iter("{*}*")
                if any(uri.endswith(f"/{path}") for uri in (element.get("IdURI", ""), _undated(element)))
            ]  # fmt: skip
            if named:
                group = named[0].getparent()
                return group if group is not None and name_of(group) == "P1group" else named[0]
    return content


def _undated(element: Element) -> str:
    return re.sub(r"/\d{4}-\d\d-\d\d\Z", "", element.get("DocumentURI", ""))


def _ordinal(kind: str, value: int) -> str:
    letter = chr(96 + value) if value <= 26 else chr(96 + (value - 1) // 26) + chr(97 + (value - 1) % 26)
    return {"alpha": letter, "roman": _ROMAN[min(value, len(_ROMAN)) - 1]}.get(kind, str(value))


def _clml_beside(element: Element) -> bool:
    name = name_of(element)
    # A list without numbers is text, and so is what it holds; only definitions are in one as provisions.
    text = name == "UnorderedList" and not re.match(r"\s*[“\"‘]", words_of(element))
    return text or name in ("BlockAmendment", "Tabular", *LEFT_OUT["clml"])


def _clml_label(element: Element) -> str | None:
    above = element.getparent()
    if name_of(element) == "ListItem" and above is not None and name_of(above) == "OrderedList":
        place = above.index(element) + int(above.get("Start", "1"))
        return _number(element.get("NumberOverride", _ordinal(above.get("Type", ""), place)))
    if not _PROVISION.match(name_of(element)):
        return None
    number = next((words_of(child) for child in element if name_of(child) == "Pnumber"), "")
    return _number(re.sub(r"\AArticle\s", "", number)) or None


def _number(text: str) -> str:
    return re.sub(r"[^\w]+", "", text).casefold()


def _clml_number(node: ParsedNode) -> str | None:
    number = node.number.partition("~")[0]
    if node.kind == "section" or not _CLML_PROVISIONS.fullmatch(node.level) or re.match(r"p\.\d+\Z|def\.", number):
        return None
    return _number(number) or None


def clml_words(element: Element, notes: dict[str, Element], *, table: bool = False) -> Iterator[str]:
    """All words of a published element in printed order."""
    tag, above = name_of(element), element.getparent()
    outer = name_of(above) if above is not None else ""
    if tag in LEFT_OUT["clml"] and not (tag == "Footnote" and table):
        return
    if tag == "Number" and outer == "Division":
        yield words_of(element).strip(" .")
        return
    if tag == "Number" and outer == "Schedule":
        text = words_of(element).casefold()
        yield "".join(_ORDINALS.get(word, word) for word in sorted(text.split(), key=lambda word: word != "schedule"))
        return
    if tag == "Pnumber" and any(name_of(iterancestor) == "BlockAmendment" for iterancestor in element.iterancestors()):
        yield element.get("PuncBefore", "") + words_of(element) + element.get("PuncAfter", "")
        return
    inside, table = table, table or tag in ("Tabular", "table")
    yield re.sub(r"\AArticle\s", "", element.text or "") if tag == "Pnumber" else element.text or ""
    start = int(element.get("Start", "1"))
    for index, child in enumerate(sorted(element, key=lambda part: name_of(part) == "tfoot")):
        if tag == "OrderedList":
            yield child.get("NumberOverride", _ordinal(element.get("Type", ""), index + start))
        if tag == "KeyListItem" and index == 1 and above is not None:
            yield above.get("Separator", "")
        yield from clml_words(child, notes, table=table)
        yield child.tail or ""
    if table and not inside:
        printed = {note.get("id") for note in element.iter("{*}Footnote")}
        for ref in dict.fromkeys(ref.get("Ref", "") for ref in element.iter("{*}FootnoteRef")):
            if ref not in printed and ref in notes:
                yield words_of(notes[ref])


def _clml_kept(tree: Tree, node: ParsedNode) -> str:
    """The node's heading, designator and words in printed order, with everything below it."""
    number = node.number.partition("~")[0]
    if node.level == "schedules":
        title = node.heading
    elif node.kind == "section" or node.level in ("schedule", "annex") or node.structure_type == "PART":
        shown = "" if node.urn.endswith(f"_{number}") and number not in ("1", "2", "3") else node.level + number
        if re.search(rf":{node.level}_{re.escape(number.lower())}\Z", node.urn) and node.level in ("part", "chapter"):
            shown = node.level + number
        title = "" if node.structure_type == "ROOT" else (node.level if number == node.level else shown) + node.heading
    elif node.level == "form":
        title = node.heading
    elif node.level == "division":
        title = ("" if number.startswith("division_") else number) + node.heading
    elif re.fullmatch(r"p\.\d+|def\..*|introduction|signature", number) or node.level == "heading":
        title = node.heading
    else:
        title = node.heading + number
    below = "".join(_clml_kept(tree, child) for child in tree.children(node.urn))
    return title + node.intro_text + below + node.content_text
