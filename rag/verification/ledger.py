"""How often each kind of evidence against a statement was right, and which kinds may therefore decide. Pure data.

Counted are first runs on sets of drafts and memos by authors who had not seen the program, before anything was changed
for them: a hit is a statement made false that the evidence speaks against, a false alarm a true one. Kinds that have
spoken at least `ENOUGH` times decide where nine of ten of their words were right; of rarer ones those decide that leave
no room for another reading (`strict`). All others doubt: a judge is asked, and without one the statement is not
confirmed. Only further unseen sets add to a row: `python -m evals citecheck --data SET` prints what (`right CODE`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ENOUGH = 10
SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Record:
    """What became of one kind of evidence.

    Attributes:
        hits: false statements that it spoke against.
        alarms: true statements that it spoke against.
        strict: whether it compares what can be read in one way only, such as the words of a quotation.
    """

    hits: int
    alarms: int
    strict: bool = False

    @property
    def decides(self) -> bool:
        """Whether its word is a verdict; if not, it is a doubt."""
        said = self.hits + self.alarms
        return self.hits >= SHARE * said if said >= ENOUGH else self.strict


# By the reason it gives. Statements beside the sentences that they quote: 1,075 honest and 988 altered ones of the
# drafts `third` to `seventh`.
QUOTED: Mapping[str, Record] = {
    "NUMBER_CHANGED": Record(73, 3),
    "UNIT_CHANGED": Record(44, 1),
    "REFERENCE_CHANGED": Record(47, 0),
    "COMPARATOR_CHANGED": Record(14, 2),
    "MODALITY_CHANGED": Record(19, 4),
    "NEGATION_CHANGED": Record(31, 6),
    "EXCEPTION_CHANGED": Record(1, 0),
}

# Statements and quotations of memos beside the whole provisions that they name: some 2,100 of the memos `fifth` to
# `twelfth`, and of rules that changed on the way those since then.
CITED: Mapping[str, Record] = {
    "NUMBER_CHANGED": Record(8, 5),
    "UNIT_CHANGED": Record(2, 0),
    "COMPARATOR_CHANGED": Record(3, 1),
    "MODALITY_CHANGED": Record(4, 4),
    "NEGATION_CHANGED": Record(4, 9),
    "EXCEPTION_CHANGED": Record(0, 0),
    # The one amount of a statement beside another one of its unit in the one sentence that it restates.
    "AMOUNT_CHANGED": Record(0, 0, strict=True),
    # All words of one sentence of the law in their order, and one number, unit, negation, force or limit otherwise.
    "SENTENCE_CHANGED": Record(0, 0, strict=True),
    "WRONG_PROVISION": Record(16, 1),  # since `ninth`
    "NOT_SUPPORTED": Record(2, 6),
    # Of quotations: other words, words of another provision, words put in brackets, parts of two sentences as one.
    "DIFFERS": Record(10, 1),
    "NOT_IN_PROVISION": Record(0, 0, strict=True),  # since `ninth`
    "STANDS_ELSEWHERE": Record(0, 9),
    "CUT": Record(0, 21),
    "BRACKETS_CHANGE": Record(0, 0, strict=True),
    "PUNCTUATION": Record(0, 0, strict=True),
    "SPLICED": Record(0, 0, strict=True),
}
