"""The names that a law gives to other laws: 航空法（以下「法」という。）, read once for each document."""

from __future__ import annotations

import re
from dataclasses import replace
from weakref import WeakKeyDictionary

from rag.jurisdictions.jp.dates import fold
from rag.jurisdictions.jp.laws import Law, NameReader, bracketed_laws, nickname
from rag.law.jurisdiction import DocumentIndex

_BRACKET = re.compile(r"\([^()]{0,200}(?:以下|略称)[^()]{0,80}\)")
_A_LAW = re.compile(r"(?:法|令|規則|条例|条約|規程|憲法|法律)\Z")
_NAMES: WeakKeyDictionary[DocumentIndex, NameReader] = WeakKeyDictionary()
_PLAIN = NameReader()


def names_in(index: DocumentIndex | None) -> NameReader:
    """The names of laws as a document uses them: its own, the table's, and those that it gives."""
    if index is None:
        return _PLAIN
    known = _NAMES.get(index)
    if known is None:
        known = _NAMES[index] = NameReader(_given(index))
    return known


def _given(index: DocumentIndex) -> dict[str, Law]:
    root = index.root
    short = [one.strip() for one in root.tags.get("abbreviation", "").split(",")]
    own = Law("named", root.heading, index.corpus_urn)
    names = {fold(one): own for one in (root.heading, *short) if len(one) > 1}
    reader = NameReader(names)
    found: dict[str, Law] = {}
    for node in index.tree.nodes:
        if "以下" not in node.text and "略称" not in node.text:
            continue
        text = fold(node.text)
        for match in _BRACKET.finditer(text):
            name = nickname(match[0])
            law = _law(text, match, reader) if _A_LAW.search(name) else None
            if law is None:
                continue
            # One name for two laws in two places of a document: neither is certain.
            same = found.get(name, law)
            found[name] = law if same == law else Law("external", name, certain=False)
    return {**found, **names}


def _law(text: str, match: re.Match[str], reader: NameReader) -> Law | None:
    """The law that stands before a bracket, or whose number opens it."""
    naming = reader.ending_at(text, match.start())
    numbered = next(iter(bracketed_laws(match[0])), None)
    if numbered is not None and numbered.start == 0:
        edition = naming is not None and not naming.law.certain
        return replace(numbered.law, certain=numbered.law.certain and not edition)
    if naming is None:
        return None
    return Law("external", naming.law.title) if naming.law.role == "unknown" else naming.law
