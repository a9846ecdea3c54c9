"""Which questions ask what a term means, and for nothing else; blanks stand where a law or a place was named."""

from __future__ import annotations

import pytest

from rag.searching import meanings_asked


@pytest.mark.parametrize(
    ("language", "question", "term"),
    [
        ("en", "What is a dwelling unit?", "dwelling unit"),
        ("en", "What are dwelling units?", "dwelling unit"),
        ("en", "what does owner mean", "owner"),
        ("en", 'What does the term "owner" mean in            ?', "owner"),
        ("en", "Who counts as an employer?", "employer"),
        ("en", "Define charity.", "charity"),
        ("en", "What is the legal definition of a tenant under      law?", "tenant"),
        ("en", "How is “common area” defined for the purposes of                ?", "common area"),
        ("en", "What is tenancy in common?", "tenancy in common"),
        ("en", "What is tenancy in          ?", "tenancy"),
        ("de", "Was ist ein Verbraucher?", "verbraucher"),
        ("de", "Was bedeutet „Unternehmer“?", "unternehmer"),
        ("de", "Was versteht man unter Zubehör im Sinne des     ?", "zubehör"),
        ("de", "Wie wird Taschengeld definiert?", "taschengeld"),
        ("fr", "Qu'est-ce qu'un consommateur ?", "consommateur"),
        ("fr", "Que signifie « non-professionnel » dans le                  ?", "non-professionnel"),
        ("fr", "Quelle est la définition de l'usufruit ?", "usufruit"),
        ("ja", "占有とは何か", "占有"),
        ("ja", "     における「消費者」とは何ですか？", "消費者"),
        ("ja", "航空機の定義は？", "航空機"),
    ],
)
def test_a_question_for_a_meaning_names_its_term(language: str, question: str, term: str) -> None:
    assert term in meanings_asked(question, language)


@pytest.mark.parametrize(
    ("language", "question", "term"),
    [
        ("en", "What is a tenant liable for?", "tenant"),
        ("en", "What is the security deposit limit?", "security deposit"),
        ("en", "What is my landlord's duty?", "landlord"),
        ("en", "What is a tenant in a flood to do?", "tenant"),
        ("en", "What does an owner owe in damages?", "owner"),
        ("en", "I rent a flat. What is a dwelling unit?", "dwelling unit"),
        ("en", "May an owner enter?", "owner"),
        ("de", "Was ist der Preis?", "preis"),
        ("de", "Was darf ein Verbraucher?", "verbraucher"),
        ("fr", "Que doit le bailleur ?", "bailleur"),
        ("ja", "占有者は何を請求できるか", "占有者"),
    ],
)
def test_a_question_for_something_else_does_not(language: str, question: str, term: str) -> None:
    assert term not in meanings_asked(question, language)
