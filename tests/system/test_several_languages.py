"""A store with law in several languages: who asks names neither a language nor a jurisdiction."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag import Engine, Settings

LAW = {  # jurisdiction -> title, and heading and words of two provisions
    "us-dc": ("Tenancy", "Deposit", "The landlord pays interest on the deposit.", "Entry", "A landlord gives notice."),
    "de": (
        "Miete",
        "Kaution",
        "Der Vermieter verzinst die Kaution aus dem Mietvertrag.",
        "Besuch",
        "Er meldet sich an.",
    ),
    "fr": ("Bail", "Objets déposés", "Le déposant reprend la chose déposée.", "Visite", "Le bailleur prévient."),
}


@pytest.fixture
def engine(empty_settings: Settings, tmp_path: Path) -> Engine:
    """An engine on a store of one short law in each of three languages, without vectors."""
    opened = Engine.open(empty_settings)
    for jurisdiction, (title, *words) in LAW.items():
        (tmp_path / jurisdiction).mkdir()
        text = "# {}\n\n## 1. {}\n\n{}\n\n## 2. {}\n\n{}\n".format(title, *words)
        (tmp_path / jurisdiction / f"rent-{jurisdiction}.md").write_text(text, encoding="utf-8")
        opened.ingest([tmp_path / jurisdiction], jurisdiction=jurisdiction)
    return opened


@pytest.mark.parametrize(
    ("question", "first"),
    [("interest on deposit", "us-dc"), ("Kaution Mietvertrag", "de"), ("déposant chose", "fr")],
)
def test_law_that_has_the_words_comes_first(engine: Engine, question: str, first: str) -> None:
    with engine:
        found = engine.search(question)
        answer = engine.ask(question)
    assert found.results[0].jurisdiction == first
    assert answer.context is not None
    assert answer.context.targets[0].split(":")[2] == first
    assert [hit.score for hit in found.results] == sorted((hit.score for hit in found.results), reverse=True)


def test_law_in_the_language_of_the_question_counts_whole(engine: Engine) -> None:
    with engine:
        found = engine.search(
            "the bailleur prévient, déposant reprend chose, landlord"
        )  # more of its words are French law's
    assert [hit.jurisdiction for hit in found.results][:1] == ["us-dc"]
    assert {hit.jurisdiction for hit in found.results} >= {"us-dc", "fr"}
