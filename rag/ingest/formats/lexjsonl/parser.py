"""The native format: JSON Lines, one node per line. `LEXJSONL.md` beside this module describes it to writers.

Reading refuses whatever the store could not keep unchanged; writing goes through the same checks, so that
everything written can be read again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar, cast

from pydantic import BaseModel, ValidationError

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.lexjsonl.schema import (
    FORMAT_VERSION,
    HeaderLine,
    NodeLine,
    default_kind,
    default_number,
    explain,
)
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.paths import child_path, root_path

# What must hold between the lines of a native file: one tree, in document order, every address used once.

Rows = Sequence[tuple[int, NodeLine]]


def check_tree(corpus_urn: str, rows: Rows) -> None:
    """Check a document's lines against each other.

    Args:
        corpus_urn: the prefix that the header declares.
        rows: line numbers and lines in the order of the file.

    Raises:
        IngestError: with the line and the cause, without a file.
    """
    if not rows:
        _refuse(1, "is the only line; a document has at least its root node")
    _check_prefixes(corpus_urn, rows)
    outline = _Outline(corpus_urn, rows)
    for line, node in rows:
        outline.add(line, node)
    _check_versions(rows)
    _check_scopes(rows)


def _refuse(line: int, cause: str) -> NoReturn:
    raise IngestError(cause, line=line)


def _check_prefixes(corpus_urn: str, rows: Rows) -> None:
    for line, node in rows:
        if node.urn != corpus_urn and not node.urn.startswith(f"{corpus_urn}:"):
            _refuse(line, 'field "urn" must begin with the URN of the corpus in the header, spelled the same way')


class _Outline:
    """Walks the lines in order and keeps the nodes from the root to the current one open."""

    def __init__(self, corpus_urn: str, rows: Rows) -> None:
        self.corpus_urn = corpus_urn
        self.root = rows[0][1].urn
        self.first_lines: dict[str, int] = {}
        self.parents: dict[str, str | None] = {}
        for line, node in rows:
            self.first_lines.setdefault(node.urn, line)
            self.parents.setdefault(node.urn, node.parent_urn)
        self.open_nodes: list[tuple[str, str]] = []  # URN and citation path
        self.owners: dict[str, tuple[str, int]] = {}  # citation path -> URN and line that took it

    def add(self, line: int, node: NodeLine) -> None:
        """Put the node directly within its parent's subtree and give it a citation path of its own."""
        if node.urn == self.root:
            self._check_root(line, node)
            self.open_nodes.clear()
        else:
            self._close_up_to(line, self._parent(line, node))
        if node.urn != self.corpus_urn and not node.resolved_number.strip():
            _refuse(line, 'field "number" must not be empty; leave it out to take the last part of the URN')
        try:
            path = self._path(node)
        except InputError as fault:
            _refuse(line, f"{fault.message} Shorten number and level, or nest less deeply.")
        owner, owner_line = self.owners.setdefault(path, (node.urn, line))
        if owner != node.urn:
            _refuse(
                line,
                f'fields "level" and "number" give the citation path of the node in line {owner_line}; siblings must'
                " differ in one of them",
            )
        self.open_nodes.append((node.urn, path))

    def _check_root(self, line: int, node: NodeLine) -> None:
        if node.urn == self.corpus_urn:
            if node.parent_urn is not None:
                _refuse(line, 'field "parent_urn" must be left out: this node is the corpus itself')
        elif node.parent_urn != self.corpus_urn:
            _refuse(line, 'field "parent_urn" of the first node, the document\'s root, must be the URN of the corpus')

    def _parent(self, line: int, node: NodeLine) -> str:
        parent = node.parent_urn
        beside_root = parent == self.corpus_urn and self.root != self.corpus_urn
        if parent is None or beside_root or node.structure_type == "ROOT":
            _refuse(line, "is a second root; a file is one document, so give it a parent or a file of its own")
        if parent not in self.first_lines:
            _refuse(line, 'field "parent_urn" names no node of this file; add the parent before this line')
        if self._lies_within(parent, node.urn):
            _refuse(line, 'field "parent_urn" makes a circle: the node would lie within itself')
        if self.first_lines[parent] > line:
            _refuse(line, f"stands before its parent in line {self.first_lines[parent]}; put it after its parent")
        return parent

    def _lies_within(self, urn: str, container: str) -> bool:
        seen: set[str] = set()
        current: str | None = urn
        while current is not None and current not in seen:
            if current == container:
                return True
            seen.add(current)
            current = self.parents.get(current)
        return False

    def _close_up_to(self, line: int, parent: str) -> None:
        while self.open_nodes and self.open_nodes[-1][0] != parent:
            self.open_nodes.pop()
        if not self.open_nodes:
            _refuse(
                line,
                f"stands apart from its parent in line {self.first_lines[parent]}; the nodes within a node follow it"
                " directly (depth first)",
            )

    def _path(self, node: NodeLine) -> str:
        if node.urn == self.corpus_urn:
            return root_path(self.corpus_urn)
        above = self.open_nodes[-1][1] if self.open_nodes else root_path(self.corpus_urn)
        return child_path(above, node.level, node.resolved_number)


