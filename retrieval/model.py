"""The results of retrieval, as Python, `--json` and MCP give them: one contract, frozen, documented field by field.

Dates are ISO; `valid_to` is the first day no longer in force; None means that the source does not say, or no end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import cache
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeVar, cast

from pydantic import BaseModel, ConfigDict, PrivateAttr
from pydantic_core import to_json

from retrieval.tag_query import TagQuery

# What a bound of a version rests on: a date of the source, or only that two editions differ.
Basis = Literal["stated", "edition", "unknown"]
Role = Literal["rule", "ancestor", "authority", "definition", "exception", "possible_exception", "federal", "warning"]
ContextStatus = Literal["ok", "halted", "not_found", "not_in_force", "insufficient"]

HALT_MESSAGE = "Legal Override active."
# At the date, a rule under one of these stops the answer; on any other block the text is redacted.
HALTING_STATUSES = frozenset({"VOID", "ENJOINED"})


class Record(BaseModel):
    """Base of all results: frozen, and closed against fields that the contract does not name."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


Made = TypeVar("Made", bound=Record)
_set = object.__setattr__


def trusted(record: type[Made], values: dict[str, Any]) -> Made:
    """A record of values that the program made itself, without checking them: a context has hundreds.

    Args:
        values: of all fields, of their types and in their order, which is the order they are written in; kept as it is.
    """
    made = record.__new__(record)
    # What `model_construct` sets in the end, without asking each field for its default.
    _set(made, "__dict__", values)
    _set(made, "__pydantic_fields_set__", _all_fields(record))
    _set(made, "__pydantic_extra__", None)
    _set(made, "__pydantic_private__", None)
    return made


@cache
def _all_fields(record: type[Record]) -> set[str]:
    return set(record.model_fields)


class Block(Record):
    """One piece of C(R). Only blocks with a text may be cited; a redacted one has none."""

    id: str  # b1, b2 ... in canonical order
    urn: str
    role: Role
    heading: str
    text: str  # the node's own words; quotes are offsets into it
    lead_in: str  # the open sentence of its ancestors that the text continues
    flush: str  # the words after the list that finish its sentence
    after_children: int | None = None  # where in `text` the words after its children begin; None: none do
    valid_from: date | None
    valid_to: date | None
    parent_urn: str | None
    applies_to: list[str]  # the rules among `targets` that it is there for
    reason: str  # why it is in the context

    @property
    def sides(self) -> tuple[str, ...]:
        """The words before and after its children, where it has both; else all its words, if any."""
        if self.after_children is None:
            return (self.text,) if self.text else ()
        return self.text[: self.after_children].rstrip("\n"), self.text[self.after_children :]


class DefinitionInScope(Record):
    """Which definition a term has for a rule, and which ones it shadows."""

    term: str
    urn: str
    scope_urn: str
    applies_to: list[str]
    shadows: list[str]
    relation: str  # means, includes, excludes; reference: only points to where the meaning is; referenced: that place
    inferred: bool  # its scope comes from position, not from a phrase
    phrase: str
    depth: int  # 0: used or defined by the rule itself; 1: used by such a definition, and so on
    likely: bool = False  # in no known form: by its likeness to other definitions, or as a language model read it
    read_by: str = ""  # that model; empty where code read it

    @property
    def doubt(self) -> str:
        """Why it is not certain, in a few words; empty where it is."""
        if self.read_by:
            return f"as {self.read_by} read it, not certain"
        return "likely" if self.likely else ""


class OverrideNotice(Record):
    """A court's override that touches this context, and what was done because of it."""

    urn: str  # the node it touches
    urn_pattern: str
    status: str
    severity: str
    court: str
    court_citation: str
    message: str
    effective_from: date | None
    effective_to: date | None
    action: Literal["halt", "redact", "warn", "left_out"]


