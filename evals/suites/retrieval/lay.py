"""`python -m evals lay --questions FILE`: everyday questions, asked once of the store of the settings.

The law is what the store holds (`LEXSCOPE_DATA_DIR` or a database URL), with vectors where the dense leg is to be
measured; nothing is ingested or kept. A line of the file is a question as in `evals/data/lay`. Each is asked of the law
of its jurisdiction, in the language of that law; one without an answer in the law of all jurisdictions where it names
none. Rows are by the question's language, and by its type.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evals.measures import rows_of
from evals.rows import Row, json_rows, table
from evals.suites.retrieval.asking import LEGS, Asking, rankings
from evals.suites.retrieval.served import served, served_rows, vain_row
from evals.suites.retrieval.sets import QuestionSet, jsonl_set, vain_questions, values_of
from rag import Engine, clock
from rag.settings import load_settings
from retrieval.errors import ConfigurationError, StoreError

SUITE, METRICS = "lay", ("R@1", "R@3", "R@10")
OK, USAGE = 0, 2


def measure(engine: Engine, file: Path, notes: list[str], *, limit: int | None = None) -> list[Row]:
    """The rows of a file of questions.

    Args:
        engine: over the law; what is served is measured where no model is configured.
        file: the questions.
        notes: told what was not asked, and what the store does not have.
        limit: the first so many questions of each language; None for all.

    Raises:
        ConfigurationError: a line is no question.
        StoreError: the store failed.
    """
    rows: list[Row] = []
    for language in values_of(file, "language"):
        whole = _asked(file, limit, language=language)
        if not whole.questions:
            continue
        asking = Asking(engine, whole, clock.today())
        found = rankings(asking)
        notes += asking.notes
        answers = dict(zip((question.id for question in whole.questions), served(engine, whole.questions), strict=True))
        types = [_asked(file, limit, language=language, type=kind) for kind in values_of(file, "type")]
        for part in (whole, *(question_set for question_set in types if question_set.questions)):
            ids = [question.id for question in part.questions if question.id in asking.qrels and question.id in answers]
            qrels = {key: asking.qrels[key] for key in ids}
            for leg in (leg for leg in LEGS if leg in found):
                run = {key: found[leg][key] for key in ids}
                rows += [row for row in rows_of(SUITE, f"{part.name}, {leg}", run, qrels) if row.metric in METRICS]
            if engine.model is None and ids:
                rows += served_rows(SUITE, part.name, [answers[key] for key in ids], gates=False)
    for vain in vain_questions(file):
        if vain.questions and engine.model is None:
            rows.append(vain_row(SUITE, vain.name, served(engine, vain.questions[:limit])))
    return rows


def _asked(file: Path, limit: int | None, **only: str) -> QuestionSet:
    """Questions of a language, or of a type of it, each in the language of the law that answers."""
    whole = jsonl_set(file, " ".join([file.stem, *only.values()]), [], language=only["language"])
    law = {record: name for name in values_of(file, "law_language") for record in _ids(file, law_language=name)}
    kept = set(_ids(file, **only)) & {question.id for question in whole.questions[:limit]}
    questions = [
        replace(question, language=law.get(question.id, question.language))
        for question in whole.questions
        if question.id in kept
    ]
    return QuestionSet(" ".join([file.stem, *only.values()]), questions, whole.level)


def _ids(file: Path, **only: str) -> list[str]:
    return [question.id for question in jsonl_set(file, "", [], **only).questions]


def main(arguments: Sequence[str]) -> int:
    """Run the command line; 0 where it measured, 2 on bad usage."""
    parser = argparse.ArgumentParser(prog="python -m evals lay", description=__doc__)
    parser.add_argument(
        "--questions", type=Path, required=True, action="append", metavar="FILE", help="JSON Lines; may be repeated"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="the first N questions of each language")
    parser.add_argument("--json", action="store_true", help="rows as a JSON array on stdout")
    given = parser.parse_args(arguments)
    notes: list[str] = []
    try:
        with Engine.open(load_settings(traces="off")) as engine:
            rows = [row for file in given.questions for row in measure(engine, file, notes, limit=given.limit)]
    except OSError as error:
        parser.error(f"{error.filename} cannot be read: {error.strerror}")
    except (ConfigurationError, StoreError) as error:
        parser.error(error.message)
    print(json_rows(rows) if given.json else table(rows))
    for note in dict.fromkeys(notes):
        print(f"note: {note}", file=sys.stderr)
    return OK
