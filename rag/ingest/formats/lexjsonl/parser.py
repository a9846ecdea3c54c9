"""The native format: JSON Lines, one node per line. `LEXJSONL.md` beside this module describes it to writers.

Reading refuses whatever the store could not keep unchanged; writing goes through the same checks, so that
everything written can be read again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date, datetime
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, NoReturn, TypeVar, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from rag.ingest.formats.base import FileFormat, Source
from rag.law.nodes import (
    CONTAINER_TYPES,
    KINDS,
    STRUCTURE_TYPES,
    Corpus,
    Definition,
    Link,
    Mark,
    ParsedDocument,
    ParsedNode,
    node_text,
)
from retrieval.errors import IngestError, InputError
from retrieval.paths import child_path, parse_urn, root_path

# The lines of the native format as pydantic models, and their faults in words that never repeat the input.

FORMAT_VERSION = 1

_FAULT = "lexjsonl"  # the pydantic error type of every fault worded here
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z")
_LINK_KIND = re.compile(r"[a-z][a-z_]{0,39}\Z")
# A publisher has a name in the public net; its top domain is no number, as of an address of a machine.
_WEB = re.compile(r"https?://(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]+(?:[:/?#][!-~]*)?\Z", re.ASCII | re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
# A field's name helps the writer of a file; anything longer or stranger may be text of theirs and is not shown.
_SHOWABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}\Z")
_FREE_KEYS = frozenset({"tags", "properties"})


def _storable(value: str) -> str:
    if "\0" in value:
        raise PydanticCustomError(_FAULT, "holds a NUL character; remove it")
    if _SURROGATE.search(value):
        raise PydanticCustomError(_FAULT, "holds half of a surrogate pair; write the whole character")
    return value


def _urn(value: str) -> str:
    try:
        urn = parse_urn(value)
    except InputError as error:
        raise PydanticCustomError(_FAULT, "is not a URN: {reason}", {"reason": error.message}) from None
    if urn.text != value:
        raise PydanticCustomError(_FAULT, "must be a URN in lower case without space around it")
    return value


def _urn_or_empty(value: str) -> str:
    return _urn(value) if value else value


def _iso_date(value: object) -> object:
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    if not isinstance(value, str) or not _DATE.match(value):
        raise PydanticCustomError(_FAULT, "must be a date written yyyy-mm-dd, or null")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise PydanticCustomError(_FAULT, "is not a day of the calendar; write it yyyy-mm-dd") from None


def _structure_type(value: str) -> str:
    if value not in STRUCTURE_TYPES:
        raise PydanticCustomError(_FAULT, "must be one of {names}", {"names": ", ".join(STRUCTURE_TYPES)})
    return value


def _kind(value: str) -> str:
    if value not in KINDS:
        raise PydanticCustomError(_FAULT, "must be one of {names}", {"names": ", ".join(KINDS)})
    return value


def _level(value: str) -> str:
    if not value.strip() or len(value) > 60 or value != value.lower():
        raise PydanticCustomError(_FAULT, "must be the publication's own word for the level in lower case")
    return value


def _language(value: str) -> str:
    if not _LANGUAGE.match(value):
        raise PydanticCustomError(_FAULT, "must be a language code such as en or fr")
    return value


def _link_kind(value: str) -> str:
    if not _LINK_KIND.match(value):
        raise PydanticCustomError(_FAULT, "must be a word such as cites, limits or enabled_by")
    return value


def _web_address(value: str) -> str:
    if value and not _WEB.match(value):
        raise PydanticCustomError(_FAULT, "must be an http or https address of a named host, or empty")
    return value


def _format_version(value: int) -> int:
    if value != FORMAT_VERSION:
        raise PydanticCustomError(
            _FAULT, "is not {known}, the version of the format that this program reads", {"known": FORMAT_VERSION}
        )
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError(_FAULT, "must not be empty")
    return value


Text = Annotated[str, AfterValidator(_storable)]
Words = Annotated[Text, AfterValidator(_not_blank)]
UrnText = Annotated[str, AfterValidator(_urn)]
UrnOrEmpty = Annotated[str, AfterValidator(_urn_or_empty)]
Day = Annotated[date | None, BeforeValidator(_iso_date)]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


class CorpusLine(_Line):
    """The corpus that the document belongs to; `urn` is the prefix of every URN of the file."""

    urn: UrnText
    title: Words
    language: Annotated[str, AfterValidator(_language)]
    publisher: Text = ""
    licence: Text = ""
    url: Annotated[Text, AfterValidator(_web_address)] = ""

    def corpus(self) -> Corpus:
        """The same as the record that the pipeline uses."""
        return Corpus(self.urn, self.title, self.language, self.publisher, self.licence, self.url)


class HeaderLine(_Line):
    """The first line: format version, corpus and what holds for the whole document."""

    lexscope: Annotated[int, AfterValidator(_format_version)]
    corpus: CorpusLine
    edition_date: Day = None
    annotated: bool = False
    warnings: list[Text] = Field(default_factory=list[str])


class MarkLine(_Line):
    """Mark-up inside a node's text; offsets count characters of lead-in, newline and flush text."""

    start: int
    end: int
    kind: Literal["term", "italic", "reference"]
    target: Text = ""


