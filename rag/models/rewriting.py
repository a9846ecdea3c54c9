"""One call that turns a question in everyday words into the terms by which a statute would treat the matter.

The terms are looked for beside the question's own words, as those of a thesaurus are. They are in the trace and never
reach a prompt that drafts or judges: what is searched may come from a model, and what is said may not.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from string import Template
from typing import TYPE_CHECKING, Protocol, cast

from rag.models.drafting import Declined, closed_object, read_output
from rag.models.prompting import LANGUAGES, read_prompt
from retrieval.errors import ProviderError
from retrieval.paths import is_urn
from retrieval.providers.openai import unusable
from retrieval.strict_json import JsonRefused, member

if TYPE_CHECKING:
    from rag.models.openai import OpenAIModel

MOST_TERMS = 8
MAX_TERM = 80  # characters
SECONDS = 15.0  # a search waits no longer for it
_WORD = re.compile(r"[^\W\d_]{2,}")


class Rewriter(Protocol):
    """What names the statutory terms for a question."""

    @property
    def name(self) -> str:
        """Provider and model, for traces."""
        ...

    def terms(self, question: str, language: str) -> list[str]:
        """The terms, best first, at most `MOST_TERMS`; none where nothing comes to mind.

        Args:
            language: of the law searched, ISO 639-1.

        Raises:
            ProviderError: no usable reply came.
        """
        ...


class ModelRewriter:
    """A rewriter over a model behind OpenAI's API or a compatible one. Safe to share by threads."""

    def __init__(self, model: OpenAIModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """Provider and model."""
        return f"{self._model.provider} {self._model.model}"

    def terms(self, question: str, language: str) -> list[str]:
        """The terms; see `Rewriter.terms`."""
        from rag.models.openai import Call  # replay reads replies and has no client

        instructions, text = rewrite_prompt(question, language)

        def read(reply: str) -> list[str]:
            return read_terms(reply, provider=self._model.provider)

        done = self._model.complete(Call(instructions, text, "terms", terms_schema(), read, SECONDS))
        if isinstance(done, Declined):
            raise unusable(self._model.provider, "declined", done.request_id)
        return done.value


def rewrite_prompt(question: str, language: str) -> tuple[str, str]:
    """Instructions and input, byte for byte the same for the same question and language."""
    file = read_prompt("rewrite")
    fence = f"=== {hashlib.sha256(question.encode('utf-8', 'replace')).hexdigest()[:16]}"
    values = {"language": LANGUAGES.get(language, language), "fence": fence, "question": question}
    instructions = Template(file.parts["instructions"].strip()).substitute(most=MOST_TERMS)
    return instructions, Template(file.parts["input"]).substitute(values)


def terms_schema() -> dict[str, object]:
    """The strict JSON schema of a reply."""
    return closed_object({"terms": {"type": "array", "items": {"type": "string"}}})


def read_terms(text: str, *, provider: str = "model") -> list[str]:
    """The terms of a reply; see `usable_terms`.

    Raises:
        ProviderError: the reply is cut, not JSON or not of the schema.
    """
    try:
        value = member(read_output(text), "terms")
    except JsonRefused as refused:
        raise unusable(provider, refused.reason) from None
    if not isinstance(value, list):
        raise unusable(provider, "not of the schema")
    return usable_terms(cast("list[object]", value))


def usable_terms(values: Sequence[object]) -> list[str]:
    """Those that can be searched for, at most `MOST_TERMS`; what is too long, no word, or a URN is left out."""
    out: list[str] = []
    for value in values:
        term = " ".join(unicodedata.normalize("NFC", value).split()) if isinstance(value, str) else ""
        if term and len(term) <= MAX_TERM and term.isprintable() and _WORD.search(term) and not is_urn(term):
            out.append(term)
    return list(dict.fromkeys(out))[:MOST_TERMS]


def rewritten(rewriter: Rewriter | None, question: str, language: str) -> tuple[list[str], list[str]]:
    """The terms for a question, and what to say where none came: a search goes on without."""
    if rewriter is None:
        return [], []
    try:
        return rewriter.terms(question, language), []
    except ProviderError as error:
        return [], [f"rewriting: skipped ({error.code})"]
