"""The forms in which a claim and its norm may be compared. Each says what the law says, or follows from it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag.operator_languages import is_english
from rag.verification_checks import MAX_PARAPHRASE
from rag.verification_parts import stated_part
from rag.verification_pronouns import explain_pronouns

_LEADING_CLAUSE = re.compile(
    r"((?:if|when|where|whenever|unless|upon|until|in the event)\b[^,;:.]{3,600}),\s+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Form:
    """A claim and a norm in one of the forms in which they may be compared."""

    claim: str
    norm: str
    served: str  # the claim as a reader would see it
    part: bool = False  # the norm says less than its sentences
    explained: bool = False  # pronouns were read as the nouns they stand for
    turned: bool = False  # a leading clause of one of the two was put last


def forms(text: str, norms: Sequence[str], language: str, quotes: Sequence[str], *, listed: bool) -> Iterator[Form]:
    """The plain forms first; then those with pronouns explained, with what a claim may leave out gone, and turned.

    Args:
        text: the claim's words.
        norms: the whole sentences that it rests on, with and without lead-ins that they do not need.
        language: of all of them.
        quotes: the claim's quotes.
        listed: whether the norm is put together from items of a list.
    """
    plain = [Form(text, norm, text) for norm in norms]
    yield from plain
    if len(text) > MAX_PARAPHRASE or len(norms[0]) > MAX_PARAPHRASE:
        return
    claims = plain
    for norm in norms:
        explained = explain_pronouns(text, norm, language)
        if explained is not None:
            claims = [*claims, Form(explained.compared, norm, explained.served, explained=True)]
    yield from claims[len(plain) :]
    parts = [
        replace(form, norm=part, part=True)
        for form in claims
        if (part := stated_part(form.claim, form.norm, language, quotes, listed=listed)) is not None
    ]
    yield from parts
    for form in (*claims, *parts) if is_english(language) else ():
        if (norm := rotated(form.norm)) is not None:
            yield replace(form, norm=norm, turned=True)
        if (claim := rotated(form.claim)) is not None:
            yield replace(form, claim=claim, turned=True)


def rotated(text: str) -> str | None:
    """The same sentence with its one leading clause at the end; None where it has no such clause or more commas."""
    match = _LEADING_CLAUSE.match(text)
    if match is None or "," in text[match.end() :]:
        return None
    return f"{text[match.end() :].rstrip(' .')} {match[1]}."
