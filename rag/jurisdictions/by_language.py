"""Law of a country without a module, read by what countries of one language have in common.

Statutes of one language share how they define, except and point within themselves: "subsection (2)", "§ 5 Abs. 2",
"l'article 3 de la présente loi". What they call other laws is each country's own. So only references that stay within
the law itself are taken, and readers are told (`reading_note`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.registry import language_rules
from rag.law.jurisdiction import FoundReference, Jurisdiction, ReferenceContext
from retrieval.tag_query import TagQuery

# The country whose grammar reads law of a language that comes from elsewhere.
_READERS = {"de": "de", "fr": "fr", "en": "gb", "ja": "jp"}


_STATE = re.compile(r"\s\((?:Cw?l?th|NSW|Vic|Qld|WA|SA|Tas|ACT|NT)\)")


@dataclass(frozen=True, slots=True)
class ReadByLanguage:
    """A jurisdiction of which only the language is known."""

    code: str
    language: str
    name: str = ""
    supports_annotation: bool = True
    examples: tuple[tuple[str, tuple[str, ...]], ...] = ()
    query_examples: tuple[tuple[str, tuple[TagQuery, ...]], ...] = ()

    @property
    def main_levels(self) -> Mapping[str, str]:
        """As where its reader is at home: what an interpretation section without a phrase governs."""
        return jurisdiction_for(_READERS[self.language]).main_levels

    def document_urn(self, urn: str) -> str:
        """Unknown for law without a module."""
        return ""

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """The references of a text; those that leave the law it is in have no URN, for they are another's form."""
        found = jurisdiction_for(_READERS[self.language]).find_references(text, here)
        found = [_with_state(reference, text) for reference in found]
        own = here.index.corpus_urn if here is not None else None
        return [_within(reference, own) for reference in found]

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """None: nothing says how this law is cited."""
        return []


def _with_state(found: FoundReference, text: str) -> FoundReference:
    """A reference with what states of a federation put behind the name of a law: "Marine Act 1982 (WA)"."""
    behind = _STATE.match(text, found.end) if found.text[-4:].isdigit() else None
    return found if behind is None else replace(found, end=behind.end(), text=text[found.start : behind.end()])


def _within(found: FoundReference, own: str | None) -> FoundReference:
    """A reference with only its targets in the law `own`."""
    inside = [own is not None and f"{part.urn}:".startswith(f"{own}:") for part in found.parts]
    if all(inside):
        return found
    parts = tuple(part if kept else replace(part, urn="") for part, kept in zip(found.parts, inside, strict=True))
    return replace(found, parts=parts, kind=found.kind if any(inside) else "external", confident=False)


def annotating(jurisdiction: Jurisdiction, language: str) -> Jurisdiction | None:
    """What reads the law of a jurisdiction in a language: its module, else the language alone; None without either."""
    if language_rules(language) is None:
        return None
    if jurisdiction.supports_annotation:
        return jurisdiction
    return ReadByLanguage(jurisdiction.code, language) if language in _READERS else None


def reading_note(jurisdiction: Jurisdiction, language: str) -> str:
    """What readers of this law must know of how it was read; empty where its own module read it."""
    reader = annotating(jurisdiction, language)
    if reader is jurisdiction:
        return ""
    if reader is not None:
        return (
            f"no module knows jurisdiction {jurisdiction.code}: definitions, exceptions and references within the law "
            f"were found by general rules of the language {language}; references to other law were not looked for"
        )
    known = language_rules(language) is not None
    unknown = f"jurisdiction {jurisdiction.code}" if known else f"the language {language}"
    return f"definitions, references and exceptions were not looked for: no module knows {unknown}"
