"""What is said of a plain document beside its text: front matter, a sidecar file `NAME.meta.json`, and arguments.

All of it becomes tags of the document, which lists and searches filter by. Keys are written as tags are: `Document
Type` is `document_type`. What a library calls a document's type becomes the tag `type`. Only plain values are taken:
texts, numbers, truth values and lists of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from retrieval.errors import IngestError, InputError

SIDECAR = ".meta.json"  # after the document's whole name: `lease.pdf.meta.json`
MOST_FIELDS, MOST_SIGNS = 100, 2_000
MAX_SIDECAR_BYTES = 1024 * 1024
# Names that collections give to a document's type.
_TYPES = ("document_type", "doc_type", "legaldocument_type")
# What the store says of a document itself; a document cannot say otherwise.
_OWN = frozenset({"chunk_count", "characters", "kind", "jurisdiction", "language", "source", "start", "end", "page"})
_LINE = re.compile(r"(?P<key>[^\W\d][\w -]{0,60}):[ \t]*(?P<value>.*)\Z")
_ITEM = re.compile(r"[ \t]+-[ \t]+(?P<value>.+)\Z|-[ \t]+(?P<item>.+)\Z")


def tags_of(given: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Fields as tags, and a remark on those that cannot be one.

    Args:
        given: the fields as the document's front matter or its sidecar has them.
    """
    tags: dict[str, str] = {}
    left: list[str] = []
    for name, value in given.items():
        key = re.sub(r"\W+", "_", str(name).strip().lower(), flags=re.ASCII).strip("_")
        text = _text(value)
        if not key or not key[0].isalpha() or len(key) > 63 or key in _OWN or not text or len(tags) == MOST_FIELDS:
            left.append(key[:63] or "a field without a name")
        else:
            tags[key] = text
    for name in _TYPES:
        if name in tags:
            tags.setdefault("type", tags[name])
    return tags, [f"fields that are no tags of a document: {', '.join(left[:10])}"] if left else []


def front_matter(lines: str) -> dict[str, Any]:
    """The fields of YAML front matter: `key: value`, `key: [a, b]`, lists of items; what is nested is left out."""
    fields: dict[str, Any] = {}
    key = ""
    for line in lines.splitlines():
        item = _ITEM.match(line)
        if item is not None and key:
            if not isinstance(fields.get(key), list):
                fields[key] = []
            fields[key].append(_bare(item["value"] or item["item"]))
        elif found := _LINE.match(line):
            key, value = found["key"], found["value"].strip()
            inner = value[1:-1] if value[:1] == "[" and value[-1:] == "]" else None
            fields[key] = _bare(value) if inner is None else [_bare(item) for item in inner.split(",") if item.strip()]
        elif line.strip():
            key = ""
    return fields


def sidecar_of(path: Path) -> Path:
    """Where the sidecar of a document is, whether there is one or not."""
    return path.with_name(f"{path.name}{SIDECAR}")


def read_sidecar(path: Path) -> dict[str, Any]:
    """The fields beside a document; none where it has no sidecar.

    Raises:
        IngestError: the sidecar is no JSON object in UTF-8, or too large.
    """
    file = sidecar_of(path)
    if not file.is_file():
        return {}
    if file.stat().st_size > MAX_SIDECAR_BYTES:
        raise IngestError(f"has more than {MAX_SIDECAR_BYTES:,} bytes", file=file.name)
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise IngestError("is no JSON in UTF-8", file=file.name) from None
    if not isinstance(found, dict):
        raise IngestError("is no JSON object of fields", file=file.name)
    return dict(found)  # pyright: ignore[reportUnknownArgumentType]


def checked_tags(given: Mapping[str, str]) -> dict[str, str]:
    """Tags that a user names for documents.

    Raises:
        InputError: one cannot be a tag of a document.
    """
    tags, left = tags_of(given)
    if left:
        raise InputError(left[0].capitalize() + ".")
    return tags


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        parts = [_text(entry) for entry in cast("list[object]", value)]
        return "; ".join(part for part in parts if part)[:MOST_SIGNS]
    if isinstance(value, str | int | float):
        return " ".join(str(value).split())[:MOST_SIGNS]
    return ""


def _bare(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
