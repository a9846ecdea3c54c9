"""English: how decisions say what they do to other decisions and to law, and how they cite them."""

from __future__ import annotations

from functools import cache

from rag.languages.base import read_toml
from rag.law.treatments import TreatmentWords

_WORD = r"(?:[A-Z][\w.'’&-]*|&)"
_SMALL = r"(?:of|the|and|for|in|on|de|du|la|ex rel\.|et al\.|d/b/a|to|upon|a)"
_PARTY = rf"{_WORD}(?:,? (?:{_WORD}|{_SMALL} (?={_WORD}|{_SMALL} )))*"
_NAME = rf"(?:(?:In re|Ex parte|Re|In the Matter of) {_PARTY}|{_PARTY},? vs?\.? {_PARTY})"
# `244 U.S. 205`, `55 Ct. Clms. 424`; `[1995] 2 AC 207`, `[2021] EWCA Civ 448`, `(1922) 3 KB 1`
_REPORT = (
    r"(?:\d{1,4} [A-Z][A-Za-z.' &()-]{0,24}?\.? ?(?:\(?[23]d\)?|App\.)? ?\d{1,5}"
    r"|[\[(]\d{4}[\])] (?:\d+ )?[A-Z][A-Za-z. ]{0,16}(?: ?\(\w+\))? ?\d+"
    r"(?: \((?:Ch|QB|KB|Comm|Admin|Fam|Pat|TCC|IPEC)\))?)"
)
# What belongs to a citation after it: a further report, a page, a paragraph, a year.
_TAIL = (
    rf"(?:,? (?:supra|ante|post|above|infra)|,? {_REPORT}|,? (?:at |p+\. ?)?\[?\d{{1,5}}\]?(?=[,;. )]|\Z)(?: et seq\.)?"
    r"|(?:[–-]|, )\[?\d{1,5}\]?|,? (?:at )?\[\d+\](?:[–-]\[?\d+\]?)?| \((?:[A-Z][\w. ]*)?\d{4}\)"
    r"|, \d+ (?:Sup|S)\. ?Ct\.(?: Rep\.)? \d+| line of (?:authority|authorities|cases))*"
)
_PROVISION = r"(?:§§?|[Ss]ections?|[Aa]rticles?) ?\d[\w.()-]*(?: of (?:the )?(?:[A-Z][\w.']*(?: of)? ?)+(?:\d{4})?)?"
_CITED = rf"(?:{_NAME}|the [A-Z][\w.' ]{{1,40}} Cases?)(?:{_TAIL})|{_REPORT}(?:{_TAIL})|{_PROVISION}"


@cache
def treatment_words() -> TreatmentWords:
    """The table, read once."""
    table = read_toml(__name__, "treatments.toml")
    laws = "|".join(table["heads"]["laws"])
    decisions = "|".join(table["heads"]["decisions"])
    case = (
        rf"(?!.*\b(?:{laws})\b)(?:\bvs?\.? |\b[Cc]ases?\b|\b\d+ [A-Z][\w. ]*\d|\bIn re\b|\bEx parte\b|^Re |\[\d{{4}}\]"
        rf"|^[A-Z][\w']+(?: [A-Z][\w']+){{0,2}}$)|\bv\. |(?i:\b(?:{decisions})\b)"
    )
    return TreatmentWords.read(table, case=case, citations=_CITED, tail=_TAIL, name=rf"{_NAME},? ")
