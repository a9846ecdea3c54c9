"""One run of `lexscope fetch`: plan, download, check, unpack, record; what fails is reported and the rest goes on."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

from lxml import etree

from rag.fetch.archive import unpack, unzip
from rag.fetch.download import Target, download, size_of
from rag.fetch.sources import MAX_INDEX_BYTES, BulkSource
from rag.fetch.web import Manners, Web
from rag.ingest.formats.base import HEAD_BYTES
from rag.ingest.formats.registry import format_named
from rag.ingest.manifest import WORK, Manifest, disk, load_manifest, locked, move
from retrieval.errors import FetchError
from retrieval.model import Record


class FetchedFile(Record):
    """One file of a run. `size` is in bytes, None where it is not known; `cause` says why one failed."""

    file: str
    url: str
    status: Literal["downloaded", "resumed", "unchanged", "planned", "failed"]
    size: int | None = None
    sha256: str | None = None
    cause: str | None = None


class FetchReport(Record):
    """What a run did. `unpacked` counts the files that came out of an archive in this run."""

    source: str
    base_url: str
    folder: str
    files: list[FetchedFile]
    unpacked: int = 0
    seconds: float

    @property
    def failed(self) -> bool:
        """Whether any file could not be had."""
        return any(file.status == "failed" for file in self.files)


@dataclass(frozen=True, slots=True)
class Step:
    """How far a run is: files done and known of, and the bytes of the one under way."""

    done: int
    files: int
    file: str
    received: int = 0
    size: int | None = None
    finished: bool = False


def fetch(
    source: BulkSource,
    identifiers: Sequence[str],
    folder: Path,
    *,
    base_url: str | None = None,
    manners: Manners | None = None,
    dry_run: bool = False,
    report: Callable[[Step], None] | None = None,
) -> FetchReport:
    """Bring files of an official source to a folder.

    Args:
        identifiers: which, in the source's own form.
        folder: where to; it belongs to this source alone. Its law is what is outside the folder `.fetch`.
        base_url: a mirror to ask instead of the publisher.
        manners: how to ask; by default with the source's own delay.
        dry_run: only list addresses and announced sizes; nothing is written.
        report: called as things go on.

    Returns:
        One entry a file, or an identifier whose files could not be told.

    Raises:
        InputError: an identifier that this source cannot have.
        ConfigurationError: a base URL that cannot be used.
        FetchError: the folder cannot be written to, or holds something else.
    """
    started = time.monotonic()
    wanted = source.checked(list(identifiers))
    official = base_url is None
    web = Web(base_url or source.base_url, source.hosts if official else (), manners or Manners(delay=source.delay))
    tell = report or _say_nothing
    with ExitStack() as stack:
        if not dry_run:
            stack.enter_context(locked(folder))
        indexes = _Indexes(web, Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lexscope-fetch-"))))
        files, targets = _plan(source, wanted, web, indexes)
        if dry_run:
            files += [_sized(web, target) for target in targets]
            unpacked = 0
        else:
            run = _Run(source, web, folder, load_manifest(folder, source.name), tell)
            files += [run.bring(position, len(targets), target) for position, target in enumerate(targets)]
            unpacked = run.unpacked
    return FetchReport(
        source=source.name, base_url=web.base_url, folder=str(folder), files=files, unpacked=unpacked,
        seconds=round(time.monotonic() - started, 3),
    )  # fmt: skip


class _Indexes:
    """The indexes of a source, each fetched once a run."""

    def __init__(self, web: Web, folder: Path) -> None:
        self._web = web
        self._folder = folder
        self._found: dict[str, Path] = {}
        (folder / WORK).mkdir()

    def __call__(self, path: str) -> Path:
        if path not in self._found:
            target = Target(path, f"index-{len(self._found)}")
            download(self._web, target, self._folder, check=_accept, tick=_count_nothing, most=MAX_INDEX_BYTES)
            self._found[path] = self._folder / target.file
        return self._found[path]


def _plan(source: BulkSource, wanted: list[str], web: Web, indexes: _Indexes) -> tuple[list[FetchedFile], list[Target]]:
    """What could not be planned, and the targets, each once."""
    failed: list[FetchedFile] = []
    targets: dict[str, Target] = {}
    for identifier in wanted:
        try:
            targets.update((target.file, target) for target in source.plan(indexes, identifier))
        except FetchError as error:
            failed.append(FetchedFile(file=identifier, url=web.base_url, status="failed", cause=error.message))
    return failed, list(targets.values())


def _sized(web: Web, target: Target) -> FetchedFile:
    url = web.base_url + target.path
    try:
        return FetchedFile(file=target.file, url=url, status="planned", size=size_of(web, target))
    except FetchError as error:
        return FetchedFile(file=target.file, url=url, status="failed", cause=error.message)


class _Run:
    """Brings the targets of one source to one locked folder."""

    def __init__(
        self, source: BulkSource, web: Web, folder: Path, manifest: Manifest, tell: Callable[[Step], None]
    ) -> None:
        self._source = source
        self._web = web
        self._folder = folder
        self._manifest = manifest
        self._tell = tell
        self.unpacked = 0

    def bring(self, position: int, files: int, target: Target) -> FetchedFile:
        """Fetch one file, record it, and unpack it where it is an archive."""
        url = self._web.base_url + target.path
        step = Step(position, files, target.file)
        self._tell(step)
        try:
            with disk(target.file):
                known = self._manifest.whole(self._folder, target.file, url)
            done = download(
                self._web, target, self._folder, known=known, check=self._check(target),
                tick=lambda received, size: self._tell(replace(step, received=received, size=size)),
            )  # fmt: skip
            if self._manifest.files.get(target.file) != done.entry:
                self._manifest.files[target.file] = done.entry
                self._manifest.save(self._folder)
            if self._source.keep or self._source.zipped:
                self._unpack(target, done.entry.sha256)
        except FetchError as error:
            result = FetchedFile(file=target.file, url=url, status="failed", cause=error.message)
        else:
            entry = done.entry
            result = FetchedFile(file=target.file, url=url, status=done.status, size=entry.size, sha256=entry.sha256)
        self._tell(replace(step, done=position + 1, finished=True))
        return result

    def _check(self, target: Target) -> Callable[[Path], None]:
        if self._source.keep:
            return _is_gzip
        if self._source.zipped:
            return _is_zip
        return lambda path: _is_whole(path, self._folder / target.file, self._source.form)

    def _unpack(self, target: Target, digest: str) -> None:
        """Put what an archive holds in the place of what the last one held."""
        source = self._source
        # A zipped law has a folder of its own, named as its archive is.
        kept = source.keep or f"{Path(target.file).stem}/"
        top = kept.split("/")[0]
        place, fresh, old = self._folder / top, self._folder / WORK / "unpacked", self._folder / WORK / "replaced"
        if self._manifest.unpacked.get(kept) == digest and place.is_dir():
            return
        with disk(top):
            for leftover in (fresh, old):
                shutil.rmtree(leftover, ignore_errors=False) if leftover.exists() else None
            fresh.mkdir()
            try:
                if source.zipped:
                    (fresh / top).mkdir()
                    count = unzip(self._folder / target.file, fresh / top, ".xml")
                    for file in sorted((fresh / top).iterdir()):
                        _is_whole(file, file, source.form)
                else:
                    limits = {"max_members": source.max_members, "max_bytes": source.max_bytes}
                    count = unpack(self._folder / target.file, fresh, source.keep, **limits)
            except FetchError:
                # A damaged archive must not be answered with "unchanged" next time.
                del self._manifest.files[target.file]
                self._manifest.save(self._folder)
                shutil.rmtree(fresh)
                raise
            if place.exists():
                move(place, old)
            move(fresh / top, place)
            self._manifest.unpacked[kept] = digest
            self._manifest.save(self._folder)
            for folder in (fresh, old):
                shutil.rmtree(folder) if folder.exists() else None
        self.unpacked += count


def _say_nothing(step: Step) -> None:
    """For callers who want no reports."""


def _accept(path: Path) -> None:
    """An index is judged by what reads it."""


def _count_nothing(received: int, size: int | None) -> None:
    """An index is too small to be reported on."""


def _is_gzip(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(2) != b"\x1f\x8b":
            raise FetchError("what came is no .tar.gz archive")


def _is_zip(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(4) != b"PK\x03\x04":
            raise FetchError("what came is no .zip archive; the source may be down, or have changed its addresses")


def _is_whole(path: Path, final: Path, form: str) -> None:
    """Refuse a page of another kind sent in the file's place, and a file that ends before it should.

    The protocol alone would not tell: a server can announce the wrong length.
    """
    with path.open("rb") as file:
        if not format_named(form).claims(final, file.read(HEAD_BYTES)):
            raise FetchError(f"what came is not {form}; the source may be down, or have changed its addresses")
    nothing = cast("etree.ParserTarget[None]", _Nothing())  # what a target has no method for is not collected
    parser = etree.XMLParser(target=nothing, resolve_entities=False, load_dtd=False, no_network=True)
    try:
        etree.parse(str(path), parser)
    except etree.XMLSyntaxError as error:
        raise FetchError(f"what came is not whole: no well-formed XML at line {error.lineno}") from None


class _Nothing:
    """Takes what a parser finds and keeps none of it, so that a file of any size is checked in little memory."""

    def start(self, tag: str, attributes: object) -> None:
        """An element begins."""

    def end(self, tag: str) -> None:
        """An element ends."""

    def close(self) -> None:
        """The document ends."""
