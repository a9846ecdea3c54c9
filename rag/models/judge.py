"""The judges: whether statements follow from the law, premises, facts and steps shown with them.

A language model sees whole passages and nothing else; what it cannot say in the form asked for counts as not said. No
reply is completed, and none decides about another statement than the one whose id it names.

A sentence-pair model on this machine was trained to say whether one text entails, contradicts or leaves open another
(natural language inference). It reads a few hundred tokens and is asked for one statement at a time; a question that is
longer than it reads is not judged, for what it did not read may be what the statement leaves out.
"""

from __future__ import annotations

import hashlib
import importlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template
from typing import Any, Protocol, cast, get_args

from rag.models.drafting import Declined, closed_object, read_output
from rag.models.openai import Call, OpenAIModel
from rag.models.prompting import read_prompt
from rag.verification.judging import Confidence, Entailment, Judgement, Passage, Question
from retrieval.errors import ConfigurationError, ProviderError, ProviderTimeout
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


PROVIDER = "local"
# The share that a label needs for a judgement of high confidence. Measure it on recorded judgements before trusting a
# model: models of this kind are often sure of themselves.
SURE = 0.9
_UNLIMITED = 100_000  # tokenizers write a number beyond this where they know no limit


class Pairs(Protocol):
    """What a sentence-pair model says of two texts."""

    def shares(self, premise: str, hypothesis: str) -> tuple[float, float] | None:
        """The shares of entailment and of contradiction, 0 to 1; None where it cannot read all of both texts.

        Raises:
            ProviderError: the model failed.
        """
        ...


class LocalJudge:
    """A judge over a sentence-pair model in a folder, which is loaded at the first question. Safe to share by threads.

    Args:
        folder: holds a model for sequence classification with its tokenizer, as `save_pretrained` writes them.
        pairs: the model, where it is loaded already.

    Raises:
        ConfigurationError: no folder is named, it is not there, or it holds no model.
    """

    def __init__(self, folder: str, pairs: Pairs | None = None) -> None:
        place = Path(folder).expanduser()
        if not folder.strip() or not place.is_dir():
            raise ConfigurationError(
                "The local judge needs LEXSCOPE_JUDGE_MODEL, a folder with a sentence-pair (NLI) model; "
                "nothing is downloaded here."
            )
        if pairs is None and not (place / "config.json").is_file():
            raise ConfigurationError(
                "The folder in LEXSCOPE_JUDGE_MODEL has no config.json, so it is no sentence-pair (NLI) model as "
                "`save_pretrained` writes it."
            )
        self._folder, self._pairs = place, pairs
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Provider and folder, wherever it lies."""
        return f"{PROVIDER} {self._folder.resolve().name}"

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        """Judge each question by itself; see `Judge.judge`.

        Raises:
            ConfigurationError: the extra is not installed, or the model cannot be loaded or is of another kind.
            InputError: not a positive number of seconds.
            ProviderError: no judgement came within the time, or the model failed.
        """
        deadline = Deadline(seconds)
        out: list[Judgement | None] = []
        with self._lock:
            if self._pairs is None:
                self._pairs = _Transformer(self._folder)
            for question in questions:
                if deadline.passed:
                    break
                shares = self._pairs.shares(premise_of(question), question.statement)
                out.append(None if shares is None else judgement_of(*shares))
        if questions and not out:
            raise ProviderTimeout(PROVIDER, NO_TIME)
        return out + [None] * (len(questions) - len(out))


def premise_of(question: Question) -> str:
    """All that is shown with a statement, as one text."""
    law = [part for passage in question.passages for part in (passage.lead_in, passage.text, passage.flush)]
    told = (*question.premises, *question.facts, *question.computations, question.scenario)
    return "\n".join(part for part in (*law, *told) if part)


def judgement_of(entailment: float, contradiction: float) -> Judgement:
    """The judgement that the shares of the labels come to."""
    rest = 1.0 - entailment - contradiction
    if entailment > max(contradiction, rest):
        return Judgement("supported", "high" if entailment >= SURE else "low")
    if contradiction > rest:
        return Judgement("contradicted", "high" if contradiction >= SURE else "low")
    return Judgement("not_supported", "high" if 1.0 - entailment >= SURE else "low")


class _Transformer:
    """A model for sequence classification, by the libraries of the extra `local`."""

    def __init__(self, folder: Path) -> None:
        try:
            self._torch: Any = importlib.import_module("torch")
            library: Any = importlib.import_module("transformers")
        except ImportError:
            raise ConfigurationError(
                "A local judge needs the extra `local`: pip install 'lexscope[local]'. Or set LEXSCOPE_JUDGE to model "
                "or none."
            ) from None
        kind = ""
        try:
            self._tokenizer: Any = library.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            self._model: Any = library.AutoModelForSequenceClassification.from_pretrained(folder, local_files_only=True)
            self._model.eval()
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError, AttributeError) as error:
            kind = type(error).__name__  # raised without the cause: its text speaks of a network that is never asked
        if kind:
            raise ConfigurationError(
                f"The model in LEXSCOPE_JUDGE_MODEL cannot be loaded ({kind}); it has to be a folder with a "
                "sentence-pair (NLI) model and its tokenizer."
            )
        labels = {str(name).lower(): int(number) for number, name in self._model.config.id2label.items()}
        self._entailment = labels.get("entailment")
        self._contradiction = labels.get("contradiction")
        if self._entailment is None:
            raise ConfigurationError(
                "The model in LEXSCOPE_JUDGE_MODEL has no label `entailment`, so it is no sentence-pair (NLI) model, "
                "or its config.json does not name its labels (id2label)."
            )
        self._limit = self._tokens_read()

    def _tokens_read(self) -> int:
        named = int(self._tokenizer.model_max_length)
        places = getattr(self._model.config, "max_position_embeddings", None) or _UNLIMITED
        # Models of the RoBERTa family count two more places than they have for tokens.
        return min(named, places) if named < _UNLIMITED else places - 2

    def shares(self, premise: str, hypothesis: str) -> tuple[float, float] | None:
        """The shares of entailment and of contradiction; None where the model does not read so much."""
        kind = ""
        try:
            encoded = self._tokenizer(premise, hypothesis, truncation=False, return_tensors="pt", verbose=False)
            if encoded["input_ids"].shape[1] > self._limit:
                return None
            with self._torch.no_grad():
                logits = self._model(**encoded).logits[0]
            shares = cast("list[float]", self._torch.softmax(logits.float(), dim=-1).tolist())
        except (RuntimeError, ValueError, IndexError, MemoryError) as error:
            shares, kind = [], type(error).__name__
        if kind:
            raise ProviderError(PROVIDER, f"the judging model failed ({kind})")
        contradiction = 0.0 if self._contradiction is None else shares[self._contradiction]
        return shares[cast("int", self._entailment)], contradiction
