"""One file from a server to a folder: resumed where that is safe, whole or not there, not fetched again unchanged."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import BinaryIO, Literal
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, ValidationError

from rag.clock import utc_now
from rag.fetch.web import Reply, Web
from rag.ingest.manifest import WORK, Entry, disk, move, sha256, write_whole
from retrieval.errors import FetchError, Interrupted

CHECKPOINT = 1024 * 1024  # bytes between two points from which a killed download goes on
_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})\Z", re.ASCII)
_LENGTH = re.compile(r"\d{1,18}\Z", re.ASCII)

Tick = Callable[[int, int | None], None]  # bytes so far, bytes in all where known
Check = Callable[[Path], None]  # raises FetchError where a whole file is not what it should be


@dataclass(frozen=True, slots=True)
class Target:
    """One file to fetch: its path below the base address, quoted, and its name in the folder."""

    path: str
    file: str


@dataclass(frozen=True, slots=True)
class Downloaded:
    """What became of a target, and the manifest's entry for it."""

    status: Literal["downloaded", "resumed", "unchanged"]
    entry: Entry


class _Progress(BaseModel):
    """What is known of an unfinished file: `synced` bytes of it are on disk for sure."""

    model_config = ConfigDict(extra="forbid")

    url: str
    validator: str  # for If-Range; empty where the server named none that is safe
    total: int | None
    synced: int = 0


def download(
    web: Web,
    target: Target,
    folder: Path,
    *,
    known: Entry | None = None,
    check: Check,
    tick: Tick,
    most: int | None = None,
) -> Downloaded:
    """Fetch one file into a folder that holds a work folder.

    Args:
        web: where from, and how politely.
        folder: where to; the caller has it locked.
        known: the manifest's entry, if the file is there and whole; its validators are sent along.
        check: looks at the whole file before it is put in its place.
        tick: called as bytes come in.
        most: bytes that the file may have; the limit of `web` by default.

    Returns:
        What was done. The file is in its place, whole and synced.

    Raises:
        FetchError: not to be had, not what it should be, or not to be written; what came so far is kept where a
            later run can go on with it.
    """
    part = _Part(folder, target.file, web.base_url + target.path)
    manners = web.manners
    for attempt in range(1, manners.attempts + 1):
        try:
            return _once(web, target, folder, part, known, check, tick, most or manners.max_bytes)
        except Interrupted as error:
            own = min(manners.backoff * 2 ** (attempt - 1), manners.longest_wait)
            wait = own if error.after is None else error.after
            if wait > manners.longest_wait:
                raise FetchError(f"{error.message}; the server asks to come back in {wait:.0f} s") from None
            if attempt == manners.attempts:
                raise FetchError(f"{error.message}; gave up after {attempt} attempts{part.kept()}") from None
            manners.pause(wait)
    raise FetchError("no attempt was allowed")


def size_of(web: Web, target: Target) -> int | None:
    """The size in bytes that the server announces for a file; None where it does not.

    Raises:
        FetchError: the server cannot be reached, or has no such file.
    """
    with web.ask("HEAD", target.path) as reply:
        if reply.status in (405, 501):
            return None
        reply.check()
        return _length(reply)


def _once(
    web: Web,
    target: Target,
    folder: Path,
    part: _Part,
    known: Entry | None,
    check: Check,
    tick: Tick,
    most: int,
) -> Downloaded:
    start = part.usable()
    headers: dict[str, str] = {}
    if start:
        headers = {"Range": f"bytes={start}-", "If-Range": part.progress.validator}
    elif known:
        conditions = (("If-None-Match", known.etag), ("If-Modified-Since", known.last_modified))
        headers = {name: text for name, text in conditions if text}
    with web.ask("GET", target.path, headers) as reply:
        if reply.status == 304 and known and not start:
            return Downloaded("unchanged", known)
        if reply.status == 416 and start:
            part.discard()
            raise Interrupted("the server no longer has the part that is missing")
        reply.check()
        if reply.status == 206 and start:
            part.accept_rest(reply, start)
        elif reply.status == 200:
            part.begin(reply)
            start = 0
        else:
            raise FetchError(f"HTTP {reply.status}, which is no file")
        part.write(reply, start, most, tick)
        part.check_complete()
        etag, modified = reply.headers.get("etag", ""), reply.headers.get("last-modified", "")
    try:
        with disk(target.file):
            check(part.path)
    except FetchError:
        part.discard()
        raise
    with disk(target.file):
        now = utc_now().isoformat(timespec="seconds")
        entry = Entry(
            url=part.url, etag=etag, last_modified=modified, size=part.path.stat().st_size, sha256=sha256(part.path),
            fetched_at=now,
        )  # fmt: skip
        move(part.path, folder / target.file)
        part.discard()
    if known and known.sha256 == entry.sha256:
        return Downloaded("unchanged", entry)
    return Downloaded("resumed" if start else "downloaded", entry)


