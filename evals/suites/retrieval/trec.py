"""The field's files: judgements (qrels) and rankings (runs) as TREC writes them. Fields stand apart by white space.

qrels    question 0 document grade           grade: a whole number, relevant from 1 on
run      question Q0 document rank score tag score: the order; the rank is not read, as trec_eval does not
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from retrieval.errors import ConfigurationError

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def read_qrels(path: Path) -> Qrels:
    """Question -> document -> grade.

    Raises:
        ConfigurationError: unreadable, or a line that is none of a qrels file; names file and line.
    """
    out: Qrels = {}
    for number, fields in _lines(path, (4,), "question 0 document grade"):
        question, _, document, grade = fields
        if not grade.removeprefix("-").isdecimal():
            raise _refusal(path, number, "the grade is no whole number")
        if document in out.setdefault(question, {}):
            raise _refusal(path, number, "the document is judged twice for its question")
        out[question][document] = int(grade)
    return out


def read_run(path: Path) -> Run:
    """Question -> document -> score.

    Raises:
        ConfigurationError: unreadable, or a line that is none of a run file; names file and line.
    """
    out: Run = {}
    for number, fields in _lines(path, (5, 6), "question Q0 document rank score tag"):
        question, document = fields[0], fields[2]
        try:
            score = float(fields[4])
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise _refusal(path, number, "the score is no finite number")
        if document in out.setdefault(question, {}):
            raise _refusal(path, number, "the document is ranked twice for its question")
        out[question][document] = score
    return out


def write_run(path: Path, ranked: Mapping[str, Sequence[str]], tag: str) -> None:
    """Write rankings as a run file; scores fall by one from rank to rank.

    Args:
        path: the file, overwritten.
        ranked: question -> documents, best first.
        tag: the run's name.
    """
    lines = [
        f"{_field(question)} Q0 {_field(document)} {rank} {len(documents) - rank + 1} {tag}\n"
        for question, documents in ranked.items()
        for rank, document in enumerate(documents, start=1)
    ]
    path.write_text("".join(lines), encoding="utf-8")


def write_set(folder: Path, name: str, ranked: Mapping[str, Mapping[str, Sequence[str]]], qrels: Qrels) -> Path:
    """Write one set's judgements, and a run for each retriever, into a folder of their own; `--data` reads it again.

    Args:
        folder: where the folder is made; files of an earlier run are overwritten.
        name: of the set; its folder has it with `-` for what is no letter or digit.
        ranked: retriever -> question -> documents, best first.
        qrels: question -> document -> grade.

    Returns:
        The folder of the set.

    Raises:
        ConfigurationError: it cannot be written.
    """
    place = folder / re.sub(r"\W+", "-", name)
    judged = "".join(
        f"{_field(question)} 0 {_field(document)} {grade}\n"
        for question, grades in qrels.items()
        for document, grade in grades.items()
    )
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / "set.qrels").write_text(judged, encoding="utf-8")
        for retriever, runs in ranked.items():
            write_run(place / f"{retriever}.run", runs, f"lexscope-{retriever}")
    except OSError as error:
        raise ConfigurationError(f"{place} cannot be written: {error.strerror}.") from None
    return place


def _field(name: str) -> str:
    """A name as one field: its white space, and the sign that says so, as in a web address."""
    return re.sub(r"[\s%]", lambda match: quote(match[0], safe=""), name)


def _lines(path: Path, sizes: tuple[int, ...], layout: str) -> Iterator[tuple[int, list[str]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path.name} cannot be read as UTF-8 text ({type(error).__name__}).") from None
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if fields and len(fields) not in sizes:
            raise _refusal(path, number, f"a line is `{layout}`")
        if fields:
            yield number, fields


def _refusal(path: Path, number: int, cause: str) -> ConfigurationError:
    return ConfigurationError(f"{path.name}, line {number}: {cause}.")
