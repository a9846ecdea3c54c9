"""Word documents (.docx): paragraphs, numbers, tables, notes. What is deleted or hidden is left out and counted."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from rag.ingest.formats.plain_blocks import Cleaner, Reading
from rag.ingest.formats.plain_bytes import read_bytes
from rag.ingest.formats.plain_document import PlainFormat, not_installed
from rag.ingest.formats.plain_source import MAX_BYTES, PlainSource
from rag.ingest.formats.xml import Element
from retrieval.errors import IngestError

if TYPE_CHECKING:
    from docx.document import Document

# Bytes as the archive states them, which reading never exceeds: of all members together, and of one that is XML.
MAX_UNPACKED = 256 * 1024 * 1024
MAX_XML = 64 * 1024 * 1024
MAX_MEMBERS = 10_000
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the container of encrypted and of older Word documents
_DOCTYPE = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_XML_MEMBER = re.compile(r"\.(?:xml|rels)\Z", re.IGNORECASE)


class PlainDocx(PlainFormat):
    """Format `plain_docx`. Needs the extra `documents`."""

    name = "plain_docx"
    version = 3

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether it is an archive that holds a Word document, or is named as one."""
        if path.suffix.lower() == ".docx":
            return True
        if not head.startswith(_ZIP):
            return False
        try:
            with zipfile.ZipFile(path) as archive:
                return "word/document.xml" in archive.namelist()
        except (zipfile.BadZipFile, OSError, ValueError):
            return False

    def read(self, source: PlainSource, cleaner: Cleaner) -> Reading:
        """Read the document's body, footnotes and endnotes.

        Raises:
            IngestError: empty, too large, damaged, encrypted, a zip bomb, with a document type or entities; or the
                extra is not installed.
        """
        try:
            from docx import Document as open_document

            from rag.ingest.formats.plain_docx_body import BodyReader
        except ModuleNotFoundError as error:
            raise not_installed(error, source) from None
        data = read_bytes(source, MAX_BYTES)
        if data.startswith(_OLE):
            cause = "is encrypted or of Word's older format; save it as .docx without a password"
            raise IngestError(cause, file=source.name)
        try:
            _check_archive(data, source.name)
            document = open_document(io.BytesIO(data))
            stories = _stories(document, source.name)
            stated = document.core_properties.title or ""
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise IngestError(f"its archive is damaged ({type(error).__name__})", file=source.name) from None
        except etree.XMLSyntaxError as error:
            cause = f"a part of it is not well-formed XML (libxml2 error {error.code})"
            raise IngestError(cause, file=source.name, line=error.lineno) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # python-docx has no error of its own for a package that lacks or misnames its parts.
            cause = f"is no Word document that can be read ({type(error).__name__}); save it as .docx again"
            raise IngestError(cause, file=source.name) from None
        reader = BodyReader(stories, cleaner)
        return Reading(reader.read(), reader.title or stated, reader.warnings)


def _check_archive(data: bytes, name: str) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        unpacked = sum(one.file_size for one in members)
        if len(members) > MAX_MEMBERS or unpacked > MAX_UNPACKED:
            cause = f"unpacks to {len(members):,} parts of {unpacked:,} bytes; at most {MAX_UNPACKED:,} are read"
            raise IngestError(cause, file=name)
        if any(one.flag_bits & 1 for one in members):
            raise IngestError("its archive is encrypted; save it as .docx without a password", file=name)
        for one in members:
            if not _XML_MEMBER.search(one.filename):
                continue
            if one.file_size > MAX_XML:
                cause = f"has a part of {one.file_size:,} bytes of XML; at most {MAX_XML:,} are read. Split it"
                raise IngestError(cause, file=name)
            if _DOCTYPE.search(archive.read(one)):
                raise IngestError("a part of it has a DOCTYPE; it is read without DTD and entities only", file=name)


def _stories(document: Document, name: str) -> dict[str, Element]:
    """The XML of the parts with words: `document`, and where they exist `styles`, `numbering`, `footnotes` ..."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    stories: dict[str, Element] = {"document": document.element}
    for relation in document.part.rels.values():
        kind = relation.reltype.rpartition("/")[2]
        if not relation.is_external and kind in ("styles", "numbering", "footnotes", "endnotes", "header", "footer"):
            key = f"{kind} {relation.rId}" if kind in ("header", "footer") else kind
            stories[key] = etree.fromstring(relation.target_part.blob, parser)
    # An entity that is not resolved would vanish from the text; another encoding would hide it from the check above.
    if any(one.getroottree().docinfo.internalDTD is not None for one in stories.values()):
        raise IngestError("a part of it has a DOCTYPE; it is read without DTD and entities only", file=name)
    return stories
