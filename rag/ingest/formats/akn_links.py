"""What an Akoma Ntoso reference points at, as URNs: ids of the same document, addresses of other laws and decisions."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from rag.ingest.formats.akn_meta import address_corpus
from retrieval.errors import InputError
from retrieval.paths import parse_urn, segment

# Abbreviations that the naming convention builds ids from: containers are no part of a URN, the others are segments.
_CONTAINERS = frozenset({"book", "tome", "title", "subtitle", "part", "pt", "subpart", "chp", "chap", "ch", "subchap",
                         "subchp", "dvs", "div", "body", "hcontainer", "xhdg"})  # fmt: skip
_PROVISIONS = frozenset({"sec", "art", "rule", "subsec", "subrule", "para", "subpara", "clause", "subclause", "point",
                         "indent", "list", "item", "level", "alinea", "section", "article", "paragraph", "subsection",
                         "regulation", "subparagraph"})  # fmt: skip
_APPENDICES = frozenset({"sch", "sched", "schedule", "annex", "att", "appendix"})
_COMPONENT = re.compile(r"(?P<kind>[a-zA-Z]+)_?(?P<number>.*)\Z")
_UK_LEVELS = frozenset({"section", "article", "regulation", "rule", "paragraph", "schedule", "annex"})
_UK_CONTAINERS = frozenset({"part", "chapter", "crossheading", "body"})


def reference_urn(href: str, own_ids: dict[str, str], base: str = "") -> str:
    """The URN a reference's target has; empty where it cannot be read with certainty.

    Args:
        href: the publisher's target: `#sec_4`, `/akn/za/act/1980/10#sec_4`, `https://www.legislation.gov.uk/...`.
        own_ids: URNs of this document's elements by id.
        base: this document's own address; a reference to it is one to its ids.
    """
    href = href.strip()
    if href.startswith("#"):
        return own_ids.get(href[1:], "")
    target, _, fragment = href.partition("#")
    target, _, portion = target.partition("~")
    fragment = fragment or portion.strip("/")
    if base and target.rstrip("/") == base.rstrip("/") and fragment:
        return own_ids.get(fragment, "")
    jurisdiction, corpus = address_corpus(target)
    if not corpus:
        return ""
    below = _provision(fragment) if fragment else _path_provision(target)
    if below is None:
        return ""
    urn = ":".join((f"urn:lex:{jurisdiction}:{corpus}", *below))
    try:
        return parse_urn(urn).text
    except InputError:
        return ""


def _provision(fragment: str) -> list[str] | None:
    """Segments of an id built by the naming convention (`part_A__sec_5__subsec_2` -> 5, 2); None for other ids."""
    segments: list[str] = []
    for component in re.split(r"__|(?<=\d)-(?=[a-z]+\d)", unquote(fragment)):
        match = _COMPONENT.match(component)
        if match is None:
            return None
        kind = match["kind"].lower()
        if kind in _CONTAINERS:
            continue
        if kind not in _PROVISIONS and kind not in _APPENDICES:
            return None
        if kind == "list" or (kind in _APPENDICES and not match["number"]):
            continue
        try:
            number = segment(match["number"])
        except InputError:
            return None
        segments.append(f"sch.{number}" if kind in _APPENDICES else number)
    return segments or None


def _path_provision(target: str) -> list[str] | None:
    """Segments of a provision in a legislation.gov.uk address (`/ukpga/1968/60/section/1/2`); none for a whole law."""
    split = urlsplit(target)
    if not f".{split.netloc}".endswith(".legislation.gov.uk"):
        return []
    parts = [unquote(one).lower() for one in split.path.split("/") if one]
    start = next((index for index, one in enumerate(parts) if one in _UK_LEVELS | _UK_CONTAINERS), None)
    if start is None:
        return []
    segments: list[str] = []
    rest = parts[start:]
    while rest:
        word, *rest = rest
        if word in _UK_CONTAINERS:
            return None
        try:
            if word in ("schedule", "annex"):
                segments.append(f"sch.{segment(rest[0])}" if rest and rest[0] not in _UK_LEVELS else "sch")
                rest = rest[1:] if rest and rest[0] not in _UK_LEVELS else rest
            elif word not in _UK_LEVELS:
                segments.append(segment(word))
        except InputError:
            return None
    return segments