class DefinitionLine(_Line):
    """A term that the node defines, and the node that it governs."""

    term: Words
    scope_urn: UrnText
    relation: Literal["means", "includes", "excludes", "reference"] = "means"
    inferred: bool = False
    phrase: Text = ""
    reference_urn: UrnOrEmpty = ""
    used_terms: list[Words] | None = None
    apart: list[UrnText] = Field(default_factory=list[UrnText])

    def definition(self, node_urn: str) -> Definition:
        """The definition as a record of its node."""
        return Definition(
            self.term, node_urn, self.scope_urn, self.relation, self.inferred, self.phrase, self.reference_urn,
            None if self.used_terms is None else tuple(self.used_terms), tuple(self.apart),
        )  # fmt: skip


class LinkLine(_Line):
    """A relation of the node to another one."""

    kind: Annotated[str, AfterValidator(_link_kind)]
    reference: Text
    target_urn: UrnOrEmpty = ""
    properties: dict[Text, Text] = Field(default_factory=dict[str, str])

    def link(self, source_urn: str) -> Link:
        """The link as a record of its node."""
        return Link(source_urn, self.kind, self.reference, self.target_urn, dict(self.properties))


class NodeLine(_Line):
    """One version of one node. `number` and `kind` left out take the value that the structure suggests."""

    urn: UrnText
    parent_urn: Annotated[str | None, AfterValidator(lambda value: value if value is None else _urn(value))] = None
    structure_type: Annotated[str, AfterValidator(_structure_type)]
    level: Annotated[Text, AfterValidator(_level)]
    number: Text | None = None
    heading: Text = ""
    intro_text: Text = ""
    content_text: Text = ""
    kind: Annotated[str | None, AfterValidator(lambda value: value if value is None else _kind(value))] = None
    tags: dict[Text, Text] = Field(default_factory=dict[str, str])
    aliases: list[Words] = Field(default_factory=list[str])
    valid_from: Day = None
    valid_to: Day = None
    marks: list[MarkLine] = Field(default_factory=list[MarkLine])
    definitions: list[DefinitionLine] = Field(default_factory=list[DefinitionLine])
    links: list[LinkLine] = Field(default_factory=list[LinkLine])
    used_terms: list[Words] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> NodeLine:
        if self.valid_from and self.valid_to and self.valid_to <= self.valid_from:
            raise PydanticCustomError(
                _FAULT, 'field "valid_to" must be later than "valid_from": it is the first day no longer in force'
            )
        length = len(node_text(self.intro_text, self.content_text))
        if any(not 0 <= mark.start < mark.end <= length for mark in self.marks):
            raise PydanticCustomError(
                _FAULT,
                'field "marks" has offsets outside the text; they count characters of intro_text, a newline where'
                " both texts are present, and content_text, and end after they start",
            )
        return self

    @property
    def resolved_number(self) -> str:
        """The designator; the last segment of the URN where the line gives none."""
        return default_number(self.urn) if self.number is None else self.number

    def node(self, line: int) -> ParsedNode:
        """The node as the record that the pipeline uses; `line` is its place in the file, from 1."""
        return ParsedNode(
            urn=self.urn,
            parent_urn=self.parent_urn,
            structure_type=self.structure_type,
            level=self.level,
            number=self.resolved_number,
            heading=self.heading,
            intro_text=self.intro_text,
            content_text=self.content_text,
            kind=default_kind(self.structure_type) if self.kind is None else self.kind,
            tags=dict(self.tags),
            aliases=list(self.aliases),
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            marks=[Mark(mark.start, mark.end, mark.kind, mark.target) for mark in self.marks],
            line=line,
        )


