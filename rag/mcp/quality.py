"""The MCP tools about the work itself: the guidelines before it, and the debrief after it."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import Field

from rag.engine import Engine
from rag.mcp.tools import READ_ONLY, Exchange, make_tool
from rag.telemetry.quality.guidelines import Category, Guidelines
from rag.telemetry.quality.model import (
    FLAGS,
    Confidence,
    ErrorType,
    Flag,
    Mode,
    QualityReply,
    QualityReport,
    Satisfaction,
    Severity,
)

# It records; asking twice records twice.
RECORDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)


def tools(engine: Engine, exchange: Exchange) -> list[Tool]:
    """The tools of this group, in the order in which they are listed."""

    def safety_guidelines(
        category: Annotated[
            Category | None, Field(description="core, once a session; jurisdiction, once for each one")
        ] = None,
        jurisdiction: Annotated[
            str | None,
            Field(description="with category=jurisdiction: us-dc, eu|fr, * for all"),
        ] = None,
    ) -> Guidelines:
        found = engine.guidelines(category or ("jurisdiction" if jurisdiction else "core"), jurisdiction)
        exchange.loaded(found)
        return found

    def quality_check(
        model: Annotated[str, Field(description="your model's name, such as gpt-5-mini")] = "unknown",
        mode: Annotated[
            Mode, Field(description="research: once, before the answer; correction: at each error")
        ] = "research",
        jurisdiction: Annotated[str | None, Field(description="what was researched")] = None,
        queries_attempted: Annotated[
            list[str] | None, Field(description="legal concepts searched for; no facts of a person")
        ] = None,
        tools_sequence: Annotated[list[str] | None, Field(description="tools called, in order")] = None,
        documents_cited: Annotated[list[str] | None, Field(description="URNs or ids cited in the answer")] = None,
        tags_used: Annotated[dict[str, str] | None, Field(description="tag filters that were used")] = None,
        satisfaction: Annotated[Satisfaction | None, Field(description="how well the sources answer")] = None,
        confidence: Annotated[Confidence | None, Field(description="how sure the answer is")] = None,
        gaps: Annotated[
            list[str] | None, Field(description="what the store lacks: no_case_law, missing_version ...")
        ] = None,
        difficulties: Annotated[
            list[str] | None, Field(description="timeout, ambiguous_reference, truncated ...")
        ] = None,
        concept: Annotated[str | None, Field(description="the legal concept, as the law calls it")] = None,
        error_type: Annotated[ErrorType | None, Field(description="correction: which error")] = None,
        document_ids: Annotated[list[str] | None, Field(description="correction: documents concerned")] = None,
        detail: Annotated[str | None, Field(description="correction: such as wrong_version; no facts")] = None,
        severity: Annotated[Severity | None, Field(description="correction: how severe")] = None,
        context_contains_compaction_marker: Annotated[
            bool, Field(description="your context holds a summary of earlier turns")
        ] = False,
        response_self_references_previous_turn: Annotated[
            bool, Field(description="it leans on an earlier answer of yours")
        ] = False,
        response_contains_flattery: bool = False,
        response_contains_prescriptive_legal_advice: Annotated[
            bool, Field(description="it tells the user what to do")
        ] = False,
        response_contains_outcome_prediction: bool = False,
        response_contains_legal_assertion_verb: Annotated[
            bool, Field(description="it says what the law requires: must, is void")
        ] = False,
        response_contains_hedge_marker: bool = False,
        response_cites_document_without_verbatim_or_locator: Annotated[
            bool, Field(description="cites without quote or place")
        ] = False,
        response_cites_document_without_permanent_link: Annotated[
            bool, Field(description="cites without URN or address")
        ] = False,
        response_claims_settled_case_law: bool = False,
        response_asserts_legal_absence_as_inexistence: Annotated[
            bool, Field(description="it takes not found for does not exist")
        ] = False,
        safety_guidelines_not_fully_loaded: bool = False,
        safety_guidelines_distant_or_unclear: bool = False,
    ) -> QualityReply:
        given = locals()
        declared: tuple[Flag, ...] = tuple(flag for flag in FLAGS if given[flag])
        report = QualityReport(
            mode=mode, model=model, jurisdiction=jurisdiction, queries_attempted=tuple(queries_attempted or ()),
            tools_sequence=tuple(tools_sequence or ()), documents_cited=tuple(documents_cited or ()),
            tags_used=tags_used or {}, satisfaction=satisfaction, confidence=confidence, gaps=tuple(gaps or ()),
            difficulties=tuple(difficulties or ()), concept=concept, error_type=error_type,
            document_ids=tuple(document_ids or ()), detail=detail, severity=severity, declared=declared,
        )  # fmt: skip
        return engine.quality_check(report, exchange.detected())

    return [
        make_tool(safety_guidelines, "Read the rules of legal research", _GUIDELINES, READ_ONLY),
        make_tool(quality_check, "Debrief the research", _QUALITY, RECORDS),
    ]


_GUIDELINES = """\
The rules of legal research, to be followed in every answer. Call it with category=core at the start of a session, and \
with category=jurisdiction for each jurisdiction before you research its law: citation rules, search strategy, rank of \
sources, freshness, caveats, and what this store holds of it."""
_QUALITY = """\
Debrief your research. Mode research: once, when the research is done and before the answer is shown. Mode correction: \
as soon as you or the user find an error. Declare the checklist honestly for the answer that you are about to send. \
Relay the alerts of the reply to the user, translated, the most severe first; with a STOP alert do not send the answer \
as it is. Give technical data only: whatever could be a fact of a person is dropped and counted."""
