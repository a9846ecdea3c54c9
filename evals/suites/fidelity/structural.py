"""Truth-known mutants of a claim's citations: the claim stays true, what it rests on does not."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from evals.suites.fidelity.norms import Norm
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.model import Evidence, EvidenceBlock, Reason
from retrieval.paths import parse_urn

MAX_CLAIM = 8_000
Mutant = tuple[DraftClaim, Evidence]


@dataclass(frozen=True, slots=True)
class CitationMutator:
    """One kind of bad citation, with the reasons of which a verifier must give one."""

    change: Callable[[Norm, random.Random], Mutant | None]
    expected: frozenset[Reason]

    @property
    def name(self) -> str:
        """The mutator's name."""
        return self.change.__name__


def _words(text: str) -> str:
    """Letters and digits only, by code that is not the verifier's."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _has(block: EvidenceBlock, quote: str) -> bool:
    return f" {_words(quote)} " in f" {_words(block.text)} "


def _cited(norm: Norm, urn: str | None = None, quote: str | None = None) -> DraftClaim:
    return DraftClaim(norm.text, (DraftCitation(urn or norm.block.urn, norm.sentence if quote is None else quote),))


def _key(urn: str) -> tuple[str, str, tuple[str, ...]]:
    parsed = parse_urn(urn)
    return parsed.jurisdiction, parsed.corpus, parsed.segments


def _known(norm: Norm, urn: str) -> bool:
    return any(_key(block.urn) == _key(urn) for block in norm.evidence.blocks)


def urn_swapped(norm: Norm, rng: random.Random) -> Mutant | None:
    """Another node of the context is cited, one that does not have the quote."""
    others = [b for b in norm.evidence.blocks if b.urn != norm.block.urn and b.text and not _has(b, norm.sentence)]
    return (_cited(norm, urn=rng.choice(others).urn), norm.evidence) if others else None


def urn_fabricated(norm: Norm, rng: random.Random) -> Mutant | None:
    """A URN that no law has."""
    head = norm.block.urn.rpartition(":")[0]
    urn = f"{head}:{rng.choice('qxz')}{rng.randint(10_000, 99_999)}"
    return None if _known(norm, urn) else (_cited(norm, urn=urn), norm.evidence)


def urn_outside(norm: Norm, rng: random.Random) -> Mutant | None:
    """A real provision of the same corpus that is not in the context, as a shadowed definition is not."""
    return (_cited(norm, urn=norm.outside), norm.evidence) if norm.outside else None


def urn_one_digit_off(norm: Norm, rng: random.Random) -> Mutant | None:
    """One digit of the URN is another one."""
    start = norm.block.urn.find(":", len("urn:lex:")) + 1
    places = [index for index in range(start, len(norm.block.urn)) if norm.block.urn[index].isdigit()]
    if not places:
        return None
    place = rng.choice(places)
    digit = str((int(norm.block.urn[place]) + rng.randint(1, 9)) % 10)
    urn = f"{norm.block.urn[:place]}{digit}{norm.block.urn[place + 1 :]}"
    reached = [block for block in norm.evidence.blocks if _key(block.urn) == _key(urn)]
    return None if any(_has(block, norm.sentence) for block in reached) else (_cited(norm, urn=urn), norm.evidence)


HOMOGLYPHS = {"e": "\u0435", "o": "\u043e", "a": "\u0430", "c": "\u0441", "s": "\u0455", "1": "\uff11", "-": "\u2010"}


def urn_homoglyph(norm: Norm, rng: random.Random) -> Mutant | None:
    """One character of the URN only looks like the right one."""
    places = [index for index, char in enumerate(norm.block.urn) if char in HOMOGLYPHS]
    place = rng.choice(places)
    urn = f"{norm.block.urn[:place]}{HOMOGLYPHS[norm.block.urn[place]]}{norm.block.urn[place + 1 :]}"
    return _cited(norm, urn=urn), norm.evidence


def citation_missing(norm: Norm, rng: random.Random) -> Mutant | None:
    """Nothing is cited."""
    return DraftClaim(norm.text, ()), norm.evidence


def second_citation_fabricated(norm: Norm, rng: random.Random) -> Mutant | None:
    """The right citation has a fabricated one beside it."""
    made = urn_fabricated(norm, rng)
    return None if made is None else (DraftClaim(norm.text, (*norm.claim.citations, *made[0].citations)), norm.evidence)


def _with_block(norm: Norm, block: EvidenceBlock) -> Evidence:
    blocks = tuple(block if shown is norm.block else shown for shown in norm.evidence.blocks)
    return Evidence(blocks, norm.evidence.at_date, norm.evidence.language)


def version_repealed(norm: Norm, rng: random.Random) -> Mutant | None:
    """The version ended on the very day of the question, the first one on which it no longer holds, or before."""
    day = norm.evidence.at_date - timedelta(days=rng.choice((0, 0, 1, 400)))
    return norm.claim, _with_block(norm, replace(norm.block, valid_from=None, valid_to=day))


def version_not_yet(norm: Norm, rng: random.Random) -> Mutant | None:
    """The version begins after the day of the question."""
    day = norm.evidence.at_date + timedelta(days=rng.choice((1, 1, 30, 400)))
    return norm.claim, _with_block(norm, replace(norm.block, valid_from=day, valid_to=None))


def version_overridden(norm: Norm, rng: random.Random) -> Mutant | None:
    """A court has struck the node."""
    return norm.claim, _with_block(norm, replace(norm.block, overridden=True))


def quote_edited(norm: Norm, rng: random.Random) -> Mutant | None:
    """One word of the quote is gone, doubled or replaced by another one of the same node."""
    words = norm.sentence.split()
    place = rng.randrange(1, len(words) - 1) if len(words) > 2 else 0
    edits = ("", f"{words[place]} {words[place]}", rng.choice(words))
    quote = " ".join(" ".join((*words[:place], rng.choice(edits), *words[place + 1 :])).split())
    return None if _has(norm.block, quote) else (_cited(norm, quote=quote), norm.evidence)


def quote_of_another_node(norm: Norm, rng: random.Random) -> Mutant | None:
    """The quote is another node's."""
    others = [b for b in norm.evidence.blocks if len(b.text.split()) > 4 and not _has(norm.block, b.text)]
    return (_cited(norm, quote=rng.choice(others).text), norm.evidence) if others else None


