"""How British law is named: short titles, chapter and instrument numbers, neutral citations, law reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rag.jurisdictions.gb.acts import KNOWN_TITLES, title_key
from rag.jurisdictions.grammar.kernel import Law
from rag.jurisdictions.tables import laws_of
from rag.languages.en.rules import ENGLISH_WORDS
from rag.law.patterns import lazy

_GB = "urn:lex:gb:"
_MAX_TITLE = 25  # words
_REACH = 180  # characters that a title has before its last word

_KIND = (
    r"Acts?|Measure|Order in Council|Orders?|Regulations?|Rules|Scheme|Code|Byelaws|Ordinance|Directions?|Convention|"
    r"Warrant|Regs?|Directive|Treaty|Agreement"
)
_PLACE = r"(?:\s\((?:Northern Ireland|Scotland|Wales|England|England and Wales|N\.?I\.?|S|W)\))"
_YEAR = r"1[2-9]\d\d|20\d\d"
# The end of a short title: "Act 1968", "Act (Northern Ireland) 2000", "Act 1997 (Criminal Records) Regulations 2002".
_TITLE_END = re.compile(
    rf"(?P<kind>{_KIND}|ACT|ORDER|REGULATIONS|RULES|"
    rf"MEASURE){_PLACE}?(?:\s\([^()\n]{{1,60}}\))?,?\s{{1,3}}(?P<year>{_YEAR})(?![\w/])"
    rf"(?P<more>\s\([^()\n]{{1,80}}\)\s(?:{_KIND})(?:\s\([^()\n]{{1,60}}\)){{0,2}}\s(?P<later>{_YEAR})(?!\w))?"
)
_LOWER_END = re.compile(rf"(?:act|regulations|rules|order),?\s{{1,3}}(?P<year>{_YEAR})(?P<later>(?!))?(?![\w/])")
_LOWER_TITLE = re.compile(
    rf"(?:[a-z0-9][^\s()]{{0,30}}\s{{1,3}}|\([^()\n]{{1,60}}\)\s{{1,3}}){{1,10}}?(?={_LOWER_END.pattern})"
)
_BARE_TITLE = re.compile(rf"(?:{_KIND})(?![\w’'-])(?:{_PLACE})?")
_TITLE_WORD = re.compile(
    r"(?:[A-Z][\w’'.&/-]{0,40}|of|and|the|for|in|to|on|with|by|from|at|as|against|etc\.?|&|No\.\s?\d{1,2}|"
    r"\((?!\d{1,3}[A-Z]?\))[A-Z0-9][^()\n]{0,70}\)|\d{1,4}),?\s{1,3}"
)
_JOINTS = frozenset({
    "of", "and", "the", "for", "in", "to", "on", "with", "by", "from", "at", "as", "etc", "etc.", "&", "(etc.)",
})  # fmt: skip
_TITLED = re.compile(r"[A-Z]|\((?!\d{1,3}[A-Z]?\))[A-Z0-9]|\d+\Z|&\Z")
_AND = re.compile(r"\b(?:and|or)\s{1,3}\Z")
_AND_THE = re.compile(r"\s{0,3},?\s{0,3}(?:and|or)\s{1,3}the\b")
_STOPS = ENGLISH_WORDS.openers | frozenset({
    "Does", "Do", "Did", "Is", "Are", "Was", "Were", "Can", "Could", "Would", "Should", "Will", "What", "Which",
    "Who", "How", "Why", "See", "Has", "Have", "May", "Must", "Since", "Also", "Both", "Between", "Cf", "Cf.",
    "Whether", "That's", "And/or", "Against", "Among", "Including", "Contrary", "Breach", "Per", "Pursuant",
    "Following", "section", "sections", "Sch", "Schedule", "regulation", "article", "para", "paragraph", "Old",
    "New", "Amend", "Amended",
})  # fmt: skip
# An act of the same short title that another country has; places that belong to a title are before its year.
ELSEWHERE = re.compile(
    r"\s{1,2}\((?:Isle\sof\sMan|I\.?o\.?M\.?|Ireland|Irl\.?|R\.?o\.?I\.?|N\.?\s?I\.?|Northern\sIreland|Scotland|Jersey|"
    r"Guernsey|Malta|Cyprus|Gibraltar|India|Australia|Cth|NSW|Vic|Qld|WA|NZ|New\sZealand|Singapore|Malaysia|Hong\sKong|"
    r"Canada|South\sAfrica|Kenya|Nigeria|Ghana|Bermuda|Cayman\sIslands|BVI|Bahamas|Jamaica|Barbados|US|USA)\)"
)
# Numbers that follow a title: "(c. 60)", "(asp 2)", "(S.I. 1998/1504 (N.I. 9))".
_NUMBERED = re.compile(
    r"\s{1,3}(?=c\.\s?\d|asp\s\d)|\s{0,3},?\s{0,3}\(\s?(?=c\.|ch\.|cap\.|asp|anaw|asc|nawm|mwa|S\.?\s?[IR]|S\.?\s?S\.?\s?I|N\.\s?I)"
)
_CHAPTER = re.compile(r"(?:c|ch|cap)\.?\s?(?P<number>\d{1,3})(?P<irish>\s?\(N\.?\s?I\.?\))?(?!\w)")
_DEVOLVED = re.compile(r"(?P<kind>asp|anaw|asc|nawm|mwa|nia)\s?(?P<number>\d{1,3})(?!\w)")
_IRISH_NUMBER = re.compile(r"N\.\s?I\.\s?(?P<number>\d{1,3})(?!\w)")
_INSTRUMENT = re.compile(
    r"(?P<series>S\.?\s?I\.?(?![a-z])|S\.?\s?S\.?\s?I\.?|S\.?\s?R\.?(?:\s?&\s?O\.?)?(?:\s?\(N\.?I\.?\))?|"
    r"W\.?\s?S\.?\s?I\.?|"
    r"Statutory Instruments?)\s{0,2}(?:(?:No\.?|Nos\.?)\s?)?(?P<year>(?:18|19|20)\d\d)(?:\s?/\s?|\s?\(?(?:No\.?|"
    r"n[o°])\s?)(?P<number>\d{1,4})"
    r"(?!\d)\)?(?P<sub>\s?\((?:W|N\.?\s?I|S|C|L)\.?\s?\d{1,3}\))?"
)
_YEAR_CHAPTER = re.compile(
    rf"(?P<year>{_YEAR})\s(?:(?:c|ch|cap|Chapter)\.?\s?(?P<number>\d{{1,3}})(?P<irish>\s?\(N\.?\s?I\.?\))?|(?P<kind>asp|"
    rf"anaw|asc|nawm|mwa|nia)\s?(?P<own>\d{{1,3}})|NI\s(?P<order>\d{{1,3}}))(?!\w)"
)
_NEUTRAL = re.compile(
    r"\[(?P<year>(?:19|20)\d\d)\]\s{0,3}(?P<court>UKSC|UKHL|UKPC|EWCA|EWHC|EWCOP|EWFC|EWCC|EWMC|EWLandRA|UKUT|"
    r"UKFTT|UKEAT|EAT|UKAIT|UKIAT|UKIPTrib|"
    r"UKSIAC|CSIH|CSOH|HCJAC|HCJ|SAC|NICA|NIQB|NIKB|NICh|NICC|NIFam|NIMaster|CAT|DRS|PBSA|EWCr|UKCMA)"
    r"\s{0,3}\(?(?P<division>(?<=\()[A-Za-z]{1,12}(?=\))|Civ\b|Crim\b|Admin\b|Ch\b|QB\b|KB\b|"
    r"Fam\b|Comm\b)?\.?\)?\s{0,3}(?P<number>\d{1,5})(?!\w)"
    r"(?:\s{0,3}\(?(?P<bracket>(?<=\()[A-Za-z]{1,12}(?: [A-Za-z]{1,8})?(?=\))|(?:Admin|Ch|QB|KB|Fam|Comm|TCC|"
    r"Pat|IPEC)\b)\)?)?"
)
_DIVISIONS = frozenset({
    "admin", "ch", "chancery", "qb", "kb", "fam", "comm", "tcc", "pat", "ipec", "costs", "scco", "admlty",
    "mercantile", "civ", "crim", "iac", "aac", "lc", "tc", "grc", "hesc", "t1", "t2", "t3", "b", "pc", "ip", "wp",
    "hb", "se", "est", "appeal", "edin",
})  # fmt: skip
_DIVIDED = frozenset({
    "EWHC", "EWCA", "UKUT", "UKFTT", "SAC",
})  # fmt: skip
_REPORT = re.compile(
    r"(?:\[(?P<square>(?:18|19|20)\d\d)\]|\((?P<round>(?:1[6-9]|20)\d\d)\)|(?<!\w)(?:19|20)\d\d(?=\s(?:SC|SLT|"
    r"SCLR|SCCR|JC)\s))\s{1,3}"
    r"(?P<volume>\d{1,3}\s)?(?P<series>(?:AC|Ch\.?|QB|KB|WLR|All\sER(?:\s\([A-Z][a-z]{0,6}\))?|ER|Fam|P|ICR|"
    r"IRLR|FLR|FCR|Cr\sApp\sR(?:\s\(S\))?|"
    r"LR\s\d{0,2}\s?[A-Z]{1,4}|App\sCas|Ch\sD|QBD|KBD|BCLC|BCC|Lloyd[’']s\sRep(?:\s[A-Z]{1,3})?|EMLR|FSR|RPC|ETMR|"
    r"P\s?&\s?CR|HLR|EGLR|EG|BLR|Con\sLR|STC|BTC|SFTD|TC|LGR|Imm\sAR|INLR|EHRR|BHRC|UKHRR|UKCLR|ECR|CMLR|TLR|PNLR|"
    r"PIQR|BMLR|Med\sLR|RTR|JP|ELR|SC\s\(HL\)|SC|SLT|SCLR|SCCR|JC|NI|NIJB|IR|ILRM|WTLR|Costs\sLR|CPLR|CLC|"
    r"L\s?&\s?TR))\.?\s"
    r"\d{1,5}(?!\d)"
)
_PINPOINT = re.compile(
    r"(?:,?\s{1,3}(?:at\s{1,3})?(?:\[(?P<a>(?!(?:18|19|20)\d\d)\d{1,4})\]|(?:at\s{1,3})?(?:paras?\.?|"
    r"paragraphs?)\s{0,3}\[?(?P<b>\d{1,4})\]?(?!\w)))"
)

STARTS = (
    rf"(?<!\w)(?:Acts?|ACT|Measure|MEASURE|Order(?:\sin\sCouncil)?|ORDER|Regulations|REGULATIONS|Rules|RULES|"
    rf"Scheme|Code)"
    rf"(?:{_PLACE})?(?:\s\([^()\n]{{1,60}}\))?,?\s{{1,3}}(?:{_YEAR})(?![\w/])"
    rf"|(?<!\w)(?:act|regulations|rules|order),?\s{{1,3}}(?:{_YEAR})(?![\w/])"
    rf"|(?<![\w/])(?:{_YEAR})\s(?:c|ch|cap|Chapter)\.?\s?\d{{1,3}}(?!\w)|(?<![\w/])(?:{_YEAR})\s(?:asp|anaw|asc|nawm|"
    rf"mwa|nia|NI(?=\s\d))\s?\d"
    r"|(?<!\w)(?:S\.?\s?I\.?|S\.?\s?S\.?\s?I\.?|S\.?\s?R\.?(?:\s?&\s?O\.?)?(?:\s?\(N\.?I\.?\))?|"
    r"W\.?\s?S\.?\s?I\.?|Statutory Instruments?)\s{0,2}"
    r"(?:Nos?\.?\s?)?(?=(?:18|19|20)\d\d)"
    r"|\[(?:18|19|20)\d\d\]\s{0,3}(?=[A-Z\d])|\((?:1[6-9]|20)\d\d\)\s(?=\d{0,3}\s?[A-Z])|(?<!\w)(?:19|"
    r"20)\d\d\s(?=(?:SC|SLT|SCLR|SCCR|JC)\s\d)"
)


def titled_at(text: str, at: int) -> tuple[Law, int] | None:
    """The law whose short title begins at this offset; without a year, or unknown, its URN is empty.

    A name without a year ("the Administration Act") has the role `unread`: the document that uses it says what it is.
    """
    if (lower := _LOWER_TITLE.match(text, at)) and (end := _LOWER_END.match(text, lower.end())):
        known = title_key(text[at : end.end()]) in KNOWN_TITLES
        return numbered(text, text[at : end.end()], end) if known else None
    position = at
    for count in range(_MAX_TITLE):
        if (end := _TITLE_END.match(text, position)) and (count or end["more"]):
            return numbered(text, text[at : end.end()], end)
        bare = _BARE_TITLE.match(text, position)
        word = _TITLE_WORD.match(text, position)
        if bare is not None and (word is None or _AND_THE.match(text, bare.end()) or not _goes_on(text, word.end())):
            return (Law("", text[at : bare.end()], role="unread"), bare.end()) if count or bare[0] != "Code" else None
        if word is None or (count == 0 and word[0].split()[0] in _JOINTS):
            return None
        position = word.end()
    return None


def _goes_on(text: str, position: int) -> bool:
    """Whether a title that has come to a word such as "Order" goes on to its real end."""
    for _ in range(_MAX_TITLE):
        if _TITLE_END.match(text, position):
            return True
        word = _TITLE_WORD.match(text, position)
        if word is None or not (word[0][0].isupper() or word[0][0] == "(" or word[0].split()[0] in _JOINTS):
            return False
        position = word.end()
    return False


def titled_before(text: str, at: int, floor: int) -> tuple[Law, int, int] | None:
    """The law whose title ends at the match of "Act 1968" at this offset; the title's begin is not before `floor`."""
    end = _TITLE_END.match(text, at)
    if end is None:
        lower = _LOWER_END.match(text, at)
        return _lower_case(text, at, lower, floor) if lower is not None else None
    begin = at
    for word in _words_back(text, at, max(floor, at - _REACH)):
        plain = word[1].rstrip(",")
        if not plain or plain in _STOPS or not (_TITLED.match(plain) or plain in _JOINTS):
            if plain.lower() == "against" and (known := _known_before(text, at, end, floor)) is not None:
                begin = known
            break
        # "the Rent Act and the Housing Act 1985" are two.
        if plain == "the" and _AND.search(text, max(floor, word[0] - 8), word[0]):
            break
        begin = word[0]
        if text[max(0, begin - 3) : begin].rstrip()[-1:] in tuple('.;:—–“”"‘'):
            break
    # A title begins with no "of", "and" or "the", nor with the number of the section before it.
    while begin < at and ((first := text[begin:at].split(maxsplit=1)[0]) in _JOINTS or first.isdigit()):
        begin += len(first) + len(text[begin + len(first) : at]) - len(text[begin + len(first) : at].lstrip())
    if begin == at:
        return None
    law, stop = numbered(text, text[begin : end.end()], end)
    return law, begin, stop


