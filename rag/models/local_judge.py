"""A sentence-pair model on this machine as judge: no key, no network, nothing sent anywhere.

Such a model was trained to say whether one text entails, contradicts or leaves open another (natural language
inference). It reads a few hundred tokens and is asked for one statement at a time; a question that is longer than it
reads is not judged, for what it did not read may be what the statement leaves out.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from rag.verification.judging import Judgement, Question
from retrieval.errors import ConfigurationError, ProviderError, ProviderTimeout
from retrieval.providers.deadline import Deadline
from retrieval.providers.openai import NO_TIME

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
