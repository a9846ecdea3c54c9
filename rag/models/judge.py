"""A language model as judge: whether statements follow from the law, premises, facts and steps shown with them.

The model sees whole passages and nothing else; what it cannot say in the form asked for counts as not said. No reply is
completed, and none decides about another statement than the one whose id it names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from string import Template
from typing import cast, get_args

from rag.models.drafting import Declined, closed_object, read_output
from rag.models.openai import Call, OpenAIModel
from rag.models.prompting import read_prompt
from rag.verification.judging import Confidence, Entailment, Judgement, Passage, Question
from retrieval.errors import ProviderError, ProviderTimeout
from retrieval.providers.deadline import Deadline
from retrieval.providers.openai import NO_TIME, UNUSABLE, unusable
from retrieval.strict_json import JsonRefused, member, objects

# A dozen statements in one call did no harm to their judgements.
MAX_QUESTIONS = 12
MAX_CHARACTERS = 24_000  # of the questions of one call, unless one alone has more
MAX_QUESTION_CHARACTERS = 60_000  # what is longer is not judged
LEAST_SECONDS = 1.0  # less is not worth a call that its deadline would end

_KINDS = {
    "law": "a statement of law",
    "application": "an application of law to facts",
    "short_answer": "a short answer",
}
_ROLES = {
    "cited": "cited",
    "limit": "limits what is cited, printed under the statement",
    "definition": "defines a term of it",
    "beside": "named in what is cited, or right before it",
}


class ModelJudge:
    """A judge over a model behind OpenAI's API or a compatible one. Safe to share by threads.

    Args:
        model: asked in calls of its own; a model of another family than the one that drafts makes other mistakes.
    """

    def __init__(self, model: OpenAIModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """Provider and model."""
        return f"{self._model.provider} {self._model.model}"

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        """Judge each question by itself; see `Judge.judge`. What is left of the time is divided among the calls left.

        Raises:
            InputError: not a positive number of seconds.
            ProviderError: no judgement came that can be used, and why the last call gave none.
        """
        deadline = Deadline(seconds)
        out: list[Judgement | None] = [None] * len(questions)
        batches = list(_batches(questions))
        failure: ProviderError | None = None
        for number, batch in enumerate(batches):
            share = deadline.remaining() / (len(batches) - number)
            if share < min(LEAST_SECONDS, seconds / len(batches) / 2):
                failure = ProviderTimeout(self._model.provider, NO_TIME)
                break
            try:
                found = self._asked([questions[place] for place in batch], share)
            except ProviderError as error:
                failure = error
                # What another question cannot change ends it: a key, a quota, an address.
                if not isinstance(error, ProviderTimeout) and not error.cause.startswith(UNUSABLE.format(reason="")):
                    break
                continue
            for place, judgement in zip(batch, found, strict=True):
                out[place] = judgement
        if failure is not None and not any(out):
            raise failure
        return out

    def _asked(self, questions: Sequence[Question], seconds: float) -> list[Judgement | None]:
        instructions, text, ids = judge_prompt(questions)

        def read(reply: str) -> dict[str, Judgement]:
            return read_judgements(reply, ids, provider=self._model.provider)

        done = self._model.complete(Call(instructions, text, "judgements", judgements_schema(ids), read, seconds))
        if isinstance(done, Declined):
            raise unusable(self._model.provider, "declined", done.request_id)
        return [done.value.get(name) for name in ids]


def judge_prompt(questions: Sequence[Question]) -> tuple[str, str, list[str]]:
    """Instructions, input and the ids of the questions, byte for byte the same for the same questions.

    The fence around data and the ids are derived from all questions, so that no text in them can know them.
    """
    file = read_prompt("judge")
    key = hashlib.sha256("\n".join(question.key for question in questions).encode()).hexdigest()
    fence = f"=== {key[:16]}"
    ids = [f"{number}-{key[16:20]}" for number in range(1, len(questions) + 1)]
    every = "\n".join(shown(question, name, fence) for name, question in zip(ids, questions, strict=True))
    values = {"questions": every, "fence": fence, "count": len(ids), "ids": ", ".join(ids)}
    return file.parts["instructions"].strip(), Template(file.parts["input"]).substitute(values), ids


def judgements_schema(ids: Sequence[str]) -> dict[str, object]:
    """The strict JSON schema of one judgement for each id."""
    judgement = closed_object(
        {
            "id": {"type": "string", "enum": list(ids)},
            "entailment": {"type": "string", "enum": list(get_args(Entailment))},
            "confidence": {"type": "string", "enum": list(get_args(Confidence))},
        }
    )
    return closed_object({"judgements": {"type": "array", "items": judgement}})


def read_judgements(text: str, ids: Sequence[str], *, provider: str = "model") -> dict[str, Judgement]:
    """The judgements of a reply that can be used, by id.

    A judgement of an unknown id, one that is not of the schema and two of one id are left out.

    Raises:
        ProviderRejected: the reply is cut, not JSON or not of the schema, or holds none that can be used.
    """
    reason, value = "", None
    try:
        value = read_output(text)
    except JsonRefused as refused:
        reason = refused.reason
    if reason:
        raise unusable(provider, reason)
    found: dict[str, Judgement | None] = {}
    for entry in objects(member(value, "judgements")):
        name, entailment, confidence = entry.get("id"), entry.get("entailment"), entry.get("confidence")
        if isinstance(name, str) and name in ids:
            good = entailment in get_args(Entailment) and confidence in get_args(Confidence) and name not in found
            said = Judgement(cast("Entailment", entailment), cast("Confidence", confidence))
            found[name] = said if good else None
    usable = {name: one for name, one in found.items() if one is not None}
    if not usable:
        raise unusable(provider, "without a judgement of what was asked")
    return usable


def _batches(questions: Sequence[Question]) -> Iterator[list[int]]:
    """Places of the questions by call; what cannot be sent is in none."""
    batch: list[int] = []
    size = 0
    for place, question in enumerate(questions):
        length = _sendable_length(question)
        if length is None:
            continue
        if batch and (len(batch) == MAX_QUESTIONS or size + length > MAX_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(place)
        size += length
    if batch:
        yield batch


def _sendable_length(question: Question) -> int | None:
    """Characters of a question as it is shown; None where it is too long or holds half a character."""
    text = shown(question, "", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return None
    return len(text) if len(text) <= MAX_QUESTION_CHARACTERS else None


def shown(question: Question, name: str, fence: str) -> str:
    """A question as a judge sees it.

    Args:
        question: the statement with all that it may rest on.
        name: its id in the reply.
        fence: begins each line that is none of the data's.
    """
    lines = [f"{fence} statement {name}: {_KINDS[question.kind]}"]
    for passage in question.passages:
        lines += [f"{fence} law, {passage.urn} ({_ROLES[passage.role]})", *_law(passage)]
    for title, texts in (
        ("premises", question.premises),
        ("facts that it names, as they were told", question.facts),
        ("steps that code has repeated", question.computations),
        ("what was told and asked", (question.scenario,) if question.scenario else ()),
    ):
        if texts:
            lines += [f"{fence} {title}", *texts]
    return "\n".join([*lines, f"{fence} the statement {name}", question.statement])


def _law(passage: Passage) -> Iterator[str]:
    if passage.heading:
        yield f"Heading: {passage.heading}"
    if passage.lead_in:
        yield f"It continues: {passage.lead_in}"
    yield passage.text
    if passage.flush:
        yield f"It is followed by: {passage.flush}"
