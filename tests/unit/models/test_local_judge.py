"""The local judge: with a tiny model of random weights where the libraries are installed, its rules without."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from rag.cli.doctor import ask_models
from rag.models.choice import judge_of
from rag.models.judge import LocalJudge, judgement_of, premise_of
from rag.settings import load_settings
from rag.verification.judging import Judgement, Passage, Question
from retrieval.errors import ConfigurationError, InputError, ProviderError, ProviderTimeout

LAW = Passage("urn:lex:us:x:1", "An owner shall not:", "Except as provided,", "(a) demand more.", "Deposits")
QUESTION = Question(
    "The owner may not ask for $1,300.", "application", (LAW,), ("More than the rent may not be asked.",),
    ("my rent is $1,200",), ("less_than($1,200, $1,300) = true",), "May she?",
)  # fmt: skip
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "owner", "rent", "the", "may", "not", "ask", "more", "than", "deposit"]


class Fixed:
    """Says the same of every pair, or fails."""

    def __init__(self, said: tuple[float, float] | ProviderError | None) -> None:
        self.said = said
        self.pairs: list[tuple[str, str]] = []

    def shares(self, premise: str, hypothesis: str) -> tuple[float, float] | None:
        self.pairs.append((premise, hypothesis))
        if isinstance(self.said, ProviderError):
            raise self.said
        return self.said


@pytest.mark.parametrize(
    ("entailment", "contradiction", "expected"),
    [
        (0.95, 0.03, Judgement("supported", "high")),
        (0.60, 0.30, Judgement("supported", "low")),
        (0.02, 0.95, Judgement("contradicted", "high")),
        (0.30, 0.50, Judgement("contradicted", "low")),
        (0.02, 0.03, Judgement("not_supported", "high")),
        (0.40, 0.10, Judgement("not_supported", "low")),
        (0.50, 0.50, Judgement("contradicted", "low")),
    ],
)
def test_shares_become_judgements(entailment: float, contradiction: float, expected: Judgement) -> None:
    assert judgement_of(entailment, contradiction) == expected
    assert expected.holds is (entailment >= 0.9)


def test_the_model_reads_all_that_is_shown_and_the_statement(tmp_path: Path) -> None:
    pairs = Fixed((0.97, 0.01))
    judge = LocalJudge(str(tmp_path), pairs)
    assert judge.judge([QUESTION], seconds=5) == [Judgement("supported", "high")]
    assert pairs.pairs == [(premise_of(QUESTION), QUESTION.statement)]
    premise = premise_of(QUESTION)
    for part in ("Except as provided,\nAn owner shall not:\n(a)", "More than the rent", "$1,200", "May she?"):
        assert part in premise
    assert judge.name == f"local {tmp_path.name}"


def test_what_the_model_cannot_read_whole_is_not_judged(tmp_path: Path) -> None:
    assert LocalJudge(str(tmp_path), Fixed(None)).judge([QUESTION, QUESTION], seconds=5) == [None, None]


def test_no_time_and_a_failing_model_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ProviderTimeout):
        LocalJudge(str(tmp_path), Fixed((1.0, 0.0))).judge([QUESTION], seconds=1e-9)
    with pytest.raises(ProviderError, match="memory"):
        LocalJudge(str(tmp_path), Fixed(ProviderError("local", "no memory"))).judge([QUESTION], seconds=5)
    with pytest.raises(InputError):
        LocalJudge(str(tmp_path), Fixed(None)).judge([QUESTION], seconds=0)


@pytest.mark.parametrize("folder", ["", " ", "/no/such/folder"])
def test_a_missing_folder_is_refused_before_anything_is_loaded(folder: str) -> None:
    with pytest.raises(ConfigurationError, match="LEXSCOPE_JUDGE_MODEL"):
        judge_of(load_settings(judge="local", judge_model=folder))


def test_a_folder_without_a_model_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"LEXSCOPE_JUDGE_MODEL has no config\.json"):
        judge_of(load_settings(judge="local", judge_model=str(tmp_path)))
    (tmp_path / "config.json").write_text("{}")
    assert judge_of(load_settings(judge="local", judge_model=str(tmp_path))) is not None


def test_a_missing_extra_is_named(tmp_path: Path) -> None:
    if find_spec("torch") is not None and find_spec("transformers") is not None:
        pytest.skip("torch and transformers are installed")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigurationError, match=r"lexscope\[local\]"):
        LocalJudge(str(tmp_path)).judge([QUESTION], seconds=5)
    told = [
        ask_model
        for ask_model in ask_models(load_settings(judge="local", judge_model=str(tmp_path)))
        if ask_model.name == "judge"
    ]
    assert [ask_model.status for ask_model in told] == ["fail"]
    assert "lexscope[local]" in told[0].detail
    assert "torch" not in sys.modules


def tiny(folder: Path, labels: list[str]) -> Path:
    """A model of random weights that reads 32 tokens."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        pytest.skip("torch and transformers are not installed")
    import torch  # pyright: ignore
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast  # pyright: ignore

    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), model_max_length=32).save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=32, num_labels=len(labels), id2label=dict(enumerate(labels)),
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("labels", [["contradiction", "ENTAILMENT", "neutral"], ["entailment", "not_entailment"]])
def test_a_real_model_judges_what_it_reads_whole(tmp_path: Path, labels: list[str]) -> None:
    folder = tiny(tmp_path / "mini", labels)
    judge = judge_of(load_settings(judge="local", judge_model=str(folder)))
    assert judge is not None
    short = Question("the owner may not ask", "law", (Passage("u", "the owner may ask rent"),))
    long = Question("the owner may not ask", "law", (Passage("u", "rent " * 40),))
    first, second, again = judge.judge([short, long, short], seconds=60)
    assert first is not None
    assert second is None
    assert again == first
    assert first.confidence == "low"  # random weights are sure of nothing
    assert first.entailment != "contradicted" or "contradiction" in labels
    check = next(
        ask_model
        for ask_model in ask_models(load_settings(judge="local", judge_model=str(folder)))
        if ask_model.name == "judge"
    )
    assert check.status == "fail"
    assert "not sure that a sentence follows from itself" in check.detail


@pytest.mark.filterwarnings("default")
def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    folder = tiny(tmp_path / "mini", ["positive", "negative"])
    with pytest.raises(ConfigurationError, match="no label `entailment`"):
        LocalJudge(str(folder)).judge([QUESTION], seconds=60)
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        LocalJudge(str(tmp_path / "none")).judge([QUESTION], seconds=60)
