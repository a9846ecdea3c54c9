"""Rules of procedure of the federal courts: "Fed. R. Civ. P. 12(b)(6)", "FRE 403", "Federal Rule of Evidence 403".

They have no URN scheme. In a running text they are law that is recognised; a whole string asks for the rule by the
tags that rules of court bear in a store, and never with certainty.
"""

from __future__ import annotations

import re

from rag.jurisdictions.designators import read_designators
from retrieval.reference_doubts import PART_NAMED
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery

_PROCEDURE = r"P(?:roc(?:edure|\.)|\.|\b)"
_KINDS = {
    "Civil Procedure": rf"Civ(?:il|\.)\s?{_PROCEDURE}",
    "Criminal Procedure": rf"Crim(?:inal|\.)\s?{_PROCEDURE}",
    "Evidence": r"Evid(?:ence|\.)",
    "Appellate Procedure": rf"App(?:ellate|\.)\s?{_PROCEDURE}",
    "Bankruptcy Procedure": rf"Bankr(?:uptcy|\.)\s?{_PROCEDURE}",
}
_INITIALS = {
    "FRCP": "Civil Procedure", "FRCIVP": "Civil Procedure", "FRCRP": "Criminal Procedure",
    "FRCRIMP": "Criminal Procedure", "FRE": "Evidence", "FRAP": "Appellate Procedure", "FRBP": "Bankruptcy Procedure",
}  # fmt: skip
_NAME = rf"(?:Fed(?:eral|\.)\s?R(?:ules?|\.)\s?(?:of\s)?(?:{'|'.join(_KINDS.values())}))"
_SHORT = r"(?:F\.?\s?R\.?\s?(?:C(?:iv|r|rim)?\.?\s?P|E|A\.?\s?P|B\.?\s?P)\b\.?)"
_NUMBER = r"(?P<number>\d{1,4}(?:\.\d{1,2})?)"
# The number of a reporter's page follows a volume: "2 F.R.D. 10"; no volume stands before a rule.
_PLACE = r"\d{1,4}(?:\.\d)?(?:\(\w{1,4}\)){0,6}"
IN_TEXT = (
    rf"(?<!\d )\b(?:{_NAME}|F\.?R\.?(?:C\.?P|E|A\.?P|B\.?P)\b\.?),?\s(?:[Rr]ule\s)?{_PLACE}"
    rf"|\b[Rr]ules?\s{_PLACE}(?:,|\sof\sthe)\s{_NAME}"
)
_FIRST = re.compile(
    rf"(?:the\s)?(?P<name>{_NAME}|{_SHORT}),?\s(?:rule\s|r\.\s)?{_NUMBER}(?![\d/-])(?=\(|\s\(|\Z)", re.IGNORECASE
)
_LAST = re.compile(
    rf"(?:rule|r\.)\s{_NUMBER}(?P<path>(?:\s?\(\w{{1,4}}\))*)(?:,|\sof\sthe)?\s(?P<name>{_NAME}|{_SHORT})\Z",
    re.IGNORECASE,
)


def rule_queries(reference: str) -> list[TagQuery]:
    """The query for a string that names a rule; empty where it names none."""
    text = reference.strip().rstrip(" ,;?")
    match = _FIRST.match(text)
    path, end = read_designators(text, match.end()) if match else ((), 0)
    if match is None or text[end:].strip(" ."):
        match = _LAST.match(text.rstrip("."))
        path = read_designators(match["path"], 0)[0] if match else ()
    if match is None:
        return []
    title = f"Federal Rules of {_kind(match['name'])}"
    number = TagFilter("rule_number", TagFilterOp.EQ, match["number"])
    part = f"; {PART_NAMED}" if path else ""
    return [
        TagQuery(
            language="en", kind="legislation", tag_filters=TagFilterSet((number, *named)), hint=f"{words} {title}{part}"
        )
        for words, named in (
            ("a rule of the", (TagFilter("act_title", TagFilterOp.ILIKE, title),)),
            ("a rule of this number; the store does not say whether it is of the", ()),
        )
    ]


def _kind(name: str) -> str:
    """The subject of the rules that a name or its initials stand for."""
    letters = re.sub(r"[^A-Z]", "", name.upper())
    if letters in _INITIALS:
        return _INITIALS[letters]
    return next(kind for kind, words in _KINDS.items() if re.search(words, name, re.IGNORECASE))