def _known_before(text: str, at: int, end: re.Match[str], floor: int) -> int | None:
    """Where the longest known title begins that ends at a match, whatever words it holds."""
    begins = (begin for begin, _ in _words_back(text, at, max(floor, at - _REACH)))
    known = [begin for begin in begins if title_key(text[begin : end.end()]) in KNOWN_TITLES]
    return known[-1] if known else None


def _words_back(text: str, at: int, floor: int) -> Iterator[tuple[int, str]]:
    """The words before an offset, nearest first, each with its begin; a bracket is one word."""
    position = at
    for _ in range(_MAX_TITLE):
        end = position
        while end > floor and text[end - 1].isspace():
            end -= 1
        if end == floor or position - end > 3 or (end == position and position < at):
            return
        if text[end - 1] == ")":
            begin = text.rfind("(", max(floor, end - 72), end)
        else:
            begin = end - 1
            while begin > floor and end - begin <= 40 and not (text[begin - 1].isspace() or text[begin - 1] in "()[]"):
                begin -= 1
        if begin < floor:
            return
        yield begin, text[begin:end]
        position = begin


def _lower_case(text: str, at: int, end: re.Match[str], floor: int) -> tuple[Law, int, int] | None:
    """A known title written without capitals: "theft act 1968"."""
    begin = _known_before(text, at, end, floor)
    if begin is None:
        return None
    law, stop = numbered(text, text[begin : end.end()], end)
    return law, begin, stop


