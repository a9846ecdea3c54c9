"""German and French: a sentence answers where a clause that it states has the question's act, in the same roles."""

from __future__ import annotations

import pytest

from rag.answering.extractive.clauses import asked_of
from rag.languages.registry import language_of
from rag.languages.stems import WORD

PROMISE = "Ein Vertrag, durch den sich ein Teil verpflichtet, ein Boot zu übertragen, bedarf der Beurkundung."
HEIRS = "Jeder Miterbe kann verlangen, dass der Verwalter die zu leistende Sache hinterlegt."
GUARDIAN = "Das Gericht kann dem Vormund die Sorge für das Kind entziehen, wenn er krank ist."
LATE = "Gibt der Pächter den Hof nicht zurück, so kann der Verpächter die vereinbarte Pacht verlangen."
COURT = "Ist er fern, so hat das Gericht, in dessen Bezirk der Hof liegt, dem Eigner einen Vertreter zu bestellen."
CHOSEN = "Der vom Gericht Ausgewählte ist verpflichtet, die Betreuung zu übernehmen."
NOTICE = "Der Pfandgläubiger hat dem Verpfänder von dem Verderb unverzüglich Anzeige zu machen."
REFUSES = "Der Bürge kann die Befriedigung des Gläubigers verweigern, wenn er krank ist."
PARTNER = "Ein Gesellschafter kann, auch wenn er krank ist, die Bücher der Gesellschaft einsehen."
REFUSAL = "Es bedarf der Anzeige nicht, wenn der Unternehmer die Arbeit verweigert."
WORK = "Der Wirt darf nur mit Zustimmung des Gastes den Koffer öffnen und kann der Gast die Kosten verlangen."
RELATIVE = "Les créanciers qui ont déclaré leur créance sont désintéressés dans l'ordre des déclarations."
OFFICER = "L'officier de police est tenu de transmettre les papiers à l'officier de port."
MANDATE = "Le mandant doit rembourser au mandataire les avances, et lui payer ses salaires."
HOLD = "Le promettant est libéré de toute dette si le tiers accomplit le fait promis."
TERM = "Lorsque le bail est conclu sans terme, chaque partie peut y mettre fin à tout moment."
KEEP = "L'attribution est de droit, si le maintien du domaine n'a pas été ordonné."
PLEDGE = "Le gage est publié par une inscription sur un registre."
NOBODY = "Nul ne peut exiger le renouvellement du contrat."
HEIR = "L'héritier règle le passif de la succession."


def answers(question: str, sentence: str, language: str) -> bool:
    """Whether the sentence answers, all words that are not idle being known to the law and equally rare."""
    words = {word for word in WORD.findall(question.lower()) if word not in language_of(language).idle}
    asked = asked_of(question, [], dict.fromkeys(words, 1.0), [], language)
    return any(not part.lacks(sentence) for part in asked)


@pytest.mark.parametrize(
    ("question", "sentence", "said"),
    [
        ("Wie wird ein Boot übertragen?", PROMISE, False),  # an infinitive below a relative clause
        ("Kann jeder Miterbe verlangen, dass der Verwalter die Sache hinterlegt?", HEIRS, True),
        ("Kann der Verwalter verlangen, dass jeder Miterbe die Sache hinterlegt?", HEIRS, False),
        ("Kann das Gericht dem Vormund die Sorge für das Kind entziehen?", GUARDIAN, True),
        ("Kann der Vormund dem Gericht die Sorge für das Kind entziehen?", GUARDIAN, False),
        ("Wer kann dem Vormund die Sorge für das Kind entziehen?", GUARDIAN, True),
        ("Kann der Verpächter die vereinbarte Pacht verlangen?", LATE, True),
        ("Kann der Pächter die vereinbarte Pacht verlangen?", LATE, False),
        ("Muss das Gericht dem Eigner einen Vertreter bestellen?", COURT, True),
        ("Muss der Eigner dem Gericht einen Vertreter bestellen?", COURT, False),
        ("Ist der Ausgewählte verpflichtet, die Betreuung zu übernehmen?", CHOSEN, True),
        ("Ist das Gericht verpflichtet, die Betreuung zu übernehmen?", CHOSEN, False),
        ("Muss der Pfandgläubiger den Verderb anzeigen?", NOTICE, True),  # by a noun
        ("Muss der Bürge den Gläubiger befriedigen?", REFUSES, False),
        ("Kann der Bürge die Befriedigung des Gläubigers verweigern?", REFUSES, True),
        ("Wer ernennt die Minister?", "Der Kanzler ernennt einen Minister zu seinem Stellvertreter.", False),
        ("Wer ernennt einen Minister?", "Der Präsident ernennt jeden Minister.", True),
        ("Kann ein Gesellschafter die Bücher der Gesellschaft einsehen?", PARTNER, True),
        ("Kann die Gesellschaft die Bücher eines Gesellschafters einsehen?", PARTNER, False),  # one stem
        ("Bedarf es der Anzeige, wenn der Unternehmer die Arbeit verweigert?", REFUSAL, True),
        ("Bedarf es der Arbeit, wenn der Unternehmer die Anzeige verweigert?", REFUSAL, False),
        ("Darf der Wirt den Koffer öffnen?", WORK, True),
        ("Kann der Wirt die Kosten verlangen?", WORK, False),  # two main clauses
        ("Kann der Gast die Kosten verlangen?", WORK, True),
    ],
)
def test_german(question: str, sentence: str, said: bool) -> None:
    assert answers(question, sentence, "de") is said


@pytest.mark.parametrize(
    ("question", "sentence", "said"),
    [
        ("Les créanciers sont-ils désintéressés dans l'ordre des déclarations ?", RELATIVE, True),
        ("Les créanciers déclarent-ils leur créance ?", RELATIVE, False),
        ("L'officier de police est-il tenu de transmettre les papiers à l'officier de port ?", OFFICER, True),
        ("L'officier de port est-il tenu de transmettre les papiers à l'officier de police ?", OFFICER, False),
        ("Le mandant doit-il rembourser au mandataire les avances ?", MANDATE, True),
        ("Le mandataire doit-il rembourser au mandant les avances ?", MANDATE, False),
        ("Le promettant est-il libéré si le tiers accomplit le fait promis ?", HOLD, True),
        ("Le tiers est-il libéré si le promettant accomplit le fait promis ?", HOLD, False),
        ("Chaque partie peut-elle mettre fin au bail conclu sans terme ?", TERM, True),
        ("Qui ordonne le maintien du domaine ?", KEEP, False),  # in a condition, and by nobody
        ("Comment le gage est-il publié ?", PLEDGE, True),
        ("Comment le gage est-il publié ?", "Le gage est publié chaque année.", False),
        ("Peut-on exiger le renouvellement du contrat ?", NOBODY, True),
        ("Qui règle le passif de la succession ?", HEIR, True),
    ],
)
def test_french(question: str, sentence: str, said: bool) -> None:
    assert answers(question, sentence, "fr") is said
