"""What an entailment judge is asked and answers. A judge is consulted only where code neither proved nor refuted a
statement; it never overrides a refuter, and whatever it cannot say clearly counts as not said.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Entailment = Literal["supported", "not_supported", "contradicted"]
Confidence = Literal["high", "low"]
PassageRole = Literal["cited", "limit", "definition", "beside"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Law that a judge sees: whole sentences, as the node writes them.

    Attributes:
        text: the whole sentences that the citation lies in, with the list that they open or are an item of.
        lead_in: the open sentence that they continue.
        flush: the words after the list that finish it.
        heading: of the node or the nearest one around it.
        role: `cited`, `limit` (a proviso or exception of what is cited), `definition` (of a term in it) or `beside`
            (what it names, or the sentence right before it).
    """

    urn: str
    text: str
    lead_in: str = ""
    flush: str = ""
    heading: str = ""
    role: PassageRole = "cited"


def distinct_passages(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Passages without those whose words a cited one of the same node, or of one around it, has as well."""
    once = list(dict.fromkeys(passages))
    shown: list[Passage] = []
    for place, one in enumerate(once):
        words = " ".join(one.text.split())
        held = any(
            other is not one
            and other.role == "cited"
            and f"{one.urn}:".startswith(f"{other.urn}:")
            and (len(other.text), -at) > (len(one.text), -place)
            and words in " ".join(other.text.split())
            for at, other in enumerate(once)
        )
        alike = any(words == " ".join(other.text.split()) and one.role == other.role for other in shown)
        if not held and not alike:
            shown.append(one)
    return tuple(shown)


@dataclass(frozen=True, slots=True)
class Question:
    """One statement to be judged, and all that the judge may see for it.

    Attributes:
        statement: its text.
        kind: whether it states law, applies it, or is the short answer.
        passages: the law it rests on; for an application, that of its premises.
        premises: the served statements that an application or a short answer rests on.
        facts: the sentences of the scenario that an application names.
        computations: steps that code repeated, each as one line: `percent(5 percent, $1,200) = $60`.
        scenario: what was told and asked, for an application and a short answer.
        language: ISO 639-1 code of the law.
    """

    statement: str
    kind: Literal["law", "application", "short_answer"]
    passages: tuple[Passage, ...]
    premises: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    computations: tuple[str, ...] = ()
    scenario: str = ""
    language: str = "en"

    @property
    def key(self) -> str:
        """SHA-256 of what decides the judgement, whatever the order of the passages: recordings are found by it."""
        decides = {
            "kind": self.kind, "statement": self.statement,
            "passages": sorted((passage.urn, passage.text) for passage in self.passages), "premises": self.premises,
            "facts": self.facts, "computations": self.computations, "scenario": self.scenario,
        }  # fmt: skip
        return hashlib.sha256(json.dumps(decides, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge says of one statement."""

    entailment: Entailment
    confidence: Confidence

    @property
    def holds(self) -> bool:
        """Whether the statement may be served on it."""
        return self.entailment == "supported" and self.confidence == "high"


class Judge(Protocol):
    """Says whether statements follow from the law and the facts given with them."""

    @property
    def name(self) -> str:
        """Provider and model, for results and traces."""
        ...

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        """Judge each question by itself.

        Args:
            questions: at least one.
            seconds: the most that this may take.

        Returns:
            One judgement for each question in its order; None where none came that could be used.

        Raises:
            ProviderError: nothing usable came at all.
        """
        ...
