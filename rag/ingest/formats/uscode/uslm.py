"""United States Legislative Markup: the U.S. Code (USLM 1.0), public laws, statute compilations and the C.F.R. (2.0).

A title of the U.S. Code is `urn:lex:us:17usc`, its appendix `urn:lex:us:11ausc`. A public law is `urn:lex:us:pl-115-7`
(a private one `pvtl-112-1`). A compilation shows an act as amended, so it has the URN of the public law that it
compiles; where it compiles less than one, or an act older than public-law numbers, it is `urn:lex:us:comps-1523` by
its file number. A volume of the annual C.F.R. is a document below the title's corpus,
`urn:lex:us:27cfr:parts_40-to-399`: parts and sections have the URNs that every edition of the title gives them,
containers above them hang on the volume.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TypeAlias

from lxml import etree

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.ecfr.xml import dates
from rag.ingest.formats.uscode import text as words
from rag.ingest.formats.uscode.levels import Plan
from rag.ingest.formats.uscode.notes import first, stated_dates
from rag.ingest.formats.uscode.text import Reader
from rag.ingest.formats.uscode.tree import UslmTree
from rag.ingest.formats.xml import Element, collapse, local, opening, plain, read_xml
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError
from retrieval.paths import slug

LICENCE = "Public domain (17 U.S.C. 105)"
ROOTS = frozenset({"uscDoc", "statuteCompilation", "pLaw", "cfrDoc"})

_NAMESPACE = re.compile(r"https?://(?:xml\.house\.gov/schemas/uslm|schemas\.gpo\.gov/xml/uslm)(?:/[\d.]+)?\Z")
_OUTSIDE = frozenset({"meta", "preface", "front", "backMatter", *words.LEFT_OUT})
_TITLE = re.compile(r"(\d{1,2})([a-z]?)\Z")
_LAW = re.compile(r"(?:Public|Private)\s+Law\s+(?:No\.\s*)?(\d{1,3})\s*[-–—]\s*(\d{1,4})(?:,?\s+as\s+amended)?\Z", re.I)
_COMPILED = re.compile(r"/us/sComp/(\d{1,3})/(\d{1,4})/(?:s|t|st|ch|pt)[^a-z/]", re.ASCII)
_CFR_RUNNING = frozenset({"part"})


class Uslm(FileFormat):
    """Format `uslm`: one file is one title, act or volume."""

    name = "uslm"
    version = 2

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the root is one of the four document types that hold law, in a namespace of USLM."""
        return _root_name(head) in ROOTS

    def skips(self, path: Path, head: bytes) -> str:
        """Why a file in USLM is no law in force: a bill, a resolution, an issue of the Federal Register."""
        root = _root_name(head)
        return f"a {root} in USLM: not law in force" if root and root not in ROOTS else ""

    def read(self, source: Source) -> ParsedDocument:
        """Read a document.

        Returns:
            Its nodes; one Link `enabled_by` per authority statement of the C.F.R.; warnings that count what is left
            out on purpose and name every number used twice.

        Raises:
            IngestError: not readable as XML, no body, no number to cite the law by, or too deep a nesting.
        """
        root = read_xml(source.path, name=source.name)
        kind = local(root)
        namespace = etree.QName(root).namespace or ""
        if kind not in ROOTS or not _NAMESPACE.match(namespace):
            raise IngestError("its root element is no document of law in USLM", file=source.name, line=root.sourceline)
        read = {"uscDoc": _us_code, "cfrDoc": _regulations}.get(kind, _act)
        corpus, plan, tops, title = read(_Meta(root, source.name), Reader(quotes=True))
        tree = UslmTree(plan, source.name, quotes=kind in ("uscDoc", "cfrDoc"))
        if plan.edition is None:
            tree.warnings.append(f"{source.name}: the file states no date of its edition")
        tree.read(tops, title)
        return ParsedDocument(
            corpus, tree.nodes, source.name, self.name, source.sha256(), self.version, edition_date=plan.edition,
            links=tree.links, warnings=tree.warnings,
        )  # fmt: skip


_Read: TypeAlias = tuple[Corpus, Plan, list[Element], Element | None]


