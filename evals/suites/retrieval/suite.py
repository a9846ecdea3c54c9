"""The retrieval suite: rankings of the whole product against judged provisions, leg by leg.

Sets: ObliQA's dev questions over its rulebooks, colloquial questions of this project over real codes, and questions
drawn from the law itself. Of each, the same questions are asked of

    lexical   BM25 over the question's own words
    synonym   the same with the thesaurus: mode `keyword`
    dense     nearest vectors: mode `semantic`; only with an embedder (LEXSCOPE_EMBEDDING)
    hybrid    all legs fused: the default mode
    rewritten hybrid with the terms that a model named; only with a rewriter (LEXSCOPE_REWRITING)
    ask       what is served of it without a model, see `evals.suites.retrieval.served`; lay questions only

What to give with `--data` is said in `evals.retrieval_sets`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path

import rag
from evals.measures import in_order, recall, rows_of
from evals.rows import Gate, Row
from evals.suites.retrieval.asking import LEGS, Asking, rankings
from evals.suites.retrieval.drawn import LIMIT, draw, drawn_sets
from evals.suites.retrieval.served import measured
from evals.suites.retrieval.sets import Folder, Question, QuestionSet, jsonl_set, read_folder, vain_questions
from evals.suites.retrieval.store import kept_store
from evals.suites.retrieval.trec import Qrels, read_qrels, read_run, write_set
from rag import Engine
from rag.ingest.formats.registry import discover
from rag.settings import Settings, load_settings
from rag.store.database import Database
from retrieval.errors import ConfigurationError

SUITE = "retrieval"
COLLOQUIAL = Path(__file__).parents[2] / "data" / "colloquial.jsonl"
LAY = Path(__file__).parents[2] / "data" / "lay"  # `half1`; `half2` is held back
LAY_SETS, LAY_LANGUAGES = "lay ", ("en", "de", "fr")
LAY_TYPES = ("colloquial", "plain", "statutory")
# Most questions of a written set in a usual run: all suites together have ten minutes. `--full` asks every question.
USUAL = 500
THESAURUS = Path(rag.__file__).parent / "thesaurus"
OBLIQA = "obliqa"
# The thesauri were written with dev in sight; the topics of the blind ones were not known to who wrote them.
COLLOQUIAL_SPLITS = ("dev", "test", "fresh", "blind", "blind2", "blind3", "blind4", "blind5")
# The law that the colloquial questions are about, one publication of each; folders or files of the shared data.
CODES = (
    "dc-code-xml", "ecfr-xml", "de-gesetze-md", "fr-legalize-md", "eu-gdpr", "jp-egov-xml", "uk-akn-lawmaker",
    "uk-clml", "uscode-uslm",
)  # fmt: skip
# Federal law that none of the other questions is about; asked with `--full` only.
FEDERAL = ("uscode-uslm", "us-uslm2", "uscode-md-chunks", "cfpb-regs-json")
FEDERAL_SPLITS = ("blind4-federal", "blind5-federal")
GATES: dict[str, dict[str, Gate]] = {
    "obliqa dev, lexical": {"R@10": Gate(">=", 0.77), "MAP@10": Gate(">=", 0.62)},
    "obliqa dev, hybrid": {"R@10": Gate(">=", 0.80, hard=False), "MAP@10": Gate(">=", 0.66, hard=False)},
    "colloquial test, hybrid": {"R@10": Gate(">=", 0.90, hard=False)},
    "colloquial dev, hybrid": {"R@10": Gate(">=", 0.90, hard=False)},
}


@dataclass(slots=True)
class Report:
    """Rows, what was left out and why, and each question whose provisions are not all among the first ten."""

    rows: list[Row] = field(default_factory=list[Row])
    notes: list[str] = field(default_factory=list[str])
    misses: list[str] = field(default_factory=list[str])


def measure(
    data: Sequence[Path],
    shared: Path,
    sample: Path,
    *,
    seed: int,
    limit: int | None = None,
    everything: bool = False,
    settings: Settings | None = None,
    runs: Path | None = None,
) -> Report:
    """Measure on the given folders, or on the suite's own sets.

    Args:
        data: files or folders, see `evals.retrieval_sets`; the suite's own sets where empty.
        shared: the folder of real law; what is not there is noted.
        sample: law that is always there.
        seed: which questions are drawn.
        limit: most questions of one set; None for 500 of a written and 60 of a drawn one.
        everything: all questions, written and drawn.
        settings: name the server that keeps the stores, and the embedder; those of the environment where None.
        runs: a folder that takes the judgements and rankings of every set, for other tools; None for no files.

    Raises:
        ConfigurationError: a file of questions or rankings is not readable, or a setting cannot be used.
        IngestError: a path does not exist.
        StoreError: no store can be made.
    """
    report = Report()
    jobs = [_Job([path], path.resolve().name, read_folder(path, path.resolve().name)) for path in data]
    if not data:
        jobs = _own_jobs(report, shared, sample, everything=everything)
    for job in jobs:
        _measure_runs(report, job)
    law = [job for job in jobs if not job.folder.runs]
    if not law:
        return report
    settings = settings or load_settings(statement_timeout_seconds=120.0)
    thesaurus = sorted(THESAURUS.glob("*.csv"))
    with Database(settings) as server:
        for job in law:
            if not any(discover(path).sources for path in job.law):
                report.notes.append(f"{job.name} is not measured: no format reads its law")
                continue
            with kept_store(server, settings, job.law, thesaurus, report.notes) as engine:
                if engine.embedder is None:
                    report.notes.append(f"{job.name}: dense and hybrid are not measured: no embedder is set")
                for question_set in _sets(engine, job, seed=seed, limit=limit, everything=everything):
                    _measure_set(report, engine, question_set, runs)
                if engine.model is None and (
                    lay := [question_set for question_set in job.folder.sets if question_set.name.startswith(LAY_SETS)]
                ):
                    # The sets by type are parts of that in English.
                    report.rows += measured(
                        SUITE, engine, lay[: len(LAY_LANGUAGES)], vain_questions(LAY / "half1.jsonl")
                    )
    return report


@dataclass(slots=True)
class _Job:
    """Law that is ingested together, and what is asked of it; drawn questions where nothing is, or besides."""

    law: list[Path]
    name: str
    folder: Folder
    drawn: bool = False


def _own_jobs(report: Report, shared: Path, sample: Path, *, everything: bool) -> list[_Job]:
    jobs = [_Job([sample], "sample", Folder(), drawn=True)]
    there = [shared / name for name in CODES if (shared / name).exists()]
    report.notes += [
        f"{name} is not measured: ../shared/data/{name} is not there"
        for name in (OBLIQA, *CODES)
        if not (shared / name).exists()
    ]
    if (shared / OBLIQA).exists():
        jobs.append(_Job([shared / OBLIQA], OBLIQA, read_folder(shared / OBLIQA, OBLIQA)))
    if there:
        asked = [jsonl_set(COLLOQUIAL, f"colloquial {split}", [], split=split) for split in COLLOQUIAL_SPLITS]
        jobs.append(_Job(there, "codes", Folder([*asked, *_lay("half1")]), drawn=True))
    federal = [shared / name for name in FEDERAL]
    if everything and all(path.exists() for path in federal):
        asked = [jsonl_set(COLLOQUIAL, f"colloquial {split}", [], split=split) for split in FEDERAL_SPLITS]
        jobs.append(_Job(federal, "federal", Folder(asked)))
    else:
        splits = " and ".join(FEDERAL_SPLITS)
        report.notes.append(f"colloquial {splits} are not measured: they need --full and {', '.join(FEDERAL)}")
    return jobs


def _lay(half: str) -> list[QuestionSet]:
    """The lay questions by the language of the law that answers, the English ones by type too."""
    file = LAY / f"{half}.jsonl"
    sets = [jsonl_set(file, f"lay {half} {language}", [], law_language=language) for language in LAY_LANGUAGES]
    typed = [
        jsonl_set(file, f"lay {half} en {kind}", [], law_language="en", language="en", type=kind) for kind in LAY_TYPES
    ]
    asked = [*sets, *typed]
    # Who asks in another language than the law's says in which law to look.
    return [
        QuestionSet(
            question_set.name,
            [replace(question, language=question_set.name.split()[2]) for question in question_set.questions],
            question_set.level,
        )
        for question_set in asked
    ]


def _sets(engine: Engine, job: _Job, *, seed: int, limit: int | None, everything: bool) -> list[QuestionSet]:
    most = None if everything else limit or USUAL
    asked = [_drawn(question_set, draw(question_set.questions, seed, most)) for question_set in job.folder.sets]
    if job.folder.sets and not job.drawn:
        return asked
    with engine.database.read() as conn:
        rows = conn.execute("select distinct jurisdiction from legal_nodes order by jurisdiction").fetchall()
        most = 1_000_000_000 if everything else limit or LIMIT
        drawn = drawn_sets(conn, [row[0] for row in rows], _today(), seed=seed, limit=most)
    return [
        *asked,
        *(
            QuestionSet(f"{job.name} {question_set.name}", question_set.questions, question_set.level)
            for question_set in drawn
        ),
    ]


def _drawn(one: QuestionSet, questions: list[Question]) -> QuestionSet:
    whole = len(one.questions)
    return QuestionSet(one.name, questions, one.level, 0 if len(questions) == whole else whole)


def _today() -> date:
    return datetime.now(UTC).date()


def _measure_runs(report: Report, job: _Job) -> None:
    """Measure rankings that others made."""
    if job.folder.runs and not job.folder.qrels:
        raise ConfigurationError(f"{job.name} holds runs and no qrels to judge them by.")
    qrels: dict[str, dict[str, int]] = {}
    for file in job.folder.qrels if job.folder.runs else ():
        for question, grades in read_qrels(file).items():
            qrels.setdefault(question, {}).update(grades)
    for file in job.folder.runs:
        runs = {question: in_order(scores) for question, scores in read_run(file).items()}
        report.rows += rows_of(SUITE, f"{job.name}, {file.name}", runs, qrels)
        _list_misses(report, f"{job.name}, {file.name}", {}, runs, qrels)


def _measure_set(report: Report, engine: Engine, one: QuestionSet, runs: Path | None) -> None:
    if not one.questions:
        report.notes.append(f"{one.name}: no question")
        return
    asking = Asking(engine, one, _today())
    found = rankings(asking)
    report.notes += asking.notes
    if one.drawn_from:
        report.notes.append(f"{one.name}: {len(one.questions)} of {one.drawn_from} questions, drawn by the seed")
    if runs is not None:
        write_set(runs, one.name, found, asking.qrels)
    texts = {question.id: question.text for question in one.questions}
    for leg in LEGS:
        if leg in found:
            source = f"{one.name}, {leg}"
            gates = GATES.get(source, {})
            if one.drawn_from:
                gates = {metric: replace(gate, sample=True) for metric, gate in gates.items()}
            report.rows += rows_of(SUITE, source, found[leg], asking.qrels, gates)
    if "hybrid" in found:
        report.rows.append(_over_the_best_leg(one.name, found, asking.qrels))
    last = next(leg for leg in reversed(LEGS) if leg in found)
    _list_misses(report, f"{one.name}, {last}", texts, found[last], asking.qrels)


def _over_the_best_leg(name: str, found: Mapping[str, Mapping[str, Sequence[str]]], qrels: Qrels) -> Row:
    """By how much the fusion finds more than the best of its legs, as R@10: below 0 it loses what a leg has."""

    def mean(leg: str) -> float:
        return sum(recall(found[leg].get(key, ()), grades) for key, grades in qrels.items()) / max(len(qrels), 1)

    value = mean("hybrid") - max(mean(leg) for leg in found if leg not in ("hybrid", "rewritten"))
    gate = Gate(">=", 0.0, hard=False)
    return Row(SUITE, f"{name}, hybrid", "R@10 over the best leg", value, len(qrels), None, None, gate)


def _list_misses(
    report: Report, source: str, texts: dict[str, str], runs: dict[str, list[str]], qrels: dict[str, dict[str, int]]
) -> None:
    for question, grades in qrels.items():
        ranked = runs.get(question, [])
        if recall(ranked, grades) < 1.0:
            lines = [f"{source}: {question}", f"  asked:  {texts[question]}"] if texts else [f"{source}: {question}"]
            gone = [name for name, grade in grades.items() if grade >= 1 and name not in ranked[:10]]
            report.misses.append("\n".join([*lines, f"  missed: {_some(gone)}", f"  found:  {_some(ranked[:3])}"]))


def _some(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"
