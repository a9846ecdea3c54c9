"""What an Akoma Ntoso reference points at, as URNs: ids of the same document, addresses of other laws and decisions."""

from __future__ import annotations

import re
from urllib.parse import unquote

from rag.ingest.formats.akn_meta import address_corpus
from rag.ingest.formats.clml_uris import target_urn
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
    if law := target_urn(target):  # an address of legislation.gov.uk names the provision itself
        below = _provision(fragment) if fragment else []
        return _checked(law, below)
    jurisdiction, corpus = address_corpus(target)
    if not corpus:
        return ""
    return _checked(f"urn:lex:{jurisdiction}:{corpus}", _provision(fragment) if fragment else [])


def _checked(law: str, below: list[str] | None) -> str:
    try:
        return "" if below is None else parse_urn(":".join((law, *below))).text
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