def numbered(text: str, title: str, end: re.Match[str]) -> tuple[Law, int]:
    """The law of a title, with the number that may follow it in brackets."""
    title = " ".join(title.split())
    year = int(end["later"] or end["year"])
    stop = end.end()
    known = KNOWN_TITLES.get(title_key(title), "")
    if elsewhere := ELSEWHERE.match(text, stop):
        return Law("", f"{title}{elsewhere[0]}"), elsewhere.end()
    bracket = _NUMBERED.match(text, stop)
    if bracket is None:
        return Law(known, title), stop
    law, after = _number_at(text, bracket.end(), year, title)
    if law is None:
        return Law(known, title), stop
    close = text.find(")", after, after + 12) if bracket[0].strip() else -1
    certain = law.certain and known in ("", law.urn)  # a well-known act with the number of another
    return Law(law.urn, title, certain=certain), close + 1 if close >= 0 else after


def _number_at(text: str, at: int, year: int, title: str) -> tuple[Law | None, int]:
    if match := _CHAPTER.match(text, at):
        return Law(_chapter_urn(year, match, title), title, certain=year >= 1963), match.end()
    if match := _DEVOLVED.match(text, at):
        return Law(_devolved_urn(match["kind"], year, match["number"]), title), match.end()
    if match := _INSTRUMENT.match(text, at):
        return Law(_instrument_urn(match, title), title), match.end()
    if match := _IRISH_NUMBER.match(text, at):
        return Law("", title), match.end()  # the number of an Order in Council among the Northern Irish ones only
    return None, at


