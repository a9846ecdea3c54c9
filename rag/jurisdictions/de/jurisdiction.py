"""Germany: federal law by § or Artikel, decisions by Aktenzeichen or ECLI, European acts as German texts cite them."""

from __future__ import annotations

import re

from rag.jurisdictions.de.acts import ACT_ALONE, Act, read_act
from rag.jurisdictions.de.laws import ENGLISH, LAWS, SGB_BOOKS, read_abbreviation
from rag.jurisdictions.de.naming import fold
from rag.jurisdictions.de.reader import LAST, Citation, Reading, citations
from rag.jurisdictions.de.resolver import UNSEEN, Resolver, places
from rag.jurisdictions.grammar.english_names import EnglishNames
from rag.jurisdictions.grammar.kernel import CountryLaw, Units, apart, doubted
from rag.jurisdictions.grammar.signals import unframed
from rag.law.jurisdiction import (
    SEVERAL,
    FoundReference,
    Jurisdiction,
    ReferenceContext,
    ReferenceKind,
    ReferencePart,
)
from rag.law.patterns import lazy
from retrieval.paths import slug
from retrieval.tag_query import (
    NORMALIZE_PATTERNS,
    PART_NAMED,
    TagFilter,
    TagFilterOp,
    TagFilterSet,
    TagQuery,
    urn_query,
)

# Decisions and gazettes: file numbers (Aktenzeichen) with the court that issues them, ECLI, BGBl.

# Courts of more than one place: the tag is that of the court's kind, or of the court itself where the place is named.
_KINDS = {
    "OLG": "olg", "KG": "kg", "LG": "lg", "AG": "ag", "OVG": "ovg", "VGH": "vgh", "VG": "vg", "LAG": "lag",
    "ArbG": "arbg", "LSG": "lsg", "SG": "sg", "FG": "fg", "BayObLG": "bayoblg",
}  # fmt: skip
_FEDERAL = ("BVerfG", "BGH", "BVerwG", "BAG", "BFH", "BSG", "BPatG")
_END = r"(?![\w/.-]\d|\w)"
_YEAR = r"\d{1,5}\s?[/.]\s?(?:19|20)?\d{2}"
# Register signs that one court alone uses, then signs that several courts share.
_FILES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple((lazy(pattern), courts) for pattern, courts in (
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
))  # fmt: skip
_UNIQUE = frozenset(_FEDERAL)
# What every file number and ECLI has; most references have neither, and are told from cases by that.
_LIKE_CASE = lazy(r"\d\s?[/.]\s?\d{2}|ecli:", re.IGNORECASE)
_COURT = lazy(
    rf"(?P<court>{'|'.join((*_FEDERAL, *_KINDS))})(?P<place>(?:\s[A-ZÄÖÜ][a-zäöüß][\wäöüß-]{{0,30}}){{0,2}}"
    r"(?:\s(?:am|an der|im|in)\s[A-ZÄÖÜ][\wäöüß]{1,20})?)(?!\w)"
)
_FILLER = lazy(
    r"(?:[\s,;:()–-]{0,4}(?:Urt(?:eil|\.)?|Beschl(?:uss|uß|\.)?|Verfügung|vom|v\.|Az\.?:?|Aktenzeichen:?|"
    r"\d{1,2}\.\s?(?:\d{1,2}\.\s?|[A-ZÄÖÜ][a-zäöü]{2,9}\s)\d{4})){0,6}[\s,;:()–-]{0,4}"
)
_ECLI = lazy(r"ECLI:DE:[A-Z0-9]{1,12}:(?:19|20)\d{2}:[A-Z0-9.]{1,40}[A-Z0-9](?![A-Za-z0-9])", re.IGNORECASE)
# The courts' own collections, with the page of the passage behind the first: "BVerfGE 7, 198 (205)"; and journals,
# which are cited by year and page: "NJW 2020, 123", "NJW-RR 2012, S. 34".
_REPORT = lazy(
    r"(?P<place>(?:BVerfGE|BVerfGK|BGHZ|BGHSt|BVerwGE|BAGE|BFHE|BSGE|RGZ|RGSt)\s\d{1,3},\s\d{1,4}"
    r"|[A-Z][A-Za-z]{1,9}(?:-[A-Z]{2,4})?\s(?:19|20)\d{2},\s(?:S\.\s?)?\d{1,4})"
    r"(?:\s\(\d{1,4}(?:\s?(?:ff?\.|[-–]\s?\d{1,4}))?\)|,\s\d{1,4}(?:\sff?\.)?)?"
)
_BY_REPORT = "decision by the collection or journal that prints it"
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
        place = re.sub(r"S\.\s?(?=\d)", "", report["place"])
        printed = TagFilterSet((TagFilter("alias", TagFilterOp.EQ, place),))
        return [TagQuery(language="de", kind="decision", tag_filters=printed, hint=_BY_REPORT)]
    if _LIKE_CASE.search(text) is None:
        return []
    if _ECLI.fullmatch(text):
        return [TagQuery(language="de", kind="decision", tag_filters=TagFilterSet.from_tags({"ecli": text.upper()}))]
    court = _COURT.match(text)
    filler = _FILLER.match(text, court.end() if court else 0)
    number = text[filler.end() if filler else 0 :]
    for pattern, courts in _FILES:
        if pattern.fullmatch(number) is None:
            continue
        if court is None:
            return [_decision(number, courts, "")]
        if court["court"] in courts or not _UNIQUE & {court["court"], *courts}:
            return [_decision(number, (court["court"],), court["place"].strip())]
    if court is not None and re.fullmatch(r"[\w ./()-]{4,40}", number) and re.search(r"\d[/.]\d{2,4}", number):
        return [_decision(number, (court["court"],), court["place"].strip())]
    return []


