"""The page on the JSON of results, made from their models: `python docs/build_json.py docs/json.md`.

What a field means is the comment beside it in the source. A test holds the page equal to what this makes.
"""

from __future__ import annotations

import ast
import inspect
import io
import sys
import textwrap
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args, get_type_hints

from pydantic import BaseModel, TypeAdapter

from rag.answering.answer import LEVELS, Answer
from rag.citecheck.model import VerifyResult
from rag.documents.model import DocumentText
from rag.mcp.docs import type_of
from rag.models.drafting import draft_schema
from rag.verification.model import DESCRIPTIONS
from retrieval.browsing.browse import DocumentPage, StructurePage
from retrieval.context.diff import ContextDiff
from retrieval.model import Resolution, ScopedContext, SearchResult
from retrieval.references.cases import CaseResolution
from retrieval.references.citation_graph import EdgePage


class Result(NamedTuple):
    """What a verb gives with `--json`."""

    verb: str
    record: type[BaseModel]
    method: str  # of the engine that gives the same record
    example: str  # a command on the sample of law


RESULTS = (
    Result("ask", Answer, "ask", 'ask "Must the owner pay interest on the security deposit?" -j us-ma'),
    Result("context", ScopedContext, "context", 'context "940 CMR 3.17(4)"'),
    Result("diff", ContextDiff, "diff", 'diff "940 CMR 3.17" --from 2018-01-01 --to 2020-01-01'),
    Result("verify", VerifyResult, "verify", "verify reply.json"),
    Result("search", SearchResult, "search", 'search "interest on a deposit" -j us-ma'),
    Result("document", DocumentText, "document", 'document "940 CMR 3.17"'),
    Result("documents", DocumentPage, "list_documents", "documents"),
    Result("browse", StructurePage, "browse_structure", "browse -j us-ma"),
    Result("resolve", Resolution, "resolve", 'resolve "940 CMR 3.17(4)"'),
    Result("resolve-case", CaseResolution, "resolve_case", "resolve-case --court Sample"),
    Result("edges", EdgePage, "edges", "edges urn:lex:ma:940cmr:3.17"),
)
REPLY = """\
{"statements": [{
  "text": "An owner who holds a security deposit for one year or longer shall pay the tenant interest on the security deposit at the rate of 3 percent a year.",
  "citations": [{
    "urn": "urn:lex:ma:940cmr:3.17:4",
    "quote": "shall pay the tenant interest on the security deposit"
  }]
}]}"""  # noqa: E501
_HEAD = """\
# The JSON of results

Made by `python docs/build_json.py docs/json.md` from the models themselves.

`--json`, before or after a verb, prints one JSON document on stdout; progress and errors go to stderr. The same record
is what a method of `Engine` returns (`result.model_dump_json(indent=2)` writes it) and what the MCP tool of the same
purpose gives as structured content. Dates are `YYYY-MM-DD`; a range ends before `valid_to` or `effective_to`. `none` in
a type is `null` and means that the value is not known or does not exist. A record has all its fields always, and no
others.

Exit status: 0 answer, 3 refusal, places, halt or not found, 2 bad input, 1 failure. With 2 stderr says why, and stdout
has `{"error": {"code": ..., "message": ..., "retryable": ...}}` in place of the record. The same holds with 1, unless a
model failed after the context was assembled: then `ask` gives an answer of status `failed`.

| verb | record | `Engine` |
|---|---|---|
"""
_REPLY_HEAD = """\

## A reply to verify

`lexscope verify reply.json` and `Engine.verify(text)` take any text. A JSON object in this form, such as a model
writes, names the citations of each claim itself, and each of its claims has to be SUPPORTED:

```json
{reply}
```

A statement needs `text`, and a citation `urn` and `quote`; `claims` may be used in place of `statements`. The JSON that
`ask --json` prints has this form too. All that a model is asked for when it drafts an answer:

{fields}
"""


