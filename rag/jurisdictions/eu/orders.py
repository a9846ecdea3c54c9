"""Union references in other words or another order than the grammar's: "Rec. 26 GDPR", "AI Act Art. 5".

Only for whole strings that the grammar does not read as they are: in running text many of these words mean other
things.
"""

from __future__ import annotations

import re

from rag.jurisdictions.eu import laws

_I = re.IGNORECASE
# What stands in a string wherever the pattern fits, in lower case: most strings are left after that look.
_REWRITTEN: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("eu", re.compile(r"\b(?:the\s)?EU[ -](?=GDPR|DS-?GVO|RGPD|GRCh|AI\sAct)", _I), ""),
    ("rec", re.compile(r"\brecs?\.?\s?(?=\(?\d)", _I), "recital "),
    ("g", re.compile(r"\b(?:erw\.?\s?g(?:r(?:d|\.)?)?\.?|EG)\s?(?=\d)", _I), "Erwägungsgrund "),
    ("cons", re.compile(r"\b(?:cons|consid)\.\s?(?=\d)", _I), "considérant "),
    ("eu) n", re.compile(r"(?<=\(EU\))\s(?:No|Nr|n[°o])\.?\s(?=20(?:1[5-9]|[2-9]\d)/)"), " "),
    ("ue) n", re.compile(r"(?<=\(UE\))\s(?:No|Nr|n[°o])\.?\s(?=20(?:1[5-9]|[2-9]\d)/)"), " "),
    ("n", re.compile(r"(?<=[\d)])\s?,?\s(?:nos?|nrs?)\.?\s?(?=\d{1,3}(?!\d|/))", _I), " point "),
    ("para", re.compile(r"\bsub-?paras?\.?\s(?=\d)", _I), "subparagraph "),
    ("sec", re.compile(r"(?<=\d)\s?,?\ssec(?:t|tion)?\.?\s(?=\d)", _I), " paragraph "),
    ("par.", re.compile(r"\bpar\.\s(?=\d)", _I), "paragraph "),
    ("let.", re.compile(r"\blet\.\s(?=[a-z]\b)", _I), "point "),
    ("onder", re.compile(r"\bonder\s(?=[a-z]\b)", _I), "point "),
    (".", re.compile(r"(?<=\d\.\d)\s(?=[a-z]\))"), "."),
    ("(", re.compile(r"(?<=\(\d\))([a-z])\)?(?=\s|\Z)"), r"(\1)"),
    ("(", re.compile(r"(?<=\(\d\))\s([a-z])\)?(?=\s(?![\d(]))"), r"(\1)"),  # not "(1) e 9"
    ("reg", re.compile(r"\b(?:EU\s)?Reg\s(?=[(\d])"), "Reg. "),
)
_DIGIT = re.compile(r"[0-9]")
_LETTER_AFTER_SIGN = re.compile(r"(§\s?\d{1,2}(?:er)?),\s(?=[a-z]\))")
_SINGULAR = re.compile(
    r"\bart(?:icles?|s|\.)?\.?\s?(?=\d[^A-Za-z]{0,30}(?:[(,/&]|and|et|und|or|ou|oder)|\d{1,3}\s?[-–]\s?\d{1,3}\b)", _I
)
_SLASH = re.compile(r"(?<=\d)\s?/\s?(?=\d{1,3}(?!\d|/))")
_PARAGRAPH_OF_JUDGMENT = re.compile(
    r",?\s(?:at\s)?(?:paras?\.?|paragraphs?|Rn\.|Rz\.|points?|pts?\.?|§)\s?\[?\d{1,4}\]?(?:\s?[-–]\s?\d{1,4})?\Z", _I
)
_ARTICLE = re.compile(r"\b(?:art|recital|annex|§)", _I)
_LAW_FIRST = re.compile(r",?\s{1,3}(?=(?:art|recital|annex|chapter|erwägung|considérant))", _I)
_CASE = re.compile(r"(?<![\w-])(?<!OJ\s)(?<!JO\s)[CTF]\s?[-‐‑–\s]\s?\d{1,4}/\d{2}(?!\d|/)(?:\sP(?:PU)?\b)?")
_OLD_NUMBER = re.compile(r"\d{1,3}/(?:5[4-9]|[67]\d|8[0-8])(?![\w/-])")
_OLD_CASES = re.compile(
    r"\b(?:[Cc]ases?|[Aa]ff(?:aires?|\.)|Rechtssachen?|Rs\.?)\s\d{1,3}/\d\d(?:(?:,\s|\s(?:and|et|und)\s|\sto\s)\d{1,3}/\d\d){0,8}"
)
# In Switzerland and Belgium the numbered paragraphs of an article are its "alinéas".
_ALINEA = re.compile(r"(\bart(?:icle|\.)?\s\d{1,3}[a-z]?),?\s(?:al\.|alinéa)\s?(\d{1,2})(?:er)?(?!\w),?\s", _I)
ALINEA = "the alinéa of an article is read as its paragraph of that number"


def with_paragraphs(reference: str) -> str:
    """The reference with "paragraphe" for an alinéa right after the article's number; empty where there is none."""
    if "al" not in reference.lower():
        return ""
    written, count = _ALINEA.subn(r"\1, paragraphe \2, ", reference)
    return re.sub(r"(?:let|lit)\.\s|(?<=,\s)(?=[a-z]\)\s)", "point ", written) if count else ""


def pointed(reference: str) -> str:
    """The reference with "point" before a letter that follows a "§": "art. 6, § 1, f)"."""
    return _LETTER_AFTER_SIGN.sub(r"\1 point ", reference) if "§" in reference else reference


def in_other_words(reference: str) -> str:
    """The reference with the grammar's own words for abbreviations of writers; the same where none is there."""
    if not _DIGIT.search(reference):
        return reference
    written, low = reference, reference.lower()
    for needed, pattern, words in _REWRITTEN:
        if needed in low:
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
    if "/" not in reference and ":" not in reference:
        return []  # neither a case number nor an ECLI
    bare = _PARAGRAPH_OF_JUDGMENT.sub("", reference)
    if _ARTICLE.search(bare):
        return []
    ecli = re.search(r"(?:ECLI:)?EU:[CTF]:\d{4}:\d{1,5}", bare)
    found = [ecli[0]] if ecli else [re.sub(r"[\s‐‑–]", "-", one) for one in _CASE.findall(bare)]
    found = found or [f"Case {one}" for first in _OLD_CASES.finditer(bare) for one in _OLD_NUMBER.findall(first[0])]
    plain = (one if one.startswith("Case") else re.sub(r"-{2,}", "-", one) for one in found)
    return list(dict.fromkeys(one for one in plain if one != reference))
