"""What a served sentence must not stand without: the law's own sentences beside it that limit it.

"No person may moor" is half the truth where the next sentence, a sister provision or another section says "subsection
(1) does not apply to a vessel in distress", and a state's rule is where federal law that may preempt it says otherwise.
Each sentence of a claim can be true and the answer still mislead; so code adds these sentences, word for word, however
the claim was drafted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag.extractive import block_sentences, claim_of
from rag.jurisdictions.languages import language_rules
from rag.verification import verify_claim
from rag.verification_model import CheckedCitation, CheckedClaim, Evidence, Reason
from rag.verification_tokens import stem
from retrieval.model import Block, ContextWarning, ScopedContext
from retrieval.paths import parse_urn

MOST = 6  # sentences added to one answer; the provisions of further ones are named
_RULES = frozenset({"rule", "federal", "exception"})
# How a sentence begins, or what it says, that takes something back from the one before it.
_TAKES_BACK = re.compile(
    r"""\A\W*(?:however|but|nevertheless|notwithstanding|despite|provided|except|unless|otherwise
        |toutefois|cependant|néanmoins|mais|sauf|par\sdérogation|par\sexception
        |jedoch|dennoch|abweichend|ausgenommen|es\ssei\sdenn|ただし)\b
      | \b(?:do|does|did|shall|will|may)\snot\s(?:be\s(?:deemed|construed)\sto\s)?apply\b
      | \bno\b[^.;]{0,80}\b(?:is|are)\s(?:required|needed|necessary)\b | \b(?:is|are)\snot\srequired\b
      | \bmay\s(?:keep|retain|withhold|deduct|refuse|waive|dispense|excuse|exempt)\b
      | \bne\ss['’]applique(?:nt)?\s(?:pas|point)\b | \bn['’]est\s(?:pas|point)\s(?:applicable|requis|exig|nécessaire)
      | \bne\ssont\s(?:pas|point)\s(?:applicables|requis|exig|nécessaires)
      | \b(?:gilt|gelten)\b[^.;]{0,60}\bnicht\b | \b(?:findet|finden)\b[^.;]{0,60}\bkeine\sanwendung\b
      | \b(?:ist|sind)\b[^.;]{0,60}\bnicht\s(?:anzuwenden|anwendbar|erforderlich)\b
      | \b(?:entfällt|entfallen)\b | \Aただし | この限りでない | 適用しない""",
    re.IGNORECASE | re.VERBOSE,
)
_UNIT = (
    r"(?:§{1,2}|art\.|sec\.|abs\.|(?:sections?|articles?|artikels?|rules?|regulations?|(?:sub)?paragra(?:ph|phe)s?|"
    r"absatz(?:es)?|alinéas?|chapters?|parts?|subsections?)\b)"
)


def with_companions(
    served: Sequence[CheckedClaim], context: ScopedContext, evidence: Evidence
) -> tuple[list[CheckedClaim], list[ContextWarning]]:
    """The claims of an answer, each followed by the sentences that limit it and are not told elsewhere in the answer.

    Args:
        served: verified claims, in their order.
        context: what they were verified against.
        evidence: the verifier's view of it.

    Returns:
        The claims with those added, which carry `Reason.LIMITS`; and a warning that names provisions of which a
        limiting sentence is not among them, because there are too many or because it could not be verified.
    """
    told = {(cited.urn, cited.sentence) for one in served for cited in one.citations}
    out: list[CheckedClaim] = []
    left: dict[str, None] = {}
    added = 0
    for claim in served:
        out.append(claim)
        for block, sentence in _limits(context, claim, evidence.language):
            if any(urn == block.urn and sentence in known for urn, known in told):
                continue
            checked = verify_claim(claim_of(block, sentence), evidence)
            if added == MOST or checked.level != "VERBATIM":
                left[block.urn] = None
                continue
            told.add((block.urn, sentence))
            out.append(replace(checked, reasons=(*checked.reasons, Reason.LIMITS)))
            added += 1
    if not left:
        return out, []
    message = f"Further provisions of the context limit what is said here: {', '.join(left)}. Read them too."
    return out, [ContextWarning(kind="limits", message=message)]


def _limits(context: ScopedContext, claim: CheckedClaim, language: str) -> Iterator[tuple[Block, str]]:
    """The blocks and sentences that limit a claim, nearest first."""
    blocks = [block for block in context.blocks if block.role in _RULES and block.text]
    for cited in claim.citations:
        for block in (one for one in blocks if one.urn == cited.urn):
            yield from _after(block, cited, language)
            yield from _elsewhere(block, blocks, language)
            yield from _federal(block, blocks, claim)


def _after(block: Block, cited: CheckedCitation, language: str) -> Iterator[tuple[Block, str]]:
    """The sentences that follow the cited ones and take something back, up to the first that does not."""
    place = cited.sentence_end
    for sentence in block_sentences(block, language):
        start = block.text.find(sentence, place)
        if start < 0 or block.text[place:start].strip():
            continue
        if not _TAKES_BACK.search(sentence):
            return
        yield block, sentence
        place = start + len(sentence)


def _elsewhere(block: Block, blocks: Sequence[Block], language: str) -> Iterator[tuple[Block, str]]:
    """Sentences of other provisions that set aside the block or what contains it, and name it."""
    for other in blocks:
        names = _names(block.urn, other)
        if names is not None:
            for sentence in block_sentences(other, language):
                if _sets_aside(sentence, language) and names.search(sentence):
                    yield other, sentence


def _sets_aside(sentence: str, language: str) -> bool:
    """Whether a sentence says that it goes before another provision, or that one does not apply."""
    rules = language_rules(language)
    phrases = rules.links.exceptions if rules else ()
    return any(one.kind != "subject_to" and one.pattern.search(sentence) for one in phrases)


def _names(urn: str, other: Block) -> re.Pattern[str] | None:
    """How another provision would name this one or what contains it; None where it stands around or within it.

    A sister names it by its designator alone, a provision further off by unit and number. What is in the context as
    an exception is known to name the rule: there the number is enough.
    """
    mine, yours = parse_urn(urn), parse_urn(other.urn)
    own = list(mine.segments)
    shared = 0
    if (mine.jurisdiction, mine.corpus) == (yours.jurisdiction, yours.corpus):
        least = min(len(own), len(yours.segments))
        shared = next((at for at in range(least) if own[at] != yours.segments[at]), least)
        if shared == least:
            return None
    elif other.role != "exception" or not own:
        return None
    number = rf"{re.escape(own[shared])}(?![\w-]|\.\d)"
    ways = [rf"{_UNIT}\s*\(?{number}"]
    if shared:
        ways.append(rf"\({number}\)")
    elif other.role == "exception" and re.search(r"\d", own[0]):
        ways.append(rf"(?<![\w.-]){number}")
    return re.compile("|".join(ways), re.IGNORECASE)


def _federal(block: Block, blocks: Sequence[Block], claim: CheckedClaim) -> Iterator[tuple[Block, str]]:
    """Of each federal provision that may preempt the block, the sentence with most of the claim's words."""
    if block.role != "rule":
        return
    words = _stems(claim.text)
    for other in blocks:
        if other.role != "federal" or not set(other.applies_to) & set(block.applies_to):
            continue
        sentences = block_sentences(other, "en")
        if sentences:
            yield other, max(sentences, key=lambda one: len(words & _stems(one)))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in re.findall(r"\w+", text.lower()))
