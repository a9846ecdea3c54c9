"""Rules written for the tests, and claims that say of them what they do not say, in English, French and German.

Each claim keeps nearly all words of its rule. What was changed stands before it.
"""

from __future__ import annotations

ENGLISH = [
    ("A landlord shall give the tenant written notice at least 28 days before the day on which the tenancy ends.", [
        ("parties", "The tenant shall give a landlord written notice at least 28 days before the day on which the "
         "tenancy ends."),
        ("adjective moved", "A landlord shall give the tenant notice at least 28 days before the day on which the "
         "written tenancy ends."),
        ("limit", "A landlord shall give the tenant written notice more than 28 days before the day on which the "
         "tenancy ends."),
        ("unit", "A landlord shall give the tenant written notice at least 28 business days before the day on which "
         "the tenancy ends."),
    ]),
    ("A landlord may enter the dwelling only if the tenant has agreed in writing and the entry takes place between "
     "8 a.m. and 7 p.m.", [
        ("form moved", "A landlord may enter the dwelling only if the tenant has agreed and the entry takes place in "
         "writing between 8 a.m. and 7 p.m."),
        ("time of day", "A landlord may enter the dwelling only if the tenant has agreed in writing and the entry "
         "takes place between 8 p.m. and 7 a.m."),
        ("only moved", "Only a landlord may enter the dwelling if the tenant has agreed in writing and the entry takes "
         "place between 8 a.m. and 7 p.m."),
    ]),
    ("If goods do not conform to the contract, the consumer has the right to reject the goods, but the right is lost "
     "if it is not exercised within 30 days after delivery.", [
        ("negation moved", "If goods conform to the contract, the consumer does not have the right to reject the "
         "goods, but the right is lost if it is not exercised within 30 days after delivery."),
        ("negation moved", "If goods do not conform to the contract, the consumer has the right to reject the goods, "
         "but the right is not lost if it is exercised within 30 days after delivery."),
    ]),
    ("No agency shall disclose personal information to a third party unless the disclosure is necessary to prevent a "
     "serious threat to public health.", [
        ("adjectives exchanged", "No agency shall disclose personal information to a third party unless the disclosure "
         "is necessary to prevent a public threat to serious health."),
        ("exception turned", "No agency shall disclose personal information to a third party if the disclosure is "
         "necessary to prevent a serious threat to public health."),
    ]),
    ("Where the landlord fails to repair the dwelling, the tenant may carry out the repair and deduct the cost from "
     "the rent.", [
        ("things exchanged", "Where the landlord fails to repair the dwelling, the tenant may carry out the repair and "
         "deduct the rent from the cost."),
        ("condition dropped", "The tenant may carry out the repair and deduct the cost from the rent."),
    ]),
    ("The landlord shall repair the room where the tenant sleeps.", [
        ("relative clause fronted", "Where the tenant sleeps, the landlord shall repair the room."),
    ]),
    ("The seller shall take back goods of a buyer who returns them if they are defective.", [
        ("clause of a relative clause fronted", "If they are defective, the seller shall take back goods of a buyer "
         "who returns them."),
    ]),
    ("The notice shall state if the rent has been paid.", [
        ("question fronted", "If the rent has been paid, the notice shall state."),
    ]),
    ("The requesting State shall bear the costs, except where the requested State waives them.", [
        ("participles exchanged", "The requested State shall bear the costs, except where the requesting State waives "
         "them."),
        ("participle", "The requested State shall bear the costs, except where the requested State waives them."),
    ]),
    ("The officer may detain such vehicle until the owner pays the charges.", [
        ("widened", "The officer may detain any vehicle until the owner pays the charges."),
    ]),
    ("The agent shall pay the proceeds to the principal within the same month.", [
        ("same dropped", "The agent shall pay the proceeds to the principal within the month."),
        ("preposition", "The agent shall pay the proceeds of the principal within the same month."),
    ]),
    ("The buyer bears the risk from the time when the goods are handed over to the first carrier.", [
        ("preposition", "The buyer bears the risk from the time when the goods are handed over by the first carrier."),
    ]),
    ("The shop shall close at 8 p.m. and open at 7 a.m. the next day.", [
        ("time of day dropped", "The shop shall close at 8 p.m. and open at 7 the next day."),
    ]),
    ("The directors shall send to every member a copy of the accounts.", [
        ("preposition", "The directors shall send by every member a copy of the accounts."),
        ("narrowed", "The directors shall send to a member a copy of the accounts."),
    ]),
    ("The court shall make no order against a tenant who has paid all arrears before the hearing.", [
        ("all dropped", "The court shall make no order against a tenant who has paid arrears before the hearing."),
        ("relative clause moved", "The court who has paid all arrears shall make no order against a tenant before the "
         "hearing."),
    ]),
    ("A bank is under no obligation to pay a check, but it may be required to pay a certified check.", [
        ("limit dropped", "A bank is under no obligation to pay a check."),
    ]),
    ("A person need not hold a licence, but may not carry passengers.", [
        ("limit dropped", "A person need not hold a licence."),
    ]),
]  # fmt: skip
FRENCH = [
    ("Si le bailleur ne répare pas le logement, le locataire peut retenir le loyer.", [
        ("parties", "Le bailleur peut retenir le loyer si le locataire ne répare pas le logement."),
        ("negation moved", "Le locataire ne peut pas retenir le loyer si le bailleur répare le logement."),
        ("condition turned", "Le locataire peut retenir le loyer, même si le bailleur ne répare pas le logement."),
    ]),
    ("Le tribunal peut, lorsque le débiteur est de bonne foi, accorder un délai à la caution qui a payé le "
     "créancier.", [
        ("clause hung on another", "Le tribunal peut accorder un délai à la caution qui, lorsque le débiteur est de "
         "bonne foi, a payé le créancier."),
        ("parties", "Lorsque la caution est de bonne foi, le tribunal peut accorder un délai au débiteur qui a payé le "
         "créancier."),
    ]),
    ("L'assureur, sauf si le contrat en dispose autrement, paie l'assuré dans les trente jours.", [
        ("exception turned", "Si le contrat en dispose autrement, l'assureur paie l'assuré dans les trente jours."),
        ("exception dropped", "L'assureur paie l'assuré dans les trente jours."),
    ]),
]  # fmt: skip
GERMAN = [
    ("Der Arbeitgeber darf dem Arbeitnehmer während der Probezeit nur aus wichtigem Grund kündigen.", [
        ("cases", "Während der Probezeit darf dem Arbeitgeber der Arbeitnehmer nur aus wichtigem Grund kündigen."),
        ("only moved", "Nur während der Probezeit darf der Arbeitgeber dem Arbeitnehmer aus wichtigem Grund kündigen."),
        ("only dropped", "Während der Probezeit darf der Arbeitgeber dem Arbeitnehmer aus wichtigem Grund kündigen."),
    ]),
    ("Der Mieter kann binnen eines Monats nach Zugang der Erhöhung kündigen.", [
        ("phrase cut", "Binnen eines Monats kann der Mieter nach Zugang der Erhöhung kündigen."),
    ]),
    ("Der Verkäufer haftet dem Käufer, der die Sache kauft, wenn sie mangelhaft ist.", [
        ("clause of a relative clause fronted", "Wenn sie mangelhaft ist, haftet der Verkäufer dem Käufer, der die "
         "Sache kauft."),
    ]),
    ("Der Gläubiger kann den Abschluss eines Vertrags nach Ablauf der Frist verlangen.", [
        ("phrase of a noun fronted", "Nach Ablauf der Frist kann der Gläubiger den Abschluss eines Vertrags "
         "verlangen."),
    ]),
    ("Der Verkäufer hat dem Käufer, der die Sache prüft, den Preis zu erstatten, wenn die Sache mangelhaft ist.", [
        ("parties", "Wenn die Sache mangelhaft ist, hat der Käufer dem Verkäufer, der die Sache prüft, den Preis zu "
         "erstatten."),
        ("clause hung on another", "Der Verkäufer hat dem Käufer, der, wenn die Sache mangelhaft ist, die Sache prüft, "
         "den Preis zu erstatten."),
    ]),
    ("Hat der Besteller das Werk abgenommen, so kann er Ersatz nur verlangen, wenn er den Mangel nicht kannte.", [
        ("negation dropped", "Wenn der Besteller das Werk abgenommen hat, kann er Ersatz nur verlangen, wenn er den "
         "Mangel kannte."),
        ("negation moved", "Wenn der Besteller das Werk nicht abgenommen hat, kann er Ersatz nur verlangen, wenn er "
         "den Mangel kannte."),
    ]),
]  # fmt: skip
