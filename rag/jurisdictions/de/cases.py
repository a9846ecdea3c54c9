"""German decisions and gazettes: file numbers (Aktenzeichen) with the court that issues them, ECLI, BGBl."""

from __future__ import annotations

import re

from rag.jurisdictions.de.naming import fold
from retrieval.paths import slug
from retrieval.tag_query import NORMALIZE_PATTERNS, TagFilter, TagFilterOp, TagFilterSet, TagQuery

# Courts of more than one place: the tag is that of the court's kind, or of the court itself where the place is named.
_KINDS = {
    "OLG": "olg", "KG": "kg", "LG": "lg", "AG": "ag", "OVG": "ovg", "VGH": "vgh", "VG": "vg", "LAG": "lag",
    "ArbG": "arbg", "LSG": "lsg", "SG": "sg", "FG": "fg", "BayObLG": "bayoblg",
}  # fmt: skip
_FEDERAL = ("BVerfG", "BGH", "BVerwG", "BAG", "BFH", "BSG", "BPatG")
_END = r"(?![\w/.-]\d|\w)"
_YEAR = r"\d{1,5}\s?[/.]\s?(?:19|20)?\d{2}"
# Register signs that one court alone uses, then signs that several courts share.
_NUMBERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (rf"[12]\s?Bv[A-Z]\s?{_YEAR}{_END}", ("BVerfG",)),
    (rf"(?:[IVX]{{1,5}}[abc]?|[1-6])\s?(?:ZR|ZB|ZA|ARZ|StR|BGs|ARs|KZR|KVR|KRB|AnwZ|NotZ|EnVR|StB|ZR\s?\(Ü\))"
     rf"(?:\s?\(\w{{1,6}}\))?\s?{_YEAR}{_END}", ("BGH",)),
    (rf"(?:X\s)?(?:KZR|KVR|KVZ|KRB|EnVR|EnZR|AnwZ|NotZ|RiZ|GSSt|GSZ)(?:\s?\(\w{{1,6}}\))?\s?{_YEAR}{_END}", ("BGH",)),
    (rf"\d{{1,2}}\s?(?:AZR|ABR|AZN|ABN|AZB|AS)\s?{_YEAR}{_END}", ("BAG",)),
    (rf"B\s?\d{{1,2}}\s?[A-Z]{{1,3}}\s?{_YEAR}\s?(?:R|B|S|BH|KL){_END}", ("BSG",)),
    (rf"(?:[IVX]{{1,4}}|GrS)\s?[RBSE]\s?{_YEAR}{_END}", ("BFH",)),
    (rf"\d{{1,2}}\s?(?:CN|C|B|PKH|VR|WB|WD|WRB|PB|P|BN|KSt|A)\s?\d{{1,4}}\.\d{{2}}{_END}", ("BVerwG",)),
    (rf"\d{{1,2}}\s?(?:Sa|TaBV|Ta)\s?{_YEAR}{_END}", ("LAG",)),
    (rf"\d{{1,3}}\s?(?:Ca|BV|Ga)\s?{_YEAR}{_END}", ("ArbG",)),
    (rf"[LS]\s?\d{{1,2}}\s?[A-Z]{{1,3}}\s?{_YEAR}(?:\s?(?:ER|B))?{_END}", ("LSG", "SG")),
    (rf"\d{{1,3}}\s?(?:UF|WF|U|W|Kart|Verg|VA|Ws|Ss|OLG)\s?{_YEAR}{_END}", ("OLG", "KG", "BayObLG")),
    (rf"\d{{1,3}}\s?(?:O|S|T|KLs|Ks|Ns|Qs|HKO)\s?{_YEAR}{_END}", ("LG",)),
    (rf"\d{{1,4}}\s?(?:C|F|IN|IK|Ls|Ds|Cs|M|XVII)\s?{_YEAR}{_END}", ("AG",)),
    (rf"\d{{1,2}}\s?K\s?{_YEAR}(?:\.\w{{1,3}})?{_END}", ("VG", "FG")),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern), courts) for pattern, courts in _NUMBERS)
