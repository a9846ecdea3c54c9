"""France: its codes, laws, decrees and ordinances, constitutional texts, and the numbers of its decisions and files.

A string that people give as a reference is a query; a number that only its shape gives away is a candidate, with the
reading as its hint.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from itertools import groupby

from rag.jurisdictions.fr.laws import NamedLaw, law_at, law_number
from rag.jurisdictions.fr.names import ENGLISH
from rag.jurisdictions.fr.naming import article_number
from rag.jurisdictions.fr.places import Cited, Places
from rag.jurisdictions.fr.reader import Reading, read_references
from rag.jurisdictions.fr.text import WRITTEN_DATE, Folded, fold, read_date
from rag.jurisdictions.fr.units import AND_ON, AROUND_DASH, ARTICLE_NUMBER, Item
from rag.jurisdictions.grammar.english_names import EnglishNames
from rag.jurisdictions.grammar.kernel import CountryLaw, Span, doubted, reference_of
from rag.jurisdictions.grammar.signals import unframed
from rag.law.jurisdiction import ONWARDS, SEVERAL, FoundReference, Jurisdiction, ReferenceContext
from rag.law.patterns import lazy, verbose
from retrieval.paths import MAX_URN_LENGTH
from retrieval.tag_query import NORMALIZE_PATTERNS, TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

BARE_NUMBER = "article number without its code"
_UNSURE = "an uncertain reading"
_MAX_REORDERED = 300  # characters; what is longer is no citation in another order
_MAX = 600  # characters; what is longer is a text and no reference

_EDGES = lazy(
    r"(?i:\A(?:voir|cf\.?|v\.|selon|cite[rz]?)\s|\A(?:a\s)?l'"
    r"|\A(?:le|la|les|du|des|aux?)\s(?![0-9]{1,2}\s?°|[IVX]{1,5}\s))"
)
_AT_DATE = verbose(rf"""
    \s? [,(]? \s? (?i: dans\s(?:sa|leur)\s(?:version|redaction)\s | version\s | tels?\squ' | redaction\s )?
    (?i: (?:en\svigueur|applicable|consolidee)\s )? (?i: au | le | du | a\sla\sdate\sdu ) \s
    (?P<date> {WRITTEN_DATE} | [0-9]{{1,2}}[/.][0-9]{{1,2}}[/.][0-9]{{4}} | [0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}} )
    \s? \)? \Z
