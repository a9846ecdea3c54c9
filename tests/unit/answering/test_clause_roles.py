"""German and French: a sentence answers where a clause that it states has the question's act, in the same roles."""

from __future__ import annotations

import pytest

from rag.answering.extractive.clauses import asked_of
from rag.languages.registry import language_of
from rag.languages.stems import WORD
from retrieval.entry_points.synonyms import SynonymHit

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
FRONT = "Mieter, die die Hausordnung verletzen, kann die Verwaltung abmahnen."
EITHER = "Das Kind vertritt die Mutter."
MEMBERS = "Die Kosten trägt die Gesellschaft."
DATIVE = "Die Kammer übermittelt der Behörde die Daten."
TENANT = "Der Pächter, der den Verpächter beleidigt, haftet für den Schaden."
NOTICED = "Der Mieter kann nach Kündigung durch den Vermieter die Räumung verweigern."
LATTER = "Hat der Käufer den Verkäufer getäuscht, so kann dieser den Vertrag anfechten."
REFUSED = "Verweigert der Vermieter dem Mieter die Erlaubnis, so kann er kündigen."
TWO = "Der Mieter haftet für Schäden, und der Vermieter haftet für Mängel."
GAP = "Der Mieter trägt die Heizkosten, der Vermieter die Reparaturkosten."
LAND = "Wird das Vieh mit dem Hof verkauft, so erstreckt sich das Pfandrecht an dem Hof auf dieses Vieh."
BOARD = "Der Vorstand vertritt den Verein; er hat die Stellung eines Vertreters."
TRANSFER = "Zur Übertragung des Eigentums an einem Boot ist die Einigung erforderlich."
RENT = "Die Leihe ist ein Vertrag, durch den der Verleiher dem Entleiher eine Sache überlässt."
LEASE = "Die Pacht kann von dem Eigner jederzeit widerrufen, von dem Pächter jederzeit gekündigt werden."
DOCTOR = "Der Arzt hat den Patienten über die Risiken aufzuklären."
WORK = "Der Wirt darf nur mit Zustimmung des Gastes den Koffer öffnen und kann der Gast die Kosten verlangen."
RELATIVE = "Les créanciers qui ont déclaré leur créance sont désintéressés dans l'ordre des déclarations."
OFFICER = "L'officier de police est tenu de transmettre les papiers à l'officier de port."
MANDATE = "Le mandant doit rembourser au mandataire les avances, et lui payer ses salaires."
HOLD = "Le promettant est libéré de toute dette si le tiers accomplit le fait promis."
TERM = "Lorsque le bail est conclu sans terme, chaque partie peut y mettre fin à tout moment."
KEEP = "L'attribution est de droit, si le maintien du domaine n'a pas été ordonné."
PLEDGE = "Le gage est publié par une inscription sur un registre."
NOBODY = "Nul ne peut exiger le renouvellement du contrat."
KEYS = "Le bailleur qui refuse les clés au locataire lui doit une indemnité."
CHILD = "L'enfant que le tuteur représente peut contester le compte."
LEAVE = "Le juge peut autoriser l'époux à vendre les meubles."
PLANS = "Les plans sont dressés par l'architecte et approuvés par le maire."
PEACE = "Si le locataire prévient le bailleur, il peut partir."
MAYOR = "La décision que prend le maire est notifiée au propriétaire par le greffier."
COURT_SEIZED = "Le tribunal, saisi d'une demande, peut, même d'office, accorder un délai au débiteur."
COSTS = "Les frais de la vente sont à la charge du vendeur, et ceux du port à la charge de l'acheteur."
SHARED = "Le locataire supporte les frais d'eau, le bailleur les frais de toiture."
ANSWERS = "Le locataire répond des dégradations, et le bailleur répond des vices."
BUYER = "Si l'acheteur refuse la chose, le vendeur peut demander une somme."
FAMILY = "Les époux assurent ensemble la direction de la famille."
ABSENT = "A défaut de titre, le maire statue dans un délai de deux mois."
DEALT = "Les contrats doivent être négociés, formés et exécutés de bonne foi."
LOAN = "Le prêt est un contrat par lequel le prêteur livre une chose à l'emprunteur."
ISLANDS = (
    "Pour l'application dans les îles du livre premier : la référence au code est remplacée par la référence au tarif."
)
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
        ("Können Mieter die Verwaltung abmahnen?", FRONT, False),
        ("Kann die Verwaltung Mieter abmahnen?", FRONT, True),  # the relative clause is about several
        ("Kann die Verwaltung Mieter abmahnen, die die Hausordnung verletzen?", FRONT, True),
        ("Vertritt das Kind die Mutter?", EITHER, False),  # either may be the subject
        ("Vertritt die Mutter das Kind?", EITHER, False),
        ("Trägt die Gesellschaft die Kosten?", MEMBERS, True),  # the verb is about one
        ("Übermittelt die Behörde die Daten?", DATIVE, False),  # no man: "die Behörde"
        ("Haftet der Pächter, der den Verpächter beleidigt, für den Schaden?", TENANT, True),
        ("Haftet der Pächter, den der Verpächter beleidigt, für den Schaden?", TENANT, False),
        ("Haftet der Pächter für den Schaden, den der Verpächter beleidigt?", TENANT, False),
        ("Kann der Mieter die Räumung verweigern, wenn der Vermieter kündigt?", NOTICED, True),
        ("Kann der Mieter die Räumung verweigern, wenn der Mieter kündigt?", NOTICED, False),
        ("Kann der Verkäufer den Vertrag anfechten, wenn der Käufer ihn getäuscht hat?", LATTER, True),
        ("Kann der Käufer den Vertrag anfechten?", LATTER, False),
        ("Kann der Vermieter kündigen?", REFUSED, False),  # "er" may be both
        ("Haftet der Vermieter für Mängel?", TWO, True),
        ("Haftet der Mieter für Mängel?", TWO, False),
        ("Trägt der Mieter die Reparaturkosten?", GAP, False),
        ("Erstreckt sich das Pfandrecht an dem Hof auf das Vieh?", LAND, True),
        ("Erstreckt sich das Pfandrecht an dem Vieh auf den Hof?", LAND, False),
        ("Vertritt der Vorstand den Verein?", BOARD, True),
        ("Überlässt der Verleiher durch die Leihe dem Entleiher eine Sache?", RENT, True),
        ("Überlässt der Entleiher durch die Leihe dem Verleiher eine Sache?", RENT, False),
        ("Kann der Pächter die Pacht jederzeit widerrufen?", LEASE, False),
        ("Kann die Pacht vom Pächter jederzeit widerrufen werden?", LEASE, False),
        ("Muss der Vorstand einen Verein haben?", BOARD, False),  # another act, and one pronoun for two things
        ("Wie wird das Eigentum an einem Boot übertragen?", TRANSFER, True),
        ("Wer muss den Patienten über die Risiken aufklären?", DOCTOR, True),
        ("muss der arzt den patienten über die risiken aufklären?", DOCTOR, True),  # typed without capitals
        ("muss der patient den arzt über die risiken aufklären?", DOCTOR, False),
    ],
)
def test_german(question: str, sentence: str, said: bool) -> None:
    assert answers(question, sentence, "de") is said