def _decision(number: str, courts: tuple[str, ...], place: str) -> TagQuery:
    values = [_KINDS.get(court, court.lower()) for court in courts]
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


# Citations with their parts in another order than the grammar's, or with words around them; only for whole strings
# that the grammar does not read as they are.

NO_SIGN = "a number beside the law's name, read as its provision"
COMMENTARY = "a commentary on it is named; this is the provision itself"

_ENGLISH = EnglishNames(
    {name: law.code for name, law in ENGLISH.items()},
    r"German",
    r"(?:Federal\sRepublic\sof\s)?Germany",
    {code: code for code in LAWS} | {f"SGB {book}": f"SGB {book}" for book in SGB_BOOKS},
)
_LAW_BETWEEN = lazy(
    r"(?P<top>(?:§|Art(?:ikel|\.)?)\s?\d{1,4}[a-z]?)\s(?P<law>[^\W\d_][\w-]{1,12}),?\s"
    r"(?P<below>(?:Abs|Satz|S\.|Nr|Nummer|lit|Buchst).{0,60})\Z",
    re.IGNORECASE,
)
_NUMBERED = lazy(r"(?:(?:§{1,2}|Art(?:ikel|\.)?|Paragra(?:ph|f))\s?)?\d", re.IGNORECASE)
_NUMBER_FIRST = lazy(r"(?P<number>\d{1,4}[a-z]?)(?=\s\S)", re.IGNORECASE)
_GLOSS = lazy(r"\s\((?P<law>[A-ZÄÖÜ][\w-]{1,14}(?:\s[IVX]{1,4})?)\)\Z")
_SIGNS = ((lazy(r"\A(?:par(?:agr|a)?\.?)\s?(?=\d)", re.IGNORECASE), "§ "), (lazy(r"\AArtt\.\s?"), "Art. "))
_MANNER = lazy(r",?\s\(?(?:analog|entspr(?:echend|\.)|direkt)\)?\Z")
_MARGIN = lazy(r",?\s(?:Rn|Rz|Rdnr|Rdn|Randnr)\.?\s\d{1,4}[a-z]?(?:\s?(?:ff?\.|[-–]\s?\d{1,4}))?\Z")
_COMMENTATOR = lazy(r"\A[A-ZÄÖÜ][^\d§,]{2,60},\s(?=§|Art)")


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
    units = ["Abs.", *("Nr." if text.isdigit() else "Buchst." for text in cited.path[1:])]
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


_OTHERS = lazy(f"(?P<gazette>{GAZETTE})|(?P<case>{IN_TEXT})|(?P<act>{ACT_ALONE})")
# "§ 2-314" numbers a section of American codes; German law writes "§§ 2-314" for a range.
_ONE_SIGN = lazy(r"§\s?\d{1,4}[a-z]?[-\u2010-\u2015]\d")
UNNAMED = "the law is not named"
_OPENING = lazy(r"(?:der|die|das|des|dem|den)\s", re.IGNORECASE)


