"""What an `Engine` offers for quality_check and the guidelines."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from rag import clock
from rag.answering.answer import Answer
from rag.settings import Settings
from rag.store.database import Database
from rag.telemetry.quality.checklist import detect_in_claims
from rag.telemetry.quality.debrief import debrief, reply_of
from rag.telemetry.quality.guidelines import Guidelines, guidelines
from rag.telemetry.quality.model import Detected, QualityReply, QualityReport, Satisfaction
from rag.telemetry.quality.records import record_quality
from retrieval.errors import StoreError

logger = logging.getLogger(__name__)

_DIFFICULTY: Mapping[str, str] = {
    "legal_override": "halted_by_override",
    "not_found": "reference_not_resolved",
    "provider_timeout": "timeout",
    "provider_error": "unavailable",
    "provider_rejected": "tool_error",
}
_NOT_RECORDED = "telemetry: not recorded, since the setting `telemetry` is off."
_FAILED = "telemetry: not recorded; the store or the file could not be written."


class Quality:
    """Guidelines, and the records of research made of a store; `Engine.quality`."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self.database = database
        self.settings = settings

    def guidelines(self, category: str, jurisdiction: str | None = None) -> Guidelines:
        """The rules of legal research; see `rag.guidelines.guidelines`."""
        with self.database.read() as conn:
            return guidelines(conn, category, jurisdiction)

    def check(self, report: QualityReport, detected: Detected | None = None) -> QualityReply:
        """Debrief a piece of research: alerts to relay, and a record without anything that a user said.

        Args:
            report: what the caller declares.
            detected: what detectors found in text that was served to this caller.

        Raises:
            InputError: a field cannot be used; see `rag.quality.debrief`.
            StoreError: the store cannot be read.
        """
        with self.database.read() as conn:
            record, alerts, warnings = debrief(conn, report, today=clock.today(), detected=detected or {})
        if self.settings.telemetry == "off":
            return reply_of(record, alerts, [*warnings, _NOT_RECORDED], recorded=False)
        try:
            record_quality(self.database, record, self.settings.telemetry_file)
        except (StoreError, OSError) as error:
            logger.warning("quality check not stored: %s", type(error).__name__)
            return reply_of(record, alerts, [*warnings, _FAILED], recorded=False)
        return reply_of(record, alerts, warnings, recorded=True)

    def record_ask(self, answer: Answer, jurisdictions: list[str]) -> None:
        """Record one answer of the engine's own, with what detectors find in its claims; a failure costs the record."""
        if self.settings.telemetry == "off":
            return
        complete: Satisfaction = "partial" if answer.withheld or answer.unanswered else "sufficient"
        reason = answer.refusal.reason if answer.refusal else ""
        report = QualityReport(
            mode="research",
            model="lexscope-extractive" if answer.provider == "extractive" else answer.model,
            jurisdiction="|".join(jurisdictions) or None,
            tools_sequence=("ask",),
            documents_cited=tuple(dict.fromkeys(cited.urn for claim in answer.statements for cited in claim.citations)),
            satisfaction=complete if answer.status == "answered" else "insufficient",
            gaps=("no_result",) if reason in ("no_entry_point", "insufficient_context") else (),
            difficulties=(_DIFFICULTY[reason],) if reason in _DIFFICULTY else (),
        )
        try:
            with self.database.read() as conn:
                record, _, _ = debrief(
                    conn, report, today=clock.today(), detected=detect_in_claims(answer.statements), origin="engine"
                )
            record_quality(self.database, record, self.settings.telemetry_file)
        except (StoreError, OSError) as error:
            logger.warning("quality check not stored: %s", type(error).__name__)
