"""What helps a reader of a refusal: the language to ask in, and the provisions that came nearest."""

from __future__ import annotations

from rag.answering.answer import Refusal
from rag.languages.told import language_told
from rag.models.prompting import LANGUAGES
from retrieval.model import ScopedContext

_NO_MATCH = ("no_entry_point", "insufficient_context")


def in_its_language(refusal: Refusal | None, question: str, searched: str) -> Refusal | None:
    """A refusal for want of a match, with the language of the law where the question seems to be in another."""
    if refusal is None or refusal.reason not in _NO_MATCH or not searched:
        return refusal
    asked = language_told(question)
    if not asked or asked == searched:
        return refusal
    said, law = LANGUAGES[asked], LANGUAGES.get(searched, f"the language {searched}")
    message = f"{refusal.message} The law searched is in {law} and the question seems to be in {said}: ask in {law}."
    return refusal.model_copy(update={"message": message})


def nearest(context: ScopedContext) -> list[tuple[str, str]]:
    """The rules that a context was made for, by URN, each with the nearest heading it is under, if any."""
    return [(urn, heading_over(context, urn)) for urn in context.targets]


def heading_over(context: ScopedContext, urn: str) -> str:
    """The heading of a block, or of the nearest block around it that has one; empty where none does.

    Without it some sentences say nothing: "The conduct within this section is hunting" is under "Conduct excluded".
    """
    blocks = {block.urn: block for block in context.blocks}
    block, seen = blocks.get(urn), set[str]()
    while block is not None and not block.heading and block.parent_urn and block.urn not in seen:
        seen.add(block.urn)
        block = blocks.get(block.parent_urn)
    return block.heading if block is not None else ""
