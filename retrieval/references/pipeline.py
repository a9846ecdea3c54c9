"""The resolution pipeline: from what people write to the one right node, or to a candid list.

    string -> an id, URN or alias as it is -> the version at the date
           -> every parser: confident queries (the first hit wins), then candidates (one hit is served with a warning)
           -> not found, with the nearest that is there

Parsers are given; this module knows no jurisdiction. Nothing ambiguous is ever served as certain: readings of two
parsers that hit different nodes are a list, too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Protocol

from retrieval.errors import InputError
from retrieval.model import Candidate, Resolution
from retrieval.paths import is_path, is_urn, parse_urn
from retrieval.references.hits import LIMIT, Finder, Hit, Request, folded_title, named_urns, names_urn
from retrieval.standing import out_of_force
from retrieval.tag_query import SEVERAL, TagFilterOp, TagQuery, urn_query
from retrieval.uncertain_dates import uncertain_dates

# What a hit says against a certain reading: a longer title, other parties, another year.

LONGER_TITLE = "a title that contains the one named"
# The tags that name a law or a decision: a court's name, too, is asked for by a part of it, but on purpose.
_TITLES = frozenset({"act_title", "law", "code", "case_name"})
_PARTIES = re.compile(r"(?P<first>[^\d].{0,200}?)\sv(?:s)?\.?\s(?P<second>.{1,200}?),?\s(?=[\d\[(])", re.IGNORECASE)
_YEAR = re.compile(r"\((?:[^()]{0,60}[\s.])?(?P<year>1[6-9]\d\d|20\d\d)\)\s{0,3}\.?\Z")
# A title with the number that the law's series gives it: "Housing Act 2000 (c. 38)". The number alone is looked up.
_NUMBERED_TITLE = re.compile(
    r"(?P<title>[A-Z][^\d\n]{2,150}?\s(?:1[2-9]|20)\d\d)\s?,?\s?\((?:c|ch|cap|asp|anaw|asc|nia|N\.?I|S\.?S?\.?I)\b"
)
_BEFORE_TITLE = frozenset({"the", "of", "to", "in", "under", "by", "see"})
_NEAR = 1  # years: argued in one term and decided in the next


def as_read(hit: Hit, query: TagQuery, reference: str) -> TagQuery:
    """The query that found a hit, with a hint where the hit is not quite what the reference names."""
    doubts = [
        part
        for part in (query.hint, _title_doubt(hit, query), number_doubt(hit, reference), decision_doubt(hit, reference))
        if part
    ]
    return replace(query, hint="; ".join(doubts)) if doubts else query


def _title_doubt(hit: Hit, query: TagQuery) -> str:
    asked = (
        tag_filter
        for tag_filter in query.tag_filters.filters
        if tag_filter.op is TagFilterOp.ILIKE and tag_filter.key in _TITLES
    )
    longer = any(
        folded_title(str(hit.tags.get(tag_filter.key, ""))) != folded_title(tag_filter.values[0])
        for tag_filter in asked
    )
    return LONGER_TITLE if longer else ""


def number_doubt(hit: Hit, reference: str) -> str:
    """How a law found by the number after its title differs from that title; empty where it does not."""
    named = None if hit.kind == "decision" else _NUMBERED_TITLE.search(reference)
    title = str(hit.tags.get("act_title") or hit.corpus_title or "")
    if named is None or not title:
        return ""
    # Words of the reference may be before the title ("section 1 of the"), but no further words of a title.
    before, found, after = folded_title(named["title"]).rpartition(folded_title(title))
    last = before.split()[-1:]
    same = found and not after and (not last or last[0] in _BEFORE_TITLE or any(char.isdigit() for char in last[0]))
    return "" if same else f"law by its number alone: it is named {title} in the store, and the reference names another"


def decision_doubt(hit: Hit, reference: str) -> str:
    """How the parties or the year that a reference names differ clearly from a decision's own; empty if they do not.

    Parties are compared word by word, since citations abbreviate: `Educ.` is `Education`, `NLRB` its initials.
    """
    if hit.kind != "decision":
        return ""
    doubts: list[str] = []
    name = str(hit.tags.get("case_name") or hit.heading)
    parties = _PARTIES.match(reference)
    words = _words(name)
    if parties and words and not all(_named(_words(side), words) for side in parties.group("first", "second")):
        doubts.append(f"it is named {name} in the store, and the reference names other parties")
    cited = _YEAR.search(reference)
    decided = re.match(r"\d{4}", str(hit.tags.get("date") or hit.valid_from or ""))
    if cited and decided and abs(int(cited["year"]) - int(decided[0])) > _NEAR:
        doubts.append(f"it is of {decided[0]} in the store, and the reference says {cited['year']}")
    return f"decision by its citation alone: {'; '.join(doubts)}" if doubts else ""


def _words(text: str) -> list[str]:
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(letter)
    )
    return re.findall(r"[^\W_]+", re.sub(r"['’.](?=\w)", "", plain))


def _named(side: Sequence[str], name: Sequence[str]) -> bool:
    """Whether a party may be one of a name: one of its words is there, or too short to tell."""
    telling = [name for name in side if len(name) > 3]
    initials = "".join(text[0] for text in name)
    return not telling or any(
        text in initials
        or any(word.startswith(text[:4]) or text.startswith(word[:4]) for word in name if len(word) > 2)
        for text in telling
    )


MAX_REFERENCE = 1_000  # characters; the longest real reference lists some dozens of provisions


@dataclass(frozen=True, slots=True)
class Readings:
    """What parsers read in one reference, by their jurisdiction; those that read nothing are left out."""

    queries: Mapping[str, list[TagQuery]] = field(default_factory=dict[str, list[TagQuery]])
    # The URN of the same words, asked where the parser's confident queries find nothing: a repealed number may be
    # an alias of what is in its place, and has no tags of its own.
    names: Mapping[str, TagQuery] = field(default_factory=dict[str, TagQuery])

    def listed(self) -> list[TagQuery]:
        """The queries of all parsers, in their order."""
        return [query for group in self.queries.values() for query in group]


NO_READINGS = Readings()


class WrittenReference(Protocol):
    """A reference that a parser found in a text."""

    @property
    def start(self) -> int:
        """Its offset."""
        ...

    @property
    def end(self) -> int:
        """The offset after it."""
        ...

    @property
    def confident(self) -> bool:
        """Whether it may be presented as certain."""
        ...

    @property
    def urns(self) -> tuple[str, ...]:
        """What it names."""
        ...

    @property
    def parts(self) -> Sequence[object]:
        """The provisions that it writes out."""
        ...

    @property
    def ranges(self) -> Sequence[int]:
        """The place of the first end of each range among the parts, which names what lies before the next part too."""
        ...


class ReferenceParser(Protocol):
    """Reads references of one jurisdiction."""

    @property
    def code(self) -> str:
        """The jurisdiction."""
        ...

    def find_references(self, text: str, here: None) -> Sequence[WrittenReference]:
        """The references in a text that name their code."""
        ...

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The readings of a whole string; confident ones (no hint) first."""
        ...


