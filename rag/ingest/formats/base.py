"""What a source format is, and the names of what has no number. `registry.py` lists the formats."""

from __future__ import annotations

import hashlib
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError
from retrieval.paths import slug

HEAD_BYTES = 4096
_TITLE_LIMIT = 100


@dataclass(frozen=True, slots=True)
class Source:
    """One document's files: the one that names it and the others it consists of."""

    path: Path
    root: Path  # the folder the user named, or the file's own; nothing outside it is ever read
    parts: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        """The path relative to what the user named; never an absolute path of the machine."""
        return self.path.relative_to(self.root).as_posix()

    def sha256(self) -> str:
        """Digest of all its bytes, parts in order. Costs one read; an unchanged document is skipped by it."""
        digest = hashlib.sha256()
        for file in (self.path, *self.parts):
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()


class Format(Protocol):
    """One source format."""

    @property
    def name(self) -> str:
        """The format's name, as `--format` and reports write it."""
        ...

    @property
    def version(self) -> int:
        """Raised whenever the parser's output changes; part of what makes a document unchanged."""
        ...

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether this file, whose first bytes are `head`, names a document of this format."""
        ...

    def skips(self, path: Path, head: bytes) -> str:
        """Why a file of this format names no document of its own (a part, an index); empty where it is not one."""
        ...

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        """The other files this document consists of.

        Raises:
            IngestError: one is missing or lies outside `root`.
        """
        ...

    def parse(self, source: Source) -> ParsedDocument:
        """Read the document. Pure: the same bytes give the same nodes.

        Raises:
            IngestError: with file, line and cause.
        """
        ...


@contextmanager
def naming(file: str) -> Generator[None]:
    """Give an error that is raised where the file is not known its name."""
    try:
        yield
    except IngestError as error:
        if error.file:
            raise
        raise IngestError(error.cause, file=file, line=error.line) from None


class FileFormat(ABC):
    """A format whose documents have no parts and whose files are all documents, unless it says otherwise."""

    name: str
    version: int

    @abstractmethod
    def claims(self, path: Path, head: bytes) -> bool:
        """Whether this file, whose first bytes are `head`, names a document of this format."""

    def skips(self, path: Path, head: bytes) -> str:
        """Always empty: every file of this format is a document."""
        return ""

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        """Always empty: a document is one file."""
        return ()

    @abstractmethod
    def read(self, source: Source) -> ParsedDocument:
        """Read the document. Pure: the same bytes give the same nodes.

        Raises:
            IngestError: with cause, line where there is one, and file or without it.
        """

    def parse(self, source: Source) -> ParsedDocument:
        """Read the document.

        Raises:
            IngestError: with file, line and cause.
        """
        with naming(source.name):
            return self.read(source)


@runtime_checkable
class ManyDocuments(Protocol):
    """A format whose files hold several documents each; read with `documents`, `parse` is for files with one."""

    def documents(self, source: Source) -> Iterator[ParsedDocument]:
        """The documents of a file, each with a `source_hash` of its own.

        Raises:
            IngestError: with file, line and cause.
        """
        ...


@runtime_checkable
class NeedsPlace(Protocol):
    """A format of plain documents, which do not say whose law they concern; read from a `PlainSource`."""

    needs_place: bool


def title_slug(title: str) -> str:
    """A slug of a title; cut or in another script, it ends in a digest so that no two titles share it."""
    plain_title = plain_ascii(title)
    whole = slug(plain_title, limit=len(plain_title) + 1)
    cut = slug(plain_title, limit=_TITLE_LIMIT)
    letters = sum(char.isalnum() for char in title)
    if cut == whole and sum(char.isalnum() for char in whole) * 2 > letters:
        return cut
    return f"{cut}-{hashlib.sha256(title.encode()).hexdigest()[:8]}"


def plain_ascii(text: str) -> str:
    """The text without accents and apostrophes, for slugs; letters of other scripts stay."""
    folded = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("ø", "o").replace("ł", "l"))
    return "".join(char for char in folded if not unicodedata.combining(char)).replace("’", "").replace("'", "")
