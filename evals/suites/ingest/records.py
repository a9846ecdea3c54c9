"""Independent readers of law in JSON records: GDPR JSON, opinions, passages, the native format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import cast

from lxml import html

from evals.suites.ingest.model import Chain, Comparison, characters, node_outline, words_of
from rag.ingest.formats.base import Source
from rag.law.nodes import ParsedDocument, ParsedNode, Tree
from retrieval.texts import node_text

Fields = dict[str, object]


def _several(value: object) -> list[Fields]:
    return cast("list[Fields]", value or [])


def _json_lines(source: Source) -> list[Fields]:
    text = source.path.read_text(encoding="utf-8-sig")
    return [cast("Fields", json.loads(line)) for line in text.split("\n") if line.strip()]


# GDPR JSON


def gdpr_json(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """One act: chapters of articles, recitals and citations."""
    value = cast("Fields", json.loads(source.path.read_text(encoding="utf-8-sig")))
    for document in documents:
        citations = cast("dict[str, Fields]", value.get("citations") or {}).values()
        units = [*_several(value.get("chapters")), *_several(value.get("articles")), *_several(value.get("recitals"))]
        published = [text for unit in units for text in _gdpr_words(unit)]
        published += [str(citation[key]) for citation in citations for key in ("number", "text") if citation.get(key)]
        outline = [chain for unit in units for chain in _gdpr_outline(unit, ())]
        outline += [(str(citation.get("number") or ""),) for citation in citations]
        nodes = [node for node in document.nodes[1:] if node.level not in ("recitals", "citations")]
        yield Comparison(
            source.name, document.urn,
            characters("gdpr_json", "".join(published)),
            characters("gdpr_json", "".join(_gdpr_number(node) + node.heading + node.text for node in nodes)),
            [chain for chain in outline if chain[-1]],
            node_outline(Tree(document.nodes), _gdpr_label),
        )  # fmt: skip


def _gdpr_words(unit: Fields) -> Iterator[str]:
    yield from (str(unit[key]) for key in ("number", "title", "text") if unit.get(key))
    for child in (*_several(unit.get("contents")), *_several(unit.get("subpoints"))):
        yield from _gdpr_words(child)


def _gdpr_outline(unit: Fields, above: Chain) -> Iterator[Chain]:
    number = re.sub(r"\W", "", str(unit.get("number") or ""))
    above = (*above, number) if number else above
    if number:
        yield above
    for child in (*_several(unit.get("contents")), *_several(unit.get("subpoints"))):
        yield from _gdpr_outline(child, above)


def _gdpr_number(node: ParsedNode) -> str:
    """The number as published; empty where the parser made one for an unnumbered paragraph."""
    made = node.number == node.urn.rpartition(":")[2] and not node.number[:1].isdigit() and "." in node.number
    return "" if made else node.number


def _gdpr_label(node: ParsedNode) -> str | None:
    if node.structure_type == "ROOT" or node.level in ("recitals", "citations"):
        return None
    return re.sub(r"\W", "", _gdpr_number(node)) or None


# Opinions

_CALL = r"<sup>\[[0-9a-z]+\]</sup>"


def courtlistener_jsonl(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """Opinions, one a line. Their HTML has paragraphs and citations, and no levels: the outline is the citations."""
    for record, document in zip(_json_lines(source), documents, strict=True):
        markup = re.sub("[\x80-\x9f]", _as_windows, str(record["html_with_citations"]))
        split = markup.find("<h2>NOTES</h2>")
        opinion, notes = (markup[:split], markup[split:]) if split >= 0 else (markup, "")
        notes = re.sub(r"<p>\s*\[[0-9]{1,3}[a-z]?\]\s*", "<p>", notes)
        kept = "".join(node.heading * bool(node.parent_urn) + node.text for node in document.nodes)
        cited = [
            (characters(document.format, node.text[mark.start : mark.end]),)
            for node in document.nodes for mark in node.marks if mark.kind == "reference"
        ]  # fmt: skip
        yield Comparison(
            source.name, document.urn, _html_words(opinion) + _html_words(notes), characters(document.format, kept),
            list(_citations(document.format, markup)), cited,
        )  # fmt: skip


def _as_windows(found: re.Match[str]) -> str:
    """A control of Latin-1 as the character of Windows-1252 that the page had."""
    return found[0].encode("latin-1").decode("cp1252")


def _citations(name: str, markup: str) -> Iterator[Chain]:
    for element in html.fragment_fromstring(markup, create_parent=True).iter("span"):
        if "citation" in (element.get("class") or "").split():
            yield (characters(name, words_of(element)),)


def _html_words(markup: str) -> str:
    """The words less page breaks, footnote calls and rules; labels of footnotes are numbers of nodes."""
    markup = re.sub(r'<span class="star-pagination">.*?</span>', "", markup)
    markup = re.sub(_CALL, "", markup)
    markup = re.sub(r'<a class="footnote"[^>]*>[^<]*</a>', "", markup)
    markup = re.sub(r'<span class="num">[^<]*</span>', "", markup)
    markup = re.sub(r"<h2>(?:NOTES|[* ]+)</h2>", "", markup)
    return characters("courtlistener_jsonl", unescape(re.sub(r"<[^>]+>", "", markup)))


# Passages


def passages_json(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """A rulebook as a flat list of passages, whose ids say where each stands; found by their ids in file order."""
    published = _several(json.loads(source.path.read_text(encoding="utf-8-sig")))
    for document in documents:
        own = document.nodes[0].tags.get("document_id")
        passages = [fields for fields in published if str(fields.get("DocumentID")) == own]
        nodes = {alias: node for node in document.nodes for alias in node.aliases}
        named = [nodes[str(passage["ID"])] for passage in passages if str(passage["ID"]) in nodes]
        listed = {id(node) for node in named}
        # What the parser added to hold passages that are under no other has no words.
        others = [node for node in document.nodes[1:] if id(node) not in listed and node.text]
        yield Comparison(
            source.name, document.urn,
            _passage("".join(str(passage["Passage"]) for passage in passages)),
            _passage("".join(node.heading + node.text for node in (*named, *others))),
            [(str(passage["PassageID"]),) for passage in passages],
            [(node.tags["passage_id"],) for node in named],
        )  # fmt: skip


def _passage(text: str) -> str:
    return characters("passages_json", re.sub("/Table Start|/Table End", "", text))


# The native format


def lexjsonl(source: Source, documents: Sequence[ParsedDocument]) -> Iterator[Comparison]:
    """What `lexscope export` writes: a header, then one version of one node a line."""
    _, *lines = _json_lines(source)
    for document in documents:
        words = [f"{_field(line, 'heading')}{_native_text(line)}" for line in lines]
        yield Comparison(
            source.name, document.urn,
            characters("lexjsonl", "".join(words)),
            characters("lexjsonl", "".join(f"{node.heading}{node.text}" for node in document.nodes)),
            [(_field(line, "parent_urn"), _field(line, "urn")) for line in lines],
            [(node.parent_urn or "", node.urn) for node in document.nodes],
        )  # fmt: skip


def _field(record: Fields, name: str) -> str:
    return str(record.get(name) or "")


def _native_text(record: Fields) -> str:
    return node_text(_field(record, "intro_text"), _field(record, "content_text"))
