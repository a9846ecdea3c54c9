"""The formats in the order they are asked, ours first, then third-party ones (entry point group `lexscope.formats`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path

from rag.ingest.formats.akn import AkomaNtoso
from rag.ingest.formats.base import HEAD_BYTES, Format, Source
from rag.ingest.formats.clml import Clml
from rag.ingest.formats.courtlistener_jsonl import CourtListenerJsonl
from rag.ingest.formats.dc_xml import DcXml
from rag.ingest.formats.de_md import DeMd
from rag.ingest.formats.de_tei import DeTei
from rag.ingest.formats.ecfr_xml import EcfrXml
from rag.ingest.formats.egov_xml import EgovXml
from rag.ingest.formats.eregs_json import ERegsJson
from rag.ingest.formats.gdpr_json import GdprJson
from rag.ingest.formats.legalize_md import LegalizeMd
from rag.ingest.formats.legi_json import LegiJson
from rag.ingest.formats.lexjsonl import LexJsonl
from rag.ingest.formats.md_statutes_jsonl import MdStatutesJsonl
from rag.ingest.formats.passages_json import PassagesJson
from rag.ingest.formats.regml import RegMl
from rag.ingest.formats.uslm import Uslm
from retrieval.errors import ConfigurationError, IngestError

# A document type that declares entities: what it would put into the text is not law that anybody published.
_ENTITIES = re.compile(rb"<!DOCTYPE[^>\[]*\[|<!ENTITY", re.IGNORECASE)


@dataclass(slots=True)
class Discovery:
    """What a path holds. `other` are files of no known format; nothing is left out without a word."""

    sources: list[tuple[Format, Source]] = field(default_factory=list[tuple[Format, Source]])
    skipped: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])  # file, reason
    rejected: list[IngestError] = field(default_factory=list[IngestError])
    other: list[str] = field(default_factory=list[str])


def all_formats() -> list[Format]:
    """One instance of every format."""
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
        LegalizeMd(),
        LegiJson(),
        MdStatutesJsonl(),
        PassagesJson(),
        RegMl(),
        Uslm(),
    ]
    formats.extend(point.load()() for point in entry_points(group="lexscope.formats"))
    return formats


def format_named(name: str) -> Format:
    """The format of that name.

    Raises:
        ConfigurationError: no such format; lists those there are.
    """
    for one in all_formats():
        if one.name == name:
            return one
    names = ", ".join(one.name for one in all_formats())
    raise ConfigurationError(f"There is no format {name[:40]!r}; the formats are {names}.")


def discover(path: Path, only: Format | None = None) -> Discovery:
    """Find the documents under a file or folder, by content.

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
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    if path.is_dir():
        special = sorted(one for one in path.rglob("*") if not one.is_file() and not one.is_dir())
        found.skipped.extend((one.relative_to(root).as_posix(), "not a regular file") for one in special)
    formats = [only] if only else all_formats()
    for file in files:
        _sort(found, file, root, formats)
    parts = {part.relative_to(root).as_posix() for _, source in found.sources for part in source.parts}
    found.skipped = [(name, reason) for name, reason in found.skipped if name not in parts]
    if path.is_file() and found.other:
        cause = f"its content is not {only.name}" if only else "its content is of no known format"
        raise IngestError(cause, file=path.name)
    return found


def _sort(found: Discovery, file: Path, root: Path, formats: list[Format]) -> None:
    name = file.relative_to(root).as_posix()
    with file.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    for one in formats:
        if one.claims(file, head):
            try:
                found.sources.append((one, Source(file, root, one.parts(file, root))))
            except IngestError as error:
                found.rejected.append(error)
            return
        reason = one.skips(file, head)
        if reason:
            found.skipped.append((name, reason))
            return
    if _ENTITIES.search(head):
        found.rejected.append(IngestError("has a DOCTYPE; law is accepted without DTD and entities only", file=name))
    elif head.startswith((b"\xff\xfe", b"\xfe\xff")):
        found.rejected.append(IngestError("is UTF-16; save it as UTF-8", file=name))
    else:
        found.other.append(name)