def check_length(text: str) -> None:
    """Refuse a text that is too long for a reference, before anything reads it.

    Raises:
        InputError: it is.
    """
    if len(text) > MAX_REFERENCE:
        raise InputError(f"The reference has {len(text)} characters; the limit is {MAX_REFERENCE}.")


def checked_reference(text: str) -> str:
    """The reference, NFC, white space folded, full-width ASCII plain, invisible and control characters gone.

    Raises:
        InputError: empty, too long, or no valid Unicode.
    """
    check_length(text)
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InputError("The reference is not valid Unicode text.")
    kept = "".join(_plain(char) for char in text)
    kept = " ".join(unicodedata.normalize("NFC", kept).split())
    if not any(char.isalnum() for char in kept):
        raise InputError("The reference is empty. Write it as people cite it, or give a URN.")
    return kept


def _plain(char: str) -> str:
    if "\uff01" <= char <= "\uff5e":  # full-width forms of ASCII; other scripts stay as they are
        return unicodedata.normalize("NFKC", char)
    category = unicodedata.category(char)
    if category == "Cf":
        return ""
    return " " if category in ("Cc", "Zs", "Zl", "Zp") else char


def resolve(finder: Finder, request: Request, parsers: Iterable[ReferenceParser]) -> Resolution:
    """Resolve one reference.

    Args:
        finder: where nodes are looked up.
        request: the reference as `checked_reference` gives it, and what limits it.
        parsers: of the jurisdictions that may be meant, in a fixed order.

    Returns:
        `resolved` for a certain hit, `candidates` for the only hit of an uncertain reading (with `urn`, `hint` and a
        warning), `ambiguous` with all hits, `not_found` otherwise. A provision that is in the store and not in force
        at the date is found, with a warning that says when it was.

    Raises:
        InputError: it looks like a URN and is none.
    """
    readings = Readings() if is_urn(request.reference) else queries_of(request, parsers)
    return resolve_urn(finder, request, readings) or resolve_readings(finder, request, readings)


