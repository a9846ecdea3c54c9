"""United Kingdom law in Crown Legislation Markup Language, as legislation.gov.uk publishes it.

A document is a law or a fragment of one (a section, a part): a fragment has its own root below its law's corpus, and
the headings above it are in its tag `within`. Law that stems from the European Union and is kept as United Kingdom
law is of jurisdiction `gb`, because its text is no longer the Union's; the CELEX number is a tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from lxml import etree

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.clml import levels
from rag.ingest.formats.clml.items import elements_by_id
from rag.ingest.formats.clml.levels import Validity
from rag.ingest.formats.clml.tree import Law, LawTree
from rag.ingest.formats.xml import Element, collapse, local, opening, plain, read_xml  # pyright: ignore[reportPrivateUsage]
from rag.jurisdictions.gb.addresses import SITE, TYPE_CODES, Address, read_uri
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.paths import segment

NAMESPACE = "http://www.legislation.gov.uk/namespaces/legislation"
ATOM = "http://www.w3.org/2005/Atom"

_REPEALED = re.compile(r"\((repealed|revoked)\b[^()]*\)\s*\Z", re.IGNORECASE)  # at the end of a title
_CONTENTS_PAGE = re.compile(r"<(?:\w+:)?identifier>\s*https?://[^<]*/contents(?:/[\w-]+)?\s*</")
_CONTENT = ("Primary", "Secondary", "EURetained")
_MINOR_UNITS = {"order": "article", "regulation": "regulation", "rule": "rule", "scheme": "paragraph"}
_TITLE_UNITS = (("regulations", "regulation"), ("rules", "rule"), ("order", "article"), ("scheme", "paragraph"))


@dataclass(frozen=True, slots=True)
class _Metadata:
    code: str  # of the law in URNs: `ukpga-1996-31`
    title: str
    language: str
    path: tuple[str, ...]  # of the fragment; empty for a whole law
    edition: date | None
    unit: str
    eu: bool
    valid: Validity
    tags: dict[str, str]
    alias: str


class Clml(FileFormat):
    """Laws of legislation.gov.uk."""

    name = "clml"
    version = 4

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file is a law of legislation.gov.uk, by its root element and namespace."""
        opened = opening(head)
        namespace, root = opened.namespace, opened.name
        return namespace == NAMESPACE and root in ("Legislation", "Fragment") and not _is_contents(head)

    def skips(self, path: Path, head: bytes) -> str:
        """Why a file of legislation.gov.uk is no law: explanatory notes, feeds, tables of contents."""
        opened = opening(head)
        namespace, root = opened.namespace, opened.name
        if namespace == NAMESPACE and root in ("Legislation", "Fragment"):
            return "a table of contents of legislation.gov.uk, without the law's text" if _is_contents(head) else ""
        if namespace == NAMESPACE and root in ("EN", "ExplanatoryNotes"):
            return "explanatory notes, which are not law"
        if namespace == NAMESPACE and root:
            return f"a {root} of legislation.gov.uk, not a law"
        if namespace == ATOM and root in ("feed", "entry") and b"legislation.gov.uk" in head:
            return "an Atom feed of legislation.gov.uk, not a law"
        return ""

    def read(self, source: Source) -> ParsedDocument:
        """Read a law or a fragment of one.

        Raises:
            IngestError: no such XML, no text, no number to cite it by, contradicting dates or addresses, or a
                fragment that is not in the file.
        """
        root = read_xml(source.path, name=source.name)
        if etree.QName(root).namespace != NAMESPACE or local(root) not in ("Legislation", "Fragment"):
            raise IngestError("its root element is no Legislation or Fragment of legislation.gov.uk", file=source.name)
        content = next((part for part in root if local(part) in _CONTENT), None)
        if content is None:
            raise IngestError(
                "has no text of the law (a table of contents, or published as PDF only)", file=source.name
            )
        meta = _read_metadata(root, content, source.name)
        corpus = Corpus(
            urn=f"urn:lex:gb:{meta.code}", title=meta.title, language=meta.language,
            publisher="The National Archives (legislation.gov.uk)", licence="Open Government Licence v3.0",
            url=meta.alias.replace("/id/", "/", 1),
        )  # fmt: skip
        law = Law(
            corpus.urn, meta.title, meta.unit, meta.eu, source.name, elements_by_id(root, "Footnote"),
            elements_by_id(root, "Citation", "CitationSubRef"),
        )  # fmt: skip
        top = ParsedNode(
            urn=corpus.urn, parent_urn=None, structure_type="ROOT", level="act" if meta.unit == "section" else "law",
            number=meta.code, heading=meta.title, kind="section", tags=meta.tags, aliases=[meta.alias],
            line=root.sourceline,
        )  # fmt: skip
        tree = LawTree(law, top)
        tree.read(content, meta.valid)
        nodes = _fragment(tree.nodes, meta, corpus.urn, source.name) if meta.path else tree.nodes
        warnings = [*tree.warnings, *_omissions(root, tree)]
        if repealed := _REPEALED.search(meta.title):
            # The publisher says it of the whole, without a day; what ended one part earlier stays as it is.
            for node in nodes:
                node.tags.setdefault("status", "repealed")
            warnings.append(
                f"the publisher's title says that it is {repealed[1]}: it is stored as law no longer in force"
            )
        if meta.tags.get("document_status") == "final":
            warnings.append("it is the text as enacted or made; what amended it later is not in it")
        return ParsedDocument(
            corpus, nodes, source.name, self.name, source.sha256(), self.version, meta.edition, links=tree.links,
            warnings=warnings,
        )  # fmt: skip