# Warnings after which a context may lack a meaning or give a wrong one. Which kinds these are was measured on labelled
# law: among contexts with one of them more are wrong than right (evals/data/laws/README.md). `likely_definitions` is
# one for another reason: what is read by likeness, or by a language model, is never certain.
DOUBTS = frozenset({"conflicting_definitions", "law_elsewhere", "likely_definitions", "unread_definitions"})


class ContextWarning(Record):
    """Something a reader must know: an override, preemption, a limit that was applied, an inferred scope."""

    kind: str
    message: str
    urn: str | None = None
    untold: str = ""  # law that it speaks of and of which the context has no text: a URN, or a pattern of URNs


class PrevailsOver(Record):
    """A provision that yields to a rule by the rule's own words: "notwithstanding section 12". It limits no rule."""

    urn: str  # of the provision that yields
    heading: str  # its own, or that of the nearest one around it that has one; empty where it is not in force
    path: str  # headings of what contains that, outermost first
    in_force: bool  # whether the store has it in force at the date
    by: str  # the URN of what says so: the rule, a part of it or what contains it
    reference: str  # to it, in the words there
    applies_to: list[str]  # the rules among `targets` that this is or contains, or is a part of


class Omitted(Record):
    """A block that is not there, and why. It has left the allow-list too."""

    urn: str
    reason: str


class Limiting(NamedTuple):
    """What limits a provision of a context, or may, and is in the context too: most often a sister of it."""

    limited: str  # URN
    by: str  # URN
    words: str  # of `by` that say so; empty where all of it limits
    certain: bool  # else the words only seem to take something from it


class ScopedContext(Record):
    """C(R): one or more rules and everything that governs them at a date."""

    status: ContextStatus
    targets: list[str]
    at_date: date
    digest: str
    blocks: list[Block]
    definitions: list[DefinitionInScope]
    overrides: list[OverrideNotice]
    warnings: list[ContextWarning]
    omitted: list[Omitted]
    prevails_over: list[PrevailsOver] = []  # what yields to the rules by their own words: named, and not shown
    message: str = ""  # for every status but ok: what is the case, and what to do
    suggestions: list[str] = []  # for not_found: known URNs near it
    how_read: str = ""  # how the law was read for what governs a rule: by rules, and by which language models; for ok
    trace_id: str | None = None
    _limiting: tuple[Limiting, ...] = PrivateAttr(default=())

    @property
    def limiting(self) -> tuple[Limiting, ...]:
        """What limits provisions of one section, by the edges of the store, in the order of the blocks.

        It is no part of the record: a context that is read back has none.
        """
        return self._limiting

    def with_limiting(self, found: Iterable[Limiting]) -> ScopedContext:
        """The same context with what limits its provisions."""
        made = self.model_copy()
        made._limiting = tuple(found)
        return made

    @property
    def allow_list(self) -> tuple[str, ...]:
        """The URNs an answer may cite, in block order, each once."""
        return tuple(dict.fromkeys(block.urn for block in self.blocks if block.text and block.role != "warning"))


class Legs(Record):
    """A result's normalised score in each leg that found it."""

    citation: float | None = None
    synonym: float | None = None
    lexical: float | None = None
    dense: float | None = None


class SearchHit(Record):
    """One entry point: a candidate rule."""

    urn: str
    document_urn: str
    heading: str
    snippet: str
    score: float  # fused, 0 to 1
    relevance_score: float | None  # the reranker's, where one ran
    legs: Legs
    hit_urn: str  # the node whose words matched; the rule itself or a paragraph of it
    cited_by: int = 0  # provisions that cite it or a part of it, as far as the store has resolved what they cite
    kind: str = ""  # legislation, decision, record or notice; a chunk has its document's
    jurisdiction: str = ""
    language: str = ""
    day: str | None = None  # of the decision or document, else the first day of the version; ISO
    uncertain: str = ""  # that other words may have been in force at the date, and why
    override: str = ""  # what courts did to it, in effect at the date: `VOID: Supreme Court, A v. B`; the halting first


class FacetValue(Record):
    """One value of a tag, one tag, or one kind of edge, and how many nodes have it."""

    value: str
    count: int


