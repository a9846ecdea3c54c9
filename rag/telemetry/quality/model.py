"""The research debrief `quality_check`: what a caller declares, what is kept of it, and what is said back.

Nothing here is free text: a record holds enumerations, counts, and words of vocabularies that are public anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal, get_args

from pydantic import Field

from retrieval.model import Record

Mode = Literal["research", "correction"]
Satisfaction = Literal["sufficient", "partial", "insufficient"]
Confidence = Literal["high", "moderate", "low"]
ErrorType = Literal[
    "fabricated_citation",
    "wrong_jurisdiction",
    "repealed_law",
    "misattribution",
    "temporal_error",
    "wrong_article",
    "user_correction",
]
Severity = Literal["critical", "important", "minor"]
Tier = Literal["STOP", "DANGER", "DRIFT", "ATTENTION"]  # from the most to the least severe
TIERS: tuple[Tier, ...] = get_args(Tier)

Flag = Literal[
    "context_contains_compaction_marker",
    "response_self_references_previous_turn",
    "response_contains_flattery",
    "response_contains_prescriptive_legal_advice",
    "response_contains_outcome_prediction",
    "response_contains_legal_assertion_verb",
    "response_contains_hedge_marker",
    "response_cites_document_without_verbatim_or_locator",
    "response_cites_document_without_permanent_link",
    "response_claims_settled_case_law",
    "response_asserts_legal_absence_as_inexistence",
    "safety_guidelines_not_fully_loaded",
    "safety_guidelines_distant_or_unclear",
]
FLAGS: tuple[Flag, ...] = get_args(Flag)
Detected = dict[Flag, bool]  # what a detector looked at; a flag that is not in it was not looked at


class QualityReport(Record):
    """What a caller declares, as it came: free texts are reduced before anything is kept or said back."""

    mode: Mode
    model: str
    jurisdiction: str | None = None
    queries_attempted: tuple[str, ...] = ()
    tools_sequence: tuple[str, ...] = ()
    documents_cited: tuple[str, ...] = ()
    tags_used: Mapping[str, str] = Field(default_factory=dict[str, str])
    satisfaction: Satisfaction | None = None
    confidence: Confidence | None = None
    gaps: tuple[str, ...] = ()
    difficulties: tuple[str, ...] = ()
    concept: str | None = None
    error_type: ErrorType | None = None
    document_ids: tuple[str, ...] = ()
    detail: str | None = None
    severity: Severity | None = None
    declared: tuple[Flag, ...] = ()


class QualityRecord(Record):
    """One debrief as it is kept: exactly this, in the table and in JSON Lines."""

    tool_name: Literal["quality_check"] = "quality_check"
    recorded_on: date  # the day only
    origin: Literal["caller", "engine"]  # `engine`: made by `ask` itself
    mode: Mode
    model: str  # a known model name; `other` for any other
    jurisdictions: list[str]
    queries_attempted: int
    query_terms: list[str]  # statutory terms and thesaurus phrases of the store that the queries hold
    tools_sequence: list[str]
    documents_cited: list[str]  # URNs of legislation in the store
    documents_other: int  # known documents of kinds that can name a party
    documents_unknown: int
    tags_used: list[str]  # tag keys; `kind` and `language` with their value
    satisfaction: Satisfaction | None
    confidence: Confidence | None
    gaps: list[str]  # codes
    difficulties: list[str]  # codes
    concept: str | None  # a term as in `query_terms`
    error_type: ErrorType | None
    detail: list[str]  # codes
    severity: Severity | None
    declared: list[Flag]
    detected: list[Flag]
    not_detected: list[Flag]  # looked at, and not found
    highest_alert_severity: Tier | None
    dropped_fields: int  # texts or entries that no vocabulary holds, and that are nowhere now


class QualityAlert(Record):
    """One thing to tell the user before the answer goes out."""

    tier: Tier
    flag: str  # the boolean, or the kind of error, that raised it
    declared: bool
    detected: bool | None  # None: no detector could look
    tell_the_user: str
    do: str


class QualityReply(Record):
    """The block to relay: the alerts, the most severe first, and what was kept."""

    highest_alert_severity: Tier | None
    alerts: list[QualityAlert]
    relay: str  # what to do with the alerts
    recorded: bool
    kept: QualityRecord
    warnings: list[str]