def _is_contents(head: bytes) -> bool:
    return _CONTENTS_PAGE.search(head.decode("utf-8", "replace")) is not None


# Metadata


def _read_metadata(root: Element, content: Element, file: str) -> _Metadata:
    found = root.find("{*}Metadata")
    meta: Element = root if found is None else found
    kind = _value(meta, "DocumentMainType")
    addresses = _addresses(root, meta)
    code, year, number = TYPE_CODES.get(kind, ""), _value(meta, "Year"), _value(meta, "Number").lstrip("0")
    # The address knows types of law that this program does not.
    code = addresses[0].law.partition("-")[0] if addresses else code
    stated = [address.law for address in addresses if re.fullmatch(r"[a-z]+-\d{4}-\w+", address.law)]
    if code and year and number:
        law = _citable(f"{code}-{year}-{number}", file)
        other = next((statement for statement in stated if statement != law), "")
        if other:
            raise IngestError(f"its metadata say {law}, its address {other}", file=file)
    elif addresses:
        law = addresses[0].law
    else:
        raise IngestError("neither its metadata nor its address say which law it is", file=file)
    lang = "{http://www.w3.org/XML/1998/namespace}lang"
    language = (meta.findtext("{*}language") or root.get(lang) or "en").strip()[:2].lower()
    eu = local(content) == "EURetained"
    title = _title(meta, content) or law
    tags = {
        "act_title": title, "type": law.partition("-")[0], "year": year, "number": number,
        "celex": _value(meta, "CELEX"), "document_status": _value(meta, "DocumentStatus"),
    }  # fmt: skip
    unapplied = len(list(meta.iter("{*}UnappliedEffect")))
    if unapplied:
        tags["unapplied_effects"] = str(unapplied)
    valid = levels.standing(root, _commencement(meta))
    tags.update(valid.tags)
    return _Metadata(
        # One law has one URN in English, the language every one of them is published in.
        code=law if language != "cy" else f"{law}-cy", title=title, language=language,
        path=addresses[0].path if addresses else (), edition=_edition(root, meta, file),
        unit=_unit(meta, title, content), eu=eu, valid=valid,
        tags={key: value for key, value in tags.items() if value},
        alias=f"{SITE}/id/{law.replace('-', '/', 2)}",
    )  # fmt: skip


def _addresses(root: Element, meta: Element) -> list[Address]:
    """What the file says it is: the identifier, which names a fragment, then the law."""
    base = root.get("{http://www.w3.org/XML/1998/namespace}base", "")
    identifiers = [plain(child) for child in meta if local(child) == "identifier"]
    uris = [*identifiers, root.get("DocumentURI", ""), root.get("IdURI", ""), base]
    return [address for address in map(read_uri, uris) if address is not None]


def _citable(law: str, file: str) -> str:
    try:
        return segment(law)
    except InputError:
        raise IngestError("its year or number cannot be cited", file=file) from None


def _value(meta: Element, name: str) -> str:
    for part in meta.iter(f"{{*}}{name}"):
        if part.get("Value"):
            return part.get("Value", "")
    return ""


def _title(meta: Element, content: Element) -> str:
    titles = [collapse(plain(child)) for child in meta if local(child) == "title"]
    prelims = next((part for part in content if local(part).endswith("Prelims")), None)
    if prelims is not None:
        titles.extend(plain(prelim) for prelim in prelims if local(prelim) in ("Title", "MultilineTitle"))
    return next((title for title in titles if title), "")


