"""What a language model is asked for and how its reply is read: a draft of statements from a prompt, under a schema
that can only cite what the prompt holds.

A model proposes and never decides: what comes back here is unverified. A refusal by the model is a value
(`Declined`); that no usable reply came is an exception. Neither says anything about the law.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from rag.verification.computations import OPERATIONS
from rag.verification.draft import (
    Draft,
    DraftCitation,
    DraftComputation,
    DraftShortAnswer,
    DraftStatement,
    StatementKind,
)
from retrieval.errors import InputError
from retrieval.providers.openai import unusable
from retrieval.strict_json import JsonRefused, parse_json

MAX_REPLY_BYTES = 8 * 1024 * 1024
MAX_DRAFT_DEPTH = 20
DEFAULT_DEADLINE_SECONDS = 60.0

# Documented limits of OpenAI's strict schemas: values of all enums; characters of one enum of more than 250 values;
# characters of all property names and enum values together.
MAX_ENUM_VALUES = 1000
LONG_ENUM_VALUES = 250
MAX_LONG_ENUM_CHARACTERS = 15_000
MAX_SCHEMA_CHARACTERS = 120_000
_NAMES_RESERVE = 1_000

_OWN_VALUES = len(OPERATIONS) + len(get_args(StatementKind))  # of the schema's enums besides the URNs


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """One question to a language model.

    Args:
        instructions: the fixed rules, sent apart from the data.
        input: the scoped context and the scenario.
        allowed_urns: the URNs that may be cited; at least one.
        deadline_seconds: for everything, the retry included.
    """

    instructions: str
    input: str
    allowed_urns: tuple[str, ...]
    deadline_seconds: float = DEFAULT_DEADLINE_SECONDS


@dataclass(frozen=True, slots=True)
class Declined:
    """The model would not answer: it refused, or the provider's content filter stopped it."""

    kind: Literal["refusal", "content_filter"]
    request_id: str | None = None


class LanguageModel(Protocol):
    """What drafts an answer from a prompt."""

    @property
    def provider(self) -> str:
        """The provider's name, for results and traces."""
        ...

    @property
    def model(self) -> str:
        """The model's name at the provider."""
        ...

    def draft(self, request: DraftRequest) -> Draft | Declined:
        """Draft an answer to one question.

        Raises:
            InputError: the request cannot be sent.
            ProviderError: no usable draft came; its subclasses say why.
        """
        ...


def enum_fits(allowed_urns: tuple[str, ...]) -> bool:
    """Whether the allow-list can be an enum of a strict schema.

    Where it cannot, the schema asks for any string as URN and only verification, after the fact, keeps citations
    inside the context; the caller says so in the result.
    """
    distinct = set(allowed_urns)
    characters = sum(map(len, distinct))
    return (
        len(distinct) <= MAX_ENUM_VALUES - _OWN_VALUES
        and (len(distinct) <= LONG_ENUM_VALUES or characters <= MAX_LONG_ENUM_CHARACTERS)
        and characters <= MAX_SCHEMA_CHARACTERS - _NAMES_RESERVE
    )


def draft_schema(allowed_urns: tuple[str, ...]) -> dict[str, object]:
    """The strict JSON schema of a draft; its URNs are an enum of the allow-list where `enum_fits`.

    A strict schema knows no optional members: statements of both kinds have all of them, empty where they do not
    apply. The short answer comes after the statements, for a model writes in this order and is to conclude from them.

    Raises:
        InputError: the allow-list is empty: nothing could be cited, so nothing may be asked.
    """
    if not allowed_urns:
        raise InputError("The context allows no URN to be cited, so there is nothing to ask a model.")
    text: dict[str, object] = {"type": "string"}
    texts = _array(text)
    urn: dict[str, object] = {"type": "string"}
    if enum_fits(allowed_urns):
        urn["enum"] = list(dict.fromkeys(allowed_urns))
    operation = {"type": "string", "enum": list(OPERATIONS)}
    statement = closed_object(
        {
            "id": text,
            "kind": {"type": "string", "enum": list(get_args(StatementKind))},
            "text": text,
            "citations": _array(closed_object({"urn": urn, "quote": text})),
            "rests_on": texts,
            "facts": texts,
            "computations": _array(closed_object({"operation": operation, "inputs": texts, "result": text})),
        }
    )
    short_answer = closed_object({"text": text, "rests_on": texts})
    return closed_object({"statements": _array(statement), "short_answer": short_answer, "unanswered": texts})


def _array(items: dict[str, object]) -> dict[str, object]:
    return {"type": "array", "items": items}