""")  # fmt: skip
_TITLE_REST = lazy(
    r"\s?,?\s?(?i:relati[fv]e?s?|sur|pour|dite?|d'|de\s"
    r"|en\sfaveur|[a-z]{4,20}ant\s)"
)
_BEFORE_READING = frozenset({"", "ancien", "anciens", "le", "les", "au", "aux", "du", "des"})
_SEPARATORS = NORMALIZE_PATTERNS["punctuation"]

# Courts: the shape of the number, the words before it that fit, and the court's tag.
_CASSATION = lazy(r"(?<![\w.-])(?P<number>[0-9]{2}\s?-\s?[0-9]{2}\s?\.\s?[0-9]{3})(?!\w)")
_CASSATION_PLAIN = lazy(
    r"(?i:pourvoi|cass|\bciv|\bsoc\b|\bcom\b|\bcrim\b)(?:[^0-9]{0,40}|.{0,60}\bn\s?°\s?)(?P<number>[0-9]{2}-[0-9]{5})\Z"
)
_COUNCIL = lazy(r"(?<![\w./-])(?P<number>[0-9]{6})(?=\Z|,\s(?i:au\s)?(?i:rec|leb|t\.|ment))")
_COUNCIL_SHORT = lazy(r"(?i:\bCE\b|conseil\sd'etat|cons\.?\sd'et|requete)[^0-9].{0,80}?(?P<number>[0-9]{4,5})\Z")
_COUNCIL_WORDS = lazy(r"(?i:\bCE\b|conseil\sd'etat|cons\.?\sd'et|requete)")
_REGISTER = lazy(r"(?<![\w./-])(?P<number>[0-9]{2}\s?/\s?[0-9]{5})\Z")
_APPEAL = lazy(r"(?<!\w)(?P<number>[0-9]{2}(?:BX|DA|LY|MA|NC|NT|PA|TL|VE)[0-9]{5})\Z", re.IGNORECASE)
_TRIBUNAL = lazy(r"(?i:\bTA\b|tribunal\sadministratif)(?:\D{0,80}|.{0,80}\bn\s?°\s?)(?P<number>[0-9]{7})\Z")
_COUNCIL_LAW = lazy(
    r"(?<![\w-])(?P<number>[0-9]{2,4}-[0-9]{1,4}(?:/[0-9]{1,4})*)\s?(?P<kind>(?i:QPC|DC|LOM|LP|ELEC|ORGA|FNR|PDR))\Z"
)
_ECLI = lazy(r"(?i:ECLI:FR:[A-Z0-9]{1,7}:[0-9]{4}:[A-Z0-9.]{1,25})")
_IDCC = lazy(
    r"(?i:(?:convention\scollective(?:\snationale)?|ccn|brochure)?[\s,(]{0,3}idcc"
    r"|convention\scollective(?:\snationale)?)"
    r"\s?(?i:n\s?°?o?\s?)?[:\s]{0,3}(?P<number>[0-9]{1,4})\s?\)?"
)
_NOR = lazy(r"(?i:(?:nor|n°\s?nor)\s?:?\s?)?(?P<number>(?i:[A-Z]{4}[0-9]{7}[A-Z]))")
_BOFIP = lazy(r"(?i:bofip(?:-impots)?\s?[:,]?\s?)?(?P<number>(?i:BOI(?:-[A-Z0-9]{1,12}){1,14}))")
_BOFIP_DATE = lazy(r"-(?P<year>(?:19|20)[0-9]{2})(?P<month>[0-9]{2})(?P<day>[0-9]{2})\Z")
_LAW_NUMBER = lazy(r"(?i:n\s?(?:°|os?|r)\s?\.?\s?)?(?P<number>(?:[4-9][0-9]|(?:19|20)[0-9]{2})-[0-9]{1,4})")
_NO_IDENTIFIER = lazy(r"(?i:articles?|arts?|loi|code|decret|ordonnance)\b")
_NATURES = ("loi", "ordonnance", "decret")
_SIREN = lazy(r"(?P<word>(?i:(?:n\s?°?\s?)?siren\s?(?:n\s?°?)?\s?:?\s?))?(?P<number>[0-9]{3}\s?[0-9]{3}\s?[0-9]{3})")


def queries(reference: str) -> list[TagQuery]:
    """The readings of a whole string; see `Jurisdiction.tag_queries`."""
    bare = unframed(reference, "fr")
    if (found := _as_written(bare)) or len(bare) > _MAX_REORDERED:
        return found
    for written, doubt in _in_order(bare):
        if found := _as_written(written):
            return doubted(found, doubt)
    return []


def _as_written(reference: str) -> list[TagQuery]:
    if len(reference) > _MAX:
        return []
    text = " ".join(fold(reference).text.split()).strip(" .,;?!\"'")
    if not text:
        return []
    # Whoever writes "article" or "loi" means no case; most references are told from cases by that.
    words = any(word in text.lower() for word in _LAW_PARTS) and _LAW_WORDS.search(text) is not None
    return _identifier(text) or ([] if words else _case(text)) or _law(text)


# Identifiers


def _identifier(text: str) -> list[TagQuery]:
    if _NO_IDENTIFIER.match(text):
        return []
    if (ecli := _ECLI.fullmatch(text)) is not None:
        return [_tags("decision", {"ecli": ecli[0].upper()})]
    if (idcc := _IDCC.fullmatch(text)) is not None:
        plain = idcc["number"].lstrip("0") or "0"
        spellings = dict.fromkeys((idcc["number"], plain, plain.zfill(4)))
        return [_tags("legislation", {"idcc": spelling, "in_force": "true"}) for spelling in spellings]
    if (nor := _NOR.fullmatch(text)) is not None:
        return [_tags("legislation", {"nor": nor["number"].upper()})]
    if (bofip := _BOFIP.fullmatch(text)) is not None:
        return _bofip(bofip["number"].upper())
    siren = _SIREN.fullmatch(text)
    if siren is not None and luhn(number := re.sub(r"\s", "", siren["number"])):
        return [_tags("record", {"siren": number}, hint=None if siren["word"] else "SIREN")]
    if (bare := _LAW_NUMBER.fullmatch(text)) is not None:
        hint = "number of a law without its nature"
        return [replace(_by_number(nature, law_number(bare["number"])), hint=hint) for nature in _NATURES]
    return []


def _bofip(number: str) -> list[TagQuery]:
    """A tax administration's comment by its id; with a date behind it, the version published then."""
    found = [_tags(None, {"bofip": number})]
    dated = _BOFIP_DATE.search(number)
    day = read_date("-".join(dated.groups())) if dated is not None else None
    if dated is not None and day is not None:
        found.append(replace(_tags(None, {"bofip": number[: dated.start()]}), at_date=day))
    return found


