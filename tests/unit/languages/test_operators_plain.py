"""French and German sentences: which paraphrases pass, and what each changed word is withheld for."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.languages.en.operators import Kind
from rag.languages.operators import read_in, reads
from rag.verification.claims import Evidence, EvidenceBlock, verbatim_fallback, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.model import CheckedClaim, Reason

URN = "urn:lex:fr:code-civil:1"
FR = (
    "Le bailleur doit restituer le dépôt de garantie au locataire dans un délai de deux mois, sauf si le locataire n'a "
    "pas remis les clés."
)
DE = (
    "Der Vermieter darf vom Mieter höchstens drei Monatsmieten verlangen, wenn der Mieter nicht mindestens 2 Monate "
    "im Voraus zahlt."
)


def check(language: str, law: str, text: str, quote: str | None = None) -> CheckedClaim:
    evidence = Evidence((EvidenceBlock(URN, law),), date(2026, 1, 1), language)
    return verify_claim(DraftClaim(text, (DraftCitation(URN, quote or law),)), evidence)


@pytest.mark.parametrize(
    ("language", "law", "text"),
    [
        ("fr", FR, FR.replace("doit", "est tenu de")),
        ("fr", FR, FR.replace("deux", "2")),
        ("fr", FR, FR.replace("sauf si", "à moins que")),
        ("fr-FR", FR, FR.replace("Le bailleur", "Selon la loi, un bailleur")),
        ("fr", "Si le prix excède vingt et un euros, il est dû.", "Lorsque le prix dépasse 21 €, il est dû."),
        ("fr", "L'amende est de mille deux cents euros.", "L'amende est de 1 200 euros."),
        ("fr", "Le délai est d'un an.", "Le délai est d'une année."),
        ("de", DE, DE.replace("wenn", "falls")),
        ("de", DE, DE.replace("drei", "3").replace("mindestens 2", "wenigstens zwei")),
        ("deu", "Die Frist beträgt einundzwanzig Tage.", "Die Frist beträgt 21 Tage."),
    ],
)
def test_other_words_for_the_same_operators_are_checked(language: str, law: str, text: str) -> None:
    assert text != law
    checked = check(language, law, text)
    assert (checked.level, checked.reasons) == ("CHECKED", ())


@pytest.mark.parametrize(
    ("language", "law", "old", "new", "reason"),
    [
        ("fr", FR, "deux", "trois", Reason.NUMBER_CHANGED),
        ("fr", FR, "mois", "semaines", Reason.UNIT_CHANGED),
        ("fr", FR, "doit", "peut", Reason.MODALITY_CHANGED),
        ("fr", FR, "doit", "ne doit pas", Reason.MODALITY_CHANGED),
        ("fr", FR, "n'a pas remis", "a remis", Reason.NEGATION_CHANGED),
        ("fr", FR, "dans un délai de", "après", Reason.COMPARATOR_CHANGED),
        ("fr", FR, ", sauf si le locataire n'a pas remis les clés", "", Reason.EXCEPTION_CHANGED),
        ("fr", FR, "sauf si", "si", Reason.EXCEPTION_CHANGED),
        ("fr", FR, "au locataire", "au créancier", Reason.NEW_CONTENT),
        ("fr", FR, "de garantie ", "", Reason.CONTENT_OMITTED),
        ("fr", FR, "doit", "doit toujours", Reason.ABSOLUTE_CHANGED),
        ("fr", FR, "au locataire", "par le locataire", Reason.NEW_CONTENT),
        ("fr", "Le bailleur et le preneur signent.", " et ", " ou ", Reason.CONNECTIVE_CHANGED),
        ("fr", "Il est dû selon l'article 12.", "12", "13", Reason.NUMBER_CHANGED),
        ("fr", "Le bailleur paie le preneur.", "bailleur paie le preneur", "preneur paie le bailleur",
         Reason.WORDS_MOVED),
        ("de", DE, "darf", "muss", Reason.MODALITY_CHANGED),
        ("de", DE, "nicht ", "", Reason.NEGATION_CHANGED),
        ("de", DE, "drei Monatsmieten", "vier Monatsmieten", Reason.NUMBER_CHANGED),
        ("de", DE, "Monate ", "Jahre ", Reason.UNIT_CHANGED),
        ("de", DE, "höchstens", "mindestens", Reason.COMPARATOR_CHANGED),
        ("de", DE, "wenn", "es sei denn", Reason.EXCEPTION_CHANGED),
        ("de", DE, "wenn", "soweit", Reason.CONDITION_CHANGED),
        ("de", DE, "im Voraus ", "", Reason.CONTENT_OMITTED),
        ("de", "Der Mieter zahlt dem Vermieter die Miete.", "Der Mieter zahlt dem", "Dem Mieter zahlt der",
         Reason.WORDS_MOVED),
    ],
)  # fmt: skip
def test_a_changed_word_is_withheld_for_what_it_changed(
    language: str, law: str, old: str, new: str, reason: Reason
) -> None:
    assert old in law
    checked = check(language, law, law.replace(old, new))
    assert checked.level == "WITHHELD"
    assert reason in checked.reasons


@pytest.mark.parametrize(
    ("language", "law", "quote"),
    [
        ("fr", FR, FR.partition(", sauf")[0]),
        ("fr", "Nul ne peut exiger une caution.", "peut exiger une caution"),
        ("de", DE, DE.partition(", wenn")[0]),
        ("de", "Kein Vermieter darf eine Kaution verlangen.", "Vermieter darf eine Kaution verlangen"),
    ],
)
def test_a_quote_that_hides_an_operator_is_judged_with_its_whole_sentence(language: str, law: str, quote: str) -> None:
    checked = check(language, law, quote, quote)
    assert checked.level == "WITHHELD"
    assert Reason.QUOTE_CUT in checked.reasons


def test_an_item_of_a_list_of_conditions_is_not_stated_alone() -> None:
    lead = "Le bail est nul si :"
    blocks = (
        EvidenceBlock(f"{URN}:1", "le bailleur a menti ; et", lead_in=lead),
        EvidenceBlock(f"{URN}:2", "le preneur l'ignorait.", lead_in=lead),
    )
    evidence = Evidence(blocks, date(2026, 1, 1), "fr")
    alone = DraftClaim(
        "Selon la loi, le bail est nul si le bailleur a menti", (DraftCitation(f"{URN}:1", "le bailleur a menti"),)
    )
    checked = verify_claim(alone, evidence)
    assert (checked.level, checked.reasons[0]) == ("WITHHELD", Reason.LIST_INCOMPLETE)
    fallback = verbatim_fallback(alone, evidence)
    assert fallback is not None
    assert (fallback.text, fallback.limited) == (f"{lead} {blocks[0].text} {blocks[1].text}", False)


def test_a_reference_to_another_provision_is_said_to_be_unfollowed() -> None:
    law = "Le bailleur doit restituer le dépôt prévu à l'article 22."
    assert check("fr", law, law.replace("doit", "est tenu de")).reasons == (Reason.CROSS_REFERENCE,)


@pytest.mark.parametrize(
    ("language", "read"), [("en", True), ("FR_fr", True), ("de", True), ("ja", False), ("", False)]
)
def test_only_languages_with_operator_lists_are_read(language: str, read: bool) -> None:
    assert reads(language) is read


@given(st.integers(1, 99), st.sampled_from(["fr", "de"]))
def test_every_number_in_words_up_to_99_is_its_figure(value: int, language: str) -> None:
    text = spelled(value, language)
    # One is an article too, and counts before a unit only.
    follows = {"fr": "jours", "de": "Tage"}[language]
    assert read_in(language, f"{text} {follows}").sequence(Kind.NUMBER) == (str(value),)


def spelled(value: int, language: str) -> str:
    """A number below a hundred in words, by the rules of the language."""
    if language == "de":
        small = [
            "null",
            "ein",
            "zwei",
            "drei",
            "vier",
            "fünf",
            "sechs",
            "sieben",
            "acht",
            "neun",
            "zehn",
            "elf",
            "zwölf",
        ]
        if value <= 12:
            return small[value]
        if value < 20:
            return {16: "sechzehn", 17: "siebzehn"}.get(value, f"{small[value - 10]}zehn")
        tens = ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"][value // 10 - 2]
        return f"{small[value % 10]}und{tens}" if value % 10 else tens
    teens = ["dix", "onze", "douze", "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf"]
    ones = ["zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", *teens]
    if value < 20:
        return ones[value]
    if value >= 80:
        return "quatre-vingts" if value == 80 else f"quatre-vingt-{ones[value - 80]}"
    base = 60 if value >= 60 else value // 10 * 10
    tens = {20: "vingt", 30: "trente", 40: "quarante", 50: "cinquante", 60: "soixante"}[base]
    rest = value - base
    if rest in {1, 11}:
        return f"{tens} et {ones[rest]}"
    return f"{tens}-{ones[rest]}" if rest else tens


@given(st.text(max_size=300), st.sampled_from(["fr", "de"]))
def test_no_text_makes_the_reading_raise(text: str, language: str) -> None:
    assert read_in(language, text) == read_in(language, text)
