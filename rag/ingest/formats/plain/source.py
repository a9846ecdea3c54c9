"""Where plain documents belong and what they are called: their place, their URN, their identity as sources.

A plain document says neither whose law it concerns nor what it is cited by, so both come from the user: a jurisdiction
(and, where the jurisdiction has no language of its own here, a language) is named, and the file's name without its
ending gives the URN `urn:lex:<jurisdiction>:doc:<slug>`. A file of the same name in a later ingest is a new edition of
the same document; two of one name in one ingest are refused, whichever comes first.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rag.ingest.formats.base import Format, Source, title_slug
from rag.ingest.formats.plain.metadata import checked_tags, sidecar_of
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.registry import primary_language
from retrieval.errors import IngestError, InputError
from retrieval.languages import checked_language
from retrieval.paths import canonical_jurisdiction

MAX_BYTES = 256 * 1024 * 1024  # of a file that is mostly pictures; one of text is held to less
_UNKNOWN_LANGUAGE = "und"


@dataclass(frozen=True, slots=True)
class Place:
    """Whose law a plain document concerns and in which language it is written (ISO 639-1, or 639-3 where that
    has no code).

    Where nobody named the language, it is the jurisdiction's, unless the document tells another (`assumed`).
    """

    jurisdiction: str
    language: str
    tags: tuple[tuple[str, str], ...] = ()  # what the user says of the documents
    assumed: bool = False


def place_named(jurisdiction: str | None, language: str | None, tags: Mapping[str, str] | None = None) -> Place | None:
    """The place that a user names, with the tags of its documents; None where no jurisdiction is named.

    Raises:
        InputError: a malformed code, a language or tags without a jurisdiction, a jurisdiction whose language is not
            known, or what cannot be a tag.
    """
    said = tuple(sorted(checked_tags(tags or {}).items()))
    if jurisdiction is None:
        if said:
            raise InputError("Tags are for plain documents; name their --jurisdiction too.")
        if language is not None:
            raise InputError("--language is for plain documents; name their --jurisdiction too.")
        return None
    code = canonical_jurisdiction(jurisdiction)
    named = language if language is not None else jurisdiction_for(code).language
    spoken = primary_language(checked_language(named) or "")
    if spoken == _UNKNOWN_LANGUAGE:
        raise InputError(f"The language of plain documents of {code} is not known; name it with --language.")
    return Place(code, spoken, said, assumed=language is None)


@dataclass(frozen=True, slots=True)
class PlainSource(Source):
    """A plain document's file with its place."""

    place: Place = field(kw_only=True)

    @property
    def slug(self) -> str:
        """The file's name as a URN segment; in another script or cut, it ends in a digest of the name."""
        return title_slug(unicodedata.normalize("NFC", self.path.stem))

    @property
    def urn(self) -> str:
        """The document's URN."""
        return f"urn:lex:{self.place.jurisdiction}:doc:{self.slug}"

    def sha256(self) -> str:
        """Digest of what makes the document: place, name, tags, sidecar and bytes.

        The same bytes elsewhere are another document.

        Raises:
            IngestError: the file is larger than `MAX_BYTES`.
        """
        self.check_size()
        said = f"{self.urn}\n{self.place.language}\n{Source.sha256(self)}"
        if self.place.tags:
            said += f"\n{self.place.tags}"
        if (beside := sidecar_of(self.path)).is_file():
            said += f"\n{hashlib.sha256(beside.read_bytes()).hexdigest()}"
        return hashlib.sha256(said.encode()).hexdigest()

    def check_size(self, limit: int = MAX_BYTES) -> None:
        """Refuse a file of more bytes than `limit`, or of none.

        Raises:
            IngestError: it is.
        """
        size = self.path.stat().st_size
        if not size:
            raise IngestError("is empty", file=self.name)
        if size > limit:
            cause = f"has {size:,} bytes; a plain document of its kind has at most {limit:,}. Split it"
            raise IngestError(cause, file=self.name)


def refuse_namesakes(found: Sequence[tuple[Format, Source]]) -> tuple[list[tuple[Format, Source]], list[IngestError]]:
    """Part the sources of one ingest from plain documents that would share a URN; all of those are refused."""
    files: dict[str, set[str]] = defaultdict(set)
    for _, source in found:
        if isinstance(source, PlainSource):
            files[source.urn].add(str(source.path))
    kept: list[tuple[Format, Source]] = []
    errors: list[IngestError] = []
    for one, source in found:
        if isinstance(source, PlainSource) and len(files[source.urn]) > 1:
            folder = source.path.parent.name
            cause = f"{len(files[source.urn])} files of this ingest (this one in {folder!r}) would be {source.urn}; "
            errors.append(IngestError(f"{cause}rename them", file=source.name))
        else:
            kept.append((one, source))
    return kept, errors