def luhn(number: str) -> bool:
    """Whether the last digit checks the others, as SIREN and SIRET numbers have it."""
    doubled = [int(one) * (1 + place % 2) for place, one in enumerate(reversed(number))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0 and int(number) > 0


def _tags(kind: str | None, tags: dict[str, str], *, hint: str | None = None) -> TagQuery:
    return TagQuery(language="fr", kind=kind, tag_filters=TagFilterSet.from_tags(tags), hint=hint)


# Decisions


def _case(text: str) -> list[TagQuery]:
    for pattern, courts, hint, fits in _COURTS:
        match = pattern.search(text)
        if match is not None and fits(text[: match.start("number")], text[match.end("number") :]):
            number = re.sub(r"\s", "", match["number"]).upper()
            return [_decision(number, courts, hint)]
    if (council := _COUNCIL_LAW.search(text)) is not None:
        number = f"{council['number']} {council['kind'].upper()}"
        return [_decision(number, ["conseil_constitutionnel"], "decision du Conseil constitutionnel")]
    return []


def _decision(number: str, courts: list[str], hint: str) -> TagQuery:
    court = (
        TagFilter(key="court", op=TagFilterOp.EQ, value=courts[0])
        if len(courts) == 1
        else TagFilter(key="court", op=TagFilterOp.IN, value=courts)
    )
    case = TagFilter(key="case_number", op=TagFilterOp.NORMALIZE, value=number, normalize_pattern=_SEPARATORS)
    return TagQuery(language="fr", kind="decision", tag_filters=TagFilterSet(filters=(case, court)), hint=hint)


_LAW_WORDS = lazy(r"(?i:\b(?:arts?|articles?|loi|decret|code|ordonnance)\b|siren|siret|idcc)")
_LAW_PARTS = ("art", "code", "loi", "decret", "ordonnance", "sire", "idcc")
_AFTER_NUMBER = lazy(
    r"\s?[,(]?\s?(?i:bull|(?:au\s)?rec|lebon|mentionne|publie|inedit|fs|fp|f-|p\b|d\b|a\spublier).{0,80}\Z|\Z"
)


def _any_court(lead: str, rest: str) -> bool:
    return len(lead) <= 200 and _AFTER_NUMBER.match(rest) is not None


def _numbered(lead: str, rest: str) -> bool:
    """A number of fewer digits has "n°" before it, since a year has as many."""
    return _any_court(lead, rest) and re.search(r"(?i)n\s?(?:°|os?|r)\s?\.?\s?\Z", lead) is not None


def _council(lead: str, rest: str) -> bool:
    """Six digits are a request's number by themselves, or after words that name the court."""
    words = _COUNCIL_WORDS.search(lead) is not None
    bare = re.fullmatch(r"(?i)\s?(?:n\s?(?:°|os?|r)\s?\.?\s?)?", lead) is not None
    return _any_court(lead, rest) and (words or bare)


_COURTS: tuple[tuple[re.Pattern[str], list[str], str, Callable[[str, str], bool]], ...] = (
    (_CASSATION, ["cour_cassation"], "pourvoi Cour de cassation", _any_court),
    (_CASSATION_PLAIN, ["cour_cassation"], "pourvoi Cour de cassation", _any_court),
    (_REGISTER, ["cour_appel", "tribunal_judiciaire"], "RG cour d'appel ou tribunal judiciaire", _any_court),
    (_APPEAL, ["cour_administrative_appel"], "requete cour administrative d'appel", _any_court),
    (_TRIBUNAL, ["tribunal_administratif"], "requete tribunal administratif", _any_court),
    (_COUNCIL, ["conseil_etat"], "requete Conseil d'Etat", _council),
    (_COUNCIL_SHORT, ["conseil_etat"], "requete Conseil d'Etat", _numbered),
)


# Laws and articles


def _law(text: str) -> list[TagQuery]:
    at_date: date | None = None
    tail = text.rstrip(" )")[-4:]  # a year, or the day of an ISO date
    dated = _AT_DATE.search(text) if tail.isdigit() or tail[1:2] == "-" else None
    if dated is not None and (day := read_date(dated["date"])) is not None and not _is_title_date(dated):
        text, at_date = text[: dated.start()].rstrip(" ,("), day
    text = _EDGES.sub("", text)
    readings = read_references(text)
    if len(readings) != 1:
        return []
    [reading] = readings
    rest = text[reading.end :].strip(" .,;)")
    titled = not reading.units and reading.law is not None and _TITLE_REST.match(text, reading.end)
    if _is_unknown_code(reading):
        rest = "" if re.fullmatch(r"[a-zA-Z' -]{0,80}", text[reading.end :]) else rest
    if text[: reading.start].strip().lower() not in _BEFORE_READING or (rest and not titled):
        return []
    cited = Places(None).cited(reading)
    found = _whole_law(reading, text) if not reading.units else _provisions(reading, cited, text)
    return (
        [replace(provision, at_date=at_date, should_sort_in_force_first=False) for provision in found]
        if at_date
        else found
    )


def _is_title_date(dated: re.Match[str]) -> bool:
    """Whether the date at the end is a law's own ("loi du 29 juillet 1881") and not the one asked about."""
    own = re.search(r"(?i)\sdu\s\S+\s\S+\s[0-9]{4}\s?\)?\Z", dated[0]) is not None
    return own and re.search(r"(?i)(?:version|redaction)", dated[0]) is None


def _whole_law(reading: Reading, text: str) -> list[TagQuery]:
    law = reading.law
    if law is None or law.name is None or (law.taken_up and not law.name.number):
        return []
    name = law.name
    if name.others:
        urns = (name.urn, *name.others)
        return [
            replace(_by_number("loi", urn.rpartition("loi-")[2]), hint="one of the laws of this name") for urn in urns
        ]
    if name.number:
        found = _by_number(name.nature, name.number)
        return [found] if name.sure else [replace(found, hint="law usually cited by this date"), *_by_title(law, text)]
    if name.urn:
        return [urn_query(name.urn, language="fr", hint=None if name.sure else _UNSURE)]
    return _by_title(law, text)


def _by_number(nature: str, number: str) -> TagQuery:
    return _tags("legislation", {"nature": nature.upper(), "number": number})


def _by_title(law: NamedLaw, text: str) -> list[TagQuery]:
    """A law that only its date tells: by the words of its title."""
    words = text[law.start : law.end]
    if not re.search("(?i)du .*[0-9]{4}", words):
        return []
    title = TagFilter(key="law", op=TagFilterOp.ILIKE, value=words[:1].upper() + words[1:])
    return [TagQuery(language="fr", kind="legislation", tag_filters=TagFilterSet((title,)), hint="law by its date")]


def _provisions(reading: Reading, cited: list[Cited], text: str) -> list[TagQuery]:
    outer, law = reading.units[-1], reading.law
    name = law.name if law is not None else None
    if outer.kind == "article" and not outer.which and law is None and not reading.law_which:
        return [_bare_number(_printed(item, text)) for item in outer.items if not item.steps]
    if law is not None and _is_unknown_code(reading):
        return [_unknown_code(_printed(item, text), text[law.start :]) for item in outer.items]
    if name is not None and name.others:
        return [
            urn_query(f"{urn}:{item.number}", language="fr", hint="one of the laws of this name")
            for urn in (name.urn, *name.others)
            for item in outer.items
        ]
    named = [citation for citation in cited if citation.target.urn]
    if not named:
        return []
    onwards = any(AND_ON.match(text, item.end) for item in outer.items)
    if len(cited) > 1 or onwards or not named[0].target.confident:
        hint = ONWARDS if onwards and len(cited) == 1 else SEVERAL if len(cited) > 1 else _UNSURE
        return [urn_query(urn, language="fr", hint=hint) for urn in dict.fromkeys(cited.target.urn for cited in named)]
    urn = named[0].target.urn
    whole = len(reading.units) == 1 and outer.kind == "article" and not outer.items[0].steps
    if not whole or name is None or name.nature != "code":
        return [urn_query(urn, language="fr")]
    return _code_article(_printed(outer.items[0], text), name.title, urn)


def _printed(item: Item, text: str) -> str:
    """An article's number as the store's tag has it: `l.111-1` -> `L111-1`, `39 DECIES a` -> `39 decies A`."""
    match = ARTICLE_NUMBER.match(text, item.start)
    written = match[0] if match is not None else item.number
    if item.number == "1er" or (written.isascii() and written.isdigit()):
        return item.number
    number = AROUND_DASH.sub("-", written)
    first, *others = article_number(number).split(" ")
    return " ".join((first, *(name.lower() if len(name) > 2 else name.upper() for name in others)))


def _bare_number(number: str) -> TagQuery:
    tags = TagFilterSet.from_tags({"article_number": number})
    return TagQuery(
        language="fr", kind="legislation", tag_filters=tags, should_sort_in_force_first=True, hint=BARE_NUMBER
    )


def _is_unknown_code(reading: Reading) -> bool:
    """Whether an article is of a code that the tables lack ("code civil local" is a known one's neighbour)."""
    law = reading.law
    if law is None or law.name is None or law.name.urn or law.name.nature != "code" or not reading.units:
        return False
    return reading.units[-1].kind == "article" and not law.name.title


def _unknown_code(number: str, code: str) -> TagQuery:
    filters = (
        TagFilter("article_number", TagFilterOp.EQ, number),
        TagFilter("code", TagFilterOp.ILIKE, code[:1].upper() + code[1:]),
    )
    return TagQuery(
        language="fr", kind="legislation", tag_filters=TagFilterSet(filters), should_sort_in_force_first=True,
        hint="a code that the grammar does not list",
    )  # fmt: skip


def _code_article(number: str, title: str, urn: str) -> list[TagQuery]:
    tags = TagFilterSet.from_tags({"article_number": number, "code": title})
    found = [TagQuery(language="fr", kind="legislation", tag_filters=tags, should_sort_in_force_first=True)]
    # The tag is as printed: "R*133-1" has a star that nobody writes, and article 1 may be "1er". The URN has neither.
    if number[0] in "RDA":
        found.append(urn_query(urn, language="fr"))
    if number == "1er":
        found += [urn_query(urn, language="fr"), urn_query(urn.removesuffix("er"), language="fr")]
    return found


# References with their parts in another order than the grammar's, or abbreviated as journals do; only for whole
# strings that the grammar does not read as they are.

_ENGLISH = EnglishNames(ENGLISH, r"French", r"France", {})
NO_WORD = "a number beside the code's name, read as its article"
_PARAGRAPH = "a paragraph named in English is read as the alinéa of that number"
_PART_FIRST = lazy(r"(?:[IVX]{1,5}|\d{1,2}°|[a-z]\))\s(?:bis\s|ter\s)?(?:de\sl['’]|du\s[IVX\d])")

_PART_AT_END = lazy(
    r"(?P<article>art(?:icle|\.)?\s(?:[LRDA]\.?\s?)?\d[\d.-]{0,10})\s(?P<law>[^\d]{2,80}?),?\s(?P<part>al(?:inéa|\.)?\s\d{1,2}\w{0,3})\Z",
    re.IGNORECASE,
)
_NUMBER = r"(?P<number>(?:[LRDA]\.?\s?)?\d{1,4}(?:-\d{1,3}){0,3})"
_SEVERAL_LAST = lazy(
    r"(?P<law>c(?:ode\b|\.)[^\d]{2,60}?),?\sart(?:icle|\.)?s?\.?\s"
    r"(?P<numbers>(?:[LRDA]\.?\s?)?\d[\d-]{0,9}(?:(?:,\s|\s(?:et|à)\s)(?:[LRDA]\.?\s?)?\d[\d-]{0,9}){1,8})\Z",
    re.IGNORECASE,
)
_NUMBER_LAST = lazy(rf"(?P<law>c(?:ode\b|\.)[^\d]{{2,60}}?),?\s{_NUMBER}\Z", re.IGNORECASE)
_NUMBER_FIRST = lazy(
    rf"{_NUMBER}(?P<part>,?\sal(?:inéa|\.)?\s\d{{1,2}}\w{{0,3}},?)?\s(?P<law>(?:du\s)?[^\d]{{2,60}})\Z", re.IGNORECASE
)
_MONTHS = {
    "janv": "janvier", "févr": "février", "fevr": "février", "avr": "avril", "juill": "juillet", "sept": "septembre",
    "oct": "octobre", "nov": "novembre", "déc": "décembre", "dec": "décembre",
}  # fmt: skip
_MONTH = lazy(rf"(?<=[\dr]\s)(?P<month>{'|'.join(_MONTHS)})\.?(?=\s\d{{4}})", re.IGNORECASE)
_WORDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (lazy(r"(?<!\w)L\.\s?(?=n\s?°)"), "loi "),
    (lazy(r"(?<!\w)D(?:écr?|ecr?)?\.\s?(?=n\s?°)"), "décret "),
    (lazy(r"(?<!\w)Ord\.\s?(?=n\s?°)"), "ordonnance "),
    (lazy(r"\AL\.\s(?=\d{1,2}(?:er)?\s[a-zéû])"), "loi du "),
    (lazy(r"(?<=\d\s)L\.\s(?=\d{1,2}(?:er)?\s[a-zéû]{3,9}\s\d{4}\Z)"), "de la loi du "),
    (lazy(r"\AArr\.\s(?=\d{1,2}(?:er)?\s[a-zéû])"), "arrêté du "),
    (lazy(r"(n\s?°\s?\d{2,4}-\d{1,5}),?\s(?:du\s)?(?=\d{1,2}(?:er)?\s[a-zéû]{3,9}\s\d{4})"), r"\1 du "),
    (lazy(r"(?<!\w)Const\.(?!\s?const)"), "Constitution"),
    (lazy(r"\Aanc\.\sart(?:icle|\.)\s"), "ancien article "),
    (lazy(r"(?<=\d)\ss\.(?=\s[A-Z])"), " et s."),
    (lazy(r"(?<=\d),\s(?=loi\s|décret\s|ordonnance\s)"), " "),
)
_LAW_FIRST = lazy(
    r"(?P<law>(?P<nature>loi|décret|ordonnance|constitution)\b.{0,80}?),?\s(?P<article>art(?:icle|\.)?\s[^,]{1,20}(?:,\s.{1,30})?)\Z",
    re.IGNORECASE,
)
_OF = {"décret": "du", "ordonnance": "de l'"}
_ARTICLE_LAST = lazy(
    r"(?P<article>(?:art(?:icle|\.)?)\s.{1,40}?),?\s(?P<law>(?P<nature>loi|décret|ordonnance|constitution)\b.{0,80})\Z",
    re.IGNORECASE,
)


