"""The lines of the native format as pydantic models, and their faults in words that never repeat the input."""

from __future__ import annotations

import re
from datetime import date, datetime
from difflib import get_close_matches
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from rag.law.nodes import CONTAINER_TYPES, KINDS, STRUCTURE_TYPES, Corpus, Definition, Link, Mark, ParsedNode, node_text
from retrieval.errors import InputError
from retrieval.paths import parse_urn

FORMAT_VERSION = 1

_FAULT = "lexjsonl"  # the pydantic error type of every fault worded here
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z")
_LINK_KIND = re.compile(r"[a-z][a-z_]{0,39}\Z")
_WEB = re.compile(r"https?://[!-~]+\Z")
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
        raise PydanticCustomError(_FAULT, "must be a word such as cites, excepts or enabled_by")
    return value


def _web_address(value: str) -> str:
    if value and not _WEB.match(value):
        raise PydanticCustomError(_FAULT, "must be an http or https address, or empty")
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

    def definition(self, node_urn: str) -> Definition:
        """The definition as a record of its node."""
        return Definition(
            self.term, node_urn, self.scope_urn, self.relation, self.inferred, self.phrase, self.reference_urn
        )


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
