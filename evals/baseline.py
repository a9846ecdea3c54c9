"""The accepted values: what a run is compared with, committed beside this module and rewritten by `--accept`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.rows import DIGITS, Row
from retrieval.errors import ConfigurationError

BASELINE = Path(__file__).with_name("baseline.json")
Key = tuple[str, str, str]


class _Accepted(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    suite: str
    source: str
    metric: str
    value: float
    n: int


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    rows: list[_Accepted]


def _read(path: Path) -> list[_Accepted]:
    if not path.exists():
        return []
    try:
        return _File.model_validate_json(path.read_bytes()).rows
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(f"{path.name} is no list of accepted values: {place}: {first['msg']}.") from error


def load_baseline(path: Path = BASELINE) -> dict[Key, float]:
    """The accepted value of each suite, source and metric; none where the file does not exist yet.

    Raises:
        ConfigurationError: the file is not what `accept` writes.
    """
    return {(accepted.suite, accepted.source, accepted.metric): accepted.value for accepted in _read(path)}


def compare(rows: Iterable[Row], accepted: dict[Key, float]) -> list[Row]:
    """The rows beside their accepted values."""
    return [row.with_baseline(accepted.get(row.key)) for row in rows]


def missing(rows: Sequence[Row], accepted: dict[Key, float]) -> list[Key]:
    """Accepted metrics of the measured sources that this run has no row for: a check that did not run is no pass."""
    measured = {(row.suite, row.source) for row in rows}
    there = {row.key for row in rows}
    return sorted(key for key in accepted if key[:2] in measured and key not in there)


def accept(rows: Sequence[Row], path: Path = BASELINE) -> None:
    """Make these values the accepted ones. Values of sources that were not measured now are kept.

    Metrics that a measured source no longer has are dropped with it.

    Raises:
        ConfigurationError: the file that is there is not what this function writes.
    """
    measured = {(row.suite, row.source) for row in rows}
    kept = [accepted for accepted in _read(path) if (accepted.suite, accepted.source) not in measured]
    new = [
        _Accepted(suite=row.suite, source=row.source, metric=row.metric, value=round(row.value, DIGITS), n=row.n)
        for row in rows
    ]
    merged = sorted([*kept, *new], key=lambda one: (one.suite, one.source))
    lines = ",\n".join("  " + json.dumps(accepted.model_dump(), ensure_ascii=False) for accepted in merged)
    path.write_text(f'{{"rows": [\n{lines}\n]}}\n', encoding="utf-8")