_UNIQUE = frozenset(_FEDERAL)
# What every file number and ECLI has; most references have neither, and are told from cases by that.
_LIKE_CASE = re.compile(r"\d\s?[/.]\s?\d{2}|ecli:", re.IGNORECASE)
_COURT = re.compile(
    rf"(?P<court>{'|'.join((*_FEDERAL, *_KINDS))})(?P<place>(?:\s[A-ZÄÖÜ][a-zäöüß][\wäöüß-]{{0,30}}){{0,2}}"
    r"(?:\s(?:am|an der|im|in)\s[A-ZÄÖÜ][\wäöüß]{1,20})?)(?!\w)"
)
_FILLER = re.compile(
    r"(?:[\s,;:()–-]{0,4}(?:Urt(?:eil|\.)?|Beschl(?:uss|uß|\.)?|Verfügung|vom|v\.|Az\.?:?|Aktenzeichen:?|"
    r"\d{1,2}\.\s?(?:\d{1,2}\.\s?|[A-ZÄÖÜ][a-zäöü]{2,9}\s)\d{4})){0,6}[\s,;:()–-]{0,4}"
)
_ECLI = re.compile(r"ECLI:DE:[A-Z0-9]{1,12}:(?:19|20)\d{2}:[A-Z0-9.]{1,40}[A-Z0-9](?![A-Za-z0-9])", re.IGNORECASE)
# The courts' own collections, with the page of the passage behind the first: "BVerfGE 7, 198 (205)".
_REPORT = re.compile(
    r"(?P<place>(?:BVerfGE|BVerfGK|BGHZ|BGHSt|BVerwGE|BAGE|BFHE|BSGE|RGZ|RGSt)\s\d{1,3},\s\d{1,4})"
    r"(?:\s\(\d{1,4}(?:\s?(?:ff?\.|[-–]\s?\d{1,4}))?\)|,\s\d{1,4}(?:\sff?\.)?)?"
)
_BY_REPORT = "decision by the collection that prints it"
GAZETTE = (
    r"(?<!\w)R?BGBl\.?\s{0,3}(?:Teil\s{1,2})?(?:(?:19|20)\d{2}\s{0,3},?\s{0,3})?(?:I{1,3}|Teil\s{1,2}I{1,3})?"
    r"(?:\s{0,3}(?:19|20)\d{2})?(?:\s{0,3}Nr\.\s{0,2}\d{1,4})?(?:\s{0,3},?\s{0,3}S\.\s{0,3}\d{1,5}|\s{0,3},\s{0,3}\d{1,5})?"
)
# In running text only signs that nothing else looks like, or a court's name, make a number a file number.
IN_TEXT = (
    r"ECLI:DE:[A-Z0-9]{1,12}:\d{4}:[A-Z0-9.]{1,40}[A-Z0-9](?![A-Za-z0-9])"
    rf"|(?<![\w/.-])(?:[12]\s?Bv[A-Z]|[IVX]{{1,5}}[abc]?\s?(?:ZR|ZB|ARZ)|[1-6]\s?StR|\d{{1,2}}\s?(?:AZR|ABR|AZN))\s?{_YEAR}(?!\w)"
)


def case_queries(reference: str) -> list[TagQuery]:
    """The queries for a string that names a German decision; empty where it does not.

    A file number alone may be another court's, so that it is a candidate with its reading; an ECLI is certain.
    """
    text = " ".join(reference.split())
    if report := _REPORT.fullmatch(text):
        printed = TagFilterSet((TagFilter("alias", TagFilterOp.EQ, report["place"]),))
        return [TagQuery(language="de", kind="decision", tag_filters=printed, hint=_BY_REPORT)]
    if _LIKE_CASE.search(text) is None:
        return []
    if _ECLI.fullmatch(text):
        return [TagQuery(language="de", kind="decision", tag_filters=TagFilterSet.from_tags({"ecli": text.upper()}))]
    court = _COURT.match(text)
    filler = _FILLER.match(text, court.end() if court else 0)
    number = text[filler.end() if filler else 0 :]
    for pattern, courts in _COMPILED:
        if pattern.fullmatch(number) is None:
            continue
        if court is None:
            return [_query(number, courts, "")]
        if court["court"] in courts or not _UNIQUE & {court["court"], *courts}:
            return [_query(number, (court["court"],), court["place"].strip())]
    if court is not None and re.fullmatch(r"[\w ./()-]{4,40}", number) and re.search(r"\d[/.]\d{2,4}", number):
        return [_query(number, (court["court"],), court["place"].strip())]
    return []


def _query(number: str, courts: tuple[str, ...], place: str) -> TagQuery:
    values = [_KINDS.get(one, one.lower()) for one in courts]
    if place:
        values = [f"{values[0]}_{slug(fold(place)).replace('-', '_')}", values[0]]
    court = (
        TagFilter("court", TagFilterOp.EQ, values[0])
        if len(values) == 1
        else TagFilter("court", TagFilterOp.IN, values)
    )
    names = f"{courts[0]} {place}" if place else " oder ".join(courts)
    return TagQuery(
        language="de", kind="decision", hint=f"Aktenzeichen {names}",
        tag_filters=TagFilterSet((
            TagFilter("case_number", TagFilterOp.NORMALIZE, number, NORMALIZE_PATTERNS["punctuation"]), court,
        )),
    )  # fmt: skip