def _in_order(reference: str) -> Iterator[tuple[str, str]]:
    """The reference as the grammar may read it, likeliest first, each with the doubt that it leaves (or none)."""
    if cited := _ENGLISH.citation(reference):
        line = f", alinéa {cited.path[0]}" if cited.path and cited.path[0].isdigit() else ""
        if len(cited.path) == bool(line):
            of = "de la" if cited.law == "Constitution" else "du"
            yield f"article {cited.number}{line} {of} {cited.law}", _PARAGRAPH if line else ""
    if _PART_FIRST.match(reference):
        yield f"au {reference}", ""
    written = _MONTH.sub(lambda match: _MONTHS[match["month"].lower()], reference)
    for pattern, words in _WORDS:
        written = pattern.sub(words, written)
    if written != reference:
        yield written, ""
    if first := _LAW_FIRST.match(written) or _ARTICLE_LAST.match(written):
        of = _OF.get(first["nature"].lower(), "de la")
        yield f"{first['article']} {of}{'' if of[-1] == chr(39) else ' '}{first['law']}", ""
    if parted := _PART_AT_END.match(written):
        yield f"{parted['article']}, {parted['part']}, {parted['law'].strip(' ,')}", ""
    if (several := _SEVERAL_LAST.match(written)) and _is_law(several["law"]):
        yield f"articles {several['numbers']} du {several['law']}", ""
    bare = _NUMBER_LAST.match(written) or _NUMBER_FIRST.match(written)
    if bare is not None and _is_law(bare["law"]):
        part = bare.groupdict().get("part") or ""
        yield f"article {bare['number']}{part} {bare['law']}", NO_WORD


