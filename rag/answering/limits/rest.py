"""What else the provisions say that an answer quotes a sentence of: the words around it, whatever they are.

"The appeal stays the decision." is half the truth where its provision goes on "An appeal against a suspension for
danger to health does not stay it.". Phrases find some of such sentences; no list of them finds all. So the rest of the
provision is told, word for word, up to a length, and what is longer is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from rag.answering.extractive.draft import answering_sentences, sentence_breaks
from rag.answering.limits.provisions import Grounds
from rag.answering.lists import claim_of, whole
from rag.jurisdictions.citing import cited_as
from rag.languages.sentences import sentences_of, split_at
from rag.verification.draft import DraftClaim
from rag.verification.model import CheckedClaim, Reason
from retrieval.model import Block, ContextWarning

MOST_CHARACTERS = 900  # of all that one answer adds
UNTOLD = "rest"  # kind of the warning that says how much more a provision says
_NAMED = 3  # provisions that say more, by their names

Span = tuple[int, int]  # offsets in the text of a block


def rest_of(
    stated: Sequence[CheckedClaim], told: Sequence[CheckedClaim], grounds: Grounds, named: Iterable[str] = ()
) -> tuple[list[CheckedClaim], list[ContextWarning]]:
    """The sentences of the provisions quoted that an answer does not tell yet.

    Of a list item they are those of what opens the list too.

    Args:
        stated: the statements of law that answer.
        told: all claims that a reader sees, these among them.
        named: URNs of provisions of which the reader is told already that they go on.

    Returns:
        Claims of VERBATIM sentences with `Reason.REST`, in the order of the law, together no longer than
        `MOST_CHARACTERS`: of each provision first the sentences after those told, then those before, each way up to the
        first for which there is no room; and a warning that says how much more there is.
    """
    rest = _Rest(told, grounds)
    quoted = rest.quoted(stated)
    for after in (True, False):
        for block in quoted:
            rest.take(block, after=after)
    claims = [claim for block in quoted for claim in rest.claims(block)]
    return claims, rest.warnings([block for block in quoted if block.urn not in set(named)])


class _Rest:
    """The sentences of one answer's provisions: those told, and those taken to be told with it."""

    def __init__(self, told: Sequence[CheckedClaim], grounds: Grounds) -> None:
        self.grounds, self.language, self.room = grounds, grounds.language, MOST_CHARACTERS
        self.texts = {claim.text for claim in told}
        self.told: dict[str, list[Span]] = {}
        for cited in (cited for claim in told for cited in claim.citations):
            span = min(cited.start, cited.sentence_start), max(cited.end, cited.sentence_end)
            self.told.setdefault(cited.urn, []).append(span)
        self.taken: dict[tuple[str, Span], DraftClaim] = {}
        self._known: dict[str, list[Span]] = {}
        citable = {block.urn for block in grounds.evidence.blocks if not block.overridden}
        self.blocks = {block.urn: block for block in reversed(grounds.context.blocks) if block.urn in citable}

    def quoted(self, stated: Sequence[CheckedClaim]) -> list[Block]:
        """The provisions that the statements quote, and what opens the lists that these are items of."""
        urns = dict.fromkeys(cited.urn for claim in stated for cited in claim.citations)
        found = {urn: self.blocks[urn] for urn in urns if urn in self.blocks}
        for block in [*found.values()]:
            above = self.blocks.get(block.parent_urn or "")
            while above is not None and (opening := self._opening(above, block)):
                self.told.setdefault(above.urn, []).append(opening)
                found.setdefault(above.urn, above)
                above = self.blocks.get(above.parent_urn or "")
        return [*found.values()]

    def _opening(self, above: Block, block: Block) -> Span | None:
        """The sentence before the parts of a block that is words of the lead-in of one of them."""
        end = len(above.sides[0].rstrip())
        last = next((span for span in self._spans(above) if span[1] == end), None)
        return last if last is not None and _spaced(above.text[slice(*last)]) in _spaced(block.lead_in) else None

    def _spans(self, block: Block) -> list[Span]:
        if block.urn not in self._known:
            self._known[block.urn] = self._sentences(block)
        return self._known[block.urn]

    def _sentences(self, block: Block) -> list[Span]:
        """The sentences of a block without headlines."""
        kept = set(answering_sentences(block, self.language))
        spans = sentences_of(block.text, self.language)
        pieces = (piece for span in spans for piece in split_at(block.text, span, sentence_breaks(block)))
        return [span for span in pieces if block.text[slice(*span)] in kept]

    def _is_told(self, block: Block, span: Span) -> bool:
        return any(start < span[1] and span[0] < end for start, end in self.told.get(block.urn, ()))

    def take(self, block: Block, *, after: bool) -> None:
        """Take the sentences after the first one told, or those before it, nearest first, as long as there is room."""
        spans = self._spans(block)
        first = next((place for place, span in enumerate(spans) if self._is_told(block, span)), 0)
        for span in spans[first:] if after else reversed(spans[:first]):
            if self._is_told(block, span):
                continue
            draft = whole(block, block.text[slice(*span)], self.grounds.context.blocks, self.language)
            if draft.text in self.texts:
                self.told.setdefault(block.urn, []).append(span)
                continue
            if len(draft.text) > self.room:
                return
            self.room -= len(draft.text)
            self.taken[block.urn, span] = draft

    def claims(self, block: Block) -> Iterator[CheckedClaim]:
        """What was taken of a block, verified; neighbours are one claim, but for a sentence with its list."""
        runs: list[list[Span]] = []
        for span in (span for span in self._spans(block) if (block.urn, span) in self.taken):
            last = runs[-1][-1] if runs else None
            joined = last is not None and not block.text[last[1] : span[0]].strip()
            joined = joined and not any(len(self.taken[block.urn, one].citations) > 1 for one in (last, span) if one)
            if joined and span[0] != block.after_children:
                runs[-1].append(span)
            else:
                runs.append([span])
        for run in runs:
            draft = self.taken[block.urn, run[0]]
            if len(run) > 1:
                draft = claim_of(block, block.text[run[0][0] : run[-1][1]], self.language)
            checked = self.grounds.verified(draft)
            if checked.level == "VERBATIM":
                self.told.setdefault(block.urn, []).extend(run)
                yield replace(checked, reasons=(*checked.reasons, Reason.REST))

    def warnings(self, blocks: Sequence[Block]) -> list[ContextWarning]:
        """What says how much more these say, once the claims are made."""
        more: dict[str, int] = {}
        for block in blocks:
            untold = [span for span in self._spans(block) if not self._is_told(block, span)]
            if untold:
                more[block.urn] = sum(end - start for start, end in untold)
        if not more:
            return []
        named = [f"{cited_as(urn) or urn} ({size:,} characters)" for urn, size in islice(more.items(), _NAMED)]
        others = f" and {len(more) - _NAMED} provisions more" if len(more) > _NAMED else ""
        message = f"Provisions quoted above say more than is told here: {', '.join(named)}{others}."
        return [ContextWarning(kind=UNTOLD, message=f"{message} Read them with `lexscope document` or get_document.")]


def _spaced(text: str) -> str:
    return " ".join(text.split())