def resolve_urn(finder: Finder, request: Request, readings: Readings = NO_READINGS) -> Resolution | None:
    """Resolve a reference as an id, URN or alias; None where it may be something else. See `resolve`.

    The author of a law chooses its aliases. One that a grammar reads with confidence as the citation of other law is
    never certain: what the grammar's reading finds is beside it, and without that it is a candidate.
    """
    direct = finder.direct(request)
    if direct:
        laws = {law_of(hit.urn) for hit in direct}
        asked = [*readings.listed(), *readings.names.values()]
        others = [query for query in asked if query.hint is None and not laws >= laws_named(query)]
        if others:
            certain = _hits(finder, request, readings, confident=True, undated=False)
            known = {hit.key for hit in direct}
            rest = [pair for key, pair in certain.items() if key not in known and pair[1].hint is None]
            said = ", ".join(dict.fromkeys(named_urns(others)))
            own: list[tuple[Hit, TagQuery | None]] = [
                (hit, replace(others[0], hint=f"another name that {hit.urn} gives itself; as a citation it is {said}"))
                for hit in direct
            ]
            return _result(request, "candidate", [*rest, *own], readings.listed())
        return _result(request, "direct", [(hit, None) for hit in direct], [])
    address = is_urn(request.reference) or is_path(request.reference)
    return _not_found(request, [], "is not in the store") if address else None


def law_of(urn: str) -> tuple[str, str]:
    """The jurisdiction and the corpus of a URN."""
    parsed = parse_urn(urn)
    return parsed.jurisdiction, parsed.corpus


def laws_named(query: TagQuery) -> set[tuple[str, str]]:
    """The laws whose URNs a query asks for; none where it asks for tags."""
    return {law_of(urn) for urn in named_urns([query])}


def resolve_readings(finder: Finder, request: Request, readings: Readings) -> Resolution:
    """Resolve a reference by what parsers read in it; see `resolve`."""
    flat = readings.listed()
    for undated in (False, True):
        if undated and all(query.at_date is None for query in flat):
            break
        hits = _hits(finder, request, readings, confident=True, undated=undated)
        certain = [pair for pair in hits.values() if pair[1].hint is None]
        if certain:
            return _result(request, "confident", [*certain], flat)
        for key, pair in _hits(finder, request, readings, confident=False, undated=undated).items():
            hits.setdefault(key, pair)
        if hits:
            return _result(request, "candidate", [*hits.values()], flat)
    return _not_found(request, flat, "is not in the store" if flat else "was not read as a reference by any grammar")


def _hits(
    finder: Finder, request: Request, readings: Readings, *, confident: bool, undated: bool
) -> dict[tuple[str, int], tuple[Hit, TagQuery]]:
    """What the confident queries or the candidates find, each node once, with the query that found it first.

    A hit that is not quite what the reference names has a query with a hint, even of a confident one.
    """
    hits: dict[tuple[str, int], tuple[Hit, TagQuery]] = {}
    for code, group in readings.queries.items():
        named = readings.names.get(code) if confident else None
        for query in [*group, named] if named is not None else group:
            if (query.hint is None) != confident:
                continue
            found = finder.run(replace(query, at_date=None) if undated else query, request)
            read = [(hit, as_read(hit, query, request.reference)) for hit in found]
            for one, by in read:
                if one.key not in hits or (by.hint is None and hits[one.key][1].hint is not None):
                    hits[one.key] = one, by
            if confident and any(by.hint is None for _, by in read):
                break  # this parser's first hit wins
    return hits


def queries_of(request: Request, parsers: Iterable[ReferenceParser]) -> Readings:
    """Every parser's readings of a reference, narrowed by the request; a reading that two share counts once."""
    known: set[TagQuery] = set()
    queries: dict[str, list[TagQuery]] = {}
    names: dict[str, TagQuery] = {}
    for parser in parsers:
        read = [
            query
            for query in parser.tag_queries(request.reference)
            if not request.language or query.language == request.language or names_urn(query)
        ]
        kept = [
            query for query in dict.fromkeys(narrowed(tag_query, request) for tag_query in read) if query not in known
        ]
        known.update(kept)
        if kept:
            queries[parser.code] = kept
        urn = _urn_named(request.reference, parser, kept)
        if urn:
            names[parser.code] = narrowed(urn_query(urn, language=kept[0].language), request)
    return Readings(queries, names)