def _is_law(words: str) -> bool:
    """Whether words are the name of a law, and nothing else."""
    plain = fold(words.strip(" .,").removeprefix("du ")).text
    law = law_at(plain, 0)
    return law is not None and law.name is not None and law.end >= len(plain)


# What is worth asking the European grammar about: "règlement (UE) 2016/679", "RGPD", "32016R0679".
_EUROPEAN = lazy(
    r"\((?:UE|CE|CEE|EURATOM|Euratom|UE, Euratom)\)|/(?:UE|CE|CEE)\b|\b(?:RGPD|TFUE|TUE)\b|\b3(?:19|20)\d\d[RLD]\d{4}\b"
)
# Words of other law that a provision inserts are in quotation marks; what they cite is not cited here.
_QUOTED = lazy(r'(?:\A|(?<=[\s(]))"[^"\n]{0,20000}(?:"(?![\w])|\Z)')


class France(CountryLaw):
    """French law; `Jurisdiction` describes the members."""

    code = "fr"
    name = "France"
    language = "fr"

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order; see `Jurisdiction`."""
        folded = fold(text)
        places = Places(here)
        quoted = [match.span() for match in _QUOTED.finditer(folded.text)] if here is not None else []
        found: list[FoundReference] = []
        for reading in read_references(folded.text):
            cited = places.cited(reading)
            if any(start < reading.start < end for start, end in quoted):
                continue
            named = _references(reading, cited, text, folded)
            found.extend(reference for reference in named if here is not None or reference.kind != "relative")
        union = self.grammar_of("eu") if self.grammar_of and _EUROPEAN.search(text) else None
        return _with_european(found, union.find_references(text, None)) if union else found

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The readings of a whole string; see `Jurisdiction`."""
        return queries(reference)


