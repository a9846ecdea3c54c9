"""The formats in the order they are asked: ours, third-party ones (entry point group `lexscope.formats`), plain ones.

Plain documents (Markdown, text, HTML, DOCX, PDF) are taken only where the user names a jurisdiction: a folder of law
holds read-me files and notes, which must not become law by surprise. Without one they are listed as skipped.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path

from rag.ingest.formats.akn.parser import AkomaNtoso
from rag.ingest.formats.base import HEAD_BYTES, Format, Source
from rag.ingest.formats.cfpb.eregs_json import ERegsJson
from rag.ingest.formats.cfpb.regml import RegMl
from rag.ingest.formats.clml.parser import Clml
from rag.ingest.formats.contrib.gdpr_json import GdprJson
from rag.ingest.formats.contrib.md_statutes_jsonl import MdStatutesJsonl
from rag.ingest.formats.contrib.passages_json import PassagesJson
from rag.ingest.formats.courtlistener.jsonl import CourtListenerJsonl
from rag.ingest.formats.dc_xml.parser import DcXml
from rag.ingest.formats.ecfr.xml import EcfrXml
from rag.ingest.formats.egov.xml import EgovXml
from rag.ingest.formats.encoding import is_utf_16, without_mark
from rag.ingest.formats.french.legalize_md import LegalizeMd
from rag.ingest.formats.french.legi_json import LegiJson
from rag.ingest.formats.french.legi_xml import LegiXml
from rag.ingest.formats.german.de_md import DeMd
from rag.ingest.formats.german.de_tei import DeTei
from rag.ingest.formats.german.gii_xml import GiiXml
from rag.ingest.formats.lexjsonl.parser import LexJsonl
from rag.ingest.formats.plain.document import PlainFormat
from rag.ingest.formats.plain.docx import PlainDocx
from rag.ingest.formats.plain.html import PlainHtml
from rag.ingest.formats.plain.markdown import PlainMarkdown
from rag.ingest.formats.plain.pdf import PlainPdf
from rag.ingest.formats.plain.source import Place, PlainSource
from rag.ingest.formats.plain.text import PlainText
from rag.ingest.formats.uscode.uslm import Uslm
from rag.ingest.formats.xml import DOCTYPE
from rag.ingest.manifest import NAME as MANIFEST
from rag.ingest.manifest import WORK
from retrieval.errors import ConfigurationError, IngestError

logger = logging.getLogger(__name__)

_NAMED = 20  # files of no known format that a remark names
_HIDDEN = "hidden files and folders"
_EMPTY = "empty files"
_LINKED = "links to folders, which are not followed (name the folder itself to take it)"
# A document type can declare entities, here or elsewhere: what those put into a text is not law that was published.
_ENTITIES = re.compile(
    rb"\s*<[^\0]*?<!DOCTYPE(?!\s+html\b)|\s*<!DOCTYPE(?!\s+html\b)|\s*<[^\0]*?<!ENTITY", re.IGNORECASE
)
PLAIN_SKIPPED = "plain documents (name a jurisdiction with --jurisdiction to take them)"


@dataclass(slots=True)
class Discovery:
    """What a path holds. `other` are files of no known format; nothing is left out without a word."""

    sources: list[tuple[Format, Source]] = field(default_factory=list[tuple[Format, Source]])
    skipped: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])  # file, reason
    rejected: list[IngestError] = field(default_factory=list[IngestError])
    other: list[str] = field(default_factory=list[str])

    def remarks(self) -> list[str]:
        """One sentence that names the files of no known format, for the ingest's report; none where there are none."""
        if not self.other:
            return []
        more = f" and {len(self.other) - _NAMED} more" if len(self.other) > _NAMED else ""
        return [f"{len(self.other)} files are of no known format: {', '.join(self.other[:_NAMED])}{more}"]


def all_formats() -> list[Format]:
    """One instance of every format of law."""
    formats: list[Format] = [
        LexJsonl(),
        AkomaNtoso(),
        Clml(),
        CourtListenerJsonl(),
        DcXml(),
        DeMd(),
        DeTei(),
        EcfrXml(),
        EgovXml(),
        ERegsJson(),
        GdprJson(),
        GiiXml(),
        LegalizeMd(),
        LegiJson(),
        LegiXml(),
        MdStatutesJsonl(),
        PassagesJson(),
        RegMl(),
        Uslm(),
    ]
    formats.extend(point.load()() for point in entry_points(group="lexscope.formats"))
    return formats


def plain_formats() -> list[PlainFormat]:
    """One instance of every format of plain documents, those with a signature first."""
    return [PlainPdf(), PlainDocx(), PlainHtml(), PlainMarkdown(), PlainText()]