def closed_object(properties: dict[str, object]) -> dict[str, object]:
    """The strict schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# What a draft is read as. Types are strict; a member that is not of the schema is left alone and an array that is
# missing is empty, for neither takes anything away.


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, hide_input_in_errors=True)


# Other names that models without a strict schema give the operations. A name proves nothing: each step is repeated.
_OTHER_NAMES: Mapping[str, str] = {
    "+": "add", "sum": "add", "total": "add", "plus": "add",
    "-": "subtract", "difference": "subtract", "minus": "subtract",
    "*": "multiply", "product": "multiply", "times": "multiply",
    "/": "divide", "quotient": "divide", "ratio": "divide",
    "percentage": "percent", "percent_of": "percent", "percentage_of": "percent",
    "<": "less_than", "<=": "at_most", "less_than_or_equal": "at_most",
    ">": "more_than", "greater_than": "more_than", ">=": "at_least", "greater_than_or_equal": "at_least",
    "=": "equal", "==": "equal", "equals": "equal",
    "days_after": "add_days", "business_days_after": "add_business_days", "weeks_after": "add_weeks",
    "months_after": "add_months", "years_after": "add_years",
    "date_difference": "days_between", "days_difference": "days_between",
}  # fmt: skip


def _operation(name: str) -> str:
    """The name by which code knows an operation; a name that it does not know is left as it is."""
    return _OTHER_NAMES.get("_".join(name[:40].casefold().split()), name)


class _CitationModel(_Read):
    urn: str
    quote: str


class _ComputationModel(_Read):
    operation: str
    inputs: list[str]
    result: str


class _StatementModel(_Read):
    id: str
    kind: StatementKind
    text: str
    citations: list[_CitationModel] = []
    rests_on: list[str] = []
    facts: list[str] = []
    computations: list[_ComputationModel] = []

    def statement(self) -> DraftStatement:
        """It as the verifier takes it."""
        return DraftStatement(
            self.id,
            self.kind,
            self.text,
            tuple(DraftCitation(each.urn, each.quote) for each in self.citations),
            tuple(self.rests_on),
            tuple(self.facts),
            tuple(
                DraftComputation(_operation(each.operation), tuple(each.inputs), each.result)
                for each in self.computations
            ),
        )


class _ShortAnswerModel(_Read):
    text: str
    rests_on: list[str] = []


class _DraftModel(_Read):
    statements: list[_StatementModel]
    short_answer: _ShortAnswerModel | None = None
    unanswered: list[str] = []


def parse_draft(text: str, *, provider: str = "model") -> Draft:
    """Read a model's output text as a draft; refused as a whole where anything is off, never repaired.

    Args:
        text: the whole output text; a Markdown fence around all of it is no part of it.
        provider: named in the error.

    Returns:
        The draft; a short answer without text is none.

    Raises:
        ProviderRejected: not strict JSON (see `parse_json`), deeper than 20 levels, over 8 MB, not of the schema's
            shape, or with two statements of one id. The message is one of a closed set and quotes nothing.
    """
    reason, parsed = "", None
    try:
        parsed = _DraftModel.model_validate(read_output(text))
    except JsonRefused as refused:
        reason = refused.reason
    except ValidationError:
        reason = "not of the draft's shape"
    if parsed is not None and len({statement.id for statement in parsed.statements}) != len(parsed.statements):
        reason = "two statements of one id"
    if parsed is None or reason:
        raise unusable(provider, reason)
    short = parsed.short_answer
    return Draft(
        statements=tuple(statement.statement() for statement in parsed.statements),
        short_answer=DraftShortAnswer(short.text, tuple(short.rests_on)) if short and short.text.strip() else None,
        unanswered=tuple(parsed.unanswered),
    )


def read_output(text: str) -> object:
    """The one JSON value that a model's output text is, with or without a Markdown fence around all of it.

    Raises:
        JsonRefused: it is not one, too deep or too large.
    """
    return parse_json(_unfenced(text), max_bytes=MAX_REPLY_BYTES, max_depth=MAX_DRAFT_DEPTH)


def _unfenced(text: str) -> str:
    """The text without what some models put around a reply: their thinking before it, a Markdown fence."""
    stripped = text.strip(" \t\r\n")
    if stripped.startswith("<think>"):
        _, thought, after = stripped.partition("</think>")
        stripped = text = after.strip(" \t\r\n") if thought else text
    opening, _, rest = stripped.partition("\n")
    fenced = opening.strip().lower() in {"```", "```json"} and rest.endswith("```")
    return rest.removesuffix("```") if fenced else text
