"""The official bulk sources that `lexscope fetch` knows, and how an identifier becomes addresses there.

The layouts are those of public descriptions, of others' code, and of the files in hand; they have been tried against a
local server only, never on the live sites. What comes is therefore checked to be the format expected before it is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from rag.fetch.archive import MAX_BYTES, MAX_MEMBERS
from rag.fetch.download import Target
from rag.ingest.formats.xml import local, read_xml
from rag.ingest.manifest import WORK
from rag.requests import checked_date
from retrieval.errors import FetchError, IngestError, InputError
from retrieval.model import Record
from retrieval.strict_json import JsonRefused, member, objects, parse_json

MAX_INDEX_BYTES = 64 * 1024 * 1024
MAX_PAGES = 500


class Index(Protocol):
    """Fetches an index of the source, once a run, and gives the file that it is in."""

    def __call__(self, path: str) -> Path:
        """The file with the index at a path below the base address.

        Raises:
            FetchError: it cannot be had.
        """
        ...


@dataclass(frozen=True, slots=True)
class BulkSource:
    """One publisher's bulk data.

    Attributes:
        name: as the command line has it.
        form: the name of the format that its files have here.
        identifier: what one identifier looks like, in words.
        example: identifiers that can be tried.
        pattern: what an identifier must match.
        plan: the files that one identifier stands for.
        layout: how sure its addresses are.
        default: the identifiers where none is given; empty where one must be.
        delay: seconds between two requests.
        hosts: where its redirects may lead.
        keep: for an archive of the whole source, the folder in it that is unpacked; else empty.
        zipped: whether each file is a .zip with the XML of one law.
        max_members: that such an archive of the whole source may have.
        max_bytes: that it may unpack to.
    """

    name: str
    publisher: str
    licence: str
    base_url: str
    form: str
    identifier: str
    example: str
    pattern: str
    plan: Callable[[Index, str], list[Target]]
    layout: str
    default: tuple[str, ...] = ()
    delay: float = 1.0
    hosts: tuple[str, ...] = ()
    keep: str = ""
    zipped: bool = False
    max_members: int = MAX_MEMBERS
    max_bytes: int = MAX_BYTES

    def checked(self, identifiers: list[str]) -> list[str]:
        """The identifiers to fetch, each once.

        Raises:
            InputError: none where one is needed, or one that this source cannot have.
        """
        for identifier in identifiers:
            if not re.fullmatch(self.pattern, identifier, re.ASCII):
                raise InputError(f"{identifier[:60]!r} is no identifier of {self.name}: {self.identifier}.")
            day = identifier.partition("@")[2]
            if day:
                checked_date(day)
        if not identifiers and not self.default:
            raise InputError(f"Say what to fetch from {self.name}: {self.identifier}, such as {self.example}.")
        if self.keep and len(set(identifiers)) > 1:
            raise InputError(f"{self.name} is one archive; name one edition of it at a time.")
        return list(dict.fromkeys(identifiers)) or list(self.default)


class SourceInfo(Record):
    """What `--list` says of a source."""

    name: str
    publisher: str
    licence: str
    base_url: str
    layout: str
    format: str
    identifier: str
    example: str
    delay_seconds: float

    @classmethod
    def of(cls, source: BulkSource) -> SourceInfo:
        """The description of a source."""
        return cls(
            name=source.name, publisher=source.publisher, licence=source.licence, base_url=source.base_url,
            layout=source.layout, format=source.form, identifier=source.identifier, example=source.example,
            delay_seconds=source.delay,
        )  # fmt: skip


class SourceList(Record):
    """All sources."""

    sources: list[SourceInfo]


def _ecfr(index: Index, identifier: str) -> list[Target]:
    wanted, _, day = identifier.partition("@")
    if day:
        return [_ecfr_title(wanted, day)]
    titles = objects(member(_json(index("/api/versioner/v1/titles.json")), "titles"))
    found: list[Target] = []
    for title in titles:
        number, issued = title.get("number"), title.get("latest_issue_date")
        if title.get("reserved") is True or wanted not in ("all", str(number)):
            continue
        if not isinstance(number, int) or not isinstance(issued, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d", issued):
            raise FetchError("the list of titles lacks a number or the date of a latest issue; its layout changed")
        found.append(_ecfr_title(str(number), issued))
    if not found:
        raise FetchError("the eCFR's list of titles has no such title with text")
    return found


def _ecfr_title(number: str, day: str) -> Target:
    return Target(f"/api/versioner/v1/full/{day}/title-{number}.xml", f"title-{number}-{day}.xml")


def _dc_code(index: Index, identifier: str) -> list[Target]:
    return [Target(f"/archive/{identifier}.tar.gz", f"{WORK}/law-xml-{identifier}.tar.gz")]


# Before 1963 an act is numbered within the session of a reign: ukpga/Geo6/12-13-14/30.
_UK_ITEM = r"[a-z]{2,5}/(?:\d{4}|[A-Z][A-Za-z0-9]{1,19}/[0-9-]{1,12})/\d{1,5}"
_UK_ENTRY = re.compile(rf"https?://[^/]+/id/({_UK_ITEM})\Z", re.ASCII)


def _legislation(index: Index, identifier: str) -> list[Target]:
    item, _, day = identifier.partition("@")
    if re.fullmatch(r"[a-z]{2,5}/\d{4}", item):
        return [_uk_item(entry, day) for entry in _uk_year(index, item)]
    return [_uk_item(item, day)]


def _uk_item(item: str, day: str) -> Target:
    at = f"/{day}" if day else ""
    return Target(f"/{item}{at}/data.xml", f"{item}{at}".replace("/", "-") + ".xml")


def _uk_year(index: Index, item: str) -> list[str]:
    """The items that the feed of a kind and year lists, page by page."""
    found: dict[str, None] = {}
    for page in range(1, MAX_PAGES + 1):
        try:
            feed = read_xml(index(f"/{item}/data.feed?page={page}"), name="the feed")
        except IngestError as error:
            raise FetchError(f"the feed of {item} cannot be read: {error.cause}") from None
        if local(feed) != "feed":
            raise FetchError(f"what came for the feed of {item} is no feed")
        listed = [_UK_ENTRY.match((identifier.text or "").strip()) for identifier in feed.iterfind("{*}entry/{*}id")]
        if None in listed:
            raise FetchError(f"the feed of {item} lists an item without a number; its layout changed")
        found.update((match[1], None) for match in listed if match)
        more = next((link.text or "" for link in feed.iterfind("{*}morePages")), "")
        if not more.strip().isdecimal():
            raise FetchError(f"the feed of {item} does not say whether there are more pages; its layout changed")
        if int(more) == 0:
            break
        if not listed:
            raise FetchError(f"the feed of {item} has an empty page before its last one")
    else:
        raise FetchError(f"the feed of {item} has more than {MAX_PAGES} pages")
    if not found:
        raise FetchError(f"the feed of {item} lists nothing")
    return list(found)


_REVISION = r"[0-9A-Z]{12,20}_\d{8}_[0-9A-Z]{3,20}"


def _egov(index: Index, identifier: str) -> list[Target]:
    revision = identifier
    if "_" not in identifier:
        listed = objects(member(_json(index(f"/api/2/law_revisions/{identifier}")), "revisions"))
        in_force = (revision for revision in listed if revision.get("current_revision_status") == "CurrentEnforced")
        current = [revision.get("law_revision_id") for revision in in_force]
        if len(current) != 1 or not isinstance(current[0], str) or not re.fullmatch(_REVISION, current[0], re.ASCII):
            raise FetchError("e-Gov names no single edition of this law as the one in force; name an edition's id")
        revision = current[0]
    return [Target(f"/api/2/law_file/xml/{quote(revision)}", f"{revision}.xml")]


_GERMAN_LAW = re.compile(r"https?://www\.gesetze-im-internet\.de/([A-Za-z0-9_-]{1,100})/xml\.zip\Z", re.ASCII)


def _german(index: Index, identifier: str) -> list[Target]:
    """Laws from the list of all that the publisher makes anew each day."""
    try:
        contents = read_xml(index("/gii-toc.xml"), name="the list of laws", doctype=True)
    except IngestError as error:
        raise FetchError(f"the list of laws cannot be read: {error.cause}") from None
    if local(contents) != "items":
        raise FetchError("what came for the list of laws is no such list")
    links = [_GERMAN_LAW.match((link.text or "").strip()) for link in contents.iterfind("item/link")]
    if None in links or not links:
        raise FetchError("the list of laws has an entry without the address of its XML, or none; its layout changed")
    known = dict.fromkeys(link[1] for link in links if link)
    if identifier != "all" and identifier not in known:
        raise FetchError("gesetze-im-internet.de lists no such law; its name is the one in the address of its page")
    wanted = known if identifier == "all" else [identifier]
    return [Target(f"/{quote(name)}/xml.zip", f"{WORK}/{name}.zip") for name in wanted]


_DUMP = re.compile(r"\bFreemium_legi_global_(\d{8}-\d{6})\.tar\.gz\b", re.ASCII)


def _legi(index: Index, identifier: str) -> list[Target]:
    """A full dump, by the name that the page of the folder lists. The daily updates between two are not applied."""
    dumps = sorted(set(_DUMP.findall(index("/OPENDATA/LEGI/").read_text(encoding="utf-8", errors="replace"))))
    if not dumps:
        raise FetchError("the folder of LEGI lists no full dump; its layout changed")
    wanted = dumps[-1] if identifier == "latest" else identifier
    if wanted not in dumps:
        raise FetchError(f"the folder of LEGI has no full dump of {wanted}; it has {', '.join(dumps)}")
    name = f"Freemium_legi_global_{wanted}.tar.gz"
    return [Target(f"/OPENDATA/LEGI/{name}", f"{WORK}/{name}")]


def _json(path: Path) -> object:
    try:
        return parse_json(path.read_bytes(), max_bytes=MAX_INDEX_BYTES)
    except JsonRefused as error:
        raise FetchError(f"an index of the source cannot be read: {error.reason}") from None


_DAY = r"(?:@\d{4}-\d\d-\d\d)?"
SOURCES = (
    BulkSource(
        name="ecfr",
        publisher="Office of the Federal Register and Government Publishing Office",
        licence="United States government work, public domain (17 U.S.C. 105)",
        base_url="https://www.ecfr.gov",
        form="ecfr_xml",
        identifier="a title's number, with @YYYY-MM-DD for the title at a date, or all",
        example="11 12",
        pattern=rf"[1-9]\d?{_DAY}|all",
        plan=_ecfr,
        layout="versioner API v1: titles.json, full/DATE/title-N.xml",
        delay=2.0,
    ),
    BulkSource(
        name="dc-code",
        publisher="Council of the District of Columbia",
        licence="Statutes are not subject to copyright; official comments in the annotations of title 28 are",
        base_url="https://github.com/DCCouncil/law-xml",
        form="dc_xml",
        identifier="a commit, tag or branch of the Council's repository; the newest without one",
        example="HEAD",
        pattern=r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}",
        plan=_dc_code,
        layout="archive of the repository; its folders as in one commit of 2026",
        default=("HEAD",),
        hosts=("codeload.github.com",),
        keep="us/dc/council/code/",
    ),
    BulkSource(
        name="legislation-gov-uk",
        publisher="The National Archives",
        licence="Crown copyright, Open Government Licence v3.0",
        base_url="https://www.legislation.gov.uk",
        form="clml",
        identifier="type/year/number, with @YYYY-MM-DD for the text at a date, or type/year for all of a year",
        example="ukpga/1968/60",
        pattern=rf"(?:{_UK_ITEM}|[a-z]{{2,5}}/\d{{4}}){_DAY}",
        plan=_legislation,
        layout="data.xml; data.feed with pages",
        delay=1.0,
    ),
    BulkSource(
        name="egov",
        publisher="Digital Agency of Japan",
        licence="Not subject to copyright (Copyright Act of Japan, article 13)",
        base_url="https://laws.e-gov.go.jp",
        form="egov_xml",
        identifier="a law id, or the id of one edition of a law",
        example="327AC0000000231",
        pattern=rf"[1-5]\d{{2}}[0-9A-Z]{{8,12}}|{_REVISION}",
        plan=_egov,
        layout="law API version 2: law_revisions, law_file",
        delay=1.0,
    ),
    BulkSource(
        name="gesetze-im-internet",
        publisher="Bundesministerium der Justiz",
        licence="Official works, not subject to copyright (section 5 UrhG)",
        base_url="https://www.gesetze-im-internet.de",
        form="gii_xml",
        identifier="a law's name in the address of its page, or all",
        example="bgb gg",
        pattern=r"[A-Za-z0-9_-]{1,100}",
        plan=_german,
        layout="gii-toc.xml; NAME/xml.zip",
        delay=1.0,
        zipped=True,
    ),
    BulkSource(
        name="legi",
        publisher="Direction de l'information légale et administrative (DILA)",
        licence="Licence Ouverte 2.0",
        base_url="https://echanges.dila.gouv.fr",
        form="legi_xml",
        identifier="the date in the name of a full dump, or latest; its codes in force are unpacked",
        example="latest",
        pattern=r"\d{8}-\d{6}|latest",
        plan=_legi,
        layout="OPENDATA/LEGI/Freemium_legi_global_DATE.tar.gz; daily updates since then are not applied",
        default=("latest",),
        keep="global/code_et_TNC_en_vigueur/code_en_vigueur/",
        max_members=6_000_000,
        max_bytes=64 * 1024**3,
    ),
)


def source_named(name: str) -> BulkSource:
    """The source of that name.

    Raises:
        InputError: there is none.
    """
    for known in SOURCES:
        if known.name == name:
            return known
    raise InputError(
        f"There is no source of this name; the sources are {', '.join(source.name for source in SOURCES)}."
    )
