"""Which words of a lay question count, and for how much, when sentences are chosen without a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_extractive import RULE, block, context

from rag.answering.extractive.candour import weak_match
from rag.answering.extractive.draft import draft_extractive
from rag.answering.extractive.kinds import asking_words
from rag.answering.extractive.matter import Need, met, stands_for
from rag.jurisdictions.grammars import provision_asked_for
from rag.languages.registry import language_of
from rag.languages.stems import asked_runs, stems_of
from retrieval.entry_points.synonyms import SynonymHit

FORM = "The form for a person who is entitled to state pension credit shall insert “poor” and omit nothing."
DEPOSIT = frozenset({"deposit"})
INTEREST = frozenset({"interest", "deposit"})


def chosen(text: str, question: str, synonyms: list[SynonymHit], words: dict[str, float], language: str) -> list[str]:
    return [
        claim.text
        for claim in draft_extractive(context(block(1, RULE, text)), question, synonyms, words, language).claims
    ]


@pytest.mark.parametrize(
    ("forms", "own", "around", "share"),
    [
        (((DEPOSIT, 1.0),), {"deposit"}, set[str](), 1.0),
        (((DEPOSIT, 1.0),), set[str](), {"deposit"}, 0.5),
        (((DEPOSIT, 1.0), (frozenset({"bond"}), 0.4)), {"bond"}, set[str](), 0.7),
        (((INTEREST, 1.0), (DEPOSIT, 1.0), (frozenset({"interest"}), 1.0)), {"deposit"}, set[str](), 0.0),
        (((INTEREST, 1.0), (DEPOSIT, 1.0), (frozenset({"interest"}), 1.0)), {"deposit", "interest"}, set[str](), 1.0),
        (((frozenset[str](), 1.0),), {"deposit"}, set[str](), 0.0),
    ],
)  # fmt: skip
def test_a_term_meets_a_word_by_what_it_means_and_a_phrase_as_a_whole(
    forms: tuple[tuple[frozenset[str], float], ...], own: set[str], around: set[str], share: float
) -> None:
    assert met(Need(1.0, forms), frozenset(own), frozenset(around)) == share


STEMS = st.frozensets(st.sampled_from("abcd"), max_size=3)


@given(st.lists(st.tuples(STEMS, st.floats(0, 1)), min_size=1, max_size=4), STEMS, STEMS)
def test_more_words_never_meet_a_need_less(
    forms: list[tuple[frozenset[str], float]], own: frozenset[str], more: frozenset[str]
) -> None:
    need = Need(1.0, ((forms[0][0], 1.0), *forms[1:]))
    assert 0.0 <= met(need, own, frozenset()) <= met(need, own | more, frozenset()) <= 1.0
    assert met(need, own, more) <= met(need, own | more, frozenset())


def test_what_asks_in_german_is_not_looked_for_in_the_answer() -> None:
    text = "Wer ein Tier beaufsichtigt, ist verantwortlich. Der Halter des Tieres ersetzt den Schaden."
    words = {"wer": 9.0, "ersetzt": 2.0, "schaden": 2.0, "jemanden": 9.0, "würde": 30.0}
    question = "Wer würde sagen, er ersetzt den Schaden, wenn mein Hund jemanden beißt?"
    assert chosen(text, question, [], words, "de") == ["Der Halter des Tieres ersetzt den Schaden."]
    assert asking_words("Was ist die höchste Strafe, und wann?", language_of("de")) == {"höchste", "wann"}


def test_a_word_that_only_the_thesaurus_knows_is_one_thing_asked_about() -> None:
    text = "Die Sicherheit darf höchstens das Dreifache der Monatsmiete betragen."
    kaution = SynonymHit("kaution", "sicherheit", 0.9)
    found = draft_extractive(
        context(block(1, RULE, text)), "Wie hoch darf die Kaution sein?", [kaution], {"darf": 3.0}, "de", ["kaution"]
    )
    assert [claim.text for claim in found.claims] == [text]
    none = draft_extractive(
        context(block(1, RULE, text)), "Wie hoch darf die Kaution sein?", [], {"darf": 3.0}, "de", ["kaution"]
    )
    assert none.claims == ()


def test_a_word_that_the_thesaurus_only_comes_near_to_is_no_answer_by_itself() -> None:
    near = SynonymHit("mehrwertsteuer", "steuern", 0.7)
    law = context(block(1, RULE, "Die Steuern stehen den Ländern zu."))
    asked = "Wie hoch ist die Mehrwertsteuer?"
    assert draft_extractive(law, asked, [near], {"hoch": 7.0}, "de", ["mehrwertsteuer"]).claims == ()


def test_one_word_of_the_law_does_not_meet_two_things_asked_about() -> None:
    search = SynonymHit("durchsuchen", "wohnung", 0.7)
    words = {"polizei": 6.0, "wohnung": 5.0, "durchsuchen": 8.0}
    asked = "Darf die Polizei die Wohnung durchsuchen?"
    assert chosen("Eine Wohnung kann vermietet werden.", asked, [search], words, "de") == []


def test_a_phrase_weighs_as_much_as_its_words_and_stands_for_them_all() -> None:
    text = "Der Erbe haftet für die Nachlassverbindlichkeiten."
    debts = SynonymHit("schulden meines verstorbenen", "nachlassverbindlichkeiten", 1.0)
    words = {"schulden": 5.0, "verstorbenen": 5.0, "vaters": 4.5, "zahlen": 4.0}
    assert chosen(text, "Muss ich für Schulden meines verstorbenen Vaters zahlen?", [debts], words, "de") == [text]


@pytest.mark.parametrize(
    ("language", "rule", "change", "question"),
    [
        ("de", "Die Kündigung ist am dritten Werktag zulässig.",
         "Die Kündigungsfrist des Vermieters verlängert sich nach fünf Jahren.", 
         "Wie lang ist die Kündigungsfrist des Vermieters?"),
        ("en", "The controller shall answer within one month.",
         "That period may be extended by two months for complex requests.",
         "Is the period extended for complex requests?"),
    ],
)  # fmt: skip
def test_what_tells_how_a_rule_changes_brings_the_rule_along(
    language: str, rule: str, change: str, question: str
) -> None:
    words = {"kündigungsfrist": 4.0, "vermieters": 2.0, "period": 3.0, "extended": 3.0, "complex": 3.0, "requests": 2.0}
    assert chosen(f"{rule} {change}", question, [], words, language) == [f"{rule} {change}"]


@pytest.mark.parametrize(
    ("language", "amending", "rule"),
    [
        ("en", "In the definition of “benefit”, at the end insert “and state pension credit”.", FORM),
        ("en", "For “pension” there is substituted “state pension credit”.", FORM),
        ("fr", "Les mots : « pension » sont remplacés par les mots : « credit pension state ».",
         "Qui demande le « state pension credit » complète le formulaire."),
        ("de", "Das Wort „pension“ wird durch die Wörter „state pension credit“ ersetzt.",
         "Wer „state pension credit“ beantragt, ersetzt nichts auf dem Formular."),
    ],
)  # fmt: skip
def test_a_sentence_that_only_amends_another_law_is_no_answer(language: str, amending: str, rule: str) -> None:
    words = {"pension": 3.0, "credit": 3.0, "state": 1.0}
    question = "Who gets state pension credit?"
    assert chosen(amending, question, [], words, language) == []
    assert chosen(f"{amending} {rule}", question, [], words, language) == [rule]


def test_a_question_in_a_script_without_spaces_is_answered_by_its_runs_and_with_a_warning() -> None:
    text = "機長は、事故が発生したときは、国土交通大臣に報告しなければならない。旅客は、座席に着かなければならない。"
    question = "事故を報告しなければならないのは誰ですか？"
    words = {question.rstrip("？"): 0.5}
    first = text[: text.index("。") + 1]
    assert chosen(text, question, [], words, "ja") == [first]
    assert weak_match(question, [], words, [], "ja", [first], "")[1] != ""
    whole = weak_match("機長は事故を大臣に報告しますか？", [], {}, [], "ja", [first], "")[1]
    assert "character by character" in whole
    assert chosen(text, "年金を受け取れるのは誰ですか？", [], {}, "ja") == []
    drink = SynonymHit("酒を飲んで", "アルコール", 1.0)
    law = "アルコールの影響がある間は、航空機を操縦してはならない。"
    assert chosen(law, "もし酒を飲んで操縦したらどうなりますか？", [drink], {}, "ja") == [law]


def test_runs_are_compared_by_pairs_of_signs_and_hiragana_is_left_out() -> None:
    assert stems_of("航空機の事故", language_of("ja")) == {"航", "空", "機", "航空", "空機", "事", "故", "事故"}
    assert asked_runs("航空機の事故は誰が報告し、航空機は?", language_of("ja")) == ["航空機", "事故", "報告"]
    assert stems_of("The landlords", language_of("en")) == stems_of("the landlord", language_of("en"))


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does section 5 say?", "section 5"),
        ("Que dit l'article 1648 du code civil ?", "l'article 1648 du code civil"),
        ("Was steht in § 573 BGB?", "§ 573 BGB"),
        ("航空法第70条は何を定めていますか？", "航空法第70条"),
        ("What does section 5 say about deposits?", "What does section 5 say about deposits?"),
        ("Can he enter?", "Can he enter?"),
    ],
)
def test_who_asks_what_a_provision_says_names_it(question: str, named: str) -> None:
    assert provision_asked_for(question) == named


def test_two_matters_of_a_phrase_are_met_by_terms_for_both() -> None:
    assert not stands_for(INTEREST, [DEPOSIT, frozenset({"interest"})], [DEPOSIT])
    assert stands_for(INTEREST, [DEPOSIT], [frozenset({"usury"})])