def _references(reading: Reading, cited: list[Cited], text: str, folded: Folded) -> Iterator[FoundReference]:
    """One reference of a reading; where it names law of two kinds, one for each."""
    start, end = folded.original(reading.start), folded.original(reading.end, end=True)
    spans = [_span(citation.item, folded) for citation in cited]
    targets = [
        citation.target if len(citation.target.urn) <= MAX_URN_LENGTH else replace(citation.target, urn="")
        for citation in cited
    ]
    if len({target.kind for target in targets}) == 1:
        yield reference_of(text, start, end, spans, targets)
        return
    for _, group in groupby(zip(spans, targets, strict=True), key=lambda pair: pair[1].kind):
        some, their = zip(*group, strict=True)
        yield reference_of(text, some[0].start, some[-1].end, some, their)


def _span(item: Span, folded: Folded) -> Span:
    return Span(folded.original(item.start), folded.original(item.end, end=True), range=item.range)


def _with_european(found: list[FoundReference], read: list[FoundReference]) -> list[FoundReference]:
    """What the European grammar read replaces "external" law of the same words."""
    union = [reference for reference in read if reference.urns]
    kept = [reference for reference in found if reference.urns or not _touches(reference, union)]
    return sorted(
        [*kept, *(reference for reference in union if not _touches(reference, kept))], key=lambda one: one.start
    )


def _touches(one: FoundReference, others: list[FoundReference]) -> bool:
    """Whether a reference overlaps one of a list that is in order and without overlap."""
    place = bisect_right(others, one.start, key=lambda other: other.end)
    return place < len(others) and others[place].start < one.end


JURISDICTION: Jurisdiction = France()
