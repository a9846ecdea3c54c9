"""Dictionaries as `dictfmt` and `dictzip` write them, for tests."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits

SIGNS = f"{ascii_uppercase}{ascii_lowercase}{digits}+/"


def number(value: int) -> str:
    signs = ""
    while value or not signs:
        value, sign = divmod(value, 64)
        signs = SIGNS[sign] + signs
    return signs


def written(folder: Path, name: str, entries: Mapping[str, Sequence[str]], size: int = 50, title: bytes = b"d") -> Path:
    """A dictionary of small chunks in a folder; its index."""
    articles, lines = b"", list[tuple[bytes, str]]()
    for word, texts in entries.items():
        for text in texts:
            lines.append((word.encode(), f"{number(len(articles))}\t{number(len(text.encode()))}"))
            articles += text.encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    chunks = [
        packer.compress(articles[start : start + size]) + packer.flush(zlib.Z_FULL_FLUSH)
        for start in range(0, len(articles), size)
    ]
    extra = struct.pack(f"<HHH{len(chunks)}H", 1, size, len(chunks), *map(len, chunks))
    head = b"\x1f\x8b\x08" + bytes([4 | 8 * bool(title)]) + bytes(6) + struct.pack("<H", len(extra) + 4)
    head += b"RA" + struct.pack("<H", len(extra)) + extra + (title + b"\0" if title else b"")
    (folder / f"{name}.dict.dz").write_bytes(head + b"".join(chunks) + packer.flush())
    index = folder / f"{name}.index"
    index.write_bytes(b"".join(word + b"\t" + place.encode() + b"\n" for word, place in sorted(lines)))
    return index
