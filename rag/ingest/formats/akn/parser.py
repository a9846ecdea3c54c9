"""Acts, bills and judgments in Akoma Ntoso 3, whatever country publishes them."""

from __future__ import annotations

import re
from pathlib import Path

from lxml import etree

from rag.ingest.formats.akn.meta import identify
from rag.ingest.formats.akn.place import Periods, Placer
from rag.ingest.formats.akn.tree import TreeReader
from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.xml import Element, local, opening, read_xml  # pyright: ignore[reportPrivateUsage]
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError, InputError

NAMESPACE = "http://docs.oasis-open.org/legaldocml/ns/akn/3.0"
DOCUMENTS = frozenset({"act", "bill", "doc", "judgment", "statement"})

_DOCUMENT = re.compile(r">(?>\s+|<!--.*?-->|<\?.*?\?>)*+<(?:[\w.-]+:)?+([A-Za-z]+)\b", re.DOTALL)


class AkomaNtoso(FileFormat):
    """Akoma Ntoso 3 (LegalDocML). A document is one file; a schedule in the same file is part of it."""

    name = "akn"
    version = 5

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file is an act, bill, judgment or plain document, by its namespace and first two elements."""
        namespaces, document = _opening(head)
        return NAMESPACE in namespaces and document in DOCUMENTS

    def skips(self, path: Path, head: bytes) -> str:
        """Why an Akoma Ntoso file holds no law to read; empty for other files and for law."""
        namespaces, document = _opening(head)
        if not namespaces or self.claims(path, head):
            return ""
        if NAMESPACE not in namespaces:
            return "Akoma Ntoso of an older version; only 3.0 is read"
        if document in ("documentCollection", "officialGazette"):
            return f"Akoma Ntoso, but a {document} of several; save each act or judgment in it as a file of its own"
        return f"Akoma Ntoso, but a {document or 'document of unknown kind'} and no act, bill or judgment"

    def read(self, source: Source) -> ParsedDocument:
        """Read a document.

        Raises:
            IngestError: no such XML, no law, no country or nothing to name it by, a body that is missing, or a
                nesting too deep.
        """
        root = read_xml(source.path, name=source.name)
        document = self._document(root, source.name)
        try:
            identity = identify(document)
        except InputError as error:
            raise IngestError(error.message, file=source.name, line=document.sourceline) from None
        reader = TreeReader(identity.words, source.name, decision=identity.kind == "decision")
        drafts = reader.read(document)
        for components in root.iterfind("{*}components"):
            drafts.extend(reader.attached(components))
        placer = Placer(identity, Periods(document, source.name), source.name)
        placer.place(drafts, document.sourceline)
        left_out = [
            f"left out on purpose: {what} ({count})" for what, count in sorted(identity.words.left_out.items()) if count
        ]
        return ParsedDocument(
            identity.corpus, placer.nodes, source.name, self.name, source.sha256(), self.version,
            edition_date=identity.edition_date, links=placer.history(document),
            warnings=[*identity.warnings, *reader.warnings, *placer.warnings, *left_out],
        )  # fmt: skip

    def _document(self, root: Element, name: str) -> Element:
        namespace = etree.QName(root).namespace or ""
        if local(root) != "akomaNtoso" or not namespace.startswith(NAMESPACE):
            raise IngestError("not a document of Akoma Ntoso 3.0", file=name, line=root.sourceline)
        found = [child for child in root if local(child) in DOCUMENTS]
        others = [local(child) for child in root if local(child) not in (*DOCUMENTS, "components")]
        if len(found) != 1 or others:
            raise IngestError("holds no act, bill or judgment, or more than one", file=name, line=root.sourceline)
        return found[0]


def _opening(head: bytes) -> tuple[str, str]:
    """The attributes of the root element and the name of the first element in it; empty for other files."""
    root = opening(head)
    if root.name != "akomaNtoso":
        return "", ""
    document = _DOCUMENT.match(root.rest)
    return " ".join(root.attributes.values()) or " ", document[1] if document else ""