def format_named(name: str) -> Format:
    """The format of that name.

    Raises:
        ConfigurationError: no such format; lists those there are.
    """
    known: list[Format] = [*all_formats(), *plain_formats()]
    for one in known:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in known)
    raise ConfigurationError(f"There is no format {name[:40]!r}; the formats are {names}.")


def discover(path: Path, only: Format | None = None, place: Place | None = None) -> Discovery:
    """Find the documents under a file or folder, by content.

    Args:
        path: what the user named.
        only: take every file as this format instead of asking all.
        place: where plain documents belong; None leaves them out and lists them as skipped.

    Raises:
        IngestError: the path does not exist, or is a single file of no known format.
    """
    path = path.absolute()
    if not path.exists():
        raise IngestError("no such file or folder", file=path.name)
    if not path.is_dir() and not path.is_file():
        raise IngestError("is not a regular file", file=path.name)
    found = Discovery()
    root = path if path.is_dir() else path.parent
    files = list(_files(path, found)) if path.is_dir() else [path]
    formats: list[Format] = [only] if only else [*all_formats(), *plain_formats()]
    for file in files:
        _sort(found, file, root, formats, place)
    for remark in found.remarks():
        logger.debug("%s", remark)
    parts = {part.relative_to(root).as_posix() for _, source in found.sources for part in source.parts}
    found.skipped = [(name, reason) for name, reason in found.skipped if name not in parts]
    if path.is_file() and found.other:
        cause = f"its content is not {only.name}" if only else "its content is of no known format"
        raise IngestError(cause, file=path.name)
    if path.is_file() and (path.name, _EMPTY) in found.skipped:
        raise IngestError("is empty; get the file again", file=path.name)
    if path.is_file() and (path.name, PLAIN_SKIPPED) in found.skipped:
        cause = "its content is of no known format of law; name a jurisdiction with --jurisdiction to take it as it is"
        raise IngestError(cause, file=path.name)
    return found


def _files(folder: Path, found: Discovery) -> Iterator[Path]:
    """The files of a folder in order; what is left out by its name or kind is noted.

    What is hidden belongs to tools: unfinished downloads, version control. None of it is law that a user laid there.
    """
    files: list[Path] = []
    for here, folders, names in os.walk(folder, onerror=lambda error: found.rejected.append(_unread(error, folder))):
        files += [Path(here, name) for name in names]
        links = (Path(here, name) for name in folders if Path(here, name).is_symlink())
        found.skipped += [(one.relative_to(folder).as_posix(), _LINKED) for one in links]
    if not (files or found.skipped or found.rejected):
        found.rejected.append(IngestError("the folder holds no file", file=folder.name))
    for one in sorted(files):
        name = one.relative_to(folder)
        if any(part.startswith(".") for part in name.parts):
            found.skipped.append((name.as_posix(), _HIDDEN))
        elif not one.is_file():
            found.skipped.append((name.as_posix(), "not a regular file"))
        elif one.name == MANIFEST and (one.parent / WORK).is_dir():
            found.skipped.append((name.as_posix(), "the list of files that `lexscope fetch` keeps"))
        else:
            yield one


def _unread(error: OSError, folder: Path) -> IngestError:
    name = Path(error.filename or folder).relative_to(folder).as_posix()
    return IngestError(f"the folder cannot be read ({type(error).__name__})", file=name)


def _sort(found: Discovery, file: Path, root: Path, formats: list[Format], place: Place | None) -> None:
    name = file.relative_to(root).as_posix()
    try:
        with file.open("rb") as stream:
            head = without_mark(stream.read(HEAD_BYTES))
    except OSError as error:
        found.rejected.append(IngestError(f"cannot be read ({type(error).__name__})", file=name))
        return
    for one in formats:
        if one.claims(file, head):
            if isinstance(one, PlainFormat):
                if place is None:
                    found.skipped.append((name, PLAIN_SKIPPED))
                else:
                    found.sources.append((one, PlainSource(file, root, place=place)))
                return
            try:
                found.sources.append((one, Source(file, root, one.parts(file, root))))
            except IngestError as error:
                found.rejected.append(error)
            return
        reason = one.skips(file, head)
        if reason:
            found.skipped.append((name, reason))
            return
    if _ENTITIES.match(head):
        found.rejected.append(IngestError(DOCTYPE, file=name))
    elif not head:
        found.skipped.append((name, _EMPTY))
    elif is_utf_16(head):
        found.rejected.append(IngestError("is UTF-16; save it as UTF-8", file=name))
    else:
        found.other.append(name)
