"""The extractive answer to a question for what a term means: the sentence that defines it, of each definition found."""

from __future__ import annotations

from rag.answering.extractive.draft import answering_sentences
from rag.answering.lists import whole
from rag.languages.registry import language_of, term_rules
from rag.law.term_uses import TermIndex
from rag.verification.draft import Draft, DraftClaim
from retrieval.model import Block, ScopedContext

_QUOTES = "“”\"‘’'«»‹›„‚「」『』"


def draft_meaning(context: ScopedContext, term: str, language: str) -> Draft:
    """The defining sentence of each rule of a context, whole with its list.

    Args:
        context: its targets are nodes that define the term.
        term: normalised.
        language: of the law.
    """
    claims: list[DraftClaim] = []
    for rule in dict.fromkeys(context.targets):
        own = [block for block in context.blocks if block.role == "rule" and block.text and _lies_in(block.urn, rule)]
        defining = ((block, text) for block in own if (text := _defining(block, term, language)))
        block, sentence = next(defining, (None, ""))
        if block is not None:
            claims.append(whole(block, sentence, context.blocks, language))
    return Draft.of_claims(dict.fromkeys(claims))


def _lies_in(urn: str, rule: str) -> bool:
    return f"{urn}:".startswith(f"{rule}:")


def _defining(block: Block, term: str, language: str) -> str:
    """The sentence of a block that defines the term, else the first that names it, else the first.

    One that defines a term has it in quotation marks, or begins as definitions do.
    """
    sentences = answering_sentences(block, language)
    index, defines = TermIndex((term,), term_rules(language)), language_of(language).lists.defines
    uses = {sentence: index.find(sentence, heading=True) for sentence in sentences}
    naming = [sentence for sentence in sentences if uses[sentence]]
    quoting = [one for one in naming if any(_quoted(one, start, end) for start, end, _ in uses[one])]
    defining = [one for one in naming if defines.search(one)]
    return next(iter([*quoting, *defining, *naming, *sentences]), "")


def _quoted(text: str, start: int, end: int) -> bool:
    before, after = text[:start].rstrip()[-1:], text[end:].lstrip()[:1]
    return bool(before and after) and before in _QUOTES and after in _QUOTES