def quote_too_short(norm: Norm, rng: random.Random) -> Mutant | None:
    """Two words for a whole sentence."""
    words = re.findall(r"\w+", norm.sentence)
    quote = " ".join(words[:2])
    return None if len(words) < 3 or quote not in norm.sentence else (_cited(norm, quote=quote), norm.evidence)


def claim_without_words(norm: Norm, rng: random.Random) -> Mutant | None:
    """The claim says nothing."""
    return DraftClaim(rng.choice(("", " ", "...", "—")), norm.claim.citations), norm.evidence


ACTIVE = (" https://example.org/x", " [more](x)", " <b>now</b>", " \u202e", " a@example.org", "\u200b", " www.example")


def claim_with_active_content(norm: Norm, rng: random.Random) -> Mutant | None:
    """The claim carries an address, mark-up or an invisible character."""
    return DraftClaim(norm.text + rng.choice(ACTIVE), norm.claim.citations), norm.evidence


def claim_without_end(norm: Norm, rng: random.Random) -> Mutant | None:
    """The norm is said again and again, past what is compared."""
    times = MAX_CLAIM // len(norm.text) + 2
    return DraftClaim(" ".join([norm.text] * times), norm.claim.citations), norm.evidence


def language_unread(norm: Norm, rng: random.Random) -> Mutant | None:
    """A paraphrase of law in a language whose operators are not read."""
    evidence = Evidence(norm.evidence.blocks, norm.evidence.at_date, "xx")
    again = re.search(r"\w+", norm.text)
    return (DraftClaim(f"{norm.text} {again[0]}", norm.claim.citations), evidence) if again else None


def _kind(change: Callable[[Norm, random.Random], Mutant | None], *expected: Reason) -> CitationMutator:
    return CitationMutator(change, frozenset(expected))


# E9 of the metric set: not one of these may be served.
CITATION_MUTATORS: tuple[CitationMutator, ...] = (
    _kind(urn_swapped, Reason.QUOTE_NOT_IN_NODE),
    _kind(urn_fabricated, Reason.URN_NOT_IN_CONTEXT),
    _kind(urn_outside, Reason.URN_NOT_IN_CONTEXT),
    _kind(urn_one_digit_off, Reason.URN_NOT_IN_CONTEXT, Reason.QUOTE_NOT_IN_NODE),
    _kind(urn_homoglyph, Reason.URN_MALFORMED),
    _kind(citation_missing, Reason.NO_CITATION),
    _kind(second_citation_fabricated, Reason.URN_NOT_IN_CONTEXT),
    _kind(version_repealed, Reason.NOT_IN_FORCE),
    _kind(version_not_yet, Reason.NOT_IN_FORCE),
    _kind(version_overridden, Reason.OVERRIDDEN),
    _kind(quote_edited, Reason.QUOTE_NOT_IN_NODE),
    _kind(quote_of_another_node, Reason.QUOTE_NOT_IN_NODE),
    _kind(quote_too_short, Reason.QUOTE_TOO_SHORT),
    _kind(claim_without_words, Reason.EMPTY_CLAIM),
    _kind(claim_with_active_content, Reason.ACTIVE_CONTENT),
    _kind(claim_without_end, Reason.CLAIM_TOO_LONG, Reason.LANGUAGE_NOT_CHECKED),
    _kind(language_unread, Reason.LANGUAGE_NOT_CHECKED),
)