class _Part:
    """An unfinished file in the work folder, with a note of what it is the beginning of."""

    def __init__(self, folder: Path, file: str, url: str) -> None:
        name = quote(file, safe="")
        self.file, self.url = file, url
        self.path = folder / WORK / f"{name}.part"
        self._note = folder / WORK / f"{name}.part.json"
        self.progress = self._read()

    def usable(self) -> int:
        """Bytes that a request for the rest may count on; zero where the file must be fetched from its beginning."""
        if self.progress.url != self.url or not self.progress.validator or not self.path.is_file():
            return 0
        size = min(self.path.stat().st_size, self.progress.synced)
        # All bytes were there, and the program was stopped before it took the file: a range would be empty.
        return size if self.progress.total is None or size < self.progress.total else 0

    def kept(self) -> str:
        """What to say of the bytes that were received."""
        kept = self.usable()
        return f"; {kept} bytes are kept, run the same again to go on" if kept else ""

    def begin(self, reply: Reply) -> None:
        """Start anew with what a reply says of the whole file."""
        self.discard()
        total = _length(reply)
        if total is None and "chunked" not in reply.headers.get("transfer-encoding", "").lower():
            raise FetchError("the server does not say how long the file is, so that a cut would not be noticed")
        self.progress = _Progress(url=self.url, validator=_validator(reply), total=total)

    def accept_rest(self, reply: Reply, start: int) -> None:
        """Make sure that a reply goes on where the file ends, and is of the same file.

        Raises:
            Interrupted: it is not; the file is discarded.
        """
        found = _RANGE.match(reply.headers.get("content-range", ""))
        first, last, total = (int(group) for group in found.groups()) if found else (-1, -1, -1)
        known = (reply.headers.get("etag", ""), reply.headers.get("last-modified", ""))
        other_file = self.progress.validator not in known and any(known)
        if (first, last + 1) != (start, total) or self.progress.total not in (None, total) or other_file:
            self.discard()
            raise Interrupted("the server sent another part than the one that is missing")
        self.progress.total = total

    def write(self, reply: Reply, start: int, most: int, tick: Tick) -> None:
        """Append a body; whatever happens, the note then says how much of the file is on disk.

        Raises:
            FetchError: the file has, or is announced to have, more than `most` bytes.
        """
        if (self.progress.total or 0) > most:
            raise FetchError(f"it has {self.progress.total} bytes; the limit is {most}")
        with disk(self.file), self.path.open("r+b" if start else "wb") as file:
            file.truncate(start)
            file.seek(start)
            done = synced = start
            try:
                for chunk in reply.body:
                    file.write(chunk)
                    done += len(chunk)
                    if done > most:
                        raise FetchError(f"it has more than {most} bytes, the limit")
                    tick(done, self.progress.total)
                    if done - synced >= CHECKPOINT:
                        synced = done
                        self._sync(file, done)
            finally:
                self._sync(file, done)

    def check_complete(self) -> None:
        size = self.path.stat().st_size
        if self.progress.total is not None and size != self.progress.total:
            raise Interrupted(f"{size} of {self.progress.total} bytes came")

    def discard(self) -> None:
        with disk(self.file):
            self.path.unlink(missing_ok=True)
            self._note.unlink(missing_ok=True)
        self.progress = _Progress(url="", validator="", total=None)

    def _sync(self, file: BinaryIO, done: int) -> None:
        file.flush()
        os.fsync(file.fileno())
        self.progress.synced = done
        write_whole(self._note, self.progress.model_dump_json().encode(), self._note.with_suffix(".new"))

    def _read(self) -> _Progress:
        try:
            return _Progress.model_validate_json(self._note.read_bytes())
        except (OSError, ValidationError):
            # No note, or none that can be read: there is nothing to go on with, and the file is fetched whole.
            return _Progress(url="", validator="", total=None)


def _length(reply: Reply) -> int | None:
    text = reply.headers.get("content-length", "")
    return int(text) if _LENGTH.match(text) else None


def _validator(reply: Reply) -> str:
    """What tells this very file from a later one, byte for byte; empty where the server names nothing that does."""
    etag = reply.headers.get("etag", "")
    if etag.startswith('"'):
        return etag
    modified = reply.headers.get("last-modified", "")
    try:
        # A file that was changed within the second in which it was sent can change again under the same date.
        age = parsedate_to_datetime(reply.headers.get("date", "")) - parsedate_to_datetime(modified)
    except (ValueError, TypeError):
        return ""
    return modified if not etag and age.total_seconds() >= 1 else ""
