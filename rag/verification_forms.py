"""The forms in which a claim and its norm may be compared. Each says what the law says, or follows from it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag.verification_checks import MAX_PARAPHRASE
from rag.verification_moves import moved, unfronted, with_conjunction
from rag.verification_parts import stated_part
from rag.verification_pronouns import explain_pronouns

_MOST_PRONOUNS = 2_000  # characters of a norm whose pronouns are looked up in a claim


@dataclass(frozen=True, slots=True)
class Form:
    """A claim and a norm in one of the forms in which they may be compared."""

    claim: str
    norm: str
    served: str  # the claim as a reader would see it
    part: bool = False  # the norm says less than its sentences
    explained: bool = False  # pronouns were read as the nouns they stand for
    turned: bool = False  # a part stands elsewhere, and no comma tells what it belongs to


def forms(text: str, norms: Sequence[str], language: str, quotes: Sequence[str], *, listed: bool) -> Iterator[Form]:
    """The plain forms first; then those with pronouns explained, with what a claim may leave out gone.

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
    claims = [*plain]
    for norm in norms:
        explained = explain_pronouns(text, norm, language)
        if explained is not None:
            claims.append(Form(explained.compared, norm, explained.served, explained=True))
        # `If the worker has worked` of a law that says `if he has worked`.
        if max(len(text), len(norm)) <= _MOST_PRONOUNS and (law := explain_pronouns(norm, text, language)) is not None:
            claims.append(Form(text, law.compared, text, explained=True))
    claims += [replace(form, claim=one) for form in claims if (one := with_conjunction(form.claim, language))]
    claims += [replace(form, norm=one) for form in claims if (one := with_conjunction(form.norm, language))]
    yield from claims[len(plain) :]
    parts = [
        replace(form, norm=part, part=True)
        for form in claims
        if (part := stated_part(form.claim, form.norm, language, quotes, listed=listed)) is not None
    ]
    yield from parts


def with_parts_moved(form: Form, language: str) -> Iterator[Form]:
    """A form with a clause put where the other text has it; for those in which the same words stand elsewhere."""
    if max(len(form.claim), len(form.norm)) > MAX_PARAPHRASE:
        return
    for pair in moved(form.claim, form.norm, language):
        yield replace(form, claim=pair.claim, norm=pair.norm, turned=pair.loose)
    if (claim := unfronted(form.claim, form.norm, language)) is not None:
        yield replace(form, claim=claim, turned=True)
    if (norm := unfronted(form.norm, form.claim, language)) is not None:
        yield replace(form, norm=norm, turned=True)
