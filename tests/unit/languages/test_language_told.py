"""A question tells its language by its small words, a document by how often it has them."""

from __future__ import annotations

import pytest

from rag.languages.told import language_told, language_written


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How much notice must a landlord give?", "en"),
        ("Can a company process the data of my child?", "en"),
        ("Combien de temps après la vente peut-on agir pour vice caché ?", "fr"),
        ("Mon propriétaire peut-il m'expulser et garder la caution ?", "fr"),
        ("Darf der Vermieter die Kaution einbehalten?", "de"),
        ("Wie lange habe ich Zeit?", "de"),
        ("ドローンを夜に飛ばしてもいいですか", "ja"),
        ("deposit", ""),
        ("Wohnung Kaution Rückzahlung", ""),
        ("die", ""),
        ("la loi que der Richter und", ""),  # as much of one as of the other
        ("", ""),
    ],
)
def test_a_question_tells_its_language_by_its_small_words_or_not_at_all(question: str, language: str) -> None:
    assert language_told(question) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The member may bring a guest. A guest must not climb.", "en"),
        ("Le bailleur doit rendre la caution dans le délai de deux mois.", "fr"),
        ("Der Mieter darf die Wohnung nicht ohne die Zustimmung des Vermieters untervermieten.", "de"),
        ("この規約において「会員」とは、入会金を支払った者をいう。", "ja"),
        ("The term この is a Japanese word, and it has no place in this text.", "en"),
        ("Die Klausel „the tenant may not keep a dog“ ist in dem Vertrag der Parteien.", ""),
        ("Fees 2026: 49 EUR", ""),
        ("", ""),
    ],
)
def test_a_document_tells_its_language_where_one_has_most_of_its_small_words(text: str, language: str) -> None:
    assert language_written(text) == language
