"""German references with their parts in another order than the grammar's, or with words around them.

Only for whole strings that the grammar does not read as they are.
"""

from __future__ import annotations

import re

from rag.jurisdictions.de.acts import Act, read_act
from rag.jurisdictions.de.laws import LAWS, SGB_BOOKS, read_abbreviation
from rag.jurisdictions.grammar.english_names import EnglishNames

NO_SIGN = "a number beside the law's name, read as its provision"
COMMENTARY = "a commentary on it is named; this is the provision itself"

_ENGLISH = EnglishNames(
    {
        "Civil Code": "BGB", "Introductory Act to the Civil Code": "EGBGB", "Criminal Code": "StGB",
        "Penal Code": "StGB",
        "Commercial Code": "HGB", "Basic Law": "GG", "Constitution": "GG", "Code of Civil Procedure": "ZPO",
        "Code of Criminal Procedure": "StPO", "Criminal Procedure Code": "StPO", "Civil Procedure Code": "ZPO",
        "Stock Corporation Act": "AktG", "Limited Liability Companies Act": "GmbHG",
        "Limited Liability Company Act": "GmbHG", "Act on Limited Liability Companies": "GmbHG",
        "Insolvency Code": "InsO", "Insolvency Act": "InsO", "Insolvency Statute": "InsO", "Transformation Act": "UmwG",
        "Copyright Act": "UrhG", "Patent Act": "PatG", "Trade Mark Act": "MarkenG", "Trademark Act": "MarkenG",
        "Act against Unfair Competition": "UWG", "Unfair Competition Act": "UWG", "Competition Act": "GWB",
        "Act against Restraints of Competition": "GWB", "Federal Data Protection Act": "BDSG", "Fiscal Code": "AO",
        "General Equal Treatment Act": "AGG", "Works Constitution Act": "BetrVG", "Income Tax Act": "EStG",
        "Corporate Income Tax Act": "KStG", "Protection against Dismissal Act": "KSchG", "Residence Act": "AufenthG",
        "Product Liability Act": "ProdHaftG", "Road Traffic Act": "StVG", "Banking Act": "KWG",
        "Securities Trading Act": "WpHG", "Money Laundering Act": "GwG", "Insurance Contract Act": "VVG",
        "Courts Constitution Act": "GVG", "Administrative Procedure Act": "VwVfG",
        "Code of Administrative Court Procedure": "VwGO", "Minimum Wage Act": "MiLoG",
        "Federal Constitutional Court Act": "BVerfGG",
    },
    r"German", r"(?:Federal\sRepublic\sof\s)?Germany",
    {code: code for code in LAWS} | {f"SGB {book}": f"SGB {book}" for book in SGB_BOOKS},
)  # fmt: skip
_LAW_BETWEEN = re.compile(
    r"(?P<top>(?:§|Art(?:ikel|\.)?)\s?\d{1,4}[a-z]?)\s(?P<law>[^\W\d_][\w-]{1,12}),?\s"
    r"(?P<below>(?:Abs|Satz|S\.|Nr|Nummer|lit|Buchst).{0,60})\Z",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:(?:§{1,2}|Art(?:ikel|\.)?|Paragra(?:ph|f))\s?)?\d", re.IGNORECASE)
_NUMBER_FIRST = re.compile(r"(?P<number>\d{1,4}[a-z]?)(?=\s\S)", re.IGNORECASE)
_GLOSS = re.compile(r"\s\((?P<law>[A-ZÄÖÜ][\w-]{1,14}(?:\s[IVX]{1,4})?)\)\Z")
_SIGNS = ((re.compile(r"\A(?:par(?:agr|a)?\.?)\s?(?=\d)", re.IGNORECASE), "§ "), (re.compile(r"\AArtt\.\s?"), "Art. "))
_MANNER = re.compile(r",?\s\(?(?:analog|entspr(?:echend|\.)|direkt)\)?\Z")
_MARGIN = re.compile(r",?\s(?:Rn|Rz|Rdnr|Rdn|Randnr)\.?\s\d{1,4}[a-z]?(?:\s?(?:ff?\.|[-–]\s?\d{1,4}))?\Z")
_COMMENTATOR = re.compile(r"\A[A-ZÄÖÜ][^\d§,]{2,60},\s(?=§|Art)")


def turned(text: str, law: Act | None) -> tuple[str, str | None]:
    """The citation as the grammar reads it, and the doubt that this leaves; empty where nothing is misplaced.

    Args:
        text: the whole string, without signals.
        law: the law that it begins with, if any.
    """
    if english := _from_english(text):
        return english, None
    if _MARGIN.search(text):
        return _bare(text)
    if between := _LAW_BETWEEN.match(text):
        return f"{between['top']} {between['below']} {between['law']}", None
    rest = text[law.end :].lstrip(" ,:") if law is not None else ""
    if law is not None and law.law is not None and _NUMBERED.match(rest):
        if not rest[0].isdigit():
            return f"{rest} {text[: law.end]}", None
        # Capitals before a number may be anything: only a known law is one.
        return (f"{_sign(law)} {rest} {text[: law.end]}", NO_SIGN) if law.sure else ("", None)
    if number := _NUMBER_FIRST.match(text):
        named = read_act(text, number.end(), loose=True)
        known = named is not None and named.law is not None and named.sure and named.end == len(text)
        return (f"{_sign(named)} {text}", NO_SIGN) if known and named else ("", None)
    return _bare(text)


def _from_english(text: str) -> str:
    """A German citation for one in English: "section 433(1) of the German Civil Code"; empty for any other."""
    cited = _ENGLISH.citation(text)
    law = read_abbreviation(cited.law, 0) if cited else None
    if cited is None or law is None or law.law is None or not cited.number.isalnum():
        return ""
    units = ["Abs.", *("Nr." if one.isdigit() else "Buchst." for one in cited.path[1:])]
    path = "".join(f" {unit} {number}" for unit, number in zip(units, cited.path, strict=False))
    return f"{'Art.' if law.law.sign == 'artikel' else '§'} {cited.number}{path} {cited.law}"


def _sign(law: Act) -> str:
    return "Art." if law.law is not None and law.law.sign == "artikel" else "§"


def _bare(text: str) -> tuple[str, str | None]:
    """The citation without words that do not change what is named."""
    bare, doubt = text, None
    for pattern, sign in _SIGNS:
        bare = pattern.sub(sign, bare)
    if (gloss := _GLOSS.search(bare)) and (named := read_abbreviation(gloss["law"], 0)) and named.law:
        before = bare[: gloss.start()]
        # "Bürgerliches Gesetzbuch (BGB)": the bracket must say the same.
        at = next((place.end() for place in re.finditer(r"\s", before) if _names(before, place.end(), named.law)), -1)
        bare = before if at >= 0 else bare
    bare = _MANNER.sub("", bare)
    if (margin := _MARGIN.search(bare)) is not None:
        commentator = _COMMENTATOR.match(bare)
        bare, doubt = bare[commentator.end() if commentator else 0 : margin.start()], COMMENTARY
    return (bare, doubt) if bare != text else ("", None)


def _names(text: str, at: int, law: object) -> bool:
    """Whether the rest of a text is the name of a law."""
    act = read_act(text, at)
    return act is not None and act.law == law and act.end == len(text)