def page() -> str:
    """The page, in Markdown."""
    out = [_HEAD.rstrip()]
    out += [
        f"| `{one.verb}` | [{_name(one.record)}](#{_name(one.record).lower()}) | `{one.method}` |" for one in RESULTS
    ]
    out += [_REPLY_HEAD.format(reply=REPLY, fields="\n".join(_schema_lines(draft_schema(("urn:lex:x:y",))))).rstrip()]
    there: dict[str, type[Any]] = {}
    for one in RESULTS:
        _collect(one.record, there)
    out += ["", "## Levels", "", "How a statement was checked.", "", *_table("level", LEVELS)]
    out += ["", "## Reasons", "", "Why a claim does not hold, or what to know of one that does.", ""]
    out += _table("code", DESCRIPTIONS)
    out += ["", "## Records"]
    for name in there:
        out += ["", f"### {name}", "", *_record_lines(there[name])]
    return "\n".join(out) + "\n"


def _table(head: str, meanings: Mapping[Any, str]) -> list[str]:
    return [f"| {head} | meaning |", "|---|---|", *(f"| `{name}` | {meaning} |" for name, meaning in meanings.items())]


def _name(record: type[Any]) -> str:
    return record.__name__


def _collect(record: type[Any], there: dict[str, type[Any]]) -> None:
    """Adds a record and those that its fields have, in the order of their fields."""
    if _name(record) in there:
        return
    there[_name(record)] = record
    for annotation in _fields(record).values():
        for inner in _records(annotation):
            _collect(inner, there)


def _fields(record: type[Any]) -> dict[str, Any]:
    """The fields that are printed, with their types."""
    if not issubclass(record, BaseModel):
        return get_type_hints(record)
    return {name: field.annotation for name, field in record.model_fields.items() if not field.exclude}


def _records(annotation: Any) -> Iterator[type[Any]]:
    if isinstance(annotation, type) and (issubclass(annotation, BaseModel) or is_dataclass(cast("object", annotation))):
        yield annotation
    for argument in get_args(annotation):
        yield from _records(argument)


def _record_lines(record: type[Any]) -> list[str]:
    schema = TypeAdapter(record).json_schema(mode="serialization")
    own = schema if "properties" in schema else schema["$defs"][_name(record)]
    said, printed = _comments(record), _fields(record)
    described = inspect.cleandoc(record.__doc__ or "").partition("\n\nRaises:")[0]
    lines = [" ".join(described.split()), ""]
    for name, field in own["properties"].items():
        if name in printed:
            kind = type_of(_with_choices(field, schema.get("$defs", {})))
            lines.append(f"* `{name}` ({kind}){f': {said[name]}' if name in said else ''}")
    return lines


def _with_choices(field: Any, named: Mapping[str, Any]) -> Any:
    """The schema of a field, with closed sets of words in the place of their names."""
    if isinstance(field, list):
        return [_with_choices(one, named) for one in cast("list[Any]", field)]
    if not isinstance(field, dict):
        return field
    members = cast("dict[str, Any]", field)
    said = named.get(str(members.get("$ref", "")).rpartition("/")[2], {})
    return said if "enum" in said else {key: _with_choices(one, named) for key, one in members.items()}


def _comments(record: type[Any]) -> dict[str, str]:
    """What the source says of each field: the comment behind it, else those on the lines before it."""
    found: dict[str, str] = {}
    for one in reversed(record.__mro__):
        if one in (object, BaseModel):
            continue
        source = textwrap.dedent(inspect.getsource(one))
        said: dict[int, tuple[bool, str]] = {}
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT and not token.string.startswith("# fmt"):
                alone = token.line.lstrip().startswith("#")
                said[token.start[0]] = alone, token.string.lstrip("# ")
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
                continue
            above: list[str] = []
            line = node.lineno - 1
            while line in said and said[line][0]:
                above.insert(0, said[line][1])
                line -= 1
            beside = [said[at][1] for at in range(node.lineno, (node.end_lineno or 0) + 1) if at in said]
            if words := " ".join(beside or above):
                found[node.target.id] = words
    return found


def _schema_lines(schema: Mapping[str, Any], depth: int = 0) -> list[str]:
    """The members of an object's schema, each with its type, those of objects within it below it."""
    lines: list[str] = []
    for name, one in schema["properties"].items():
        inner = one.get("items", one)
        within = inner if "properties" in inner else None
        kind = (
            ("list of objects" if "items" in one else "object")
            if within
            else type_of(one if name != "urn" else {"type": "a URN of the context"})
        )
        lines.append(f"{'  ' * depth}* `{name}`: {kind}")
        if within:
            lines += _schema_lines(within, depth + 1)
    return lines


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
