"""What `verify` gives: a verdict on every reference, quote and claim of a text, and a list of what was not checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Literal

from rag.citecheck.deadline import NO_DEADLINE, Deadline
from retrieval.model import Record

ItemKind = Literal["reference", "quote", "claim"]
TextVerdict = Literal[
    "SUPPORTED", "NOT_FOUND", "NOT_IN_FORCE", "OVERRIDDEN", "OUT_OF_SCOPE", "MISQUOTED", "ALTERED", "AMBIGUOUS",
    "OUTSIDE_CORPUS", "UNVERIFIED",
]  # fmt: skip

# What was looked at and does not hold. `AMBIGUOUS`, `OUTSIDE_CORPUS` and `UNVERIFIED` say that it could not be looked
# at, which is neither a pass nor a failure.
FAILED: frozenset[TextVerdict] = frozenset(
    {"NOT_FOUND", "NOT_IN_FORCE", "OVERRIDDEN", "OUT_OF_SCOPE", "MISQUOTED", "ALTERED"}
)
OPEN = "NOT_COMPARED"  # the first reason of a claim that code neither proved nor refuted
DOUBT = "NOT_CONFIRMED"  # the first reason of what the law may contradict, by evidence that does not decide
UNCITED = "UNCITED"  # the first reason of a claim that may rest on what was cited before it, or on nothing
NOT_SUPPORTED = "NOT_SUPPORTED"
NOT_ENTAILED = "NOT_ENTAILED"


class VerifyItem(Record):
    """One reference, quote or claim of the text. `text == given[start:end]`, in characters.

    SUPPORTED says, of a reference, that the provision is in the store, in force at the date and under no override; of
    a quote, that the provision has these words and nothing that turns their meaning was left out; of a claim, that it
    says what the provision's sentence says. `reasons` are `CODE: sentence`; beside SUPPORTED those with LIMITED_BY,
    MAY_LIMIT and REST tell what limits what is said, or may, and what else the provision says. `urn` is the provision
    that was compared, None where there is none.
    """

    text: str
    start: int
    end: int
    kind: ItemKind
    verdict: TextVerdict
    reasons: list[str]
    urn: str | None

    @property
    def failed(self) -> bool:
        """Whether it was looked at and does not hold: by its verdict, or because a judge finds it in nothing cited."""
        return self.verdict in FAILED or any(reason.startswith(NOT_ENTAILED) for reason in self.reasons)

    @property
    def is_doubted(self) -> bool:
        """Whether the law may say otherwise, by evidence that is not sure enough to say so."""
        return self.verdict == "UNVERIFIED" and any(reason.startswith(DOUBT) for reason in self.reasons)

    @property
    def is_open(self) -> bool:
        """Whether the provision has the words quoted, or says something of the claim, and more was not found out."""
        told = any(reason.startswith((OPEN, "CUT")) for reason in self.reasons)
        return told and self.verdict == "UNVERIFIED" and not self.failed


class NotChecked(Record):
    """A part of the text that no verdict speaks of, and why."""

    text: str
    start: int
    end: int
    reason: str


class VerifySummary(Record):
    """Counts. `failed` and `unverified` are what is not `supported`; `verdicts` has the same one by one."""

    items: int
    supported: int
    failed: int
    unverified: int
    not_checked: int
    verdicts: dict[str, int]


class VerifyResult(Record):
    """Every verdict on a text, in the order of the text.

    `complete` is False where the deadline left no time for a part of it; `not_checked`, or an item that is UNVERIFIED
    with the reason DEADLINE, says for which. `unsupported` counts the claims of a model's reply that are not SUPPORTED.
    """

    at_date: date
    items: list[VerifyItem]
    not_checked: list[NotChecked]
    summary: VerifySummary
    warnings: list[str]
    complete: bool = True
    unsupported: int = 0

    @property
    def exit_code(self) -> int:
        """0 where something holds, nothing failed and the deadline cut nothing off, else 3.

        That a provision exists supports nothing that is said of it: references count only in a text that has no quotes
        and no claims. In other texts a quote or a claim has to be SUPPORTED, or one has to say something of what its
        provision says, in words that code could not compare. A model's reply cites for every claim, so each of its
        claims has to be SUPPORTED.
        """
        said = [item for item in self.items if item.kind != "reference"] or self.items
        holds = any(item.verdict == "SUPPORTED" or item.is_open for item in said) and not self.unsupported
        return 0 if holds and not self.summary.failed and self.complete else 3


def result_of(
    at_date: date,
    items: Sequence[VerifyItem],
    not_checked: Sequence[NotChecked],
    warnings: Sequence[str] = (),
    deadline: Deadline = NO_DEADLINE,
    *,
    reply: bool = False,
) -> VerifyResult:
    """Items and what was not checked, sorted by their place in the text and counted; `reply` where a model wrote it."""
    late = sum(deadline.cause in unchecked.reason for unchecked in not_checked)
    late += sum(any(deadline.cause in reason for reason in item.reasons) for item in items)
    if late:
        told = f"{deadline.told} all of the text; parts left out: {late}."
        warnings = [f"{told} Verify the text in parts, or set LEXSCOPE_REQUEST_SECONDS higher.", *warnings]
    verdicts = Counter(item.verdict for item in items)
    failed = sum(item.failed for item in items)
    return VerifyResult(
        at_date=at_date,
        items=sorted(items, key=lambda one: (one.start, one.end, one.kind)),
        not_checked=sorted(not_checked, key=lambda one: (one.start, one.end)),
        summary=VerifySummary(
            items=len(items),
            supported=verdicts["SUPPORTED"],
            failed=failed,
            unverified=len(items) - failed - verdicts["SUPPORTED"],
            not_checked=len(not_checked),
            verdicts=dict(sorted(verdicts.items())),
        ),
        warnings=list(dict.fromkeys(warnings)),
        complete=not late,
        unsupported=sum(reply and item.kind == "claim" and item.verdict != "SUPPORTED" for item in items),
    )