def _unit(meta: Element, title: str, content: Element) -> str:
    if local(content) != "Secondary":
        return "section" if local(content) == "Primary" else "article"
    minor = _value(meta, "DocumentMinorType").lower()
    words = re.findall(r"[a-z]+", title.lower())
    return _MINOR_UNITS.get(minor) or next((unit for word, unit in _TITLE_UNITS if word in words), "article")


def _commencement(meta: Element) -> Validity:
    """An instrument as made says when it comes into force; several dates are for several provisions and date none."""
    status = _value(meta, "DocumentStatus")
    if status == "draft":
        return Validity(levels.NEVER, status="draft")
    days = {day.get("Date", "") for part in meta.iter("{*}ComingIntoForce") for day in part.iter("{*}DateTime")}
    one = next(iter(days)) if len(days) == 1 and status == "final" else ""
    return Validity(date.fromisoformat(one) if re.fullmatch(r"\d{4}-\d\d-\d\d", one) else None)


def _edition(root: Element, meta: Element, file: str) -> date | None:
    """The day whose law the file shows: of its address, else of its validity, else of its enactment."""
    uris = [root.get("DocumentURI", ""), *(plain(child) for child in meta if local(child) == "identifier")]
    found = [match[1] for uri in uris if (match := re.search(r"/(\d{4}-\d\d-\d\d)\Z", uri))]
    found.extend(plain(child)[:10] for child in meta if local(child) == "valid")
    for name in ("EnactmentDate", "Made"):
        found.extend(found.get("Date", "") for found in meta.iter(f"{{*}}{name}"))
    try:
        return next((date.fromisoformat(day) for day in found if day), None)
    except ValueError:
        raise IngestError("a date of its metadata is none", file=file) from None


# Fragments and what is left out


def _fragment(nodes: list[ParsedNode], meta: _Metadata, corpus: str, file: str) -> list[ParsedNode]:
    """The fragment that the file's address names, as a document below the law's corpus.

    The introduction, which the publisher puts into every fragment of some laws, belongs to the whole law.
    """
    if meta.path in (("body",), ("schedules",)):
        top = nodes[0]
        whole = replace(top, urn=f"{corpus}:{meta.path[0]}", parent_urn=corpus, structure_type="PART",
                        level=meta.path[0], number=meta.path[0], aliases=[f"{meta.alias}/{meta.path[0]}"])  # fmt: skip
        inside = [whole, *nodes[1:]]
        for node in inside[1:]:
            node.parent_urn = whole.urn if node.parent_urn == top.urn else node.parent_urn
        return inside
    wanted = f"{meta.alias}/{'/'.join(meta.path)}".lower()
    address = Address(meta.code, meta.path).urn
    found = [node for node in nodes if wanted in (alias.lower() for alias in node.aliases)]
    found = found or [node for node in nodes if node.urn == address]
    if len({node.urn for node in found}) != 1:
        raise IngestError(f"holds no single {' '.join(meta.path)}, which its address names", file=file)
    first = found[0]
    by_urn = {node.urn: node for node in nodes}
    above: list[str] = []
    parent = by_urn.get(first.parent_urn or "")
    while parent is not None and parent.parent_urn is not None:
        words = parent.heading if parent.level == "crossheading" else f"{parent.level} {parent.number} {parent.heading}"
        above.insert(0, collapse(words))
        parent = by_urn.get(parent.parent_urn)
    kept: list[ParsedNode] = []
    inside_urns = {first.urn}
    for node in nodes:
        if node.urn in inside_urns or node.parent_urn in inside_urns:
            inside_urns.add(node.urn)
            kept.append(node)
    for node in found:
        node.parent_urn = corpus
        node.tags = {**meta.tags, **node.tags}
        if above:
            node.tags["within"] = " > ".join(above)
    return kept


def _omissions(root: Element, tree: LawTree) -> list[str]:
    counts = dict(tree.left_out)
    alternatives = [
        found for found in root.iter("{*}Version") if any(local(part) not in ("Figure", "Image") for part in found)
    ]
    if alternatives:
        counts["alternative versions of provisions"] = len(alternatives)
    listed = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    said = [f"left out: {listed}"] if listed else []
    effects = len(list(root.iter("{*}UnappliedEffect")))
    if effects:
        said.append(f"{effects} amendments that the publisher knows of are not yet made in this text")
    return said
