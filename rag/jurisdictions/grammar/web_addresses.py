"""Addresses of official publications, which people paste instead of citing: each names one provision or document.

A grammar like those of the jurisdictions, for whole strings only: a text cites law in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from urllib.parse import unquote

from rag.jurisdictions.grammar.kernel import below
from rag.law.designators import read_designators
from rag.law.jurisdiction import FoundReference
from rag.law.patterns import lazy
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

_SITE = r"(?:https?://)?(?:www\.)?"
_BRITISH = (
    r"ukpga|ukla|ukppa|uksi|ukmo|ukci|ukcm|asp|ssi|asc|anaw|mwa|wsi|nia|nisi|nisr|apni|mnia|aosp|apgb|aep|aip|gbla|eur|"
    r"eudr|eudn|eut"
)
_UNION_KINDS = {"reg": "r", "dir": "l", "dec": "d", "reg_impl": "r", "reg_del": "r", "dec_impl": "d"}
_UNION_LANGUAGES = ("en", "fr", "de")


def _urns(urn: str, *languages: str) -> list[TagQuery]:
    return [urn_query(urn, language=language) for language in languages] if urn else []


def _alias(identifier: str, language: str) -> list[TagQuery]:
    tag = TagFilter("alias", TagFilterOp.EQ, identifier)
    return [TagQuery(language=language, tag_filters=TagFilterSet((tag,)))]


def _british(match: re.Match[str]) -> list[TagQuery]:
    parts = [part for part in (match["place"] or "").split("/") if part]
    if parts[:1] == ["schedule"]:
        # Paragraphs of a schedule are numbered through its parts.
        inner = parts[parts.index("paragraph") + 1 :] if "paragraph" in parts else []
        parts = [f"sch.{parts[1]}" if len(parts) > 1 and parts[1][0].isdigit() else "sch", *inner]
    elif parts:
        parts = parts[1:]
    return _urns(below(f"urn:lex:gb:{match['kind']}-{match['year']}-{match['number']}", *parts), "en")


def _judgment(match: re.Match[str]) -> list[TagQuery]:
    court = "-".join(part for part in match["court"].split("/") if part)
    return _urns(below(f"urn:lex:gb:{court}-{match['year']}-{match['number']}"), "en")


def _celex(match: re.Match[str]) -> list[TagQuery]:
    return _urns(f"urn:lex:eu:{match['celex'].lower()}", *_UNION_LANGUAGES)


def _eli(match: re.Match[str]) -> list[TagQuery]:
    number = f"3{match['year']}{_UNION_KINDS[match['kind']]}{int(match['number']):04}"
    article = (match["article"],) if match["article"] else ()
    return _urns(below(f"urn:lex:eu:{number}", *article), *_UNION_LANGUAGES)


def _legifrance(match: re.Match[str]) -> list[TagQuery]:
    return _alias(f"fr.{match['id'].lower()}", "fr")


def _german(match: re.Match[str]) -> list[TagQuery]:
    law = re.sub(r"_(?:19|20)\d\d\Z", "", match["law"]).replace("_", "-")
    number = (match["number"],) if match["number"] else ()
    return _urns(below(f"urn:lex:de:{law}", *number), "de")


def _federal(match: re.Match[str]) -> list[TagQuery]:
    code = "usc" if (match.groupdict().get("code") or "cfr").startswith("us") else "cfr"
    number = match["number"]
    if code == "cfr" and "." not in number:
        number = f"part_{number}"
    fragment = match.groupdict().get("path") or ""
    path, _ = read_designators(fragment, 0) if fragment else ((), 0)
    return _urns(below(f"urn:lex:us:{match['title']}{code}", number, *path), "en")


def _columbian(match: re.Match[str]) -> list[TagQuery]:
    return _urns(below("urn:lex:us-dc:code", *match["number"].split(":")), "en")


def _japanese(match: re.Match[str]) -> list[TagQuery]:
    article = (match["article"].replace("_", "-"),) if match["article"] else ()
    return _urns(below(f"urn:lex:jp:{match['law'].lower()}", *article), "ja", "en")


_DAY = r"(?P<day>\d{4}-\d\d-\d\d)"
_ORIGINAL = "the address is of the text as first made; this is the one in the store"
_NUMBER = r"[0-9](?:(?!\.html)[0-9A-Za-z.:-]){0,24}"
_ADDRESSES: tuple[tuple[str, Callable[[re.Match[str]], list[TagQuery]]], ...] = (
    (
        rf"(?:{_SITE}legislation\.gov\.uk/)?(?:id/)?(?P<kind>{_BRITISH})/(?P<year>\d{{4}})/(?P<number>\d{{1,5}})"
        rf"(?P<place>(?:/(?:section|regulation|article|rule|schedule|paragraph|part|chapter)/{_NUMBER}"
        r"(?:/(?!enacted|made|created|prospective|contents)[0-9A-Za-z]{1,8}){0,6}){0,4}|/schedule)"
        rf"(?:/(?P<original>enacted|made|created)|/{_DAY})?",
        _british,
    ),
    (
        rf"{_SITE}caselaw\.nationalarchives\.gov\.uk/(?:id/)?(?P<court>[a-z]{{2,10}}(?:/[a-z]{{2,10}})?)/(?P<year>\d{{4}})/"
        r"(?P<number>\d{1,5})",
        _judgment,
    ),
    (
        rf"{_SITE}eur-lex\.europa\.eu/.{{0,120}}CELEX(?::|=)(?P<celex>[1-9]\d{{4}}[A-Z]{{1,2}}\d{{4}})(?:[&(].{{0,80}})?",
        _celex,
    ),
    (
        rf"{_SITE}(?:data\.europa\.eu|eur-lex\.europa\.eu)/eli/(?P<kind>{'|'.join(_UNION_KINDS)})/(?P<year>\d{{4}})/"
        r"(?P<number>\d{1,4})(?:/art_(?P<article>\d{1,4}[a-z]?)(?:/[a-z0-9_]{1,12}){0,3})?(?:/oj)?(?:/[a-z]{3})?",
        _eli,
    ),
    (
        rf"{_SITE}legifrance\.gouv\.fr/(?:[a-z_]{{2,30}}/){{1,3}}"
        rf"(?P<id>(?:LEGI|JORF|JURI|CETA|KALI|CONS|CNIL)(?:ARTI|TEXT|SCTA|CONT)\d{{12}})(?:/{_DAY}|/(?!\d{{4}}-).{{0,40}})?",
        _legifrance,
    ),
    (
        rf"{_SITE}gesetze-im-internet\.de/(?P<law>[a-z0-9_-]{{2,40}})(?:/(?:(?:__|art_)(?P<number>\d{{1,4}}[a-z]?)\.html|"
        r"index\.html)?)?",
        _german,
    ),
    (
        rf"{_SITE}ecfr\.gov/(?:current|on/{_DAY})/title-(?P<title>\d{{1,2}})/(?:[a-z]+-[A-Za-z0-9]+/){{0,6}}"
        rf"(?:section|part)-(?P<number>{_NUMBER})(?:#p-[0-9.]{{1,20}}(?P<path>[(\w)]{{1,40}}))?",
        _federal,
    ),
    (
        rf"{_SITE}law\.cornell\.edu/(?P<code>uscode|cfr)/text/(?P<title>\d{{1,2}})/(?:part-)?(?P<number>{_NUMBER})"
        r"(?:#[a-zA-Z0-9_]{1,20})?",
        _federal,
    ),
    (
        rf"{_SITE}uscode\.house\.gov/.{{0,60}}(?P<code>USC)-prelim-title(?P<title>\d{{1,2}})-section(?P<number>{_NUMBER})"
        r"(?:[&#].{0,80})?",
        lambda match: _urns(below(f"urn:lex:us:{match['title']}usc", match["number"]), "en"),
    ),
    (rf"{_SITE}code\.dccouncil\.(?:gov|us)/us/dc/council/code/sections/(?P<number>{_NUMBER})(?:\.html)?", _columbian),
    (
        rf"{_SITE}(?:laws|elaws)\.e-gov\.go\.jp/(?:law/|document\?lawid=)(?P<law>[0-9A-Z]{{15}})(?:_[0-9A-Z_]{{1,40}})?"
        r"(?:#Mp-At_(?P<article>\d{1,4}(?:_\d{1,3}){0,3})(?:-.{0,20})?)?",
        _japanese,
    ),
)
_COMPILED = [(lazy(pattern, re.IGNORECASE), read) for pattern, read in _ADDRESSES]


class WebAddresses:
    """Reads the address of a provision on an official site; see `retrieval.references.pipeline.ReferenceParser`."""

    code = "web"

    def find_references(self, text: str, here: None) -> Sequence[FoundReference]:
        """None: addresses are read as whole strings."""
        return []

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The confident query of an address, at the day that it names; nothing for any other string."""
        address = unquote(reference.strip()).rstrip("/ ")
        for pattern, read in _COMPILED:
            if match := pattern.fullmatch(address):
                return _of_edition(read(match), match.groupdict())
        return []


def _of_edition(queries: list[TagQuery], parts: Mapping[str, str | None]) -> list[TagQuery]:
    """The queries for the edition that an address shows; nothing where it names a day that is none."""
    if parts.get("original"):
        return [replace(query, hint=_ORIGINAL) for query in queries]
    if not (day := parts.get("day")):
        return queries
    try:
        at_date = date.fromisoformat(day)
    except ValueError:
        return []
    return [replace(query, at_date=at_date) for query in queries]


ADDRESSES = WebAddresses()