class RemovedBy(Record):
    """A filter without which there would have been hits."""

    filter: str  # as the request names it: tags[court], date_from ...
    total: int  # hits without it


class SearchResult(Record):
    """Entry points for a question, best first; documents by date where there is none; or the values of a tag."""

    query: str
    at_date: date
    mode: Literal["keyword", "semantic", "hybrid", "browse", "discover"]
    total: int  # before limit and offset
    results: list[SearchHit]
    warnings: list[str]
    values: list[FacetValue] = []  # of `discover`, most frequent first
    limit: int = 0  # as applied
    offset: int = 0
    next_offset: int | None = None  # where the next page begins; None at the end
    removed_by: list[RemovedBy] = []  # where nothing was found: the filters each of which alone removes what was found
    message: str = ""


# What a digest does not cover: how the law was read, ids, and what a warning says in words too.
_UNSAID = frozenset({"digest", "how_read", "trace_id", "untold"})
_SAID_IF_ANY = "prevails_over"  # not covered where it is empty, so that contexts keep the digests they had without it
# `how_read` of law that no model read, and what is said of it in few words.
BY_RULES = (
    "Definitions and exceptions: found by rules in the law's own words; what limits the rule in plain words elsewhere "
    "in the law can be missing. No model has read this law (`lexscope read-law`)."
)
BY_RULES_BRIEF = "Read by rules alone: what limits it in plain words elsewhere can be missing."


def context_digest(context: ScopedContext) -> str:
    """SHA-256 over everything that C(R) says of the law; neither how that was read nor ids are part of it.

    What is hashed is its canonical JSON, one spelling for one value: sorted keys, no spaces, UTF-8.
    """
    said = {name: _listed(value) for name, value in _fields(context).items() if value or name != _SAID_IF_ANY}
    return hashlib.sha256(to_json(said)).hexdigest()


def _listed(value: Any) -> Any:
    """Records stand in the lists of a context and nowhere else, each list of one kind."""
    if not isinstance(value, list):
        return value
    listed = cast("list[Any]", value)
    if not listed or not isinstance(listed[0], Record):
        return listed
    names, values_of = _sorted_fields(type(listed[0]))
    return [dict(zip(names, values_of(record.__dict__), strict=True)) for record in listed]


def _fields(record: Record) -> dict[str, Any]:
    """A record's fields in the order of their names, which `to_json` keeps: half the time of sorting as it writes."""
    names, values_of = _sorted_fields(type(record))
    return dict(zip(names, values_of(record.__dict__), strict=True))


@cache
def _sorted_fields(record: type[Record]) -> tuple[tuple[str, ...], Callable[[Mapping[str, Any]], tuple[Any, ...]]]:
    names = tuple(sorted(record.model_fields.keys() - _UNSAID))
    return names, cast("Callable[[Mapping[str, Any]], tuple[Any, ...]]", itemgetter(*names))


class Candidate(Record):
    """A provision that a reference may mean. `hint` is the reading that led to it; None for a certain one."""

    urn: str
    hint: str | None
    title: str
    jurisdiction: str
    valid_from: date | None
    valid_to: date | None
    from_basis: Basis = "unknown"  # what these rest on: stated by the source, between two editions, unknown
    to_basis: Basis = "unknown"
    cited_by: int = 0  # provisions that cite it or a part of it, as far as the store has resolved what they cite


class Resolution(Record):
    """What a reference resolves to.

    `resolved`: `urn` is the one right provision. `candidates`: `urn` is the only hit of an uncertain reading, which
    `hint` and a warning name. `ambiguous`: several fit, all listed, none chosen. `not_found`: `suggestions` are near.
    """

    reference: str
    status: Literal["resolved", "candidates", "ambiguous", "not_found"]
    urn: str | None
    hint: str | None
    at_date: date
    candidates: list[Candidate]
    tag_queries: list[TagQuery]
    warnings: list[str]
    message: str = ""
    suggestions: list[str] = []
