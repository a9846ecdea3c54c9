"""Germany: federal law by § or Artikel, decisions by Aktenzeichen or ECLI, European acts as German texts cite them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from rag.jurisdictions.de.acts import ACT_ALONE, Act, read_act
from rag.jurisdictions.de.cases import GAZETTE, IN_TEXT, case_queries
from rag.jurisdictions.de.citations import Citation, citations
from rag.jurisdictions.de.examples import EXAMPLES, QUERY_EXAMPLES
from rag.jurisdictions.de.orders import turned
from rag.jurisdictions.de.reader import LAST, Path, Reading
from rag.jurisdictions.de.resolver import UNSEEN, Resolver, places
from rag.jurisdictions.grammar.signals import unframed
from rag.law.jurisdiction import FoundReference, Jurisdiction, ReferenceContext, ReferenceKind, ReferencePart
from retrieval.references.doubts import PART_NAMED
from retrieval.tag_query import TagFilterSet, TagQuery, urn_query

_OTHERS = re.compile(f"(?P<gazette>{GAZETTE})|(?P<case>{IN_TEXT})|(?P<act>{ACT_ALONE})")
# "§ 2-314" numbers a section of American codes; German law writes "§§ 2-314" for a range.
_ONE_SIGN = re.compile(r"§\s?\d{1,4}[a-z]?[-\u2010-\u2015]\d")
UNNAMED = "the law is not named"
_SEVERAL = "one of several provisions named"
_OPENING = re.compile(r"(?:der|die|das|des|dem|den)\s", re.IGNORECASE)


class Germany:
    """Federal law of Germany."""

    code = "de"
    name = "Deutschland"
    language = "de"
    supports_annotation = True
    examples = EXAMPLES
    query_examples = QUERY_EXAMPLES
    main_levels: Mapping[str, str] = {}

    def document_urn(self, urn: str) -> str:
        """The law: its abbreviation is the corpus."""
        return ":".join(urn.split(":")[:4]) if urn.count(":") >= 3 else ""

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order; see `Jurisdiction`."""
        resolver = Resolver(here)
        read = (resolver.reference(text, one) for one in citations(text, smaller=here is not None))
        found = [one for one in read if one is not None]
        return _apart([*found, *_others(text), *(places(text, here) if here else ())])

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """See `Jurisdiction`; "§ 823 BGB" is asked for by the tags that the specification names."""
        text = unframed(reference, self.language).rstrip(" .,;?")
        if cases := case_queries(text):
            return cases
        opening = _OPENING.match(text)
        text = text[opening.end() :] if opening else text
        law = read_act(text, 0, loose=True) if text[:1] != "§" else None
        if law is not None and law.end == len(text):
            return _law_queries(law)
        if found := self._provisions(text):
            return found
        written, hint = turned(text, law)
        return [replace(one, hint=one.hint or hint) for one in self._provisions(written)] if written else []

    def _provisions(self, text: str) -> list[TagQuery]:
        """The provisions that the whole string names."""
        found = citations(text, smaller=False, loose=True)
        if not found or found[0].start != 0 or found[-1].end < len(text):
            return []
        if len(found) == 1 and len(found[0].reading.items) == 1:
            return _one(text, found[0])
        if _ONE_SIGN.match(text) and all(one.act is None or one.act.role == "unknown" for one in found):
            return []
        if any(one.reading.sign == "anlage" for one in found):
            return []  # an Anlage "zu" a § is found by its law and number, and neither by the § nor as one
        resolver = Resolver(None)
        queries: list[TagQuery] = []
        for one in found:
            read = resolver.reference(text, one)
            if one.act is None:
                queries.extend(_unnamed(one.reading))
            elif read is not None:
                queries.extend(urn_query(urn, language="de", hint=_SEVERAL) for urn in read.urns)
        return list(dict.fromkeys(queries))


def _one(text: str, one: Citation) -> list[TagQuery]:
    """The queries for a single provision."""
    if one.act is None:
        return _unnamed(one.reading)
    [item] = one.reading.items
    read = Resolver(None).reference(text, one)
    if read is None or not read.urns:
        return []
    law = one.act.law
    hint = None
    if law is not None and one.act.role == "unknown":
        hint = f"the abbreviation {law.code} is not a known law"
    elif one.act.edition:
        hint = "another edition of the law is named; this is the one in the store"
    elif one.reading.more:
        hint = "the first of the provisions named (ff.)"
    elif (last := item.path[-1])[0] in UNSEEN and last[1] != "1":
        # Sentences are no nodes, so that nothing tells whether a later one exists; the first always does.
        union = one.act.role == "european" and last[0] == "uabs" and last[1] != LAST
        hint = None if union else PART_NAMED
    elif item.lettered and not read.confident:
        hint = "a letter after the Absatz, which may be part of its number"
    elif not read.confident:
        hint = "the Absatz may have more than one list with this number"
    if law is not None and one.reading.sign == "§" and _is_whole(item.path):
        return [_tagged("§", item.path[0][1], {"code": law.code}, hint)]
    languages = ("de", "en") if one.act.role == "european" else ("de",)
    if item.lettered and not read.confident:
        either = (read.urns[0], "".join(read.urns[0].rsplit(":", 1)))  # "Art. 23 I a GG": Absatz 1a, or its letter a
        return [urn_query(urn, language="de", hint=hint) for urn in either]
    return [urn_query(read.urns[0], language=language, hint=hint) for language in languages]


def _is_whole(path: Path) -> bool:
    """Whether a path ends with its § or Artikel; a Satz is no node of its own."""
    return len([unit for unit, _ in path if unit not in UNSEEN]) == 1


def _unnamed(reading: Reading) -> list[TagQuery]:
    """The provisions of this number in any law; for smaller units too, since no tag bears those."""
    return [
        _tagged(reading.sign, one.path[0][1], {}, UNNAMED if len(one.path) == 1 else f"{UNNAMED}; {PART_NAMED}")
        for one in reading.items
    ]


def _tagged(sign: str, number: str, tags: dict[str, str], hint: str | None) -> TagQuery:
    """The query by the tags that a law's provisions bear."""
    key = "article_number" if sign == "artikel" else "paragraph"
    filters = TagFilterSet.from_tags({key: number, **tags})
    return TagQuery(language="de", kind="legislation", tag_filters=filters, hint=hint)


def _law_queries(act: Act) -> list[TagQuery]:
    """The queries for a law as a whole."""
    if not act.urn:
        return []
    hint = None if act.sure and not act.edition else "the law is not known, or another edition of it is named"
    languages = ("de", "en") if act.role == "european" else ("de",)
    return [urn_query(act.urn, language=language, hint=hint) for language in languages]


def _others(text: str) -> list[FoundReference]:
    """Decisions and gazettes, which have no URN scheme, and European acts named without an article."""
    found: list[FoundReference] = []
    for match in _OTHERS.finditer(text):
        act = read_act(text, match.start()) if match["act"] else None
        end = max(match.end(), act.end) if act else match.end()
        if match["act"] and act is None:
            continue
        part = ReferencePart(match.start(), end, act.urn if act else "")
        kind: ReferenceKind = "explicit" if part.urn else "external"
        found.append(FoundReference(match.start(), end, text[match.start() : end], (part,), kind, confident=True))
    return found


def _apart(found: list[FoundReference]) -> list[FoundReference]:
    """In order, without overlap: where two readings meet, the one that begins first, then the longer."""
    kept: list[FoundReference] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


JURISDICTION: Jurisdiction = Germany()
