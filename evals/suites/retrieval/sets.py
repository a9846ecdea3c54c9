"""Questions with the provisions that answer them: published, written by hand, or drawn from the law itself.

`--data PATH` takes a folder in one of these layouts, recognised by what is in it:

    ObliQA's           JSON arrays of passages (the law), and JSON arrays of questions, each with `QuestionID`,
                       `Question` and `Passages`, a list of `{DocumentID, PassageID}`; a ranking is of passages
    law and questions  law in any known format, and `questions.jsonl`: a line `{"id", "question"}`, optionally with
                       `jurisdiction`, `language` and `gold` (URNs, aliases); without `gold` also qrels files
    rankings only      qrels files and run files of any retriever
    law only           questions are drawn from the law: see `evals.retrieval_drawn`

Qrels files are named `*.qrels`, `qrels*.txt` or `qrels*.tsv`, runs `*.run`, `run*.txt` or `run*.tsv`. A qrels file
judges provisions themselves; `gold` names the governing provision, and a paragraph of it, or the rule that search
offers around it, counts as found.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from evals.suites.retrieval.trec import Qrels, read_qrels
from retrieval.errors import ConfigurationError

QUESTIONS = "questions.jsonl"
NOWHERE = "none"  # the jurisdiction of a question that is about no law
Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its judged provisions.

    Attributes:
        id: unique in its set.
        text: as it is asked.
        gold: provision -> grade; URNs, aliases, or `document/passage` of law published as passages.
        jurisdiction: where it is asked; empty for all law of the store.
        language: ISO 639-1; empty for the only one of the jurisdiction's law.
    """

    id: str
    text: str
    gold: dict[str, int]
    jurisdiction: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions that are measured together.

    Attributes:
        name: of its rows.
        questions: as they are published.
        level: what is ranked: `node` for provisions exactly as judged, `rule` for the rules that search offers.
        drawn_from: how many questions these were drawn from; 0 where they are all there are.
    """

    name: str
    questions: list[Question]
    level: Literal["node", "rule"]
    drawn_from: int = 0


@dataclass(slots=True)
class Folder:
    """What a folder holds: law and sets of questions, or qrels and runs."""

    sets: list[QuestionSet] = field(default_factory=list[QuestionSet])
    qrels: list[Path] = field(default_factory=list[Path])
    runs: list[Path] = field(default_factory=list[Path])


def read_folder(path: Path, name: str) -> Folder:
    """The sets of a file or folder; no set where it holds nothing but law.

    Raises:
        ConfigurationError: a file of questions, qrels or runs is not what its name says; names file and line.
    """
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    out = Folder(
        qrels=[file for file in files if _is_trec(file, "qrels")],
        runs=[file for file in files if _is_trec(file, "run")],
    )
    for file in files:
        if file.name == QUESTIONS:
            out.sets.append(jsonl_set(file, name, [read_qrels(qrel) for qrel in out.qrels]))
        elif file.suffix == ".json" and (asked := passage_questions(file)):
            out.sets.append(QuestionSet(f"{name} {file.stem.rpartition('_')[2]}", asked, "node"))
    return out


def _is_trec(file: Path, kind: str) -> bool:
    return file.suffix == f".{kind}" or (file.name.startswith(kind) and file.suffix in (".txt", ".tsv"))


def passage_questions(file: Path) -> list[Question]:
    """The questions of a JSON array in ObliQA's layout; empty where the file is something else."""
    with file.open("rb") as stream:
        head = stream.read(4000)
    if not head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"[") or b'"Question"' not in head:
        return []
    out: list[Question] = []
    for number, record in enumerate(_json(file.read_bytes(), file.name), start=1):
        passages = cast("list[Fields]", record.get("Passages"))
        try:
            gold = {f"{passage['DocumentID']}/{passage['PassageID']}": 1 for passage in passages}
            out.append(Question(str(record["QuestionID"]), str(record["Question"]), gold))
        except (KeyError, TypeError):
            raise ConfigurationError(
                f"{file.name}, question {number}: it needs QuestionID, Question, Passages (DocumentID, PassageID)."
            ) from None
    return out


def _json(data: bytes, name: str) -> list[Fields]:
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise ConfigurationError(f"{name} is no JSON.") from None
    items = cast("list[object]", found) if isinstance(found, list) else []
    return [cast("Fields", item) for item in items if isinstance(item, dict)]


def jsonl_set(file: Path, name: str, judged: list[Qrels], **only: str) -> QuestionSet:
    """A set of JSON Lines; with `gold` it is judged by rules, by qrels otherwise.

    Args:
        file: the questions.
        name: of the set.
        judged: qrels for questions without `gold`.
        only: the fields and their values that a line is of this set by, such as `split="blind"`.

    Raises:
        ConfigurationError: a line is no such record, an id stands twice, or a question has no judgement.
    """
    out: list[Question] = []
    seen: set[str] = set()
    by_gold = False
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if not line.strip():
            continue
        record = next(iter(_json(f"[{line}]".encode(), f"{file.name}, line {number}")), None)
        if record is None or not isinstance(record.get("question"), str) or not str(record.get("id", "")):
            raise ConfigurationError(f'{file.name}, line {number}: a line is {{"id", "question", ...}}.')
        if any(record.get(key) != value for key, value in only.items()):
            continue
        if record.get("gold") == []:  # no provision answers: there is nothing to rank
            continue
        key = str(record["id"])
        if key in seen:
            raise ConfigurationError(f"{file.name}, line {number}: the id stands twice.")
        seen.add(key)
        listed = record.get("gold")
        by_gold = by_gold or isinstance(listed, list)
        grades = (
            dict.fromkeys(map(str, cast("list[object]", listed)), 1)
            if isinstance(listed, list)
            else {document: grade for qrels in judged for document, grade in qrels.get(key, {}).items()}
        )
        if not grades:
            raise ConfigurationError(f"{file.name}, line {number}: no `gold` and no qrels judge the question.")
        asked = (str(record.get(name) or "") for name in ("jurisdiction", "language"))
        out.append(Question(key, str(record["question"]), grades, *asked))
    return QuestionSet(name, out, "rule" if by_gold else "node")


def values_of(file: Path, field: str) -> list[str]:
    """The values of a field of the questions of a file that have an answer, each once, in their order.

    Raises:
        ConfigurationError: a line is no JSON.
    """
    records = _json(
        f"[{','.join(filter(str.strip, file.read_text(encoding='utf-8-sig').splitlines()))}]".encode(), file.name
    )
    return list(dict.fromkeys(str(record[field]) for record in records if record.get("gold") and record.get(field)))


def vain_questions(file: Path) -> list[QuestionSet]:
    """The questions of a set of JSON Lines that nothing answers (`gold` is an empty list), as one set.

    Raises:
        ConfigurationError: a line is no record.
    """
    out: list[Question] = []
    for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), start=1):
        for record in _json(f"[{line}]".encode(), f"{file.name}, line {number}") if line.strip() else ():
            if record.get("gold") == []:
                where, law = str(record.get("jurisdiction") or ""), str(record.get("law_language") or "")
                known = where != NOWHERE
                language = law if known else str(record.get("language") or "")
                out.append(Question(str(record["id"]), str(record["question"]), {}, where if known else "", language))
    return [QuestionSet(f"{file.parent.name} {file.stem} without an answer", out, "rule")]