def _chapter_urn(year: int, match: re.Match[str], title: str = "") -> str:
    """Chapters before 1963 are numbered by session, so that a year can have two of one number: not certain."""
    irish = match["irish"] or re.search(r"Act \(Northern Ireland\) \d{4}\Z", title)
    kind = "ukpga" if not irish else "nia" if year >= 2000 else "apni" if year >= 1921 and year <= 1973 else ""
    return f"{_GB}{kind}-{year}-{int(match['number'])}" if kind else ""


def _devolved_urn(kind: str, year: int, number: str) -> str:
    return f"{_GB}{'mwa' if kind == 'nawm' else kind}-{year}-{int(number)}"


def _instrument_urn(match: re.Match[str], title: str = "") -> str:
    """UK, Welsh and Northern Irish instruments share one series of numbers; subsidiary numbers and titles tell them."""
    series = re.sub(r"[\s.]", "", match["series"]).upper()
    sub = (match["sub"] or "").strip(" (")[:1]
    kind = {"SSI": "ssi", "SR&O": "uksro", "WSI": "wsi"}.get(series, "nisr" if series.startswith("SR") else "uksi")
    if kind == "uksi" and (sub == "W" or sub == "N" or re.search(r"\(Northern Ireland\) Order \d{4}\Z", title)):
        kind = "wsi" if sub == "W" else "nisi"
    return f"{_GB}{kind}-{match['year']}-{int(match['number'])}"