def _check_versions(rows: Rows) -> None:
    versions: dict[str, list[tuple[date, date, int]]] = {}
    places: dict[str, tuple[str | None, str, str]] = {}
    for line, node in rows:
        place = (node.parent_urn, node.level, node.resolved_number)
        # A URN has one citation path, so a provision that moves needs a URN of its own.
        if places.setdefault(node.urn, place) != place:
            _refuse(
                line,
                f"has the URN of line {versions[node.urn][0][2]} at another place; versions of a node share"
                ' "parent_urn", "level" and "number" (a provision that moved gets a URN of its own)',
            )
        period = (node.valid_from or date.min, node.valid_to or date.max, line)
        versions.setdefault(node.urn, []).append(period)
    for periods in versions.values():
        periods.sort()
        for (_, end, line), (start, _, other) in pairwise(periods):
            if start < end:
                _refuse(
                    max(line, other),
                    f"has the URN of line {min(line, other)} and is in force on the same days; versions of a node must"
                    ' not overlap (set "valid_to" of the older to "valid_from" of the newer)',
                )


def _check_scopes(rows: Rows) -> None:
    known = {node.urn for _, node in rows}
    for line, node in rows:
        if any(definition.scope_urn not in known for definition in node.definitions):
            _refuse(line, 'field "definitions.scope_urn" names no node of this file; a scope lies within its document')


MAX_LINE_BYTES = 4 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"
_HEADER_START = re.compile(rb'\s*\{\s*"lexscope"\s*:')
_SHOWABLE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}\Z")
# Legal in JSON text, but many tools take them for the end of a line.
_LINE_ENDS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"}

_Model = TypeVar("_Model", bound=BaseModel)


