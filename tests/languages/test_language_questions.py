"""Questions in German, French and Japanese: inflected words are the law's words, and another matter still warns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Stores, thorough

from rag import Engine
from rag.answering.answer import Answer

Law = list[tuple[str, str]]  # headings and texts of its sections
URNS = {"de": "urn:lex:de:gartenordnung", "fr": "urn:lex:fr:code-du-jardin", "ja": "urn:lex:jp:niwa"}
LAWS: dict[str, Law] = {
    "de": [
        ("Pachtzins", "Der Pächter eines Gartens zahlt den Pachtzins jährlich an den Verpächter."),
        ("Frist", "Die Frist für die Kündigung eines Gartens beträgt drei Monate."),
        ("Bäume", "Der Pächter darf einen hohen Baum nur mit Erlaubnis des Verpächters fällen."),
        ("Haustiere", "Die Haltung eines Hundes ist im Garten verboten."),
        ("Schäden", "Der Pächter ersetzt dem Verpächter jeden Schaden, den er am Zaun verursacht."),
        ("Vertrag", "Der Vertrag bedarf der Schriftform. Ein mündlich geschlossener Vertrag ist nichtig."),
        ("Verein", "Der Verein wählt alle zwei Jahre einen Vorstand. Der Vorstand vertritt den Verein vor Gericht."),
    ],
    "fr": [
        ("Location", "Le locataire d'un jardin paie le loyer chaque année au bailleur."),
        ("Préavis", "Le délai de préavis pour la résiliation du bail d'un jardin est de trois mois."),
        ("Arbres", "Le locataire ne peut abattre un arbre qu'avec l'autorisation du bailleur."),
        ("Animaux", "Tout animal domestique est interdit dans le jardin."),
        ("Travaux", "Le bailleur supporte les travaux de clôture du jardin."),
        ("Contrat", "Le contrat verbal est nul."),
    ],
    "ja": [
        ("賃料", "賃借人は、毎年、庭園の賃料を賃貸人に支払わなければならない。"),
        ("樹木", "賃借人は、賃貸人の許可を受けなければ、樹木を伐採してはならない。"),
        ("動物", "庭園において犬を飼育することは、禁止する。"),
    ],
}


def _write(folder: Path, language: str) -> Path:
    urn = URNS[language]
    rows: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": urn, "title": "G", "language": language}, "edition_date": "2020-01-01"},
        {"urn": urn, "structure_type": "ROOT", "level": "act", "heading": "G"},
    ]
    for number, (heading, text) in enumerate(LAWS[language], start=1):
        rows.append({
            "urn": f"{urn}:{number}", "parent_urn": urn, "structure_type": "SECTION", "level": "section",
            "number": str(number), "heading": heading, "content_text": text,
        })  # fmt: skip
    path = folder / f"{language}.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def gardens(
    stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Engine]]:
    """A store for each language, with its law of gardens."""
    opened: dict[str, Engine] = {}
    for language in LAWS:
        opened[language] = Engine.open(stores.clone(empty_template))
        report = opened[language].ingest([_write(tmp_path_factory.mktemp(language), language)])
        assert not report.rejected
    yield opened
    for engine in opened.values():
        engine.close()


# Of a question whose words are all found: only whether the same person does the same thing there is not certain.
ALL_WORDS = "a sentence has all words of the question"


def warned(answer: Answer) -> list[str]:
    return [warning.message for warning in answer.warnings if warning.kind == "weak_match"]


@pytest.mark.parametrize(
    ("language", "question", "begins"),
    [
        ("de", "Welche Fristen gelten für Kündigungen von Gärten?", "Die Frist"),
        ("de", "Darf ich hohe Bäume fällen?", "Der Pächter darf"),
        ("de", "Wer ersetzt Schäden an Zäunen?", "Der Pächter ersetzt"),
        ("de", "Muss ein Pächter dem Verpächter Pachtzinsen zahlen?", "Der Pächter eines Gartens zahlt"),
        ("de", "Sind mündlich geschlossene Verträge nichtig?", "Ein mündlich"),
        ("de", "Wer vertritt Vereine vor Gerichten?", "Der Vorstand"),
        ("de", "Wählen Vereine Vorstände?", "Der Verein"),
        ("fr", "Puis-je abattre des arbres sans autorisations ?", "Le locataire ne peut"),
        ("fr", "Les animaux domestiques sont-ils interdits dans les jardins ?", "Tout animal"),
        ("fr", "Qui supporte le travail de clôture ?", "Le bailleur"),
        ("fr", "Les locataires doivent-ils payer des loyers chaque année ?", "Le locataire d'un"),
        ("fr", "Les contrats verbaux sont-ils nuls ?", "Le contrat"),
    ],
)
def test_inflected_words_are_the_words_of_the_law(
    gardens: dict[str, Engine], language: str, question: str, begins: str
) -> None:
    answer = gardens[language].ask(question)
    assert answer.status == "answered"
    assert answer.statements[0].text.startswith(begins)
    assert warned(answer) == []


def test_an_act_that_the_law_names_by_a_noun_is_found_and_no_word_lacks(gardens: dict[str, Engine]) -> None:
    answer = gardens["fr"].ask("Quels sont les délais de préavis pour résilier les baux ?")
    assert answer.places[0].sentence.startswith("Le délai")
    assert [ALL_WORDS in message for message in warned(answer)] == [True]


@pytest.mark.parametrize(
    ("language", "question", "lacking"),
    [
        ("de", "Dürfen Vermieter im Garten Hunde halten?", "vermieter"),
        ("de", "Darf der Pächter hohe Bäume mit Dynamit sprengen?", "sprengen"),
        ("fr", "Quel impôt dois-je payer pour un jardin ?", "impôt"),
    ],
)
def test_another_matter_still_warns(gardens: dict[str, Engine], language: str, question: str, lacking: str) -> None:
    answer = gardens[language].ask(question)
    assert answer.status == "places"
    assert answer.places
    assert [lacking in message for message in warned(answer)] == [True]


def test_law_of_another_country_than_the_question_names_is_no_answer(gardens: dict[str, Engine]) -> None:
    question = "Muss ein Pächter {} dem Verpächter Pachtzinsen zahlen?"
    here = gardens["de"].ask(question.format("in Deutschland"))
    assert (here.status, [warning.message for warning in here.warnings if warning.kind == "search"][:-1]) == (
        "answered",
        [],
    )
    abroad = gardens["de"].ask(question.format("in der Schweiz"))
    assert abroad.status == "places"
    assert (abroad.statements, abroad.short_answer) == ([], None)
    assert abroad.places[0].sentence.startswith("Der Pächter eines Gartens zahlt")
    assert "The question names Schweiz, and only law of de was searched." in [
        warning.message for warning in abroad.warnings
    ]


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Darf ich Bienen züchten?"),
        ("de", "Sind Hunde steuerpflichtig?"),
        ("fr", "Puis-je installer une piscine dans le jardin ?"),
        ("ja", "庭園に温室を建築できますか？"),
    ],
)
def test_what_the_law_does_not_speak_of_is_never_answered(
    gardens: dict[str, Engine], language: str, question: str
) -> None:
    answer = gardens[language].ask(question)
    assert answer.status in ("refused", "places")
    assert not answer.statements


class _Names:
    """A rewriter that names one term, and keeps what it was asked."""

    name = "test"

    def __init__(self, term: str) -> None:
        self.term = term
        self.asked: list[tuple[str, str]] = []

    def terms(self, question: str, language: str) -> list[str]:
        self.asked.append((question, language))
        return [self.term]


def test_terms_that_a_model_names_are_searched_traced_and_in_no_prompt(gardens: dict[str, Engine]) -> None:
    question, names = (
        "Wem muss ich Bescheid geben, wenn ich die Eiche weghaben will?",
        _Names("Erlaubnis des Verpächters"),
    )
    engine = gardens["de"]
    assert f"{URNS['de']}:3" not in [place.urn for place in engine.ask(question).places]
    answer, trace = engine.using(rewriter=names).traced_ask(question)
    assert names.asked == [(question, "de")]
    assert [place.urn for place in answer.places][:1] == [f"{URNS['de']}:3"]
    assert trace.synonyms is not None
    assert "rewriting -> Erlaubnis des Verpächters" in trace.synonyms
    assert trace.prompt is not None
    assert "rewriting" not in trace.prompt


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("庭園で犬を飼育することは禁止されていますか？", "庭園において"),
        ("許可なく樹木を伐採できますか？", "賃借人は、賃貸人の許可"),
    ],
)
def test_japanese_runs_are_compared_by_bigrams_which_readers_are_told(
    gardens: dict[str, Engine], question: str, begins: str
) -> None:
    answer = gardens["ja"].ask(question)
    assert answer.places[0].sentence.startswith(begins)
    assert ["character by character" in message for message in warned(answer)] == [True]


REAL: dict[str, tuple[list[str], list[str]]] = {
    "de-gesetze-md/bgb.md": (
        [
            "Welche Fristen gelten für die Kündigung von Mietverhältnissen?",
            "Wann verjähren Ansprüche?",
            "Sind Verträge mit Minderjährigen wirksam?",
            "Wann sind Willenserklärungen anfechtbar?",
        ],
        ["Welche Steuern zahlt ein Vermieter?", "Darf ich mit Drohnen fliegen?"],
    ),
    "fr-legi-json/LEGITEXT000031366350.json": (
        [
            "Les décisions défavorables doivent-elles être motivées ?",
            "Qui peut accéder aux documents administratifs ?",
            "Le recours gracieux interrompt-il le délai ?",
        ],
        ["Quelles taxes paie le propriétaire d'un chien ?"],
    ),
    "jp-egov-xml/327AC0000000231_20240401_505AC0000000063.xml": (
        [],
        ["賃借人は敷金を返してもらえますか？"],
    ),
}  # fmt: skip


@pytest.mark.data
@pytest.mark.parametrize("file", thorough(*sorted(REAL, key=lambda file: not file.startswith("fr-"))))
def test_questions_on_real_law(
    shared_data: Path, tmp_path: Path, stores: Stores, empty_template: str, file: str
) -> None:
    if not (shared_data / file).exists():
        pytest.skip(f"{file} is not there")
    law = shared_data / file
    if law.suffix == ".md":  # the first two books answer the questions; all five take half a minute
        law = tmp_path / law.name
        law.write_text((shared_data / file).read_text(encoding="utf-8").partition("\n## Buch 3")[0], encoding="utf-8")
    settings = stores.clone(empty_template)
    plain, strange = REAL[file]
    with Engine.open(settings) as engine:
        assert not engine.ingest([law]).rejected
        answers = {question: engine.ask(question) for question in (*plain, *strange)}
    stores.drop(settings)
    for question in plain:
        answer = answers[question]
        assert answer.status in ("answered", "places")
        assert [ALL_WORDS in message for message in warned(answer)] == [True] * (answer.status == "places")
    assert [question for question in strange if answers[question].status != "refused"] == []