def default_number(urn: str) -> str:
    """The designator of a node whose line gives none."""
    return urn.rpartition(":")[2]


def default_kind(structure_type: str) -> str:
    """The kind of a node whose line gives none."""
    return "section" if structure_type in CONTAINER_TYPES else "legislation"


_CAUSES = {
    "missing": "is missing; add it",
    "string_type": "must be text in double quotes",
    "string_unicode": "holds half of a surrogate pair; write the whole character",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "dict_type": "must be an object in braces",
    "model_type": "must be an object in braces",
    "list_type": "must be a list in square brackets",
    "date_type": "must be a date written yyyy-mm-dd, or null",
}


def explain(error: ValidationError, fields: list[str]) -> str:
    """Say what is wrong with a line: the first fault with its field and what to do, and how many more there are.

    Args:
        error: what pydantic raised for the line.
        fields: the names that the line may have, for a suggestion.

    Returns:
        Words of this module, names of fields and closed lists; never a value of the line.
    """
    faults = error.errors(include_url=False, include_input=False)
    more = f" (and {len(faults) - 1} more in this line)" if len(faults) > 1 else ""
    return _explain_one(faults[0], fields) + more


def _explain_one(fault: ErrorDetails, fields: list[str]) -> str:
    place, kind = _place(fault["loc"]), fault["type"]
    if kind == "extra_forbidden":
        last = str(fault["loc"][-1])
        near = get_close_matches(last, fields, n=1)
        hint = f'did you mean "{near[0]}"?' if near else 'remove it, or keep its value under "tags" of a node'
        return f"{place} is not a field of this format; {hint}"
    if kind == _FAULT:
        return f"{place} {fault['msg']}" if fault["loc"] else fault["msg"]
    if kind == "literal_error":
        return f"{place} must be {fault.get('ctx', {}).get('expected', 'a value of its list')}"
    return f"{place} {_CAUSES.get(kind, f'cannot be used ({kind})')}"


def _place(parts: tuple[int | str, ...]) -> str:
    """The field's name for a message; the keys of free tables are the file's own words and are left out."""
    shown = ""
    for part in parts:
        if isinstance(part, int):
            shown += f"[{part}]"
            continue
        if not _SHOWABLE_NAME.match(part):
            shown += ".(a name)" if shown else "(a name)"
            continue
        shown += f".{part}" if shown else part
        if part in _FREE_KEYS:
            break
    return f'field "{shown}"' if shown else "the line"


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
        if any(not known.issuperset(definition.apart) for definition in node.definitions):
            _refuse(line, 'field "definitions.apart" names no node of this file')
        if any(definition.scope_urn not in known for definition in node.definitions):
            _refuse(line, 'field "definitions.scope_urn" names no node of this file; a scope lies within its document')


MAX_LINE_BYTES = 16 * 1024 * 1024

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
        """Read and check the document."""
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
            record = _without(asdict(definition), "node_urn", "words")
            record["apart"] = [*definition.apart]
            record["used_terms"] = None if definition.used_terms is None else [*definition.used_terms]
            self._attach(definition.node_urn, "definitions", record)
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


def _without(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in names}


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
