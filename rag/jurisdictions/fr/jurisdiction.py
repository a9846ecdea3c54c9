"""France: its codes, laws, decrees and ordinances, constitutional texts, and the numbers of its decisions and files."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from rag.jurisdictions.fr.places import Cited, Places
from rag.jurisdictions.fr.queries import queries
from rag.jurisdictions.fr.reader import Reading, read_references
from rag.jurisdictions.fr.text import Folded, fold
from rag.jurisdictions.grammar.kernel import CountryLaw, Span, reference_of
from rag.law.jurisdiction import FoundReference, Jurisdiction, ReferenceContext
from rag.law.patterns import lazy
from retrieval.paths import MAX_URN_LENGTH
from retrieval.tag_query import TagQuery

# What is worth asking the European grammar about: "règlement (UE) 2016/679", "RGPD", "32016R0679".
_EUROPEAN = lazy(
    r"\((?:UE|CE|CEE|EURATOM|Euratom|UE, Euratom)\)|/(?:UE|CE|CEE)\b|\b(?:RGPD|TFUE|TUE)\b|\b3(?:19|20)\d\d[RLD]\d{4}\b"
)
# Words of other law that a provision inserts are in quotation marks; what they cite is not cited here.
_QUOTED = lazy(r'(?:\A|(?<=[\s(]))"[^"\n]{0,20000}(?:"(?![\w])|\Z)')


class France(CountryLaw):
    """French law; `Jurisdiction` describes the members."""

    code = "fr"
    name = "France"
    language = "fr"

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
            found.extend(reference for reference in named if here is not None or reference.kind != "relative")
        union = self.grammar_of("eu") if self.grammar_of and _EUROPEAN.search(text) else None
        return _with_european(found, union.find_references(text, None)) if union else found

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The readings of a whole string; see `Jurisdiction`."""
        return queries(reference)


def _references(reading: Reading, cited: list[Cited], text: str, folded: Folded) -> Iterator[FoundReference]:
    """One reference of a reading; where it names law of two kinds, one for each."""
    start, end = folded.original(reading.start), folded.original(reading.end, end=True)
    spans = [_span(citation.item, folded) for citation in cited]
    targets = [
        citation.target if len(citation.target.urn) <= MAX_URN_LENGTH else replace(citation.target, urn="")
        for citation in cited
    ]
    if len({target.kind for target in targets}) == 1:
        yield reference_of(text, start, end, spans, targets)
        return
    for _, group in groupby(zip(spans, targets, strict=True), key=lambda pair: pair[1].kind):
        some, their = zip(*group, strict=True)
        yield reference_of(text, some[0].start, some[-1].end, some, their)


def _span(item: Span, folded: Folded) -> Span:
    return Span(folded.original(item.start), folded.original(item.end, end=True), range=item.range)


def _with_european(found: list[FoundReference], read: list[FoundReference]) -> list[FoundReference]:
    """What the European grammar read replaces "external" law of the same words."""
    union = [reference for reference in read if reference.urns]
    kept = [reference for reference in found if reference.urns or not _touches(reference, union)]
    return sorted(
        [*kept, *(reference for reference in union if not _touches(reference, kept))], key=lambda one: one.start
    )


def _touches(one: FoundReference, others: list[FoundReference]) -> bool:
    """Whether a reference overlaps one of a list that is in order and without overlap."""
    place = bisect_right(others, one.start, key=lambda other: other.end)
    return place < len(others) and others[place].start < one.end


JURISDICTION: Jurisdiction = France()
