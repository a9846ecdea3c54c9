"""Short direct questions without a model: those that their provision answers, and those in its words that it does not.

What is `answered` is certain to its reader, so that one answer to a question that the provision does not answer fails
the suite, and so does one from another provision than the author's, unless a person has read it and noted that it says
the same (`also`). How many are answered rightly, or have their provision among the places, is reported beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.rows import REPORTED, Gate, Row, share_row
from rag.engine import Engine

SUITE = "direct"
SETS = Path(__file__).parents[2] / "data" / "direct"
LAW = (
    "dc-code-xml", "ecfr-xml/ECFR-title11.xml", "cfpb-regml", "uscode-uslm", "uk-clml", "de-gesetze-tei",
    "fr-legalize-md/LEGITEXT000006070721.md",
)  # fmt: skip
NONE = Gate("<=", 0.0)


@dataclass(slots=True)
class Report:
    """Rows, and a line for each answer that is not from the author's provision."""

    rows: list[Row] = field(default_factory=list[Row])
    misses: list[str] = field(default_factory=list[str])


def measure(engine: Engine, files: Iterable[Path], *, limit: int | None = None) -> Report:
    """Ask the questions of some files (`evals/data/direct/README.md`), each in its jurisdiction.

    Args:
        engine: without a model, over a store with the law that they ask about.
        limit: most questions of a file.
    """
    out = Report()
    for file in files:
        questions = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()][:limit]
        if questions:
            out.rows += _asked(engine, file.stem, questions, out.misses)
    return out


def _asked(engine: Engine, source: str, questions: list[dict[str, Any]], misses: list[str]) -> list[Row]:
    right = shown = vain = elsewhere = 0
    for one in questions:
        answer = engine.ask(one["question"], jurisdiction=one["jurisdiction"])
        cited = [citation.urn for statement in answer.statements for citation in statement.citations]
        found = any(_near(urn, one["gold"]) for urn in (*cited, *(place.urn for place in answer.places)))
        golds = [one["gold"], *one.get("also", [])]
        holds = one["answers"] and any(_near(urn, gold) for urn in cited for gold in golds)
        right += answer.status == "answered" and holds
        shown += one["answers"] and found
        if answer.status == "answered" and not holds:
            vain += not one["answers"]
            elsewhere += one["answers"]
            misses.append(f"{one['id']} was answered, from {', '.join(dict.fromkeys(cited))}")
    answerable = sum(one["answers"] for one in questions)
    return [
        share_row(SUITE, source, "wrong_as_certain", vain, len(questions) - answerable, NONE),
        share_row(SUITE, source, "answered_elsewhere", elsewhere, answerable, NONE),
        share_row(SUITE, source, "answered_right", right, answerable, REPORTED),
        share_row(SUITE, source, "provision_shown", shown, answerable, REPORTED),
    ]


def _near(urn: str, gold: str) -> bool:
    """Whether one of two provisions is the other or holds it."""
    return f"{urn}:".startswith(f"{gold}:") or f"{gold}:".startswith(f"{urn}:")