class _Meta:
    """What a document says of itself."""

    def __init__(self, root: Element, file: str) -> None:
        self.root, self.file = root, file
        meta = first(root, "meta")
        self._meta = [] if meta is None else list(meta)

    def all(self, name: str) -> list[str]:
        return [text for child in self._meta if local(child) == name and (text := plain(child))]

    def get(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    def role(self, role: str) -> str:
        return next(
            (plain(child) for child in self._meta if local(child) == "property" and child.get("role") == role), ""
        )

    def day(self, name: str) -> date | None:
        """The first day that a property names, with or without a time of day."""
        return next(iter(dates(self.get(name).partition("T")[0])), None) or next(iter(dates(self.get(name))), None)

    def body(self) -> list[Element]:
        """The elements that hold the law.

        Raises:
            IngestError: there is none.
        """
        found = [child for child in self.root if local(child) not in _OUTSIDE]
        if not found:
            raise self.error("has no body (main or appendix)")
        return found

    def titled(self, names: frozenset[str]) -> tuple[list[Element], Element | None]:
        """The body, and in it the element of the title itself where there is exactly one.

        Raises:
            IngestError: there is no body.
        """
        parts = [child for top in self.body() for child in (top if local(top) == "main" else (top,))]
        titles = [part for part in parts if local(part) in names]
        if len(titles) != 1:
            return self.body(), None
        loose = any((top.text or "").strip() for top in self.body() if local(top) == "main")
        return (self.body() if loose else parts), titles[0]

    def error(self, cause: str) -> IngestError:
        return IngestError(cause, file=self.file, line=self.root.sourceline)


def _root_name(head: bytes) -> str:
    """The root element's name where it is in a namespace of USLM; else empty."""
    root = opening(head)
    declared = (value for key, value in root.attributes.items() if key.partition(":")[0] == "xmlns")
    return root.name if any(_NAMESPACE.match(uri) for uri in declared) else ""


def _headed(element: Element, reader: Reader) -> str:
    return words.heading_text(" ".join(reader.read(child).text for child in element if local(child) == "heading"))


def _us_code(meta: _Meta, reader: Reader) -> _Read:
    identifier = meta.root.get("identifier") or ""
    number = (identifier.removeprefix("/us/usc/t") or meta.get("docNumber")).lower()
    match = _TITLE.match(number)
    if match is None:
        raise meta.error("does not say which title of the U.S. Code it is")
    tops, title = meta.titled(frozenset({"title", "appendix"}))
    heading, line = ("", meta.root.sourceline) if title is None else (_headed(title, reader), title.sourceline)
    urn = f"urn:lex:us:{number}usc"
    said = f"{match[1]}, Appendix" if match[2] else match[1]
    name = f"United States Code, Title {said}"
    tags = {"code": "U.S.C.", "title": number}
    root = ParsedNode(
        urn, None, "TITLE", "appendix" if match[2] else "title", number, heading, kind="section", line=line,
        tags={**tags, **({"release_point": point} if (point := _release(meta)) else {})},
        aliases=[f"/us/usc/t{number}"],
    )  # fmt: skip
    if law := meta.role("is-positive-law"):
        root.tags["positive_law"] = law
    corpus = Corpus(
        urn, f"{name} ({heading})" if heading else name, "en", licence=LICENCE,
        publisher="Office of the Law Revision Counsel, U.S. House of Representatives",
        url=f"https://uscode.house.gov/browse/prelim@title{number}",
    )  # fmt: skip
    plan = Plan(
        root, urn, tags, "usc", frozenset({"chapter"}), meta.day("created"), None, f"/us/usc/t{number}",
        appendix=bool(match[2]),
    )  # fmt: skip
    return corpus, plan, tops, title


def _release(meta: _Meta) -> str:
    return meta.get("docPublicationName").partition("@")[2]


def _regulations(meta: _Meta, reader: Reader) -> _Read:
    number = meta.get("docNumber")
    number = re.sub(r"\Atitle\s+", "", number, flags=re.I)
    if not re.fullmatch(r"[1-9]\d?", number):
        raise meta.error("does not say which title of the C.F.R. it is")
    urn = f"urn:lex:us:{number}cfr"
    tops, title = meta.titled(frozenset({"title"}))
    heading = "" if title is None else _headed(title, reader)
    first_part, last_part = meta.get("startingProvision"), meta.get("endingProvision")
    tags = {"code": "CFR", "title": number}
    name = f"Code of Federal Regulations, Title {number}"
    corpus = Corpus(
        urn, f"{name} ({heading})" if heading else name, "en", licence=LICENCE,
        publisher="Office of the Federal Register; Government Publishing Office",
        url=f"https://www.govinfo.gov/app/collection/cfr/title{number}",
    )  # fmt: skip
    root = ParsedNode(
        urn, None, "TITLE", "title", number, heading, kind="section", tags=tags, line=meta.root.sourceline
    )
    running = _CFR_RUNNING
    if first_part:
        held = slug(f"{first_part} to {last_part}" if last_part else first_part)
        root = replace(
            root, urn=f"{urn}:parts_{held}", parent_urn=urn, structure_type="PART", level="parts", number=held
        )
        # A part that is split over volumes has its own container in each.
        running = frozenset[str]() if "." in f"{first_part}{last_part}" else running
    edition = meta.day("docReleasePoint") or meta.day("created")
    return corpus, Plan(root, urn, tags, "cfr", running, edition, None, f"/us/cfr/t{number}"), tops, title


def _act(meta: _Meta, reader: Reader) -> _Read:
    compiled = local(meta.root) == "statuteCompilation"
    tops = meta.body()
    cited = [
        *meta.all("citableAs"),
        *(plain(found) for top in meta.root if local(top) == "preface" for found in top.iter("{*}citableAs")),
    ]
    law = next((match for citation in cited if (match := _LAW.match(citation))), None)
    stated_private = law is not None and law[0].lower().startswith("private")
    private = stated_private or meta.get("publicPrivate").lower() == "private"
    congress, number = (law[1], law[2]) if law else ("", "")
    if law is None and not compiled and meta.get("congress").isdigit() and meta.get("docNumber").isdigit():
        congress, number = meta.get("congress"), meta.get("docNumber")
    begun = {
        tuple(match.groups()) for found in meta.root.iter() if (match := _COMPILED.match(found.get("identifier") or ""))
    }
    if law is None and compiled and len(begun) == 1:
        congress, number = next(iter(begun))
    file_id = meta.role("fileId")
    if number:
        corpus_urn = f"urn:lex:us:{'pvtl' if private else 'pl'}-{congress}-{number}"
    elif compiled and (file_id or meta.get("title")):
        corpus_urn = f"urn:lex:us:comps-{slug(file_id or meta.get('title'))}"
    else:
        raise meta.error("states no public-law number to cite it by")
    heading = _act_title(meta, tops, reader) or next(iter(cited), corpus_urn.rpartition(":")[2])
    tags = {"act_title": heading} | ({"public_law": f"{congress}-{number}"} if number and not private else {})
    aliases = [words.ascii_dashes(citation) for citation in cited]
    aliases += [f"/us/{'pvtl' if private else 'pl'}/{congress}/{number}"] if number else []
    aliases += [f"COMPS-{file_id}"] if compiled and file_id else []
    root = ParsedNode(
        corpus_urn, None, "ROOT", "act" if compiled else "public law" if not private else "private law",
        f"{congress}-{number}" if number else corpus_urn.rpartition("-")[2], heading, kind="section", tags=dict(tags),
        aliases=list(dict.fromkeys(alias for alias in aliases if len(alias) <= 200)), line=meta.root.sourceline,
    )  # fmt: skip
    approved = meta.day("approvedDate") or _approved(meta.root)
    edition = _amended_through(meta.root) if compiled else approved
    if compiled and (through := _through(meta.root)):
        root.tags["amended_through"] = through
    corpus = Corpus(
        corpus_urn, heading, "en", licence=LICENCE,
        publisher="Office of the Legislative Counsel, U.S. House of Representatives; Government Publishing Office"
        if compiled else "Office of the Federal Register; Government Publishing Office",
        url="https://www.govinfo.gov/app/collection/" + ("comps" if compiled else "plaw"),
    )  # fmt: skip
    prefix = "/us/sComp" if compiled else aliases[-1]
    plan = Plan(root, corpus_urn, tags, "act", frozenset(), edition, None if compiled else approved, prefix)
    return corpus, plan, tops, None


def _act_title(meta: _Meta, tops: list[Element], reader: Reader) -> str:
    """The short title where the act has one of its own, in the letter case it is cited with."""
    title = meta.get("title")
    shorts = [*meta.all("containsShortTitle"), *meta.all("citableAsShortTitle")]
    own = (found for top in tops for found in top.iter("{*}shortTitle"))
    named = (
        element for element in own if not any(local(above) == "quotedContent" for above in element.iterancestors())
    )
    shorts += [reader.read(element).text.strip('“”" ') for element in named][:1]
    same = [short for short in shorts if short.casefold() == title.casefold() and not short.isupper()]
    compiled = local(meta.root) == "statuteCompilation"
    return next(iter((*same, *([] if compiled and title else shorts), title)))


def _approved(root: Element) -> date | None:
    """The day of approval, from the note that ends a public law, else from the margin of its title."""
    for name in ("actionDescription", "approvedDate", "sidenote"):
        for found in root.iter(f"{{*}}{name}"):
            if days := stated_dates(found):
                return days[0]
    return None


def _amended_through(root: Element) -> date | None:
    return next((days[-1] for found in root.iter("{*}editionNote") if (days := stated_dates(found))), None)


def _through(root: Element) -> str:
    notes = [
        child for note in root.iter("{*}editionNote") for child in note if local(child) == "currentThroughPublicLaw"
    ]
    return collapse(words.ascii_dashes(plain(notes[0]))) if notes else ""