class Germany(CountryLaw):
    """Federal law of Germany."""

    code = "de"
    name = "Deutschland"
    language = "de"

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order; see `Jurisdiction`."""
        resolver = Resolver(here)
        read = (resolver.reference(text, citation) for citation in citations(text, smaller=here is not None))
        found = [reference for reference in read if reference is not None]
        return apart([*found, *_others(text), *(places(text, here) if here else ())])

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """See `Jurisdiction`; "§ 823 BGB" is asked for by the tags that the specification names."""
        text = unframed(reference, self.language).rstrip(" .,;?")
        if cases := case_queries(text):
            return cases
        opening = _OPENING.match(text)
        text = text[opening.end() :] if opening else text
        law = read_act(text, 0, loose=True) if text[:1] != "§" else None
        if law is not None and law.end == len(text):
            return _law_queries(law)
        if found := self._provisions(text):
            return found
        written, hint = turned(text, law)
        return doubted(self._provisions(written), hint or "") if written else []

    def _provisions(self, text: str) -> list[TagQuery]:
        """The provisions that the whole string names."""
        found = citations(text, smaller=False, loose=True)
        if not found or found[0].start != 0 or found[-1].end < len(text):
            return []
        if len(found) == 1 and len(found[0].reading.items) == 1:
            return _one(text, found[0])
        if _ONE_SIGN.match(text) and all(citation.act is None or citation.act.role == "unknown" for citation in found):
            return []
        if any(citation.reading.sign == "anlage" for citation in found):
            return []  # an Anlage "zu" a § is found by its law and number, and neither by the § nor as one
        resolver = Resolver(None)
        queries: list[TagQuery] = []
        for citation in found:
            read = resolver.reference(text, citation)
            if citation.act is None:
                queries.extend(_unnamed(citation.reading))
            elif read is not None:
                queries.extend(urn_query(urn, language="de", hint=SEVERAL) for urn in read.urns)
        return list(dict.fromkeys(queries))


def _one(text: str, one: Citation) -> list[TagQuery]:
    """The queries for a single provision."""
    if one.act is None:
        return _unnamed(one.reading)
    [item] = one.reading.items
    read = Resolver(None).reference(text, one)
    if read is None or not read.urns:
        return []
    law = one.act.law
    hint = None
    if law is not None and one.act.role == "unknown":
        hint = f"the abbreviation {law.code} is not a known law"
    elif one.act.edition:
        hint = "another edition of the law is named; this is the one in the store"
    elif one.reading.more:
        hint = "the first of the provisions named (ff.)"
    elif (last := item.path[-1])[0] in UNSEEN and last[1] != "1":
        # Sentences are no nodes, so that nothing tells whether a later one exists; the first always does.
        union = one.act.role == "european" and last[0] == "uabs" and last[1] != LAST
        hint = None if union else PART_NAMED
    elif item.lettered and not read.confident:
        hint = "a letter after the Absatz, which may be part of its number"
    elif not read.confident:
        hint = "the Absatz may have more than one list with this number"
    if law is not None and one.reading.sign == "§" and _is_whole(item.path):
        return [_tagged("§", item.path[0][1], {"code": law.code}, hint)]
    languages = ("de", "en") if one.act.role == "european" else ("de",)
    if item.lettered and not read.confident:
        either = (read.urns[0], "".join(read.urns[0].rsplit(":", 1)))  # "Art. 23 I a GG": Absatz 1a, or its letter a
        return [urn_query(urn, language="de", hint=hint) for urn in either]
    return [urn_query(read.urns[0], language=language, hint=hint) for language in languages]


def _is_whole(path: Units) -> bool:
    """Whether a path ends with its § or Artikel; a Satz is no node of its own."""
    return len([unit for unit, _ in path if unit not in UNSEEN]) == 1


def _unnamed(reading: Reading) -> list[TagQuery]:
    """The provisions of this number in any law; for smaller units too, since no tag bears those."""
    return [
        _tagged(reading.sign, item.path[0][1], {}, UNNAMED if len(item.path) == 1 else f"{UNNAMED}; {PART_NAMED}")
        for item in reading.items
    ]


def _tagged(sign: str, number: str, tags: dict[str, str], hint: str | None) -> TagQuery:
    """The query by the tags that a law's provisions bear."""
    key = "article_number" if sign == "artikel" else "paragraph"
    filters = TagFilterSet.from_tags({key: number, **tags})
    return TagQuery(language="de", kind="legislation", tag_filters=filters, hint=hint)


def _law_queries(act: Act) -> list[TagQuery]:
    """The queries for a law as a whole."""
    if not act.urn:
        return []
    hint = None if act.sure and not act.edition else "the law is not known, or another edition of it is named"
    languages = ("de", "en") if act.role == "european" else ("de",)
    return [urn_query(act.urn, language=language, hint=hint) for language in languages]


def _others(text: str) -> list[FoundReference]:
    """Decisions and gazettes, which have no URN scheme, and European acts named without an article."""
    found: list[FoundReference] = []
    for match in _OTHERS.finditer(text):
        act = read_act(text, match.start()) if match["act"] else None
        end = max(match.end(), act.end) if act else match.end()
        if match["act"] and act is None:
            continue
        part = ReferencePart(match.start(), end, act.urn if act else "")
        kind: ReferenceKind = "explicit" if part.urn else "external"
        found.append(FoundReference(match.start(), end, text[match.start() : end], (part,), kind, confident=True))
    return found


JURISDICTION: Jurisdiction = Germany()
