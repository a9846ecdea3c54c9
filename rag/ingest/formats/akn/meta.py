"""What an Akoma Ntoso document says of itself: jurisdiction, corpus URN, title, language, dates, court, identifiers.

The corpus part of the URN, first rule that applies:

1. the work's own address (FRBRuri, FRBRthis): `/akn/za/act/1980/10` is `act-1980-10`, `.../id/ukpga/1968/60` is
   `ukpga-1968-60`, `.../id/ewhc/ch/2011/3553` is `ewhc-ch-2011-3553`;
2. a neutral citation: `[2024] UKSC 1` is `uksc-2024-1`, `[2022] EWHC 621 (Ch)` is `ewhc-ch-2022-621`;
3. type, year and number of the metadata: `act-1980-10`;
4. type, year where stated and a slug of the title, which a bill keeps through its stages: `nipubb-justice-bill`;
5. type and a slug of the first headings, with a warning, for a body without any title.

Nothing of a file's name or of an edition enters it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import SplitResult, unquote, urlsplit

from lxml import etree

from rag.ingest.formats.akn.text import Words, attribute
from rag.ingest.formats.base import plain_ascii, title_slug
from rag.ingest.formats.history import day_of
from rag.ingest.formats.xml import Element, collapse, local, plain  # pyright: ignore[reportPrivateUsage]
from rag.law.nodes import Corpus
from retrieval.errors import InputError
from retrieval.paths import canonical_jurisdiction, slug

# ISO 639-2 codes, which the standard asks for, as the two-letter codes that stores and search settings use.
_LANGUAGES = {
    "eng": "en", "fra": "fr", "fre": "fr", "deu": "de", "ger": "de", "spa": "es", "por": "pt", "ita": "it", "nld": "nl",
    "dut": "nl", "cym": "cy", "wel": "cy", "gla": "gd", "gle": "ga", "swa": "sw", "afr": "af", "ell": "el", "gre": "el",
    "pol": "pl", "ron": "ro", "rum": "ro", "ces": "cs", "cze": "cs", "slk": "sk", "slo": "sk", "slv": "sl", "hrv": "hr",
    "srp": "sr", "bul": "bg", "hun": "hu", "fin": "fi", "swe": "sv", "dan": "da", "nor": "no", "est": "et", "lav": "lv",
    "lit": "lt", "mlt": "mt", "jpn": "ja", "zho": "zh", "chi": "zh", "ara": "ar", "rus": "ru", "ukr": "uk", "tur": "tr",
    "cat": "ca", "eus": "eu", "baq": "eu", "glg": "gl", "ltz": "lb", "hin": "hi", "xho": "xh", "zul": "zu", "sot": "st",
}  # fmt: skip
# Publishers that leave the country out of their metadata; their documents declare a namespace of the publisher's own.
_HOSTS = {"legislation.gov.uk": "gb", "nationalarchives.gov.uk": "gb"}
# A European Legislation Identifier, in the Union's addresses and in those of the format: `eli/reg/2022/2065/oj`.
_UNION_ACT = re.compile(
    r"\A(?:eli|akn/eu/act)/(?P<kind>reg|dir|dec)(?:_impl|_del|ulation|ective|ision)?/(?P<year>(?:19|20)\d\d)(?:-\d\d-\d\d)?"
    r"/(?P<number>\d{1,4})(?![^/])"
)
_UNION_LETTERS = {"reg": "r", "dir": "l", "dec": "d"}
_NEUTRAL = re.compile(r"\[(\d{4})\]\s+([A-Z][A-Za-z]+)(?:\s+([A-Z][A-Za-z]+))?\s+(\d+)(?:\s+\(([A-Za-z ]+)\))?")
_ECLI = re.compile(r"ECLI:[A-Z]{2}:[A-Za-z0-9]+:\d{4}:[A-Za-z0-9.]+")
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?![\d-])")
_YEAR = re.compile(r"(1[5-9]\d\d|20\d\d)(?:-\d\d-\d\d)?\Z")
_REGNAL = re.compile(r"[a-z]+/[a-z]+\d*/[\d-]+/\d+\Z")  # chapters before 1963: ukpga/geo6/12-13-14/97
_EXPRESSION = re.compile(r"[a-z]{3}(?:[@:!].*)?\Z|[@!~].*")


@dataclass(slots=True)
class Identity:
    """A document's identity and what all its nodes share.

    `tags` go on the root, `words` know the variables of the metadata, `uri` is the work's own address.
    """

    corpus: Corpus
    words: Words
    kind: str  # legislation or decision
    tags: dict[str, str] = field(default_factory=dict[str, str])
    aliases: list[str] = field(default_factory=list[str])
    edition_date: date | None = None
    valid_from: date | None = None
    uri: str = ""
    warnings: list[str] = field(default_factory=list[str])


def identify(document: Element) -> Identity:
    """Read the identity of a document element (`act`, `bill`, `judgment` ...).

    Raises:
        InputError: neither metadata nor text say which country's or which law it is.
    """
    meta = _Meta(document)
    is_judgment = local(document) == "judgment"
    words = Words(variables=meta.variables(), keep_quoted=is_judgment)
    title = meta.title(words, is_judgment)
    jurisdiction = meta.jurisdiction()
    neutral, ecli = meta.neutral_citation(), meta.ecli()
    identity = Identity(Corpus("", "", ""), words, "decision" if is_judgment else "legislation")
    corpus = meta.corpus_part(title, neutral, is_judgment, words, identity.warnings)
    uri = meta.value("FRBRWork", "FRBRuri") or meta.value("FRBRWork", "FRBRthis")
    address = meta.value("FRBRExpression", "FRBRuri") or uri
    identity.corpus = Corpus(
        urn=f"urn:lex:{jurisdiction}:{corpus}", title=title or corpus, language=meta.language(jurisdiction),
        publisher=meta.publisher(), url=address if address.startswith(("http://", "https://")) else "",
    )  # fmt: skip
    identity.uri = uri
    identity.aliases = list(
        dict.fromkeys(part for part in (uri, neutral, meta.inline("neutralCitation"), ecli) if part)
    )
    identity.edition_date = meta.date("FRBRExpression")
    decided = meta.date("FRBRWork") or meta.doc_date()
    if is_judgment:
        identity.valid_from = decided
        identity.tags = _known(
            case_name=title, court=meta.proprietary("court") or meta.inline("courtType"),
            date=decided.isoformat() if decided else "", neutral_citation=neutral, ecli=ecli,
            case_number="; ".join(meta.case_numbers()),
        )  # fmt: skip
    else:
        identity.valid_from = meta.commencement()
        identity.tags = _known(
            act_title=title, document_type=attribute(document, "name") or local(document), year=meta.year(),
            number=meta.number(),
        )  # fmt: skip
    return identity


def address_corpus(path: str) -> tuple[str, str]:
    """Jurisdiction and corpus part that a work's address names; empty strings where it names none.

    Args:
        path: `/akn/za/act/1980-05-03/10`, `/za/act/1980/10` or an address of the web; an expression's language and
            date, components and fragments are left out.
    """
    split = _split(path.strip())
    segments = [unquote(part).lower() for part in split.path.split("/") if part]
    if celex := _celex(split.netloc, "/".join(segments)):
        return "eu", celex
    jurisdiction = next((code for host, code in _HOSTS.items() if f".{split.netloc}".endswith(f".{host}")), "")
    if segments[:1] == ["akn"] or (not split.netloc and len(segments) > 2 and _is_country(segments[0])):
        segments = segments[1:] if segments[0] == "akn" else segments
        jurisdiction, segments = (_country(segments[0]), segments[1:]) if segments else ("", [])
        if len(segments) > 3 and segments[0] == "judgment":
            segments = segments[1:]  # the court names the series
    elif segments[:1] == ["id"]:
        segments = segments[1:]
    if split.netloc.endswith("legislation.gov.uk") and _REGNAL.match("/".join(segments[:4])):
        return jurisdiction, "-".join(slug(segment) for segment in segments[:4])
    year = next((index for index, one in enumerate(segments) if index and _YEAR.match(one)), None)
    if year is None or year + 1 >= len(segments) or not jurisdiction:
        return "", ""
    number = segments[year + 1]
    if _EXPRESSION.match(number) and not any(char.isdigit() for char in number.partition("@")[0]):
        return "", ""
    day = segments[year] if not number[:1].isdigit() else segments[year][:4]
    # A court's press summary is below the address of the judgment and is another document.
    more = [] if "legislation.gov.uk" in split.netloc or not split.netloc else segments[year + 2 :]
    more = [] if more and "." in more[-1] else more
    parts = [slug(plain_ascii(segment)) for segment in (*segments[:year], day, number, *more)]
    return jurisdiction, "-".join(parts)


def _celex(host: str, path: str) -> str:
    """The CELEX number of an act of the Union by its European Legislation Identifier; empty for other addresses."""
    match = _UNION_ACT.search(path) if host.endswith("europa.eu") or path.startswith("akn/eu/") else None
    return f"3{match['year']}{_UNION_LETTERS[match['kind']]}{int(match['number']):04d}" if match is not None else ""


def neutral_corpus(citation: str) -> str:
    """The corpus part of a neutral citation (`[2022] EWHC 621 (Ch)` -> `ewhc-ch-2022-621`); empty for other words."""
    match = _NEUTRAL.search(citation)
    if match is None:
        return ""
    year, court, division, number, bracket = match.groups()
    return "-".join(slug(part) for part in (court, division or bracket or "", year, number) if part)


def parse_date(text: str) -> date | None:
    """The day that an ISO date or date-time names; None where it is no day of the calendar."""
    match = _DATE.match(text)
    return day_of(match[1], match[2], match[3]) if match else None


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:  # not every text in an address attribute is one
        return SplitResult("", "", "", "", "")


def _is_country(code: str) -> bool:
    return bool(re.fullmatch(r"[a-z]{2}(?:-[a-z0-9]{1,16})?", code))


def _country(code: str) -> str:
    """A jurisdiction; the parts of the United Kingdom share `gb`, for their series of law have names of their own."""
    code = canonical_jurisdiction(code)
    return "gb" if code == "uk" or code.startswith(("gb-", "uk-")) else code


def _known(**tags: str) -> dict[str, str]:
    return {key: value for key, value in tags.items() if value}


class _Meta:
    """The metadata of one document, and the few words of its preface that repeat them."""

    def __init__(self, document: Element) -> None:
        self.document = document
        self._fronts = [part for part in document if local(part) in ("coverPage", "preface", "header")]

    def value(self, level: str, name: str) -> str:
        for element in self._all(level, name):
            if found := element.get("value", "").strip():
                return found
        return ""

    def date(self, level: str) -> date | None:
        return next(
            (day for element in self._all(level, "FRBRdate") if (day := parse_date(element.get("date", "")))), None
        )

    def _all(self, level: str, name: str) -> Iterator[Element]:
        yield from self.document.iterfind(f"{{*}}meta/{{*}}identification/{{*}}{level}/{{*}}{name}")

    def references(self) -> Iterator[Element]:
        yield from self.document.iterfind("{*}meta/{*}references/{*}*")

    def variables(self) -> dict[str, str]:
        return {
            reference.get("eId", ""): collapse(reference.get("showAs", ""))
            for reference in self.references()
            if reference.get("eId") and reference.get("showAs")
        }

    def front(self, name: str) -> Iterator[Element]:
        for part in self._fronts:
            yield from part.iter(f"{{*}}{name}")

    def inline(self, name: str) -> str:
        return next((words for child in self.front(name) if (words := plain(child))), "")

    def title(self, words: Words, is_judgment: bool) -> str:
        aliases = list(self._all("FRBRWork", "FRBRalias"))
        named = [alias.get("value", "") for alias in aliases if "title" in alias.get("name", "").lower()]
        candidates = [*named, self.value("FRBRWork", "FRBRname")] if is_judgment else named
        for name in ("shortTitle", "docTitle"):
            candidates.extend(words.render(child).text for child in self.front(name))
        candidates.extend(
            reference.get("showAs", "")
            for reference in self.references()
            if re.search(r"title\Z", reference.get("eId", ""), re.I)
        )
        candidates.extend(alias.get("value", "") for alias in aliases)
        if not is_judgment and not self.value("FRBRWork", "FRBRname").replace("-", "").isalnum():
            candidates.append(self.value("FRBRWork", "FRBRname"))
        parties = [plain(child) for child in self.front("party")]
        candidates.append(" v ".join(parties[:2]) if len(parties) > 1 else "")
        return next((title for candidate in candidates if (title := collapse(candidate))), "")

    def jurisdiction(self) -> str:
        addresses = [self.value("FRBRWork", name) for name in ("FRBRuri", "FRBRthis")]
        for address in addresses:
            if found := address_corpus(address)[0]:
                return found
        if country := self.value("FRBRWork", "FRBRcountry"):
            return _country(country)
        hosts = [_split(uri).netloc for uri in (*self.document.nsmap.values(), *addresses) if uri]
        for host in hosts:
            for known, code in _HOSTS.items():
                if f".{host}".endswith(f".{known}"):
                    return code
        raise InputError("its metadata names no country (FRBRcountry), so no URN can be made of it")

    def language(self, jurisdiction: str) -> str:
        for element in self._all("FRBRExpression", "FRBRlanguage"):
            if code := element.get("language", "").strip().lower():
                return _LANGUAGES.get(code, code)
        declared = self.document.get("{http://www.w3.org/XML/1998/namespace}lang", "").lower().partition("-")[0]
        if declared or jurisdiction == "gb":
            return _LANGUAGES.get(declared, declared) or "en"
        raise InputError("its metadata names no language (FRBRlanguage)")

    def publisher(self) -> str:
        names = self.variables()
        for level in ("FRBRManifestation", "FRBRExpression", "FRBRWork"):
            for element in self._all(level, "FRBRauthor"):
                if name := names.get(element.get("href", "").removeprefix("#")):
                    return name
        return ""

    def proprietary(self, name: str) -> str:
        return next(iter(self._proprietary(name)), "")

    def _proprietary(self, name: str) -> list[str]:
        found = self.document.iterfind(f"{{*}}meta/{{*}}proprietary/{{*}}{name}")
        return [words for element in found if (words := plain(element))]

    def neutral_citation(self) -> str:
        return self.proprietary("cite") or self.inline("neutralCitation")

    def case_numbers(self) -> list[str]:
        return list(
            dict.fromkeys(self._proprietary("caseNumber") or [plain(child) for child in self.front("docketNumber")])
        )

    def ecli(self) -> str:
        places = self.document.iterfind("{*}meta//{*}*")
        texts = (text for place in places for text in (place.get("value", ""), place.get("href", ""), place.text or ""))
        return next((match[0] for text in texts if (match := _ECLI.search(text))), "")

    def doc_date(self) -> date | None:
        return next((day for child in self.front("docDate") if (day := parse_date(child.get("date", "")))), None)

    def commencement(self) -> date | None:
        """The first day in force, where the preface states one; a lifecycle's dates are those of its making."""
        for part in self._fronts:
            for block in part.iter(etree.Element):
                if re.search(
                    r"commence|inforce|in-force", f"{block.get('name', '')} {block.get('refersTo', '')}", re.I
                ):
                    for found in block.iter("{*}docDate", "{*}date"):
                        if day := parse_date(found.get("date", "")):
                            return day
        return None

    def year(self) -> str:
        day = self.date("FRBRWork") or self.doc_date()
        stated = (
            reference.get("showAs", "")
            for reference in self.references()
            if re.search(r"year\Z", reference.get("eId", ""), re.I)
        )
        return str(day.year) if day else next((statement for statement in stated if _YEAR.match(statement)), "")

    def number(self) -> str:
        number = self.value("FRBRWork", "FRBRnumber") or self.inline("docNumber")
        return number if re.search(r"[1-9]", number) else ""

    def corpus_part(
        self, title: str, neutral: str, is_judgment: bool, words: Words, warnings: list[str]
    ) -> str:  # fmt: skip
        for name in ("FRBRuri", "FRBRthis"):
            if found := address_corpus(self.value("FRBRWork", name))[1]:
                return found
        if is_judgment and (found := neutral_corpus(neutral)):
            return found
        kind = slug(self.value("FRBRWork", "FRBRsubtype") or attribute(self.document, "name") or local(self.document))
        number = self.number() or (next(iter(self.case_numbers()), "") if is_judgment else "")
        year = self.year()
        if number and (year or is_judgment):
            return "-".join(part for part in (kind, year, slug(plain_ascii(number))) if part)
        if title:
            stem = re.sub(r"\A(?:the|an?)\s+|\s+\d{4}\Z", "", title, flags=re.IGNORECASE)
            return "-".join(part for part in (kind, year, title_slug(stem)) if part)
        headings = [words.render(found).text for found in self.document.iterfind(".//{*}heading")][:2]
        if not any(headings):
            raise InputError("neither its metadata nor its text give it a number, a title or a heading to name it by")
        warnings.append("the document has neither number nor title; its URN is made of its first headings")
        return f"{kind}-untitled-{title_slug(' '.join(headings))}"
