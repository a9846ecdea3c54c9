"""Questions for whoever judges a set of drafts or memos, and the judgements that come back.

The questions go out as JSON Lines in the order of their keys, which are hashes: honest and altered statements lie mixed
and nothing tells which is which. A line has all that the judge of an answer is shown, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from evals.measures import kappa
from rag.models.judge import shown
from rag.models.prompting import read_prompt
from rag.models.replay import RecordedJudgement, read_recordings
from rag.verification.judging import Judgement, Question
from retrieval.errors import ConfigurationError

_FENCE = "==="
_REPLY = """
Each line of the file of questions is a JSON object with `key` and `question`. Reply with one JSON object a line for
each of them, in place of one document:
{"key": "...", "entailment": "supported" | "not_supported" | "contradicted", "confidence": "high" | "low"}
"""


class RecordedJudge:
    """A judge over recordings that notes the questions which have none.

    Args:
        known: the judgements by the keys of their questions.
        otherwise: what is said of any other question; None: nothing.
    """

    name = "recorded"

    def __init__(self, known: Mapping[str, Judgement], otherwise: Judgement | None = None) -> None:
        self._known, self._otherwise = known, otherwise
        self.asked: list[Question] = []

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        """The recorded judgements."""
        self.asked += (question for question in questions if question.key not in self._known)
        return [self._known.get(question.key, self._otherwise) for question in questions]


def write_questions(questions: Iterable[Question], file: Path) -> int:
    """Write questions to a file, each once, and what a judge is told beside it (`FILE.md`).

    Returns:
        How many there are.

    Raises:
        ConfigurationError: the file cannot be written.
    """
    lines = {
        question.key: json.dumps({"key": question.key, "question": shown(question, "", _FENCE)})
        for question in questions
    }
    told = f"{read_prompt('judge').parts['instructions'].strip()}\n{_REPLY}"
    try:
        file.write_text("".join(f"{lines[key]}\n" for key in sorted(lines)), encoding="utf-8")
        file.with_name(f"{file.name}.md").write_text(told, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"The questions cannot be written to {file}: {error.strerror}.") from error
    return len(lines)


def read_judgements(files: Sequence[Path]) -> tuple[dict[str, Judgement], str]:
    """The judgements of some files, and how far judges agree; empty where no question was judged twice.

    A question that several judges were asked counts as supported where each of them supports it with high confidence.

    Raises:
        ConfigurationError: a file cannot be read, or judges one question in two ways.
    """
    found: dict[str, Judgement] = {}
    pairs: list[tuple[str, str]] = []
    for file in files:
        own: dict[str, Judgement] = {}
        for recording in read_recordings(file, RecordedJudgement, "judgements", "--judgements"):
            judgement = Judgement(recording.entailment, recording.confidence)
            if own.setdefault(recording.key, judgement) != judgement:
                raise ConfigurationError(f"{file.name} judges one question in two ways: {recording.key[:16]}.")
        for key, judgement in own.items():
            first = found.setdefault(key, judgement)
            if first is not judgement:
                pairs.append((str(first.holds), str(judgement.holds)))
                found[key] = judgement if first.holds else first
    if not pairs:
        return found, ""
    same = sum(one == other for one, other in pairs)
    return found, f"{len(pairs)} judgements beside another of the same question: {same} alike, kappa {kappa(pairs):.2f}"
