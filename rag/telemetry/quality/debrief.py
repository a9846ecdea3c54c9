"""`quality_check`: a caller's debrief reduced to closed vocabulary, its alerts, and what is recorded of it.

    report -> sizes checked -> reduced to codes, public terms and known documents -> alerts -> record -> sinks

Whatever no vocabulary holds is counted and gone; neither a reply, a log nor a message repeats it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Literal

from rag.jurisdictions.registry import all_jurisdictions
from rag.languages.registry import term_rules
from rag.telemetry.quality.alerts import alerts_of, highest, relay_of
from rag.telemetry.quality.model import FLAGS, Detected, QualityAlert, QualityRecord, QualityReply, QualityReport
from rag.telemetry.quality.vocabulary import (
    DIFFICULTIES,
    ERROR_DETAILS,
    GAPS,
    OTHER_MODEL,
    TOOLS,
    codes_in,
    model_name,
    tag_words,
)
from retrieval.entry_points.phrases import normalise_phrase
from retrieval.entry_points.request import chosen_jurisdictions
from retrieval.errors import InputError
from retrieval.nodes import Connection, stored_jurisdictions
from retrieval.paths import canonical_jurisdiction
from retrieval.queries import QUERIES

MAX_ENTRIES = 100  # of a list
MAX_ENTRY = 2_000  # characters of one entry
MAX_STEPS = 64  # tool calls that are kept
LONGEST_TERM = 5  # words
_LANGUAGES = ("en", "fr", "de")
_RESEARCH_ONLY = (
    "queries_attempted", "tools_sequence", "documents_cited", "tags_used", "satisfaction", "confidence", "gaps",
    "difficulties", "concept",
)  # fmt: skip
_CORRECTION_ONLY = ("error_type", "document_ids", "detail", "severity")


def debrief(
    conn: Connection,
    report: QualityReport,
    *,
    today: date,
    detected: Detected,
    origin: Literal["caller", "engine"] = "caller",
) -> tuple[QualityRecord, list[QualityAlert], list[str]]:
    """What is kept of a report, its alerts, and what the caller should know.

    Args:
        conn: a read connection: known documents and public terms are looked up.
        report: as it came.
        today: the day of the record.
        detected: what detectors found, for the flags that they looked at.
        origin: who made the report.

    Raises:
        InputError: a field is too large, no valid Unicode, or names no jurisdiction.
    """
    _check_sizes(report)
    report, warnings = _of_its_mode(report)
    stored = stored_jurisdictions(conn)
    codes = jurisdictions_of(report.jurisdiction, stored)
    lost: Counter[str] = Counter()

    terms, missed = _public_terms(conn, report.queries_attempted, stored)
    lost["queries_attempted"] = missed
    concepts, missed = _public_terms(conn, [report.concept] if report.concept else [], stored, whole=True)
    lost["concept"] = missed
    tools = [one for one in report.tools_sequence if one in TOOLS]
    lost["tools_sequence"] = len(report.tools_sequence) - len(tools)
    if len(tools) > MAX_STEPS:
        warnings.append(f"tools_sequence: the first {MAX_STEPS} of {len(tools)} steps are kept.")
    cited, others, unknown = _documents(conn, [*report.documents_cited, *report.document_ids], stored)
    tags, lost["tags_used"] = tag_words(report.tags_used)
    gaps, lost["gaps"] = codes_in(report.gaps, GAPS)
    difficulties, lost["difficulties"] = codes_in(report.difficulties, DIFFICULTIES)
    detail, lost["detail"] = codes_in([report.detail] if report.detail else [], ERROR_DETAILS)
    model = model_name(report.model)
    lost["model"] = int(model == OTHER_MODEL)
    warnings += [
        f"{name}: {count} not kept, since no closed vocabulary holds it." for name, count in lost.items() if count
    ]
    if unknown:
        warnings.append(f"documents: {unknown} unknown to this store; cite documents by the URN that a tool returned.")

    alerts = alerts_of(
        report.declared,
        detected,
        cites=bool(cited or others or unknown),
        error=report.error_type,
        severity=report.severity,
    )
    record = QualityRecord(
        recorded_on=today,
        origin=origin,
        mode=report.mode,
        model=model,
        jurisdictions=codes,
        queries_attempted=len(report.queries_attempted),
        query_terms=terms,
        tools_sequence=tools[:MAX_STEPS],
        documents_cited=cited,
        documents_other=others,
        documents_unknown=unknown,
        tags_used=tags,
        satisfaction=report.satisfaction,
        confidence=report.confidence,
        gaps=gaps,
        difficulties=difficulties,
        concept=concepts[0] if concepts else None,
        error_type=report.error_type,
        detail=detail,
        severity=report.severity,
        declared=[one for one in FLAGS if one in report.declared],
        detected=[one for one in FLAGS if detected.get(one)],
        not_detected=[one for one in FLAGS if detected.get(one) is False],
        highest_alert_severity=highest(alerts),
        dropped_fields=sum(lost.values()),
    )
    return record, alerts, warnings


def reply_of(record: QualityRecord, alerts: list[QualityAlert], warnings: list[str], *, recorded: bool) -> QualityReply:
    """The block that the caller relays."""
    return QualityReply(
        highest_alert_severity=record.highest_alert_severity,
        alerts=alerts,
        relay=relay_of(alerts),
        recorded=recorded,
        kept=record,
        warnings=warnings,
    )


def jurisdictions_of(wanted: str | None, stored: Sequence[str]) -> list[str]:
    """The jurisdictions that a filter names or, with `*` or `!=`, selects of the store.

    Raises:
        InputError: malformed, or neither a grammar nor the store knows one; never repeats it.
    """
    if wanted is None or not wanted.strip():
        return []
    grammars = {one.code for one in all_jurisdictions()}
    try:
        if wanted.strip().startswith(("*", "!")):
            return chosen_jurisdictions(wanted, stored)[0]
        codes = [canonical_jurisdiction(code) for code in wanted.split("|")]
    except InputError:
        codes = [""]
    # A subdivision that nobody knows could be anything; what it lies in is kept.
    known = [
        next((one for one in (code, code.partition("-")[0]) if one in grammars or one in stored), "") for code in codes
    ]
    if not all(known):
        raise InputError("`jurisdiction` is fr, us-dc, eu|fr, *, !=eu and the like, of jurisdictions known here.")
    return sorted(set(known))


def _check_sizes(report: QualityReport) -> None:
    """Refuse what is too large or no text, naming the field and never its content."""
    for name in type(report).model_fields:
        value: object = getattr(report, name)
        texts: list[str] = []
        if isinstance(value, str):
            texts = [value]
        elif isinstance(value, tuple):
            texts = [str(one) for one in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        elif name == "tags_used":
            texts = [text for pair in report.tags_used.items() for text in pair]
        # A tag has a key and a value.
        if len(texts) > (2 * MAX_ENTRIES if name == "tags_used" else MAX_ENTRIES):
            raise InputError(f"`{name}` has more than {MAX_ENTRIES} entries.")
        if any(len(text) > MAX_ENTRY for text in texts):
            raise InputError(f"`{name}` has an entry of more than {MAX_ENTRY} characters.")
        if any("\x00" in text or any("\ud800" <= char <= "\udfff" for char in text) for text in texts):
            raise InputError(f"`{name}` holds a NUL or half a surrogate pair.")


def _of_its_mode(report: QualityReport) -> tuple[QualityReport, list[str]]:
    """The report without the fields of the other mode, and which were given."""
    others = _CORRECTION_ONLY if report.mode == "research" else _RESEARCH_ONLY
    given = [name for name in others if getattr(report, name)]
    warnings = [f"{name}: not kept, since it belongs to the other mode." for name in given]
    if report.mode == "correction" and report.error_type is None:
        warnings.append("error_type: say which error it was, so that the alert names it.")
    empty = QualityReport(mode=report.mode, model=report.model)
    return report.model_copy(update={name: getattr(empty, name) for name in given}), warnings


def _public_terms(
    conn: Connection, texts: Sequence[str], stored: Sequence[str], *, whole: bool = False
) -> tuple[list[str], int]:
    """The terms defined by legislation that texts hold (or are, with `whole`), and how many texts have none."""
    spellings = [_spellings(text, whole=whole) for text in texts]
    asked = sorted(set[str]().union(*spellings)) if spellings else []
    if not asked:
        return [], len(texts)
    values = {"jurisdictions": list(stored), "spellings": asked}
    known = {str(row[0]) for row in conn.execute(QUERIES["find_public_terms"], values)}
    kept = sorted(set[str]().union(*(known & one for one in spellings)))
    return kept, sum(not known & one for one in spellings)


def _spellings(text: str, *, whole: bool) -> set[str]:
    """The spellings under which a store may hold the terms of a text: its runs of words, normalised."""
    words = normalise_phrase(text).split()[:200]
    sizes = [len(words)] if whole else range(1, LONGEST_TERM + 1)
    runs = {" ".join(words[at : at + size]) for size in sizes for at in range(len(words) - size + 1)}
    return {term_rules(language).normalise(run) for language in _LANGUAGES for run in runs if run}


def _documents(conn: Connection, ids: Sequence[str], stored: Sequence[str]) -> tuple[list[str], int, int]:
    """URNs of the legislation among documents, how many are known of other kinds, and how many unknown."""
    asked = sorted({one.strip() for one in ids if one.strip()})
    if not asked:
        return [], 0, 0
    found = conn.execute(QUERIES["find_known_documents"], {"asked": asked, "jurisdictions": list(stored)}).fetchall()
    laws = sorted({str(urn) for _, urn, kind in found if kind == "legislation"})
    others = sum(kind != "legislation" for _, _, kind in found)
    return laws, others, len(asked) - len(found)