class LexJsonl(FileFormat):
    """Reads one document from one file of the native format."""

    name = "lexjsonl"
    version = 1

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the first line is a header of this format, whatever the file is called."""
        start = head.removeprefix(_BOM)
        if _HEADER_START.match(start):
            return True
        first, newline, _ = start.partition(b"\n")
        if not newline or not first.lstrip().startswith(b"{"):
            return False
        try:
            return "lexscope" in json.loads(first)
        except (ValueError, RecursionError):
            return False  # another format's business: what is not a header is not ours to refuse

    def read(self, source: Source) -> ParsedDocument:
        """Read and check the document.

        Raises:
            IngestError: with file, line and cause; the cause never repeats the text of the file.
        """
        name = source.name
        lines = _lines(source.path, name)
        first = next(lines, None)
        if first is None:
            _refuse_file('is empty; the first line must be the header {"lexscope": 1, "corpus": {...}}', name, None)
        header = _read_line(HeaderLine, *first, name)
        rows = [(number, _read_line(NodeLine, number, raw, name)) for number, raw in lines]
        try:
            check_tree(header.corpus.urn, rows)
        except IngestError as fault:
            _refuse_file(fault.cause, name, fault.line)
        document = ParsedDocument(
            corpus=header.corpus.corpus(),
            nodes=[row.node(number) for number, row in rows],
            source=name,
            format=self.name,
            source_hash=source.sha256(),
            parser_version=self.version,
            edition_date=header.edition_date,
            warnings=list(header.warnings),
            annotated=header.annotated,
        )
        for _, row in rows:
            document.definitions.extend(definition.definition(row.urn) for definition in row.definitions)
            document.links.extend(link.link(row.urn) for link in row.links)
            if row.used_terms is not None:
                known = document.used_terms.setdefault(row.urn, [])
                known.extend([term for term in row.used_terms if term not in known])
        return document


def write_lexjsonl(document: ParsedDocument, stream: BinaryIO) -> int:
    """Write a document in the native format.

    Reading it back gives an equal document but for what names the file it was read from (`source`, `format`,
    `source_hash`, `parser_version`, each node's `line`) and with definitions and links in the order of their nodes.

    Args:
        document: what a parser or annotation produced.
        stream: a binary stream; UTF-8 is written whatever the locale.

    Returns:
        The number of nodes written, one line for each version.

    Raises:
        InputError: the document breaks a rule of the format; nothing has been written.
    """
    out = _Writer(document)
    encoded = [out.encode(1, out.header)]
    rows: list[tuple[int, NodeLine]] = []
    for number, node in enumerate(document.nodes, start=2):
        row = out.row(number, node)
        rows.append((number, row))
        encoded.append(out.encode(number, row))
    out.check_complete()
    try:
        check_tree(document.corpus.urn, rows)
    except IngestError as fault:
        _cannot_write(fault.line or 1, fault.cause)
    stream.writelines(encoded)
    return len(rows)


class _Writer:
    """Turns records into lines; what belongs to a URN goes to the first line of that URN."""

    def __init__(self, document: ParsedDocument) -> None:
        self._attached: dict[str, dict[str, list[Any]]] = {}
        for definition in document.definitions:
            self._attach(definition.node_urn, "definitions", _without(asdict(definition), "node_urn"))
        for link in document.links:
            self._attach(link.source_urn, "links", _without(asdict(link), "source_urn"))
        for urn, terms in document.used_terms.items():
            self._attached.setdefault(urn, {})["used_terms"] = list(terms)
        header = {
            "lexscope": FORMAT_VERSION,
            "corpus": asdict(document.corpus),
            "edition_date": document.edition_date,
            "annotated": document.annotated,
            "warnings": document.warnings,
        }
        self.header = self._model(HeaderLine, 1, header)

    def _attach(self, urn: str, name: str, record: dict[str, Any]) -> None:
        self._attached.setdefault(urn, {}).setdefault(name, []).append(record)

    def _model(self, model: type[_Model], number: int, values: dict[str, Any]) -> _Model:
        try:
            return model.model_validate(values)
        except ValidationError as error:
            _cannot_write(number, explain(error, list(model.model_fields)))

    def row(self, number: int, node: ParsedNode) -> NodeLine:
        """The line of one node version."""
        values = _without(asdict(node), "line") | self._attached.pop(node.urn, {})
        if node.number == default_number(node.urn):
            del values["number"]
        if node.kind == default_kind(node.structure_type):
            del values["kind"]
        return self._model(NodeLine, number, values)

    def check_complete(self) -> None:
        """Refuse a document whose definitions, links or terms belong to no node: they would be lost."""
        if self._attached:
            raise InputError(
                "The document cannot be written as lexjsonl: definitions, links or used terms name"
                f" {len(self._attached)} URNs that are no nodes of it."
            )

    def encode(self, number: int, line: BaseModel) -> bytes:
        """One line as bytes, its newline included; fields that hold their default are left out."""
        text = json.dumps(line.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)
        for char, escape in _LINE_ENDS.items():
            text = text.replace(char, escape)
        encoded = text.encode() + b"\n"
        if len(encoded) > MAX_LINE_BYTES:
            _cannot_write(number, f"has {len(encoded)} bytes; the limit is {MAX_LINE_BYTES}")
        return encoded


def _without(values: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}


def _cannot_write(number: int, cause: str) -> NoReturn:
    raise InputError(f"The document cannot be written as lexjsonl: line {number} of it: {cause}")


def _refuse_file(cause: str, name: str, line: int | None) -> NoReturn:
    raise IngestError(cause, file=name, line=line)


def _lines(path: Path, name: str) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, with their numbers; never more than one of them in memory."""
    try:
        with path.open("rb") as stream:
            number = 0
            # Only a newline ends a line: text may hold every other character that editors break lines at.
            while raw := stream.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(raw) > MAX_LINE_BYTES:
                    _refuse_file(f"is longer than {MAX_LINE_BYTES} bytes; split the node into children", name, number)
                if number == 1:
                    raw = raw.removeprefix(_BOM)
                if raw.strip():
                    yield number, raw
    except OSError as error:
        raise IngestError(f"cannot be read ({type(error).__name__})", file=name) from None


class _BadJson(ValueError):
    """Well-formed JSON that two readers could understand differently."""


def _one_value_per_name(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            which = f'"{key}"' if _SHOWABLE_KEY.match(key) else "a field"
            raise _BadJson(f"gives {which} twice in one object; keep one of them")
        values[key] = value
    return values


def _no_such_number(_: str) -> NoReturn:
    raise _BadJson("holds NaN or Infinity, which JSON does not have; leave the field out")


def _read_line(model: type[_Model], number: int, raw: bytes, name: str) -> _Model:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse_file(f"is not UTF-8 at byte {error.start + 1}; save the file as UTF-8", name, number)
    try:
        value = json.loads(text, object_pairs_hook=_one_value_per_name, parse_constant=_no_such_number)
    except _BadJson as error:
        _refuse_file(str(error), name, number)
    except json.JSONDecodeError as error:
        _refuse_file(f"is not JSON at column {error.colno}; each line is one object", name, number)
    except RecursionError:
        _refuse_file("is nested too deeply to be a node", name, number)
    except ValueError:
        _refuse_file("holds a number that is too long to be meant", name, number)
    if not isinstance(value, dict):
        _refuse_file("is not an object in braces; each line is one object", name, number)
    try:
        return model.model_validate(cast("dict[str, Any]", value))
    except ValidationError as error:
        _refuse_file(explain(error, list(model.model_fields)), name, number)
