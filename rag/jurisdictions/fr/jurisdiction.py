"""France: its codes, laws, decrees and ordinances, constitutional texts, and the numbers of its decisions and files."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby

from rag.jurisdictions.fr.examples import EXAMPLES, QUERY_EXAMPLES
from rag.jurisdictions.fr.naming import JURISDICTION_URN
from rag.jurisdictions.fr.orders import in_order
from rag.jurisdictions.fr.places import Cited, Places
from rag.jurisdictions.fr.queries import queries
from rag.jurisdictions.fr.reader import Reading, read_references
from rag.jurisdictions.fr.text import Folded, fold
from rag.jurisdictions.grammar.signals import unframed
from rag.law.jurisdiction import FoundReference, Jurisdiction, ReferenceContext, ReferenceKind, ReferencePart
from retrieval.paths import MAX_URN_LENGTH
from retrieval.tag_query import TagQuery

# What is worth asking the European grammar about: "règlement (UE) 2016/679", "RGPD", "32016R0679".
_EUROPEAN = re.compile(
    r"\((?:UE|CE|CEE|EURATOM|Euratom|UE, Euratom)\)|/(?:UE|CE|CEE)\b|\b(?:RGPD|TFUE|TUE)\b|\b3(?:19|20)\d\d[RLD]\d{4}\b"
)
# Words of other law that a provision inserts stand in quotation marks; what they cite is not cited here.
_QUOTED = re.compile(r'(?:\A|(?<=[\s(]))"[^"\n]{0,20000}(?:"(?![\w])|\Z)')
MAX_REORDERED = 300  # characters; what is longer is no citation in another order


class France:
    """French law; `Jurisdiction` describes the members."""

    code = "fr"
    name = "France"
    language = "fr"
    supports_annotation = True
    examples = EXAMPLES
    query_examples = QUERY_EXAMPLES
    main_levels: Mapping[str, str] = {}

    def document_urn(self, urn: str) -> str:
        """A code or law is one document: its corpus."""
        return ":".join(urn.split(":")[:4]) if urn.startswith(f"{JURISDICTION_URN}:") else ""

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order; see `Jurisdiction`."""
        folded = fold(text)
        places = Places(here)
        quoted = [match.span() for match in _QUOTED.finditer(folded.text)] if here is not None else []
        found: list[FoundReference] = []
        for reading in read_references(folded.text):
            cited = places.cited(reading)
            if any(start < reading.start < end for start, end in quoted):
                continue
            named = _references(reading, cited, text, folded)
            found.extend(one for one in named if here is not None or one.kind != "relative")
        return _with_european(found, text)

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The readings of a whole string; see `Jurisdiction`."""
        bare = unframed(reference, self.language)
        if (found := queries(bare)) or len(bare) > MAX_REORDERED:
            return found
        for written, doubt in in_order(bare):
            if found := queries(written):
                return [replace(one, hint=one.hint or doubt or None) for one in found]
        return []


def _references(reading: Reading, cited: list[Cited], text: str, folded: Folded) -> Iterator[FoundReference]:
    """One reference of a reading; where it names law of two kinds, one for each."""
    start, end = folded.original(reading.start), folded.original(reading.end, end=True)
    parts = [(one, _part(one, folded)) for one in cited]
    if len({one.target.kind for one, _ in parts}) <= 1:
        if parts:
            yield _found(text, start, end, parts)
        return
    for _, group in groupby(parts, key=lambda pair: pair[0].target.kind):
        some = list(group)
        yield _found(text, some[0][1].start, some[-1][1].end, some)


def _part(one: Cited, folded: Folded) -> ReferencePart:
    urn = one.target.urn if len(one.target.urn) <= MAX_URN_LENGTH else ""
    return ReferencePart(folded.original(one.item.start), folded.original(one.item.end, end=True), urn, one.item.range)


def _found(text: str, start: int, end: int, parts: list[tuple[Cited, ReferencePart]]) -> FoundReference:
    kind: ReferenceKind = parts[0][0].target.kind
    confident = all(one.target.sure for one, _ in parts)
    return FoundReference(start, end, text[start:end], tuple(part for _, part in parts), kind, confident)


def _with_european(found: list[FoundReference], text: str) -> list[FoundReference]:
    """European law is read by its own grammar, where one is installed; its readings replace "external" ones."""
    if _EUROPEAN.search(text) is None:
        return found
    # The registry lists this module, so that it can only be asked when it is complete.
    from rag.jurisdictions.registry import jurisdiction_for

    union = [one for one in jurisdiction_for("eu").find_references(text, None) if one.urns]
    kept = [one for one in found if one.urns or not _touches(one, union)]
    return sorted([*kept, *(one for one in union if not _touches(one, kept))], key=lambda one: one.start)


def _touches(one: FoundReference, others: list[FoundReference]) -> bool:
    """Whether a reference overlaps one of a list that is in order and without overlap."""
    place = bisect_right(others, one.start, key=lambda other: other.end)
    return place < len(others) and others[place].start < one.end


JURISDICTION: Jurisdiction = France()
