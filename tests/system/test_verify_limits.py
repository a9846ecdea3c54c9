"""What limits a statement is named beside SUPPORTED: once, and not where the text says it itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from conftest import Stores

from rag import Engine
from rag.citecheck.model import VerifyItem
from rag.verification.judging import Judgement, Question

TRADE = "urn:lex:us-wa:doc:street-trade"
SECTIONS = {
    "1": "A permit is valid for 12 months from the date of issue.",
    "2": "The appeal against a decision stays the decision of the Director. "
    "An appeal against a suspension for danger to health does not stay it.",
    "3": "The Director must decide on a complete application within 20 business days.",
    "4": "Section 3 does not apply to an application for a food cart.",
    "5": "A vendor must leave a clear path of at least 6 feet on the sidewalk. The path is measured from the curb.",
}


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    lines: list[Mapping[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": TRADE, "title": "Street Trade Ordinance", "language": "en"}},
        {"urn": TRADE, "structure_type": "ROOT", "level": "act", "heading": "Street Trade Ordinance"},
    ]
    lines += [
        {"urn": f"{TRADE}:{number}", "parent_urn": TRADE, "structure_type": "SECTION", "level": "section",
         "content_text": text} for number, text in SECTIONS.items()
    ]  # fmt: skip
    file: Path = tmp_path_factory.mktemp("law") / "trade.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with Engine.open(stores.clone(empty_template)) as opened:
        opened.ingest([file])
        yield opened


class Agrees:
    """A judge who finds all that it is asked."""

    name = "agrees"

    def judge(self, questions: Sequence[Question], *, seconds: float) -> list[Judgement | None]:
        return [Judgement("supported", "high") for _ in questions]


def told(items: list[VerifyItem], kind: str = "claim") -> list[tuple[str, list[str]]]:
    """The verdict on each item, and the sections that it is said to be limited by, or whose rest is told."""
    return [
        (item.verdict, [f"{reason.partition(':')[0]} {reason.split()[1].rpartition(':')[2]}" for reason in item.reasons
                        if reason.startswith(("LIMITED_BY", "MAY_LIMIT", "REST"))])
        for item in items if item.kind == kind
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "limits"),
    [("1", []), ("2", ["REST 2"]), ("3", ["LIMITED_BY 4"]), ("5", ["REST 5"])],
)
def test_what_limits_a_statement_is_named_and_it_stays_supported(
    engine: Engine, number: str, limits: list[str]
) -> None:
    first = SECTIONS[number].split(". ")[0].rstrip(".")
    result = engine.verify(f"{first} (section {number} of the Street Trade Ordinance).")
    assert told(result.items) == [("SUPPORTED", limits)]
    assert result.exit_code == 0
    quoted = engine.verify(f"The ordinance says “{first}.” (section {number} of the Street Trade Ordinance).")
    assert told(quoted.items, "quote") == [("SUPPORTED", limits)]


def test_beside_a_few_words_of_a_sentence_stands_only_what_limits_it_for_certain(engine: Engine) -> None:
    memo = "It speaks of “{}” (section {} of the Street Trade Ordinance)."
    part = engine.verify(memo.format("a clear path of at least 6 feet", 5))
    assert told(part.items, "quote") == [("SUPPORTED", [])]
    limited = engine.verify(memo.format("decide on a complete application within 20 business days", 3))
    assert told(limited.items, "quote") == [("SUPPORTED", ["LIMITED_BY 4"])]


def test_a_text_that_states_the_limit_itself_is_not_told_it(engine: Engine) -> None:
    text = " ".join(
        f"{sentence.rstrip('.')} (section {number} of the Street Trade Ordinance)."
        for number in ("3", "4") for sentence in SECTIONS[number].split(". ")
    )  # fmt: skip
    assert told(engine.verify(text).items) == [("SUPPORTED", []), ("SUPPORTED", [])]


def test_a_limit_is_told_once(engine: Engine) -> None:
    text = f"{SECTIONS['3'].rstrip('.')} (section 3 of the Street Trade Ordinance)."
    assert told(engine.verify(f"{text}\n\n{text}").items) == [("SUPPORTED", ["LIMITED_BY 4"]), ("SUPPORTED", [])]


def test_a_statement_that_a_judge_supports_has_its_limits_too(engine: Engine) -> None:
    text = (
        "A complete application has to be dealt with by the Director in 20 business days "
        "(section 3 of the Street Trade Ordinance)."
    )
    asked = engine.verify(text)
    assert told(asked.items) == [("UNVERIFIED", [])]
    judged = engine.using(judge=Agrees()).verify(text)
    assert told(judged.items) == [("SUPPORTED", ["LIMITED_BY 4"])]


def test_so_has_a_claim_of_a_model(engine: Engine) -> None:
    quote = SECTIONS["3"]
    claims = [{"text": quote, "citations": [{"urn": f"{TRADE}:3", "quote": quote}]}]
    assert told(engine.verify(json.dumps({"claims": claims})).items) == [("SUPPORTED", ["LIMITED_BY 4"])]
