"""Union references in other words or another order than the grammar's: "Rec. 26 GDPR", "AI Act Art. 5".

Only for whole strings that the grammar does not read as they are: in running text many of these words mean other
things.
"""

from __future__ import annotations

import re

from rag.jurisdictions import union_laws as laws

_I = re.IGNORECASE
_REWRITTEN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:the\s)?EU[ -](?=GDPR|DS-?GVO|RGPD|GRCh|AI\sAct)", _I), ""),
    (re.compile(r"\brecs?\.?\s?(?=\(?\d)", _I), "recital "),
    (re.compile(r"\b(?:erw\.?\s?g(?:r(?:d|\.)?)?\.?|EG)\s?(?=\d)", _I), "Erwägungsgrund "),
    (re.compile(r"\b(?:cons|consid)\.\s?(?=\d)", _I), "considérant "),
    (re.compile(r"(?<=\((?:EU|UE)\))\s(?:No|Nr|n[°o])\.?\s(?=20(?:1[5-9]|[2-9]\d)/)"), " "),
    (re.compile(r"(?<=[\d)])\s?,?\s(?:nos?|nrs?)\.?\s?(?=\d{1,3}(?!\d|/))", _I), " point "),
    (re.compile(r"\bsub-?paras?\.?\s(?=\d)", _I), "subparagraph "),
    (re.compile(r"(?<=\d)\s?,?\ssec(?:t|tion)?\.?\s(?=\d)", _I), " paragraph "),
    (re.compile(r"\bonder\s(?=[a-z]\b)", _I), "point "),
    (re.compile(r"(?<=\d\.\d)\s(?=[a-z]\))"), "."),
    (re.compile(r"(?<=\(\d\))([a-z])\)?(?=\s|\Z)"), r"(\1)"),
    (re.compile(r"(?<=\(\d\))\s([a-z])\)?(?=\s(?![\d(]))"), r"(\1)"),  # not "(1) e 9"
    (re.compile(r"\b(?:EU\s)?Reg\s(?=[(\d])"), "Reg. "),
)
_DIGIT = re.compile(r"[0-9]")
_LETTER_AFTER_SIGN = re.compile(r"(§\s?\d{1,2}),\s(?=[a-z]\))")
_SINGULAR = re.compile(r"\bart(?:icles?|s|\.)?\.?\s?(?=\d[^A-Za-z]{0,30}(?:[(,/&]|and|et|und|or|ou|oder))", _I)
_SLASH = re.compile(r"(?<=\d)\s?/\s?(?=\d{1,3}(?!\d|/))")
_PARAGRAPH_OF_JUDGMENT = re.compile(
    r",?\s(?:at\s)?(?:paras?\.?|paragraphs?|Rn\.|Rz\.|points?|pts?\.?|§)\s?\[?\d{1,4}\]?(?:\s?[-–]\s?\d{1,4})?\Z", _I
)
_ARTICLE = re.compile(r"\b(?:art|recital|annex|§)", _I)
_LAW_FIRST = re.compile(r",?\s{1,3}(?=(?:art|recital|annex|chapter|erwägung|considérant))", _I)
_CASE = re.compile(r"(?<![\w-])(?<!OJ\s)(?<!JO\s)[CTF]\s?[-‐‑–\s]\s?\d{1,4}/\d{2}(?!\d|/)(?:\sP(?:PU)?\b)?")


def pointed(reference: str) -> str:
    """The reference with "point" before a letter that follows a "§": "art. 6, § 1, f)"."""
    return _LETTER_AFTER_SIGN.sub(r"\1 point ", reference) if "§" in reference else reference


def in_other_words(reference: str) -> str:
    """The reference with the grammar's own words for abbreviations of writers; the same where none is there."""
    written = reference
    if not _DIGIT.search(reference):
        return reference
    for pattern, words in _REWRITTEN:
        written = pattern.sub(words, written)
    if _SINGULAR.search(written):
        written = _SLASH.sub(", ", _SINGULAR.sub("Articles ", written, count=1))
    return written


def law_last(reference: str) -> str:
    """The reference with its law at the end, where a short name or a treaty begins it; else an empty string."""
    named = laws.short_name_at(reference, 0, after_article=True) or laws.treaty_at(reference, 0)
    joint = _LAW_FIRST.match(reference, named[1]) if named else None
    return f"{reference[joint.end() :]} {reference[: named[1]]}" if named and joint else ""


def decision_alone(reference: str) -> list[str]:
    """The numbers or ECLI of the decisions that a string names, without the words around them; empty for none.

    Names, courts and days only repeat what the number says. A string that cites a provision is none.
    """
    bare = _PARAGRAPH_OF_JUDGMENT.sub("", reference)
    if _ARTICLE.search(bare):
        return []
    ecli = re.search(r"(?:ECLI:)?EU:[CTF]:\d{4}:\d{1,5}", bare)
    found = [ecli[0]] if ecli else [re.sub(r"[\s‐‑–]", "-", one) for one in _CASE.findall(bare)]
    return list(dict.fromkeys(re.sub(r"-{2,}", "-", one) for one in found if one != reference))