@pytest.mark.parametrize(
    ("question", "said"),
    [("Kann der Hinterleger den Hof betreten?", True), ("Kann der Verwahrer den Hof betreten?", False)],
)
def test_party_that_the_law_names_is_itself(question: str, said: bool) -> None:
    words = dict.fromkeys(["hinterleger", "verwahrer", "hof", "betreten"], 1.0)
    hits = [SynonymHit("verwahrer", "Hinterlegung", 1.0)]
    (asked,) = asked_of(question, hits, words, [], "de")
    assert (not asked.lacks("Der Hinterleger kann den Hof betreten.")) is said


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
        ("Le prêteur livre-t-il par le prêt une chose à l'emprunteur ?", LOAN, True),
        ("L'emprunteur livre-t-il par le prêt une chose au prêteur ?", LOAN, False),
        ("La référence au code est-elle remplacée dans les îles ?", ISLANDS, True),
        ("Le bailleur qui refuse les clés au locataire lui doit-il une indemnité ?", KEYS, True),
        ("Le bailleur doit-il une indemnité au locataire qui refuse les clés ?", KEYS, False),
        ("Le bailleur peut-il refuser le locataire qui refuse les clés ?", KEYS, False),  # in the relative clause alone
        ("L'enfant que le tuteur représente peut-il contester le compte ?", CHILD, True),
        ("L'enfant qui représente le tuteur peut-il contester le compte ?", CHILD, False),
        ("Le bailleur peut-il partir ?", PEACE, False),
        ("Le juge peut-il vendre les meubles ?", LEAVE, False),
        ("Le juge peut-il autoriser l'époux à vendre les meubles ?", LEAVE, True),
        ("Les plans sont-ils approuvés par l'architecte ?", PLANS, False),
        ("Le locataire peut-il partir si le bailleur le prévient ?", PEACE, False),
        ("Le greffier notifie-t-il la décision au propriétaire ?", MAYOR, True),
        ("Le maire notifie-t-il la décision au propriétaire ?", MAYOR, False),
        ("Le tribunal peut-il accorder un délai au débiteur ?", COURT_SEIZED, True),
        ("Les frais de la vente sont-ils à la charge de l'acheteur ?", COSTS, False),  # "ceux" are others
        ("Le locataire supporte-t-il les frais de toiture ?", SHARED, False),
        ("Le bailleur répond-il des vices ?", ANSWERS, True),
        ("Le locataire répond-il des vices ?", ANSWERS, False),
        ("Le vendeur peut-il demander une somme si l'acheteur refuse la chose ?", BUYER, True),
        ("Le vendeur peut-il demander une somme s'il refuse la chose ?", BUYER, False),
        ("Les époux assurent-ils la direction de la famille ?", FAMILY, True),
        ("Le maire doit-il statuer dans un délai de deux mois ?", ABSENT, True),
        ("Les contrats doivent-ils être exécutés de bonne foi ?", DEALT, True),
    ],
)
def test_french(question: str, sentence: str, said: bool) -> None:
    assert answers(question, sentence, "fr") is said
