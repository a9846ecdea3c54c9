"""`quality_check`: a caller's debrief reduced to closed vocabulary, its alerts, and what is recorded of it.

    report -> sizes checked -> reduced to codes, public terms and known documents -> alerts -> record -> sinks

Whatever no vocabulary holds is counted and gone; neither a reply, a log nor a message repeats it. `Quality` is what an
`Engine` offers of it, and of the guidelines.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Literal

from rag import clock
from rag.answering.answer import Answer
from rag.jurisdictions.registry import all_jurisdictions
from rag.languages.registry import term_rules
from rag.settings import Settings
from rag.store.database import Database
from rag.telemetry.quality.checklist import alerts_of, detect_in_answer, highest, relay_of
from rag.telemetry.quality.guidelines import Guidelines, guidelines
from rag.telemetry.quality.model import (
    FLAGS,
    Detected,
    QualityAlert,
    QualityRecord,
    QualityReply,
    QualityReport,
    Satisfaction,
)
from rag.telemetry.quality.records import record_quality
from retrieval.cluster import send_each
from retrieval.entry_points.phrases import normalise_phrase
from retrieval.entry_points.request import chosen_jurisdictions
from retrieval.errors import InputError, StoreError
from retrieval.nodes import Connection, stored_jurisdictions
from retrieval.paths import canonical_jurisdiction
from retrieval.queries import QUERIES

# The closed vocabularies: what free text is reduced to before anything is kept or said back. A caller's sentence never
# passes: it leaves the codes whose words it holds, and is gone.

TOOLS = frozenset({
    "search", "get_document", "browse_structure", "safety_guidelines", "quality_check", "get_context", "ask",
    "verify_citations", "resolve_case", "list_documents",
})  # fmt: skip
TAG_KEYS = frozenset({
    "jurisdiction", "kind", "source", "language", "type", "document_form", "court_level", "enforcement_status",
    "importance_level", "formation_solemnity", "content_quality", "court", "formation", "nature", "structure_type",
    "code", "title", "part", "official_grade", "edges", "discover", "at_date", "date_from", "date_to",
})  # fmt: skip
KINDS = frozenset({"legislation", "decision", "record", "notice"})

# code -> the words that name it in a sentence, in English; a caller may also give the code itself.
GAPS: Mapping[str, str] = {
    "no_result": r"no (?:results?|hits?|match\w*)|zero (?:results?|hits?)|nothing (?:was )?found|not found",
    "no_case_law": r"case[ -]law|decisions?|judgments?|opinions?|jurisprudence",
    "no_statute": r"statutes?|legislation|acts?|codes?|provisions?",
    "no_regulation": r"regulations?|decrees?|ordinances?|rules",
    "no_definition": r"definitions?|defined",
    "no_commentary": r"commentar\w*|doctrine|guidance|circulars?|literature",
    "missing_version": r"versions?|historical|history|earlier text|older|amendments?|dates?",
    "outdated_text": r"outdated|out of date|stale|not current|old text",
    "missing_jurisdiction": r"jurisdictions?|states?|countr(?:y|ies)|local law|regional",
    "missing_language": r"languages?|translations?",
    "missing_annex": r"annex\w*|schedules?|appendi\w*|tables?|forms?",
    "missing_procedure": r"procedur\w*|deadlines?|time limits?|remed(?:y|ies)",
}
DIFFICULTIES: Mapping[str, str] = {
    "timeout": r"time[ -]?outs?|timed out|slow|deadline exceeded",
    "tool_error": r"errors?|failed|failure|exceptions?|crash\w*",
    "too_many_results": r"too many|noisy|noise|irrelevant",
    "too_few_results": r"too few|no results?|zero results?|empty",
    "ambiguous_reference": r"ambiguous|several candidates|unclear reference|disambiguat\w*",
    "reference_not_resolved": r"not resolved?|unresolved|could not resolve|unknown reference",
    "truncated": r"truncat\w*|cut off|too long|too large|pages?|paging|pagination",
    "filter_unclear": r"filters?|tags?|operators?|parameters?|arguments?",
    "structure_unclear": r"structure|hierarch\w*|table of contents|browse",
    "text_quality": r"ocr|encoding|garbled|typos?|broken text",
    "halted_by_override": r"halt\w*|overrid\w*|enjoined|void",
    "language_barrier": r"languages?|translat\w*",
    "unavailable": r"unavailable|database|offline|connection",
}
ERROR_DETAILS: Mapping[str, str] = {
    "invented": r"invented|fabricated|hallucinat\w*|does not exist|non-?existent",
    "wrong_number": r"wrong (?:number|section|article|paragraph)|number",
    "wrong_law": r"wrong (?:law|act|code|statute|title)",
    "wrong_version": r"versions?|amend\w*|at the date|earlier text",
    "no_longer_in_force": r"repeal\w*|abrogat\w*|expired|no longer in force|superseded",
    "not_yet_in_force": r"not yet in force|future",
    "other_jurisdiction": r"jurisdictions?|other (?:state|country)|federal|foreign",
    "misquoted": r"misquot\w*|quot\w*|verbatim",
    "meaning_changed": r"paraphras\w*|meaning|negation|omitted|left out|exception",
    "wrong_court": r"courts?|judges?",
    "wrong_date": r"dates?|years?",
    "overridden": r"overrid\w*|enjoined|vacated|struck down|unconstitutional",
    "translation": r"translat\w*|languages?",
}
_MODEL_WORDS = frozenset({
    "gpt", "o1", "o3", "o4", "chatgpt", "codex", "oss", "claude", "opus", "sonnet", "haiku", "gemini", "gemma",
    "flash", "pro", "ultra", "nano", "mini", "lite", "llama", "maverick", "scout", "mistral", "mixtral", "ministral",
    "magistral", "codestral", "devstral", "large", "medium", "small", "tiny", "qwen", "qwq", "deepseek", "r1", "v2",
    "v3", "v4", "chat", "coder", "reasoner", "command", "a", "r", "plus", "grok", "phi", "nova", "micro", "premier",
    "jamba", "yi", "kimi", "k2", "glm", "falcon", "granite", "olmo", "nemotron", "hermes", "instruct", "it", "base",
    "turbo", "preview", "latest", "exp", "experimental", "vision", "thinking", "reasoning", "high", "low", "max",
    "fast", "4o", "realtime", "openai", "anthropic", "google", "meta", "mistralai", "xai", "microsoft", "amazon",
    "cohere", "models", "extractive", "lexscope", "none", "us", "eu", "bedrock", "vertex", "azure", "ollama", "gguf",
    "q4", "q8", "fp8", "awq", "moe",
})  # fmt: skip
_MODEL_SIZE = re.compile(r"(?:\d{1,3}(?:\.\d)?[bmk]|\d{1,2}x\d{1,3}b|v?\d{1,2}(?:\.\d{1,2})?)\Z")
OTHER_MODEL = "other"
_NOTHING_TOLD = (
    "report: it tells nothing, so that only text that this server served was checked. Send queries_attempted, "
    "documents_cited (the URNs of the answer) and each flag of the checklist that is true of the answer."
)
NOTHING_TO_CHECK = (
    "There is nothing to check: no query, document, flag or error was reported, and no answer was served. Call it when "
    "the research is done, with what was searched and cited and the checklist of the answer. Nothing was recorded."
)


def codes_in(texts: Iterable[str], vocabulary: Mapping[str, str]) -> tuple[list[str], int]:
    """The codes that texts name or hold words of, sorted, and how many of the texts held none."""
    found: set[str] = set()
    lost = 0
    for text in texts:
        here = {
            code for code, words in vocabulary.items() if re.search(rf"\b(?:{code}|{words})\b", text, re.IGNORECASE)
        }
        found |= here
        lost += not here
    return sorted(found), lost


def model_name(given: str) -> str:
    """A model's name where every part of it is one that model names have; `other` for any other text.

    Numbers pass as versions, sizes and dates of release only, so that no other number does.
    """
    name = given.strip().lower()
    parts = re.split(r"[-_:/@ ]|(?<=[a-z])\.(?=[a-z])", name)
    numbers = 0
    words = 0
    for part in parts:
        if part in _MODEL_WORDS:
            words += 1
            continue
        numbers += 1
        if not (part.isascii() and (_MODEL_SIZE.match(part) or _is_release(part))):
            return OTHER_MODEL
    return name if words and numbers <= 3 and len(parts) <= 8 else OTHER_MODEL


def _is_release(part: str) -> bool:
    """Whether digits are a day (20260115), a month and day (0115), a year and month (2411) or a year of releases."""
    if not part.isdigit():
        return False
    try:
        if len(part) == 8:
            return 2018 <= date(int(part[:4]), int(part[4:6]), int(part[6:])).year <= 2040
        if len(part) == 4:
            if 2018 <= int(part) <= 2040 or (18 <= int(part[:2]) <= 40 and 1 <= int(part[2:]) <= 12):
                return True
            return date(2024, int(part[:2]), int(part[2:])).year == 2024
    except ValueError:
        return False
    return False


def tag_words(tags: Mapping[str, str]) -> tuple[list[str], int]:
    """The known keys of tag filters, `kind` and `language` with their values, and how many entries were not known."""
    kept: list[str] = []
    lost = 0
    for key, value in tags.items():
        name = key.strip().lower()
        if name not in TAG_KEYS:
            lost += 1
        elif name == "kind":
            kept += [f"kind={kind}" for kind in sorted(KINDS & set(value.lower().removeprefix("!=").split("|")))] or [
                "kind"
            ]
        elif name == "language" and re.fullmatch(r"[a-z]{2}", value.strip(), re.ASCII):
            kept.append(f"language={value.strip()}")
        else:
            kept.append(name)
    return sorted(set(kept)), lost


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
    tools = [tool for tool in report.tools_sequence if tool in TOOLS]
    lost["tools_sequence"] = len(report.tools_sequence) - len(tools)
    if len(tools) > MAX_STEPS:
        warnings.append(f"tools_sequence: the first {MAX_STEPS} of {len(tools)} steps are kept.")
    cited, others, unknown = _documents(conn, [*report.documents_cited, *report.document_ids], stored)
    tags, lost["tags_used"] = tag_words(report.tags_used)
    gaps, lost["gaps"] = codes_in(report.gaps, GAPS)
    difficulties, lost["difficulties"] = codes_in(report.difficulties, DIFFICULTIES)
    detail, lost["detail"] = codes_in([report.detail] if report.detail else [], ERROR_DETAILS)
    model = model_name(report.model)
    lost["model"] = int(model == OTHER_MODEL and report.model != "unknown")  # as where none is given
    warnings += [
        f"{name}: {count} not kept, since no closed vocabulary holds it." for name, count in lost.items() if count
    ]
    if unknown:
        warnings.append(f"documents: {unknown} unknown to this store; cite documents by the URN that a tool returned.")

    alerts = alerts_of(
        report.declared,
        detected,
        # What nobody told is not taken for uncited.
        cites=bool(cited or others or unknown) or _says_nothing(report),
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
        declared=[flag for flag in FLAGS if flag in report.declared],
        detected=[flag for flag in FLAGS if detected.get(flag)],
        not_detected=[flag for flag in FLAGS if detected.get(flag) is False],
        highest_alert_severity=highest(alerts),
        dropped_fields=sum(lost.values()),
    )
    return record, alerts, warnings


def _says_nothing(report: QualityReport) -> bool:
    """Whether a report tells of no search, no citation, no answer and no error."""
    return report == QualityReport(mode=report.mode, model=report.model, jurisdiction=report.jurisdiction)


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
    grammars = {jurisdiction.code for jurisdiction in all_jurisdictions()}
    try:
        if wanted.strip().startswith(("*", "!")):
            return chosen_jurisdictions(wanted, stored)[0]
        codes = [canonical_jurisdiction(code) for code in wanted.split("|")]
    except InputError:
        codes = [""]
    # A subdivision that nobody knows could be anything; what it lies in is kept.
    known = [
        next((wider for wider in (code, code.partition("-")[0]) if wider in grammars or wider in stored), "")
        for code in codes
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
            texts = [str(entry) for entry in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
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
    known = {str(row[0]) for row in send_each(conn, QUERIES["find_public_terms"], values).fetchall()}
    kept = sorted(set[str]().union(*(known & spelling for spelling in spellings)))
    return kept, sum(not known & spelling for spelling in spellings)


def _spellings(text: str, *, whole: bool) -> set[str]:
    """The spellings under which a store may hold the terms of a text: its runs of words, normalised."""
    words = normalise_phrase(text).split()[:200]
    sizes = [len(words)] if whole else range(1, LONGEST_TERM + 1)
    runs = {" ".join(words[at : at + size]) for size in sizes for at in range(len(words) - size + 1)}
    return {term_rules(language).normalise(run) for language in _LANGUAGES for run in runs if run}


def _documents(conn: Connection, ids: Sequence[str], stored: Sequence[str]) -> tuple[list[str], int, int]:
    """URNs of the legislation among documents, how many are known of other kinds, and how many unknown."""
    asked = sorted({id_.strip() for id_ in ids if id_.strip()})
    if not asked:
        return [], 0, 0
    found = conn.execute(QUERIES["find_known_documents"], {"asked": asked, "jurisdictions": list(stored)}).fetchall()
    laws = sorted({str(urn) for _, urn, kind in found if kind == "legislation"})
    others = sum(kind != "legislation" for _, _, kind in found)
    return laws, others, len(asked) - len(found)


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
        if _says_nothing(report) and not set(detected or {}) - {"safety_guidelines_not_fully_loaded"}:
            return QualityReply(
                highest_alert_severity=None, alerts=[], relay=NOTHING_TO_CHECK, recorded=False,
                kept=record.model_copy(update={"highest_alert_severity": None}), warnings=warnings,
            )  # fmt: skip
        warnings += [_NOTHING_TOLD] if _says_nothing(report) else []
        if self.settings.telemetry == "off":
            return reply_of(record, alerts, [*warnings, _NOT_RECORDED], recorded=False)
        try:
            record_quality(self.database, record, self.settings.telemetry_file)
        except (StoreError, OSError) as error:
            logger.warning("quality check not stored: %s", type(error).__name__)
            return reply_of(record, alerts, [*warnings, _FAILED], recorded=False)
        return reply_of(record, alerts, warnings, recorded=True)

    def record_ask(self, answer: Answer, jurisdictions: list[str]) -> None:
        """Record one answer of the engine's own, with what detectors find in its text; a failure costs the record."""
        if self.settings.telemetry == "off":
            return
        complete: Satisfaction = "partial" if answer.withheld or answer.unanswered else "sufficient"
        reason = answer.refusal.reason if answer.refusal else ""
        report = QualityReport(
            mode="research",
            model="lexscope-extractive" if answer.provider == "extractive" else answer.model,
            jurisdiction="|".join(jurisdictions) or None,
            tools_sequence=("ask",),
            documents_cited=tuple(
                dict.fromkeys(
                    cited.urn
                    for statement in (*answer.statements, *answer.definitions, *answer.limits, *answer.rest)
                    for cited in statement.citations
                )
            ),
            satisfaction=complete if answer.status == "answered" else "insufficient",
            gaps=("no_result",) if reason in ("no_entry_point", "insufficient_context") else (),
            difficulties=(_DIFFICULTY[reason],) if reason in _DIFFICULTY else (),
        )
        try:
            with self.database.read() as conn:
                record, _, _ = debrief(
                    conn, report, today=clock.today(), detected=detect_in_answer(answer), origin="engine"
                )
            record_quality(self.database, record, self.settings.telemetry_file)
        except (StoreError, OSError) as error:
            logger.warning("quality check not stored: %s", type(error).__name__)
