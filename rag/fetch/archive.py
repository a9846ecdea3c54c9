"""Unpacking an archive that nobody here made: plain files below one folder, nothing outside it, bounded in all.

A .tar.gz holds a source's whole edition, of which one folder is wanted; a .zip holds one law, with pictures beside it.
"""

from __future__ import annotations

import gzip
import shutil
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, cast

from rag.ingest.manifest import disk
from retrieval.errors import FetchError

MAX_MEMBERS = 500_000
MAX_BYTES = 16 * 1024**3  # unpacked, what is not kept included
MAX_FILE = 512 * 1024**2
MAX_ZIP_MEMBERS = 10_000
_PORTION = 1024**2
# A tar reader takes names and extended headers in one piece each; a longer piece is no header that anybody needs.
_MAX_PIECE = 1024**2
_RESERVED = frozenset('<>:"|?*\\')
_DEVICES = frozenset({"con", "prn", "aux", "nul"}) | {f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)}


def unpack(archive: Path, into: Path, keep: str, *, max_members: int = MAX_MEMBERS, max_bytes: int = MAX_BYTES) -> int:
    """Unpack what a .tar.gz holds below a folder of its single top folder.

    Args:
        into: an empty folder; `keep` and what is below it is made there.
        keep: the folder wanted, as `a/b/`, without the top folder's name.
        max_members: that it may have, what is not kept included.
        max_bytes: that it may unpack to, what is not kept included.

    Returns:
        The number of files.

    Raises:
        FetchError: damaged or cut off, too large, nothing below `keep`, or a member there that is no plain file
            with a safe name of its own.
    """
    with disk(archive.name):
        try:
            with gzip.open(archive) as packed:
                bounded = _Bounded(packed, max_bytes)
                with tarfile.open(fileobj=cast("IO[bytes]", bounded), mode="r:") as tar:
                    count = _write_members(tar, into, keep, max_members)
                bounded.drain()
        except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile):
            raise FetchError("the archive is damaged or cut off; run the same again to fetch it anew") from None
    if not count:
        raise FetchError(f"the archive has no file below {keep}; its layout is not the one that is known")
    return count


def unzip(archive: Path, into: Path, suffix: str, *, max_bytes: int = MAX_FILE) -> int:
    """Unpack the files of one kind from a .zip without folders; others, such as pictures, stay in it.

    Args:
        suffix: how the names of the files wanted end, as `.xml`.
        max_bytes: that these may unpack to.

    Returns:
        The number of files, at least one.

    Raises:
        FetchError: damaged, cut off or encrypted, too large, nothing of that kind, or a member of it in a folder or
            without a safe name of its own.
    """
    with disk(archive.name):
        try:
            with zipfile.ZipFile(archive) as packed:
                members = packed.infolist()
                if len(members) > MAX_ZIP_MEMBERS:
                    raise FetchError(f"the archive has more than {MAX_ZIP_MEMBERS} members")
                wanted = [entry for entry in members if entry.filename.casefold().endswith(suffix)]
                if len({entry.filename.casefold() for entry in wanted}) < len(wanted):
                    raise FetchError("the archive has two members of one name")
                left = max_bytes
                for member in wanted:
                    if not _safe(member.filename) or "/" in member.filename:
                        raise FetchError(
                            f"a member of the archive has a name that is not used: {_shown(member.filename)}"
                        )
                    with packed.open(member) as content, (into / member.filename).open("xb") as file:
                        # The size that a member is said to have may be a lie.
                        while portion := content.read(_PORTION):
                            left -= len(portion)
                            if left < 0:
                                raise FetchError(f"the archive unpacks to more than {max_bytes} bytes")
                            file.write(portion)
        except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, RuntimeError):
            raise FetchError(
                "the archive is damaged, cut off or encrypted; run the same again to fetch it anew"
            ) from None
    if not wanted:
        raise FetchError(f"the archive has no {suffix} file; its layout is not the one that is known")
    return len(wanted)


def _write_members(tar: tarfile.TarFile, into: Path, keep: str, most: int) -> int:
    seen: set[str] = set()
    for number, member in enumerate(tar, start=1):
        if number > most:
            raise FetchError(f"the archive has more than {most} members")
        place = _place(member, keep)
        if place is None:
            continue
        # Some file systems take two names that differ in case for one.
        if place.as_posix().casefold() in seen:
            raise FetchError(f"the archive has two members of one name: {_shown(member.name)}")
        seen.add(place.as_posix().casefold())
        content = tar.extractfile(member)
        if content is None:
            raise FetchError(f"a member of the archive is no plain file: {_shown(member.name)}")
        target = into.joinpath(*place.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        with content, target.open("xb") as file:
            shutil.copyfileobj(content, file)
    return len(seen)


def _place(member: tarfile.TarInfo, keep: str) -> PurePosixPath | None:
    """Where a member goes; None for one that is not wanted.

    Raises:
        FetchError: wanted, and not a plain file with a safe name, or too large.
    """
    _, _, rest = member.name.removeprefix("./").partition("/")
    if not rest.startswith(keep) or member.isdir():
        return None
    if not member.isfile() or member.sparse is not None:
        raise FetchError(f"a member of the archive is no plain file: {_shown(member.name)}")
    if not all(_safe(part) for part in rest.split("/")):
        raise FetchError(f"a member of the archive has a name that is not used: {_shown(member.name)}")
    if member.size > MAX_FILE:
        raise FetchError(f"a member of the archive has more than {MAX_FILE} bytes: {_shown(member.name)}")
    return PurePosixPath(rest)


def _safe(part: str) -> bool:
    plain = part not in ("", ".", "..") and part.isprintable() and not _RESERVED & set(part)
    return plain and not part.endswith((".", " ")) and part.split(".")[0].casefold() not in _DEVICES


def _shown(name: str) -> str:
    return ascii(name[:120])


class _Bounded:
    """What a tar reader needs of an unpacked stream, and no more of it than the limits."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile, most: int) -> None:
        self._stream = stream
        self._most = most

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _MAX_PIECE:
            raise FetchError("the archive has a header of a size that no archive of law has")
        data = self._stream.read(size)
        self._check()
        return data

    def seek(self, position: int, whence: int = 0) -> int:
        if position > self._most:
            raise self._too_large()
        return self._stream.seek(position, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def drain(self) -> None:
        """Read to the end, where the checksum is."""
        while self.read(_MAX_PIECE):
            continue

    def _check(self) -> None:
        if self._stream.tell() > self._most:
            raise self._too_large()

    def _too_large(self) -> FetchError:
        return FetchError(f"the archive unpacks to more than {self._most} bytes")
