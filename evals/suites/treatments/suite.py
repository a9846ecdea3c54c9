"""What sentences of decisions do to the references in them, against labels by others.

A set is a file of JSON lines, or a folder of them:

    {"id": "T1", "sentence": "...", "reference": "...", "treatment": "followed", "by": "this decision", "note": "..."}

`treatment` is `none` where the sentence does nothing to the reference. A further treatment that is right as well is
named in the note: `'void' acceptable`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.rows import REPORTED, Gate, Row, share_row
from rag.languages.registry import language_of
from rag.law.treatments import Treatment, TreatmentKind, treatment_of
from retrieval.errors import ConfigurationError

SUITE = "treatments"
SETS = Path(__file__).parents[2] / "data" / "treatments"
LANGUAGE = "en"
NONE = "none"
PRECISION = Gate(">=", 0.9)


class Label(BaseModel):
    """One line of a set."""

    model_config = ConfigDict(frozen=True)

    id: str
    sentence: str
    reference: str
    treatment: str
    by: str = ""
    note: str | None = ""

    @property
    def right(self) -> set[str]:
        """The treatments that count as right."""
        said = (self.note or "").replace(" ", "_")
        also = (kind for kind in get_args(TreatmentKind) if re.search(rf"(?<![a-z]){kind}['’]?_acceptable", said))
        return {self.treatment, *also}


@dataclass(slots=True)
class Report:
    """Rows, and a line for each label that was not met."""

    rows: list[Row] = field(default_factory=list[Row])
    misses: list[str] = field(default_factory=list[str])


def sets_in(places: Sequence[Path]) -> list[Path]:
    """The files of labels that paths name, folders by their files."""
    return [file for place in places for file in (sorted(place.glob("*.jsonl")) if place.is_dir() else [place])]


def measure(file: Path) -> Report:
    """Judge every label of a file.

    Raises:
        ConfigurationError: a line is no label, or its reference is not in its sentence.
    """
    out = Report()
    proposed = right = labelled = actors = 0
    found_of, of = Counter[str](), Counter[str]()
    for label in _labels(file):
        found = _treatment(label, file)
        kind = found.kind if found else NONE
        labelled += label.treatment != NONE
        of[label.treatment] += 1
        if found is not None:
            proposed += 1
            right += kind in label.right
            actors += kind in label.right and found.by == label.by
        found_of[label.treatment] += kind in label.right
        if kind not in label.right:
            out.misses.append(f"{file.stem} {label.id}: {kind}, labelled {label.treatment}: {label.reference}")
    name = file.stem
    if proposed:
        out.rows.append(share_row(SUITE, name, "precision", right, proposed, PRECISION))
    if labelled:
        out.rows.append(share_row(SUITE, name, "recall", right, labelled, REPORTED))
    if right:
        out.rows.append(share_row(SUITE, name, "actor", actors, right, REPORTED))
    out.rows += [
        share_row(SUITE, name, f"recall_{kind}", found_of[kind], count, REPORTED)
        for kind, count in sorted(of.items())
        if kind != NONE
    ]
    return out


def _treatment(label: Label, file: Path) -> Treatment | None:
    words = language_of(LANGUAGE).treatments
    places = [match.span() for match in re.finditer(re.escape(label.reference), label.sentence, re.IGNORECASE)]
    if words is None or not places:
        raise ConfigurationError(f"{file.name}, {label.id}: the sentence does not have the reference.")
    return next((found for place in places if (found := treatment_of(label.sentence, *place, words()))), None)


def _labels(file: Path) -> list[Label]:
    try:
        return [
            Label.model_validate_json(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()
        ]
    except (OSError, ValidationError):
        raise ConfigurationError(f"{file.name} is no file of labels.") from None