def instrument_at(text: str, at: int) -> tuple[Law, int] | None:
    """A statutory instrument or rule by its number."""
    match = _INSTRUMENT.match(text, at)
    if match is None:
        return None
    urn = _instrument_urn(match)
    return Law(urn, match[0]), match.end()


def chapter_at(text: str, at: int) -> tuple[Law, int] | None:
    """ "1968 c. 60", "2003 asp 2"."""
    match = _YEAR_CHAPTER.match(text, at)
    if match is None:
        return None
    year = int(match["year"])
    if match["order"]:
        return Law("", match[0]), match.end()  # an Order in Council among the Northern Irish ones of its year
    if match["kind"]:
        return Law(_devolved_urn(match["kind"], year, match["own"]), match[0]), match.end()
    return Law(_chapter_urn(year, match), match[0], certain=year >= 1963 or bool(match["irish"])), match.end()


def neutral_at(text: str, at: int) -> tuple[Law, int] | None:
    """A decision by its neutral citation, with the paragraph pinpointed.

    A High Court number without its division has no URN; the tag `neutral_citation` then holds what is known.
    """
    match = _NEUTRAL.match(text, at)
    if match is None:
        return None
    court, year, number = match["court"], match["year"], int(match["number"])
    bracket = match["bracket"] if (match["bracket"] or "").lower() in _DIVISIONS else None
    division = (match["division"] or bracket or "").lower()
    end = match.end() if bracket or not match["bracket"] else match.end("number")
    if division and division not in _DIVISIONS:
        return Law("", match[0]), end
    if court in _DIVIDED and not division:
        return Law("", match[0], (("neutral_citation", f"[{year}] {court} {number} ("),)), end
    code = "-".join(part for part in (court.lower(), division, year, str(number)) if part)
    point = _PINPOINT.match(text, end)
    urn = f"{_GB}{code}"
    if point is not None:
        urn, end = f"{urn}:{int(point['a'] or point['b'])}", point.end()
    return Law(urn, text[at:end]), end


