"""Several definitions of one term in one law that no phrase gives a scope: each governs its own part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rag.ingest.nodes import CONTAINER_TYPES, Definition, ParsedNode
from rag.ingest.term_uses import TermRules
from rag.jurisdictions.base import DocumentIndex

_DEFINING = re.compile(r"defin|définition|\bdéfini|begriff|interpretation|meaning|glossary|定義", re.IGNORECASE)
_GENERAL = re.compile(r"\bgeneral\b|preliminary|allgemein|gemeinsame|généra|préliminaire|communes|総則", re.IGNORECASE)


def without_competition(definitions: list[Definition], index: DocumentIndex, rules: TermRules) -> list[Definition]:
    """The definitions, none of which governs by its place alone what another one governs too.

    Of meanings of a term with one scope, one that a phrase gives it keeps it, and the others are their sections' alone.
    Else the only one in a section of definitions keeps it, else the only one among general provisions, and the others
    govern the largest unit that holds no other. Additions to a meaning ("includes") compete with nothing, nor do
    meanings of one section with each other.

    Args:
        definitions: of one document.
        index: of that document.
        rules: how its terms are compared.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(definitions):
        if one.relation == "means":
            groups.setdefault((rules.normalise(one.term), one.scope_urn), []).append(place)
    out = list(definitions)
    for (_, scope), places in groups.items():
        sections = {place: _section(definitions[place], index) for place in places}
        if len({one.urn for one in sections.values() if one is not None}) < 2 or None in sections.values():
            continue
        known = {place: one for place, one in sections.items() if one is not None}
        stated = {section.urn for place, section in known.items() if not definitions[place].inferred}
        keeper = "" if stated else _keeper(known, index)
        for place, section in known.items():
            if definitions[place].inferred and section.urn not in (keeper, *stated):
                others = [one for one in known.values() if one is not section]
                unit = section.urn if stated else _alone(section, others, scope, index)
                out[place] = replace(definitions[place], scope_urn=unit)
    return out


def with_additions(definitions: list[Definition], index: DocumentIndex, rules: TermRules) -> list[Definition]:
    """The definitions, of which one that adds to a meaning of its section governs what that meaning does.

    "The term X does not include" without a phrase, beside "for the purposes of this chapter the term X means".
    """
    meanings: dict[tuple[str, str], set[str]] = {}
    keys: list[tuple[str, str]] = []
    for one in definitions:
        section = _section(one, index)
        keys.append((rules.normalise(one.term), section.urn if section is not None else one.node_urn))
        if one.relation == "means" and not one.inferred:
            meanings.setdefault(keys[-1], set()).add(one.scope_urn)
    out: list[Definition] = []
    for one, key in zip(definitions, keys, strict=True):
        scopes = meanings.get(key, set[str]())
        adds = one.inferred and not one.phrase and one.relation in ("includes", "excludes") and len(scopes) == 1
        out.append(replace(one, scope_urn=next(iter(scopes))) if adds else one)
    return out


def _section(definition: Definition, index: DocumentIndex) -> ParsedNode | None:
    node = index.node(definition.node_urn)
    return index.section(node) if node is not None else None


def _keeper(known: dict[int, ParsedNode], index: DocumentIndex) -> str:
    """The section whose meaning keeps the scope by its headings; empty where none is before the others."""
    for words in (_DEFINING, _GENERAL):
        found = {one.urn for one in known.values() if any(words.search(text) for text in _headings(one, index))}
        if len(found) == 1:
            return found.pop()
    return ""


def _headings(section: ParsedNode, index: DocumentIndex) -> Iterator[str]:
    return (one.heading for one in index.chain(section) if one is not index.root)


def _alone(section: ParsedNode, others: list[ParsedNode], scope: str, index: DocumentIndex) -> str:
    """The largest unit of a section, within a scope, that holds none of the others."""
    taken = {one.urn for other in others for one in index.chain(other)}
    best = section
    for one in index.chain(section)[1:]:
        if one.urn in taken or one.urn == scope or one.structure_type not in CONTAINER_TYPES:
            break
        best = one
    return best.urn
