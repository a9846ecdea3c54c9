"""What a folder of fetched files holds, kept beside them in `manifest.json`, and the lock on such a folder."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from retrieval.errors import FetchError

NAME = "manifest.json"
WORK = ".fetch"  # unfinished files, archives and indexes; nothing in it is law to ingest


class Entry(BaseModel):
    """One whole file: where it came from, and the SHA-256 of its bytes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    etag: str = ""
    last_modified: str = ""
    size: int
    sha256: str
    fetched_at: str  # ISO 8601, UTC


class Manifest(BaseModel):
    """The files of one source in one folder, by name; `unpacked` has the SHA-256 of each archive as last unpacked."""

    model_config = ConfigDict(extra="forbid")

    source: str
    files: dict[str, Entry] = {}
    unpacked: dict[str, str] = {}

    def whole(self, folder: Path, file: str, url: str) -> Entry | None:
        """The entry of a file that is still what it was when it came from this address; costs one read of it."""
        entry, path = self.files.get(file), folder / file
        if entry is None or entry.url != url or not path.is_file() or path.stat().st_size != entry.size:
            return None
        return entry if sha256(path) == entry.sha256 else None

    def save(self, folder: Path) -> None:
        """Write the manifest; the old one stays until the new one is whole on disk.

        Raises:
            FetchError: it cannot be written.
        """
        with disk(NAME):
            write_whole(folder / NAME, (self.model_dump_json(indent=2) + "\n").encode(), folder / WORK / NAME)


def load_manifest(folder: Path, source: str) -> Manifest:
    """The manifest of a folder; a new one where there is none.

    Raises:
        FetchError: it cannot be read, or the folder holds the files of another source.
    """
    try:
        text = (folder / NAME).read_text(encoding="utf-8")
    except FileNotFoundError:
        return Manifest(source=source)
    except (OSError, UnicodeDecodeError) as error:
        raise FetchError(f"{NAME} cannot be read ({type(error).__name__}); name another folder with --to") from None
    try:
        found = Manifest.model_validate_json(text)
    except ValidationError:
        raise FetchError(f"{NAME} is damaged; remove it, and the files are fetched again") from None
    if found.source != source:
        raise FetchError(f"the folder holds the files of another source ({found.source}); name another with --to")
    return found


def write_whole(path: Path, data: bytes, temporary: Path) -> None:
    """Write a small file so that it is there whole or as it was before."""
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    move(temporary, path)


def move(temporary: Path, path: Path) -> None:
    """Put a finished file or folder in its place, and make that last."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary.replace(path)
    if os.name != "nt":
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sha256(path: Path) -> str:
    """The digest of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def disk(name: str) -> Generator[None]:
    """Turn what the file system refuses into an error that names the file.

    Raises:
        FetchError: no space, no permission, or whatever else it says.
    """
    try:
        yield
    except OSError as error:
        raise FetchError(f"{name} cannot be read or written: {os.strerror(error.errno or 0)}") from None


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Keep other fetches out of a folder, which is made where it is missing; a killed process leaves no lock.

    Raises:
        FetchError: another fetch is at work there, or the folder cannot be made.
    """
    with disk(folder.name):
        (folder / WORK).mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / WORK / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            _lock(handle)
        except OSError:
            raise FetchError(
                "another fetch is at work in this folder; wait for it, or name another with --to"
            ) from None
        yield
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
