"""American references that name no URN: decisions by reporter, and section numbers without their code."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, cast

from rag.jurisdictions.grammar.targets import below
from rag.law.designators import read_designators
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery

if TYPE_CHECKING:
    from eyecite.models import FullCaseCitation
    from eyecite.tokenizers import Tokenizer

# What may be a volume, a reporter and a page: cheap to test before the reporters' own tables, which load in a second.
_REPORTED = re.compile(r"(?:\d{1,4}[A-Z]?(?:-\d{1,2})?[\s-]{0,3})?[A-Z][^§]{1,60}\d[\w-]{0,4}(?:\s\([^()]{1,40}\))?\Z")
_COURT_AND_YEAR = re.compile(r"\s{0,3}\([^()]{0,60}\d{4}\)\s{0,3}\.?\Z")
_PINPOINT = re.compile(r",\s{0,3}(?:at\s)?\*?\d{1,5}(?:\s?[-–]\s?\d{1,5})?(?:\s?(?:&\s)?nn?\.\s?\d{1,3})?\Z")
_NAME = re.compile(r".{1,200}?\sv\.?\s.{1,200}?,\s{1,3}(?=\d{1,4}\s)")
_OPINION = re.compile(
    r"\s\([^()]{0,60}\b(?:concurring|dissenting|plurality|curiam|opinion|quoting|citing)\b[^()]{0,60}\)\Z"
)
_LETTERED = re.compile(
    r"Reg(?:ulation|\.)?\s[A-Z]{1,2}(?:-[A-Z]{1,2})?,?\s(?:§{1,2}\s?|sec(?:tion|\.)\s)?(?P<number>\d{2,4}\.\d{1,4})"
)
_BY_LETTER = "section of a lettered regulation, its title not named"
_BARE = re.compile(
    r"(?P<word>§{1,2}\s?|sections?\s|secs?\.\s?)?(?P<number>\d{1,5}[a-z]{0,3}(?:[.-]\d{1,4}[a-z]{0,3}){0,2})"
    r"(?=\(|\s\(|\Z)",
    re.IGNORECASE,
)
_TITLES = {"usc": range(1, 55), "cfr": range(1, 51)}
_NO_TITLE = {
    "usc": "section of the U.S. Code, its title not named",
    "cfr": "section of the C.F.R., its title not named",
}


@cache
def _tokenizer() -> Tokenizer:
    from eyecite.tokenizers import default_tokenizer

    return default_tokenizer


def reporter_queries(reference: str) -> list[TagQuery]:
    """The decision that a string names by volume, reporter and page, whatever its spelling: `347 US 483 (1954)`.

    Returns:
        One confident query by the reporter's standard abbreviation; nothing where the string is more than that.
    """
    # A name before the citation and a court after it only repeat what the numbers say.
    core = _COURT_AND_YEAR.sub("", _OPINION.sub("", reference))
    name = _NAME.match(core)
    core = core[name.end() :] if name else core
    # After a comma may stand the page of the passage, but in old citations the first page as well.
    for one in dict.fromkeys((core, _PINPOINT.sub("", core))):
        if _REPORTED.match(one) and (found := _reported(one)):
            return list(found)
    return []


@lru_cache(maxsize=4096)
def _reported(citation: str) -> tuple[TagQuery, ...]:
    from eyecite import get_citations
    from eyecite.models import FullCaseCitation

    found = [one for one in get_citations(citation, tokenizer=_tokenizer()) if isinstance(one, FullCaseCitation)]
    if len(found) != 1 or found[0].span() != (0, len(citation.rstrip(" ."))):
        return ()
    [case] = found
    groups = cast("dict[str, str | None]", case.groups)  # pyright: ignore[reportUnknownMemberType]
    parts = (groups.get("volume"), _reporter(case), groups.get("page"))
    names = list(dict.fromkeys((case.corrected_citation(), " ".join(part for part in parts if part))))
    tag = TagFilter("alias", TagFilterOp.IN, names) if len(names) > 1 else TagFilter("alias", TagFilterOp.EQ, names[0])
    # "1 Ill. (Breese) 456" names two reporters, and either may be what the store knows the decision by.
    doubtful = "(" in case.matched_text() and "(" not in _reporter(case)
    hint = "decision in the reporter named in brackets" if doubtful else None
    return (TagQuery(language="en", kind="decision", tag_filters=TagFilterSet((tag,)), hint=hint),)


def _reporter(case: FullCaseCitation) -> str:
    return cast("str", case.corrected_reporter())  # pyright: ignore[reportUnknownMemberType]


def regulation_queries(reference: str) -> list[TagQuery]:
    """What a section of a lettered regulation may be: `Reg. Z § 1026.17(c)`, by bank or securities regulators."""
    match = _LETTERED.match(reference)
    if match is None:
        return []
    path, end = read_designators(reference, match.end())
    if reference[end:].strip(" ."):
        return []
    place = below("urn", match["number"], *path).removeprefix("urn")
    tag = TagFilter("urn", TagFilterOp.IN, [f"urn:lex:us:{title}cfr{place}" for title in (12, 17)])
    return [TagQuery(language="en", tag_filters=TagFilterSet((tag,)), hint=_BY_LETTER)]


def bare_section_queries(reference: str) -> list[TagQuery]:
    """What a federal section number without its title may mean: `§ 106`, `1026.17(c)(1)`.

    Returns:
        One candidate over all titles of the code that numbers like this; nothing for a bare whole number, which may
        be anything.
    """
    match = _BARE.match(reference)
    if match is None:
        return []
    number = match["number"]
    path, end = read_designators(reference, match.end())
    pointed = "." in number
    if reference[end:].strip(" .") or not (match["word"] or pointed or path):
        return []
    code = "cfr" if pointed else "usc"
    place = below("urn", number, *path).removeprefix("urn")
    if not place:
        return []
    tag = TagFilter("urn", TagFilterOp.IN, [f"urn:lex:us:{title}{code}{place}" for title in _TITLES[code]])
    return [TagQuery(language="en", tag_filters=TagFilterSet((tag,)), hint=_NO_TITLE[code])]
