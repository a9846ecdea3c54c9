"""What a language model proposes: statements of law with citations and their application to the facts told, with a
short answer; not yet verified and never shown as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, Self

StatementKind = Literal["law", "application"]


@dataclass(frozen=True, slots=True)
class DraftCitation:
    """A URN and the words the claim rests on, as the model wrote them."""

    urn: str
    quote: str


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """One assertion and its citations: what `verify_claim` takes."""

    text: str
    citations: tuple[DraftCitation, ...]


@dataclass(frozen=True, slots=True)
class DraftComputation:
    """A step of arithmetic or of the calendar that the model says it did.

    Attributes:
        operation: its name; see `rag.verification.computations`.
        inputs: as the law, the facts or another computation write them: `$1,200`, `45 days`, `1 March 2024`.
        result: what the model says comes of it.
    """

    operation: str
    inputs: tuple[str, ...]
    result: str


@dataclass(frozen=True, slots=True)
class DraftStatement:
    """One statement of a draft.

    Attributes:
        id: the model's name for it, such as `s1`; unique within the draft.
        kind: `law` states what provisions say; `application` applies such statements to the facts told.
        text: the statement.
        citations: of a statement of law.
        rests_on: of an application, the ids of the statements it follows from.
        facts: of an application, spans of the scenario, letter for letter.
        computations: of an application.
    """

    id: str
    kind: StatementKind
    text: str
    citations: tuple[DraftCitation, ...] = ()
    rests_on: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    computations: tuple[DraftComputation, ...] = ()

    @property
    def claim(self) -> DraftClaim:
        """What a statement of law claims."""
        return DraftClaim(self.text, self.citations)


@dataclass(frozen=True, slots=True)
class DraftShortAnswer:
    """Yes, no, how much, until when; and the ids of the statements it rests on."""

    text: str
    rests_on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A provider's whole proposal.

    `unanswered` names parts of the question the context does not settle, `others` URNs that answer nearly as well,
    `left` those of the rule that it has no room for; `unsure` is why it may be no answer, in a reader's words, and
    empty where nothing speaks against it; `alone` is whether it says all that is asked for and no other rule has the
    words for it.
    """

    statements: tuple[DraftStatement, ...]
    short_answer: DraftShortAnswer | None = None
    unanswered: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    unsure: str = ""
    alone: bool = False
    left: tuple[str, ...] = ()
    usage: dict[str, int] = field(default_factory=dict[str, int])  # tokens by kind, as the provider counts them

    @classmethod
    def of_claims(
        cls,
        claims: Iterable[DraftClaim],
        unanswered: tuple[str, ...] = (),
        others: tuple[str, ...] = (),
        left: tuple[str, ...] = (),
        usage: dict[str, int] | None = None,
        unsure: str = "",
        alone: bool = False,
    ) -> Self:
        """A draft of statements of law alone, `s1`, `s2`, ... in order."""
        statements = tuple(
            DraftStatement(f"s{number}", "law", claim.text, claim.citations)
            for number, claim in enumerate(claims, start=1)
        )
        return cls(
            statements, unanswered=unanswered, others=others, left=left, unsure=unsure, alone=alone, usage=usage or {}
        )

    @property
    def claims(self) -> tuple[DraftClaim, ...]:
        """The claims of its statements of law, in its order."""
        return tuple(statement.claim for statement in self.statements if statement.kind == "law")