def narrowed(query: TagQuery, request: Request) -> TagQuery:
    """A reading with the tags and the date of the request."""
    at_date = query.at_date or request.at_date
    return replace(
        query,
        tag_filters=query.tag_filters.merged(request.tags),
        at_date=at_date,
        should_sort_in_force_first=query.should_sort_in_force_first and at_date is None,
    )


def _urn_named(reference: str, parser: ReferenceParser, queries: list[TagQuery]) -> str:
    """The one URN that a reference names for certain, where its queries ask for tags only; else empty."""
    if all(query.hint is not None for query in queries) or any(names_urn(query) for query in queries):
        return ""
    found = parser.find_references(reference, None)
    whole = len(found) == 1 and found[0].start == 0 and found[0].end >= len(reference.rstrip(" .,;?"))
    return found[0].urns[0] if whole and found[0].confident and len(found[0].urns) == 1 else ""


def _result(
    request: Request, source: str, found: Sequence[tuple[Hit, TagQuery | None]], queries: list[TagQuery]
) -> Resolution:
    live = [pair for pair in found if pair[0].in_force(_at(request, pair[1]))]
    chosen = live if live and source != "candidate" else found
    candidates = [candidate_of(hit, query) for hit, query in found]
    if len(chosen) > 1:
        message = (
            names_several(len(candidates))
            if all(candidate.hint == SEVERAL for candidate in candidates)
            else _fits(candidates)
        )
        return _resolution(request, "ambiguous", None, None, candidates, queries, [], message)
    hit, query = chosen[0]
    at = _at(request, query)
    warnings = _warnings(hit, at)
    if query is not None and query.hint is not None:
        warnings.insert(0, f"Read as: {query.hint}. The words alone do not say so.")
        return _resolution(request, "candidates", hit.urn, query.hint, candidates, queries, warnings, at=at)
    if query is not None and hit.language != query.language:
        warnings.append(f"The store has this provision in language {hit.language}.")
    return _resolution(request, "resolved", hit.urn, None, [candidate_of(hit, query)], queries, warnings, at=at)


def names_several(count: int) -> str:
    """What to say of a list or range."""
    return f"The reference names {count} provisions; ask for one of them."


def _fits(candidates: Sequence[Candidate]) -> str:
    count = f"{len(candidates)} provisions or more" if len(candidates) >= LIMIT else f"{len(candidates)} provisions"
    return f"The reference fits {count}; name one of them, or narrow it by jurisdiction or tags."


def _at(request: Request, query: TagQuery | None) -> date:
    """The date of the law that a reading asks for: its words may name one."""
    return (query.at_date if query else None) or request.at_date or request.today


def _warnings(hit: Hit, at: date) -> list[str]:
    said = out_of_force(hit.urn, hit, at)
    warnings = [said] if said else []
    return [*warnings, *(warning.message for warning in uncertain_dates([hit] if hit.in_force(at) else [], at))]


def candidate_of(hit: Hit, query: TagQuery | None) -> Candidate:
    """A hit as a resolution lists it, with the hint of the reading that found it."""
    title = hit.heading or str(hit.tags.get("act_title") or hit.tags.get("code") or "")
    return Candidate(
        urn=hit.urn,
        hint=query.hint if query else None,
        title=" · ".join(dict.fromkeys(part for part in (hit.corpus_title or "", title) if part)),
        jurisdiction=hit.jurisdiction,
        valid_from=hit.valid_from,
        valid_to=hit.valid_to,
        from_basis=hit.from_basis,
        to_basis=hit.to_basis,
    )


def _not_found(request: Request, queries: list[TagQuery], why: str) -> Resolution:
    message = f"The reference {why}."
    if not queries and not is_urn(request.reference) and not is_path(request.reference):
        message += " Ask it as a question with `lexscope search`, or write it as it is cited."
    return _resolution(request, "not_found", None, None, [], queries, [], message)


def _resolution(
    request: Request,
    status: str,
    urn: str | None,
    hint: str | None,
    candidates: list[Candidate],
    queries: list[TagQuery],
    warnings: list[str],
    message: str = "",
    at: date | None = None,
) -> Resolution:
    return Resolution.model_validate(
        {
            "reference": request.reference,
            "status": status,
            "urn": urn,
            "hint": hint,
            "at_date": at or request.at_date or request.today,
            "candidates": candidates,
            "tag_queries": queries,
            "warnings": warnings,
            "message": message,
        }
    )
