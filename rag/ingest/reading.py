"""From files to annotated documents: skip what is known, parse, annotate. No database, so that it can run anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.ingest.annotation.annotate import annotate
from rag.ingest.conventions import add_convention_tags
from rag.ingest.formats.base import Format, ManyDocuments, Source
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError
from retrieval.paths import parse_urn

# Raised whenever annotation, conventional tags or the text to be searched change for the same source; part of what
# makes a document unchanged.
ANNOTATION_VERSION = 9

# What a document is recognised by: its source's hash; format, parser and annotation with their versions; the name of
# its file, which is all that tells an edition from an earlier one of the same words in some publications.
Key = tuple[str, str, str]


# Files of several documents that were read to their end: a file's key -> the hashes of its documents.
Files = Mapping[Key, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a source, or the rest of it, could not be read."""

    cause: str
    file: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Read:
    """A document of a source; None for one that is known."""

    key: Key
    document: ParsedDocument | None


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file of several documents was read to its end; these are their hashes."""

    key: Key
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What need not be read again: documents by their keys, and files that hold nothing but such documents."""

    documents: frozenset[Key]
    files: Files


Result = Read | WholeFile | Unreadable


def read_source(one: Format, source: Source, known: Known) -> Iterator[Result]:
    """The documents of a source, annotated.

    Args:
        one: the source's format.
        source: the files.
        known: what need not be read again.

    Yields:
        Each document in the order of the source; at last the file as a whole where it holds several documents, or why
        reading ended early.
    """
    try:
        for read in _documents(one, source, known):
            if isinstance(read, Read) and read.document is not None:
                annotate_once(read.document)
            yield read
    except IngestError as error:
        yield Unreadable(error.cause, error.file or source.name, error.line)
    except OSError as error:
        yield Unreadable(f"cannot be read ({type(error).__name__})", source.name, None)


def annotate_once(document: ParsedDocument) -> None:
    """Annotate a document that nobody annotated yet, and give any its conventional tags."""
    add_convention_tags(document)
    if not document.annotated:
        annotate(document, jurisdiction_for(parse_urn(document.corpus.urn).jurisdiction))
        document.annotated = True


def _documents(one: Format, source: Source, known: Known) -> Iterator[Read | WholeFile]:
    version = one.version * 1000 + ANNOTATION_VERSION
    parser, name = f"{one.name}/{version}", source.path.name
    key = (source.sha256(), parser, name)
    if isinstance(one, ManyDocuments):
        yield from _several(one, source, known, key, version)
        return
    if key in known.documents:
        yield Read(key, None)
        return
    document = one.parse(source)
    document.source_hash, document.parser_version = key[0], version
    yield Read(key, document)


def _several(one: ManyDocuments, source: Source, known: Known, file: Key, version: int) -> Iterator[Read | WholeFile]:
    _, parser, name = file
    told = [(digest, parser, name) for digest in known.files.get(file, ())]
    if told and known.documents.issuperset(told):
        for key in told:
            yield Read(key, None)
        return
    hashes: list[str] = []
    for document in one.documents(source):
        document.parser_version = version
        hashes.append(document.source_hash)
        key = (document.source_hash, parser, name)
        yield Read(key, None if key in known.documents else document)
    yield WholeFile(file, tuple(hashes))