def report_at(text: str, at: int) -> tuple[Law, int] | None:
    """A place in the law reports."""
    match = _REPORT.match(text, at)
    return (Law("", match[0]), match.end()) if match else None


# Acts by their initials: "s 24 PACE", "HRA 1998, s 6", "s.21 HA 1988". Initials are made from the well-known titles.
# Few of them belong to one act only, so that most are a reading and not certain; acts outside the list may share the
# rest.
_UNINITIALLED = frozenset({"of", "and", "the", "for", "in", "to", "from", "with", "at"})
_ENTRIES = laws_of("gb").laws
# Those that name one act whoever writes them, with or without its year.
_KNOWN_ALONE = {initials.upper() for entry in _ENTRIES if entry.certain == "always" for initials in entry.abbreviations}
_KNOWN_WITH_YEAR = _KNOWN_ALONE | {
    initials.upper() for entry in _ENTRIES if entry.certain == "with year" for initials in entry.abbreviations
}
# "the Irish DPA 2018" is another country's.
_OF_A_COUNTRY = lazy(r"\b(?!British|English|Scottish)(?:[A-Z][a-z]{1,12}(?:ish|ese|ian|ean|can|yan)|Manx|Israeli)\s\Z")
_INITIALS = r"(?:[A-Z][A-Za-z]{1,7}|[A-Z]{2,8})"
_NAMED = lazy(rf"(?P<initials>{_INITIALS})(?:,?\s{{0,2}}(?P<year>(?:18|19|20)\d\d))?(?![\w/’'-])")
_UNIT_BEHIND = r"(?:ss?\.?\s?\d|sections?\s\d|[Ss]ch(?:edule|\.)?\s|regs?\.?\s?\d|para\.?\s|Pt\.?\s|Part\s)"


def _of_titles() -> dict[str, dict[str, set[str]]]:
    """Initials in capitals -> year -> URNs."""
    found: dict[str, dict[str, set[str]]] = {}

    def note(initials: str, title: str) -> None:
        found.setdefault(initials.upper(), {}).setdefault(title[-4:], set()).add(KNOWN_TITLES[title])

    for title in KNOWN_TITLES:
        words = title[:-5].replace("(", "").split()
        note("".join(word[0] for word in words if word not in _UNINITIALLED and word != "etc"), title)
        note("".join(word[0] for word in words if word not in _UNINITIALLED - {"of"} and word != "etc"), title)
    for entry in _ENTRIES:
        for initials in entry.abbreviations:
            note(initials, title_key(entry.title))
    return found


_TITLES = _of_titles()
_WRITTEN = {initials for entry in _ENTRIES if entry.certain for initials in entry.abbreviations}
# Before a provision: these alone, so that other words in capitals are left as they are.
INITIALS = (
    rf"(?<![\w&./-])(?:{'|'.join(sorted(_WRITTEN, key=lambda initials: (-len(initials), initials)))})"
    rf"(?:,?\s(?:19|20)\d\d)?(?=,?\s{{1,3}}{_UNIT_BEHIND})"
)


def initialled_at(text: str, at: int) -> tuple[Law, int] | None:
    """The act whose initials begin at this offset, and where they end; None for other words.

    The law is certain for initials that mean one act. Several acts of one year with the same initials are none.
    """
    match = _NAMED.match(text, at)
    if match is None:
        return None
    law = _act(match["initials"], match["year"] or "")
    if law is None or ELSEWHERE.match(text, match.end()) or _OF_A_COUNTRY.search(text, max(0, at - 20), at):
        return None
    return law, match.end()


@lru_cache(maxsize=1024)
def _act(initials: str, year: str) -> Law | None:
    key = initials.upper()
    years = _TITLES.get(key) if sum(char.isupper() for char in initials) > 1 else None
    if years is None or (not year and len(key) < 3):
        return None
    urns = years.get(year, set()) if year else years[max(years)]
    if len(urns) != 1:
        return None
    certain = key in (_KNOWN_WITH_YEAR if year else _KNOWN_ALONE)
    return Law(next(iter(urns)), initials, certain=certain)
