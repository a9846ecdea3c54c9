"""Nodes of which nothing but placeholders is left say so in their tag `status` (see `retrieval/standing.py`). Pure."""

from __future__ import annotations

from rag.languages.placeholders import placeholder
from rag.law.nodes import ParsedDocument, ParsedNode


def tag_placeholders(document: ParsedDocument) -> None:
    """Write the tag `status` into nodes of which nothing but placeholders is left, where the source gives none."""
    language = document.corpus.language
    children: dict[str, list[ParsedNode]] = {}
    for node in document.nodes:
        children.setdefault(node.parent_urn or "", []).append(node)
    found: dict[str, str] = {}
    for node in reversed(document.nodes):  # parts before what holds them
        # A part before what holds it is a fault of the source, which the store refuses by name.
        parts = [found.get(part.urn, "") for part in children.get(node.urn, ())]
        own = placeholder(node.text or ("" if parts else node.heading), language)
        left = own or ("" if node.text else next(iter(parts), ""))
        found[node.urn] = node.tags.get("status", "") or (left if all(parts) else "")
        if found[node.urn] and node.structure_type != "ROOT":
            node.tags.setdefault("status", found[node.urn])
