"""American references with their parts in another order than the grammar's, or with words around them.

Each function returns the reference as the grammar reads it, and the doubt that this leaves (empty for none).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.jurisdictions.base import FoundReference

NO_WORD = "a number beside the code's name, read as its section"
WORDS_AROUND = "the words around the reference are not read"

_CODE = (
    r"(?:\d{1,2}\s?(?:U\.?\s?S\.?\s?C(?:ode\b|\.|\b)(?:\s?[AS]\b\.?)?|C\.?\s?F\.?\s?R\b\.?)|"
    r"(?:D\.?\s?C\.?|District\sof\sColumbia)\s?(?:Official\s)?Code(?:\sAnn\.)?|"
    r"(?:M\.?\s?G\.?\s?L\.?|G\.\s?L\.|Mass(?:\.|achusetts)\sGen(?:\.|eral)\sLaws),?\s?(?:chapter|ch\.?|c\.?)\s?\d{1,3}[A-Z]{0,2})"
)
_WORD = r"(?P<word>§{1,2}\s?|sec(?:tion|\.)?s?\.?\s)"
_FORMS: tuple[tuple[str, str], ...] = (
    # "§ 107, 17 U.S.C.", "section 28-3904 D.C. Code"
    (rf"{_WORD}?(?P<number>\d[^§]{{0,80}}?),?\s(?P<code>{_CODE})", "{code} § {number}"),
    # "28 D.C. Code § 3904"
    (r"(?P<title>\d{1,2}[A-Z]?)\s(?P<code>D\.?\s?C\.?\s?Code(?:\sAnn\.)?),?\s(?P<word>§\s?)(?P<number>\d{3,5}(?:\.\d{2})?[^-–]{0,40})",
     "{code} § {title}-{number}"),
    # "Title 17, Section 107 of the United States Code"
    (rf"title\s(?P<title>\d{{1,2}}[A-Z]?),?\s{_WORD}(?P<number>\d[^§]{{0,60}}?)\sof\sthe\s(?P<code>[A-Z].{{2,40}})",
     "section {number} of title {title} of the {code}"),
    # "D.C. Code Title 28, Chapter 39", "D.C. Code tit. 28, ch. 39"
    (r"(?P<code>(?:D\.?\s?C\.?|District\sof\sColumbia)\s(?:Official\s)?Code),?\s(?P<word>tit(?:le|\.))\s(?P<title>\d{1,2}[A-Z]?)"
     r",?\s(?:ch(?:apter|\.))\s(?P<number>\d{1,3}[A-Z]?)", "chapter {number} of title {title} of the D.C. Code"),
    (r"title\s(?P<number>\d{1,2}[A-Z]?),?\s(?:of\sthe\s)?(?P<word>)(?P<code>D\.?\s?C\.?\s(?:Official\s)?Code)",
     "title {number} of the D.C. Code"),
    # "IRC 501(c)(3)"
    (r"(?P<code>I\.?R\.?C\.?|Internal\sRevenue\sCode)\s(?P<word>)(?P<number>\d.{0,40})", "{code} § {number}"),
)  # fmt: skip
# One sign before several sections: "35 U.S.C. §101, 102", "28 U.S.C. § 1331 or 1332".
_ONE_SIGN = re.compile(
    rf"(?P<code>{_CODE}),?\s?(?:§|sec(?:tion|\.))\s?(?P<list>\d{{1,5}}[a-z]?(?:\(\w{{1,4}}\)){{0,5}}"
    r"(?:(?:,\s?(?:and\s|or\s|&\s)?|\s(?:and|or|&)\s)\d{1,5}[a-z]?(?:\(\w{1,4}\)){0,5}){1,12})",
    re.IGNORECASE,
)
_COMPILED = [(re.compile(pattern, re.IGNORECASE), order) for pattern, order in _FORMS]
# The statutes at large print what a public law's number names already.
_PARALLEL = re.compile(r",\s\d{1,3}\sStat\.\s\d{1,5}(?:,\s\d{1,5})?(?:\s\((?:1[89]|20)\d\d\))?\s?\.?\Z")
_BEFORE = re.compile(r"(?:[A-Z][^\d§\[\]]{2,80},\s{1,3})?\Z")
_AFTER = re.compile(r"(?:\s?\([^()\d]{2,80}\)|:\s[^\d§]{2,100})?\s?\Z")


def in_order(reference: str) -> tuple[str, str] | None:
    """A reference whose number stands before its code, or that cites the same law twice; None for any other.

    Args:
        reference: the whole string, at most some hundred characters.
    """
    if several := _ONE_SIGN.fullmatch(reference):
        return f"{several['code']} §§ {re.sub(r',(?=[^ ])', ', ', several['list'])}", ""
    if parallel := _PARALLEL.search(reference):
        return reference[: parallel.start()], ""
    for pattern, order in _COMPILED:
        match = pattern.fullmatch(reference)
        if match is not None:
            written = order.format_map(match.groupdict())
            return written, "" if match["word"] or "title" in match.groupdict() or "title " in order else NO_WORD
    return None


def without_words_around(reference: str, found: Sequence[FoundReference]) -> tuple[str, str] | None:
    """The one reference of a string that gives it a name before or a gloss behind: "Fair use, 17 U.S.C. § 107".

    None where the rest is a sentence, holds a number, or where nothing or more than one thing is cited.
    """
    if len(found) != 1 or found[0].kind != "explicit" or not found[0].confident:
        return None
    [one] = found
    if _BEFORE.match(reference[: one.start]) is None or _AFTER.match(reference[one.end :]) is None:
        return None
    return (one.text, WORDS_AROUND) if one.text != reference else None
