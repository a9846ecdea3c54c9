"""The formats in the order they are asked: ours, those of entry points (group `lexscope.formats`), plain ones.

A format is imported when it is named, or when a file is met that bears its signs: bytes that every file of the format
(or every file that it explains why it skips) has at its beginning, endings of names, or the folder it lies in. Formats
of other packages have no signs here, so they are loaded when none of ours takes a file. The formats of one data set or
one act that come with Lexscope (`contrib`) are registered the same way.

Plain documents (Markdown, text, HTML, DOCX, PDF) are taken only where the user names a jurisdiction: a folder of law
holds read-me files and notes, which must not become law by surprise. Without one they are listed as skipped.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from rag.ingest.formats.base import HEAD_BYTES, Format, NeedsPlace, Source
from rag.ingest.formats.encoding import is_utf_16, without_mark
from rag.ingest.formats.plain.metadata import SIDECAR
from rag.ingest.formats.plain.source import Place, PlainSource
from rag.ingest.formats.xml import DOCTYPE
from rag.ingest.manifest import NAME as MANIFEST
from rag.ingest.manifest import WORK
from rag.plugins import load_registered
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


ENTRY_POINT_GROUP = "lexscope.formats"


@dataclass(frozen=True, slots=True)
class _Known:
    """A format of ours. `signs` and `endings` are what a file must have for the format to be asked about it."""

    name: str
    where: str  # module below rag.ingest.formats, and class
    signs: re.Pattern[bytes] | None = None  # searched in the beginning of the file
    endings: tuple[str, ...] = ()  # of the file's name, lower case
    folder: str = ""  # the name of the folder three levels up

    def may_be(self, path: Path, head: bytes) -> bool:
        """Whether the format could claim or skip the file."""
        return (
            (self.signs is not None and self.signs.search(head) is not None)
            or path.suffix.lower() in self.endings
            or (bool(self.folder) and path.parts[-4:-3] == (self.folder,))
        )

    def load(self) -> Format:
        return _loaded(self.where)


@cache
def _loaded(where: str) -> Format:
    module, _, name = where.partition(":")
    return getattr(import_module(f"rag.ingest.formats.{module}"), name)()


_LAW = (
    _Known("lexjsonl", "lexjsonl.parser:LexJsonl", re.compile(rb"lexscope|\\u")),
    _Known("akn", "akn.parser:AkomaNtoso", re.compile(rb"<(?:[\w.-]+:)?akomaNtoso")),
    _Known("clml", "clml.parser:Clml", re.compile(rb"legislation\.gov\.uk")),
    _Known("courtlistener_jsonl", "courtlistener.jsonl:CourtListenerJsonl", re.compile(rb'"absolute_url"')),
    _Known("dc_xml", "dc_xml.parser:DcXml", re.compile(rb"code\.dccouncil\.us/schemas/dc-library")),
    _Known("de_md", "german.de_md:DeMd", re.compile(rb"\nAusfertigungsdatum\r?\n")),
    _Known("de_tei", "german.de_tei:DeTei", re.compile(rb"BJNR")),
    _Known("ecfr_xml", "ecfr.xml:EcfrXml", re.compile(rb"<(?:DLPSTEXTCLASS|ECFR|DIV[1-9]\s)")),
    _Known("egov_xml", "egov.xml:EgovXml", re.compile(rb"<(?:Law|DataRoot|laws_response|law_?data_response)\b")),
    _Known(
        "eregs_json",
        "cfpb.eregs_json:ERegsJson",
        re.compile(rb'"node_type"|\A\s*\{\s*"\w+(?:-\w+)*"\s*:\s*\[\s*\{'),
        folder="layer",
    ),
    _Known("gii_xml", "german.gii_xml:GiiXml", re.compile(rb"<(?:dokumente|items)\b")),
    _Known("legalize_md", "french.legalize_md:LegalizeMd", re.compile(rb"\nidentifier:.*TEXT\d")),
    _Known("legi_json", "french.legi_json:LegiJson", re.compile(rb'"(?:LEGI|JORF)(?:TEXT|SCTA|ARTI)')),
    _Known("legi_xml", "french.legi_xml:LegiXml", re.compile(rb"<(?:TEXTELR|TEXTE_VERSION|SECTION_TA|ARTICLE)\b")),
    _Known("regml", "cfpb.regml:RegMl", re.compile(rb"<(?:\w+:)?(?:regulation|notice|analysis)\s", re.IGNORECASE)),
    _Known("uslm", "uscode.uslm:Uslm", re.compile(rb"xml\.house\.gov/schemas/uslm|schemas\.gpo\.gov/xml/uslm")),
)
# Those with a signature first.
_PLAIN = (
    _Known("plain_pdf", "plain.pdf:PlainPdf", re.compile(rb"%PDF-"), (".pdf",)),
    _Known("plain_docx", "plain.docx:PlainDocx", re.compile(rb"\APK\x03\x04"), (".docx",)),
    _Known(
        "plain_html",
        "plain.html:PlainHtml",
        re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE),
        (".html", ".htm", ".xhtml"),
    ),
    _Known("plain_markdown", "plain.html:PlainMarkdown", endings=(".md", ".markdown")),
    _Known("plain_text", "plain.text:PlainText", endings=(".txt", ".text")),
)


@cache
def _registered() -> dict[str, Format]:
    """The formats of entry points by the names of these.

    Raises:
        ConfigurationError: the installed metadata is older than this code, or what it names cannot be loaded.
    """
    found: dict[str, Format] = {}
    points = entry_points(group=ENTRY_POINT_GROUP)
    if not any(point.value.startswith("rag.") for point in points):
        raise ConfigurationError(
            f"The installed metadata of lexscope has no entry points {ENTRY_POINT_GROUP}, so that some of its formats "
            "cannot be found: it is older than the code. Install it again (`make setup` in a checkout)."
        )
    for point in points:
        found[point.name] = loaded_from(point)
    return found


def loaded_from(point: EntryPoint) -> Format:
    """The format that an entry point names.

    Raises:
        ConfigurationError: it cannot be loaded, or is no class.
    """
    offered = load_registered(point, "format")
    if not isinstance(offered, type):
        raise ConfigurationError(
            f"The entry point {point.name!r} ({point.value}) is not a class: register the class of the format."
        )
    made: Format = offered()
    return made


def all_formats() -> list[Format]:
    """One instance of every format of law.

    Raises:
        ConfigurationError: a registered format cannot be loaded, or none is registered.
    """
    return [*(known.load() for known in _LAW), *_registered().values()]


def plain_formats() -> list[Format]:
    """One instance of every format of plain documents, those with a signature first."""
    return [known.load() for known in _PLAIN]


def format_named(name: str) -> Format:
    """The format of that name.

    Raises:
        ConfigurationError: no such format; lists those there are.
    """
    for known in _LAW:
        if known.name == name:
            return known.load()
    registered = {offered.name: offered for offered in _registered().values()}
    if name in registered:
        return registered[name]
    for known in _PLAIN:
        if known.name == name:
            return known.load()
    names = ", ".join([*(known.name for known in _LAW), *registered, *(known.name for known in _PLAIN)])
    raise ConfigurationError(f"There is no format {name[:40]!r}; the formats are {names}.")


def _asked(path: Path, head: bytes) -> Iterator[Format]:
    """The formats that may take a file, in order; loaded as they are asked for."""
    yield from (known.load() for known in _LAW if known.may_be(path, head))
    yield from _registered().values()
    yield from (known.load() for known in _PLAIN if known.may_be(path, head))


def discover(path: Path, only: Format | None = None, place: Place | None = None) -> Discovery:
    """Find the documents under a file or folder, by content.

    Args:
        only: take every file as this format instead of asking all.
        place: where plain documents belong; None leaves them out and lists them as skipped.

    Raises:
        IngestError: the path does not exist, or is a single file of no known format.
        ConfigurationError: a registered format cannot be loaded, or none is registered.
    """
    given, path = str(path), path.absolute()
    if not path.exists():
        raise IngestError("no such file or folder", file=given)
    if not path.is_dir() and not path.is_file():
        raise IngestError("is not a regular file", file=given)
    found = Discovery()
    root = path if path.is_dir() else path.parent
    files = list(_files(path, found)) if path.is_dir() else [path]
    for file in files:
        _sort(found, file, root, only, place)
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
        found.skipped += [(link.relative_to(folder).as_posix(), _LINKED) for link in links]
    if not (files or found.skipped or found.rejected):
        found.rejected.append(IngestError("the folder holds no file", file=folder.name))
    for file in sorted(files):
        name = file.relative_to(folder)
        if any(part.startswith(".") for part in name.parts):
            found.skipped.append((name.as_posix(), _HIDDEN))
        elif not os.path.isfile(file):  # noqa: PTH113 - False where it may not be looked at; the method raises
            found.skipped.append((name.as_posix(), "not a regular file"))
        elif file.name == MANIFEST and (file.parent / WORK).is_dir():
            found.skipped.append((name.as_posix(), "the list of files that `lexscope fetch` keeps"))
        elif file.name.endswith(SIDECAR) and file.with_name(file.name.removesuffix(SIDECAR)).is_file():
            found.skipped.append((name.as_posix(), "said of the document beside it"))
        else:
            yield file


def _unread(error: OSError, folder: Path) -> IngestError:
    name = Path(error.filename or folder).relative_to(folder).as_posix()
    return IngestError(f"the folder cannot be read ({type(error).__name__})", file=name)


def _sort(found: Discovery, file: Path, root: Path, only: Format | None, place: Place | None) -> None:
    name = file.relative_to(root).as_posix()
    try:
        with file.open("rb") as stream:
            head = without_mark(stream.read(HEAD_BYTES))
    except OSError as error:
        found.rejected.append(IngestError(f"cannot be read ({type(error).__name__})", file=name))
        return
    for reader in [only] if only else _asked(file, head):
        if reader.claims(file, head):
            if isinstance(reader, NeedsPlace):
                if place is None:
                    found.skipped.append((name, PLAIN_SKIPPED))
                else:
                    found.sources.append((reader, PlainSource(file, root, place=place)))
                return
            try:
                found.sources.append((reader, Source(file, root, reader.parts(file, root))))
            except IngestError as error:
                found.rejected.append(error)
            return
        reason = reader.skips(file, head)
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
