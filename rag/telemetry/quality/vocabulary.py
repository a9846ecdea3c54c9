"""The closed vocabularies of `quality_check`: what free text is reduced to before anything is kept or said back.

A caller's sentence never passes: it leaves the codes whose words it holds, and is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date

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
            kept += [f"kind={one}" for one in sorted(KINDS & set(value.lower().removeprefix("!=").split("|")))] or [
                "kind"
            ]
        elif name == "language" and re.fullmatch(r"[a-z]{2}", value.strip(), re.ASCII):
            kept.append(f"language={value.strip()}")
        else:
            kept.append(name)
    return sorted(set(kept)), lost
