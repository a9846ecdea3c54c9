"""How acts, treaties and cases of the European Union are named, in the Union's languages, and their URNs by CELEX.

Not the Union's grammar alone needs this: British law cites the acts that it retained.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from rag.jurisdictions.grammar.kernel import Law
from rag.jurisdictions.tables import LawEntry, laws_of

_ENTRIES = laws_of("eu").laws
_SHORT = tuple(entry for entry in _ENTRIES if entry.id)
_TREATIES = tuple(entry for entry in _ENTRIES if not entry.id)
# Words that are no treaty where these follow: "the Charter of the United Nations", "EC Regulation", "EC No 1".
_NOT_BEFORE = {"Charter": r"\b(?! of the United)", "EC": r"(?!\s(?:[A-Z(]|No\b))"}


def _name(written: str) -> str:
    """A name as it may be written: with a capital at its begin, and either apostrophe."""
    first = written[0]
    begin = f"[{first.upper()}{first}]" if first.islower() and written[1:2].islower() else re.escape(first)
    return begin + re.escape(written[1:]).replace("'", "[’']") + _NOT_BEFORE.get(written, "")


def _any_of(entry: LawEntry) -> str:
    """The names of an act or treaty, longer ones first."""
    exact = [_name(name) for name in sorted(entry.names, key=len, reverse=True)]
    return "|".join([*(f"(?i:{_name(name)})" for name in entry.any_case), *exact])


_KINDS = {
    "regulation": r"[Rr]egulations?|REGULATION|Reg\.|VO(?=\s\()|[Rr]èglements?|Verordnung(?:en)?|[Rr]eglamentos?|"
                  r"[Rr]egolament[oi]|[Rr]egulamentos?|[Vv]erordening(?:en)?|[Rr]ozporządzeni[ea]",
    "directive": r"[Dd]irectives?|DIRECTIVE|Dir\.|RL(?=\s[\d(])|Richtlinien?|"
                 r"[Dd]irectivas?|[Dd]irettiv[ae]|[Rr]ichtlijn(?:en)?|"
                 r"[Dd]yrektyw[ay]",
    "decision": r"[Dd]ecisions?|DECISION|[Dd]écisions?|Beschl[uü]ss(?:es?)?|Beschluss|Entscheidung(?:en)?|"
                r"[Dd]ecisión|[Dd]ecisione|[Bb]esluit|[Dd]ecyzj[ai]",
    "recommendation": r"[Rr]ecommendations?|[Rr]ecommandations?|Empfehlung(?:en)?",
}  # fmt: skip
# Letters in CELEX numbers of kinds whose numbers are formed like those of decisions.
_LIKE_DECISIONS = {"recommendation": "h", "framework": "f"}
_COMMUNITY = r"(?:EU|EC|EEC|UE|CE|CEE|EG|EWG|Euratom|CFSP|ECSC|JHA|JAI|PESC|GASP|JI|GAI|WE)"
_ACT = re.compile(
    r"(?P<framework>[Ff]ramework\s{1,2}|Rahmen(?=beschl)|décision-(?=cadre))?"
    + "(?:" + "|".join(f"(?P<{kind}>{words})" for kind, words in _KINDS.items()) + r"|(?P<cadre>décision-cadre|"
                                                                                   r"Rahmenbeschluss(?:es)?))"
    rf"\s{{1,3}}(?:\(\s?{_COMMUNITY}(?:\s?,\s?{_COMMUNITY})?\s?\)\s{{0,2}})?"
    rf"(?P<no>(?:No|Nr|N°|n°|nº|no|nr|n[.ºo])\.?\s{{0,2}})?(?P<number>(?<![\d/])\d{{1,5}}\s?/\s?\d{{1,5}})(?![\d])"
    rf"(?P<suffix>(?:/{_COMMUNITY}){{0,2}})(?!\w)"
    r"(?:\s{1,3}of\s{1,3}the\s{1,3}(?:European\s{1,3}Parliament"
    r"(?:\s{1,3}and\s{1,3}of\s{1,3}the\s{1,3}Council)?|Council|Commission))?"
)  # fmt: skip
_BARE = re.compile(r"(?P<number>(?:\d{2}|\d{4})/\d{1,4})(?P<suffix>(?:/(?:EU|EC|EEC|CE|CEE|UE|EG|EWG)))(?!\w)")
_BY = re.compile(
    r"(?:(?:Council|Commission|European Parliament and (?:of the )?Council|Delegated|Implementing|Delegierten?|"
    r"Durchführungs-?|above-mentioned|the)\s{1,3}){0,3}"
)
_CELEX_NUMBER = (
    r"(?:3(?:19|20)\d{2}[A-Z]\d{4}|6(?:19|20)\d{2}[CTF][A-Z]\d{4}|5(?:19|20)\d{2}[A-Z]{2}\d{4}|"
    r"2(?:19|20)\d{2}A\d{4}|1(?:19|20)\d{2}[A-Z]{1,2}\d{3})"
)
_CELEX = re.compile(
    rf"(?:CELEX\s?(?:number\s|no\.?\s?|"
    rf":\s?)?)?(?P<celex>{_CELEX_NUMBER})(?P<more>R?\(\d\d\))?(?![\w(/])",
    re.IGNORECASE,
)
_CASE_WORD = r"(?:(?:[Jj]oined\s)?[Cc]ases?\s|[Aa]ffaires?\s|Rechtssachen?\s|Rs\.?\s|[Aa]sunto\s|[Cc]ausa\s)?"
_CASE = re.compile(
    rf"{_CASE_WORD}(?P<court>[CTF])\s?[-‑–]\s?(?P<number>\d{{1,4}})/(?P<year>\d{{2}})(?P<stage>(?:\s(?:P|PPU|R|"
    rf"RENV|RX))?)(?![\w/])"
)
# Until 1988 there was one court, and its cases had no letter: "Case 6/64".
_OLD_CASE_WORD = (
    r"(?:[Jj]oined\s[Cc]ases?|[Cc]ases?|[Aa]ff(?:aires?|\.)|Rechtssachen?|(?:verb\.\s)?Rs\.?|[Aa]sunto|[Cc]ausa)\s"
)
_OLD_YEAR = r"(?:5[4-9]|[67]\d|8[0-8])(?![\w/-])"
_OLD_CASE = re.compile(rf"{_OLD_CASE_WORD}(?P<number>\d{{1,3}})/(?P<year>{_OLD_YEAR})")
_ECLI = re.compile(r"(?:ECLI:[A-Z]{2}|EU):[A-Z0-9]{1,7}:\d{4}:[A-Za-z0-9.]{1,25}(?<!\.)")
_JOURNAL = re.compile(
    r"\(?(?:OJ|JO|ABl\.?(?:\s?EU)?|DO)\s(?:\d{4}\s)?(?:[LC]\s?\d{1,4}(?:\s?[A-Z]|\sI)?|[LC],\s?\d{4}/\d{1,5})"
    r"(?:,\s\d{1,2}[./]\d{1,2}[./]\d{2,4})?(?:,\s(?:p|pp|S)\.\s?\d{1,4}(?:\s?[-–]\s?\d{1,4})?)?\)?"
)
_NAMES = "|".join(f"(?P<n{i}>{_any_of(entry)})" for i, entry in enumerate(_SHORT))
_SHORT_NAMES = re.compile(rf"(?:EU[ -])?(?:{_NAMES})(?![\w-])")
# Another state's act of the same name: "the AI Act of Utah".
_ELSEWHERE = re.compile(r"\sof\s(?!the\s(?:EU|European|Union)\b)(?:the\s)?[A-Z]")
_TREATY = re.compile(rf"(?:{'|'.join(f'(?P<{entry.tag}>{_any_of(entry)})' for entry in _TREATIES)})(?![\w-])")

LANGUAGE_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("fr", re.compile(
        r"\b(?:règlement|RGPD|TFUE|TUE|alinéa|considérant|annexe|paragraphe|directive\s\d|décision|du|de la|des|"
        r"Charte|affaires?)\b")),
    ("de", re.compile(
        r"\b(?:Verordnung|Richtlinie|Beschluss|Artikel|Abs|Absatz|Buchst|Unterabs|UAbs|lit|Erwägungsgrund|"
        r"Anhang|AEUV|EUV|"
        r"DS-?GVO|GRCh?|Rechtssache|Rs|Satz)\b")),
    ("es", re.compile(r"\b(?:[Rr]eglamento|[Aa]rtículo|apartado|[Dd]irectiva)\b")),
    ("it", re.compile(r"\b(?:[Rr]egolamento|[Aa]rticolo|paragrafo|[Dd]irettiva|lettera)\b")),
    ("nl", re.compile(r"\b(?:[Vv]erordening|[Rr]ichtlijn|AVG|lid)\b")),
    ("pt", re.compile(r"\b(?:[Rr]egulamento|[Aa]rtigo|[Aa]línea)\b")),
)  # fmt: skip
CELEX_LETTERS = {"regulation": "r", "directive": "l", "decision": "d"}  # of each kind of act
_YEAR_AND_NUMBER = re.compile(r"(?<![\d/])(\d{1,5})/(\d{1,5})(?![\d])", re.ASCII)
_FIRST_OF_UNION = 2009  # the first year of acts of "(EU)"
_NO_NUMBERS = str.maketrans("123456789", "000000000")
_COMPARED = 100  # characters of a reference that is compared with what was read before
_ANY_LANGUAGE = re.compile(r"\b(?=\w)(?:" + "|".join(words.pattern for _, words in LANGUAGE_WORDS) + ")")


STARTS = (
    rf"(?<![\w])(?:[Ff]ramework\s{{1,2}})?(?:{'|'.join(_KINDS.values())}|[Dd]écision-cadre|"
    rf"Rahmenbeschluss)\s{{1,3}}(?=[(\dNn])"
    r"|(?<![\w/.])\d{2,4}/\d{1,4}/(?=E[UCEG]|C)"
    rf"|(?<![\w/])(?i:(?:CELEX\s?(?:number\s|no\.?\s?|:\s?)?)?{_CELEX_NUMBER})|(?<!\w)ECLI:[A-Z]{{2}}:|(?<![\w:])EU:[CTF]:\d{{4}}:"
    rf"|(?<![\w-]){_CASE_WORD}[CTF]\s?[-‑–]\s?(?=\d{{1,4}}/\d{{2}}\b)|(?<!\w){_OLD_CASE_WORD}(?=\d{{1,3}}/{_OLD_YEAR})|(?<!\w)\(?(?:OJ|JO|ABl\.?)\s(?=[\dLCE])"
    rf"|(?<![\w-])(?<!UK )(?:{'|'.join(_any_of(entry) for entry in _SHORT if entry.alone)})(?![\w-])"
)


@lru_cache(maxsize=4096)  # one act is cited again and again
def celex_urn(kind: str, number: str, adopted: date | None = None) -> str:
    """The URN of an act by its kind (`regulation`, `directive`, `decision`) and number, as printed.

    The year is first in directives and, since 2015, everywhere (2016/679, 95/46/EC); before, regulations had it
    last ((EC) No 765/2008). Empty where the number can be read in two ways that `adopted` does not decide.
    """
    match, kind = _YEAR_AND_NUMBER.search(number), kind.lower()
    letter = CELEX_LETTERS.get(kind)
    if match is None or letter is None:
        return ""
    # "No 2015/90" is a number and a year; "(EU) 2015/90" is a year and a number.
    orders = ("last",) if re.search(r"\bNo\b", number) else ("first", "last")
    readings: set[tuple[int, int]] = set()
    for order in orders:
        stated, serial = (match[1], match[2]) if order == "first" else (match[2], match[1])
        year = _full_year(stated)
        union = year is not None and (year >= _FIRST_OF_UNION or not re.search(r"\(EU\)|/EU\b", number))
        if year is not None and union and len(serial) < 5 and _is_usual(kind, year, order):
            readings.add((year, int(serial)))
    if len(readings) > 1 and adopted:
        readings = {(year, serial) for year, serial in readings if abs(year - adopted.year) <= 1}
    if len(readings) != 1:
        return ""
    found, running = readings.pop()
    return f"urn:lex:eu:3{found}{letter}{running:04d}"


def _full_year(text: str) -> int | None:
    year = 1900 + int(text) if len(text) == 2 and int(text) > 51 else int(text)
    return year if 1952 <= year <= 2099 else None


def _is_usual(kind: str, year: int, order: str) -> bool:
    """Whether acts of this kind and year have the year at this place of their number."""
    if kind == "regulation":
        return (order == "first") == (year >= 2015)
    return order == "first" or (kind == "decision" and year < 2015)


def act_at(text: str, at: int) -> tuple[Law, int] | None:
    """A numbered act of the Union at this offset, institution words before it included."""
    by = _BY.match(text, at)
    position = by.end() if by else at
    match = _ACT.match(text, position)
    if match is None:
        return _bare_act(text, position)
    written = " ".join(match[0].split())
    kind = next((name for name in _KINDS if match[name]), "decision")
    number = "".join(["No " if match["no"] else "", *match["number"].split(), match["suffix"]])
    head = "(EU) " if re.search(r"\((?:EU|UE)", match[0]) else ""
    letter = _LIKE_DECISIONS.get("framework" if match["framework"] or match["cadre"] else kind)
    if letter:
        urn = re.sub(r"(?<=:3\d{4})d", letter, celex_urn("decision", number))
    else:
        urn = celex_urn(kind, f"{head}{number}")
    return Law(urn, written), match.end()


def last_act(text: str) -> tuple[Law, int] | None:
    """The last numbered act that a text names, and where its name ends."""
    found = list(_ACT.finditer(text))
    return act_at(text, found[-1].start()) if found else None


def _bare_act(text: str, at: int) -> tuple[Law, int] | None:
    """ "95/46/EC": directives and decisions are numbered alike, and most that are cited so are directives."""
    match = _BARE.match(text, at)
    if match is None:
        return None
    urn = celex_urn("directive", match[0])
    return Law(urn, match[0], certain=False), match.end()


def celex_at(text: str, at: int) -> tuple[Law, int] | None:
    """A CELEX number at this offset."""
    match = _CELEX.match(text, at)
    if match is None:
        return None
    number = match["celex"].upper()
    # A corrigendum is another text than the act that it corrects.
    urn = "" if match["more"] else f"urn:lex:eu:{number.lower()}"
    return Law(urn, number + (match["more"] or "")), match.end()


def short_name_at(text: str, at: int, *, after_article: bool) -> tuple[Law, int] | None:
    """An act by its short name. `after_article`: the words before are "Article N (of)", so that "DSA" is an act."""
    match = _SHORT_NAMES.match(text, at)
    if match is None or text[max(0, at - 3) : at] == "UK ":
        return None
    act = _SHORT[int((match.lastgroup or "n0")[1:])]
    if not act.alone and not after_article:
        return None
    certain = _ELSEWHERE.match(text, match.end()) is None
    return Law(f"urn:lex:eu:{act.id}", match[0], certain=certain), match.end()


def treaty_at(text: str, at: int) -> tuple[Law, int] | None:
    """A treaty at this offset, by abbreviation or title; treaties have tags and no URN scheme."""
    match = _TREATY.match(text, at)
    if match is None:
        return None
    # Other organisations have charters too.
    certain = match[0] != "Charter"
    return Law("", match[0], (("treaty", match.lastgroup or ""),), certain), match.end()


def case_at(text: str, at: int) -> tuple[Law, int] | None:
    """A case number of the Court of Justice, the General Court or the Civil Service Tribunal.

    The URN is that of a judgment in the case, which may instead have ended in an order: never certain.
    """
    match = _CASE.match(text, at)
    if match is None:
        return _old_case_at(text, at)
    year = int(match["year"])
    full = 1900 + year if year >= 53 else 2000 + year
    court = match["court"].upper()
    urn = f"urn:lex:eu:6{full}{court}j{int(match['number']):04d}".lower()
    number = f"{court}-{int(match['number'])}/{match['year']}{match['stage'].upper()}"
    return Law(urn, number, (("case_number", number),), certain=False), match.end()


def _old_case_at(text: str, at: int) -> tuple[Law, int] | None:
    match = _OLD_CASE.match(text, at)
    if match is None:
        return None
    written = f"{int(match['number'])}/{match['year']}"
    urn = f"urn:lex:eu:619{match['year']}cj{int(match['number']):04d}"
    return Law(urn, written, (("case_number", written),), certain=False), match.end()


def ecli_at(text: str, at: int) -> tuple[Law, int] | None:
    """A European Case Law Identifier of any country or court; it is an alias and no URN."""
    match = _ECLI.match(text, at)
    if match is None:
        return None
    ecli = match[0] if match[0].startswith("ECLI:") else f"ECLI:{match[0]}"
    return Law("", ecli, (("ecli", ecli),)), match.end()


def journal_at(text: str, at: int) -> tuple[Law, int] | None:
    """A place in the Official Journal, which is where law is printed and no law."""
    match = _JOURNAL.match(text, at)
    return (Law("", match[0]), match.end()) if match else None


def language_of(text: str) -> str:
    """The language a reference is written in, by its words; English where they do not tell."""
    # Numbers tell no language, and without them references are alike.
    return _language(text.translate(_NO_NUMBERS) if len(text) <= _COMPARED else text)


@lru_cache(maxsize=4096)
def _language(text: str) -> str:
    if _ANY_LANGUAGE.search(text) is None:
        return "en"
    return next(code for code, words in LANGUAGE_WORDS if words.search(text))
