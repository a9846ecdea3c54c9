"""Definitions, their scope, exceptions and terms in use in German law, on invented laws."""

from __future__ import annotations

from pathlib import Path

import pytest
from annotation_documents import by_form

from rag.ingest.annotation import annotate
from rag.ingest.formats.base import Source
from rag.ingest.formats.german.de_tei import DeTei
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.de.definitions import sentences
from rag.languages.de.rules import GermanTerms
from rag.law.nodes import Definition, ParsedDocument
from rag.law.term_uses import TermIndex

LAW = "urn:lex:de:apfelg"
_TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:id="BJNR009990999"><teiHeader><fileDesc><titleStmt>
<title>Apfelgesetz</title><title type="short">ApfelG</title></titleStmt>
<publicationStmt><date>1999-01-02</date></publicationStmt></fileDesc></teiHeader>
<text><front/><body>{body}</body></text></TEI>"""
ADDITION = "Früchte sind auch die Erträge, welche ein Baum bringt."
_BOOK = "<div><head>Buch 1</head><head type='subtitle'>Obst</head>{first}{second}</div>"


def unit(number: str, *paragraphs: str, items: tuple[str, ...] = ()) -> str:
    """A §; `items` stand below its last paragraph."""
    listed = "".join(f"<item n='{n}.'>{text}</item>" for n, text in enumerate(items, start=1))
    inner = [*paragraphs[:-1], paragraphs[-1] + (f"<list>{listed}</list>" if items else "")]
    return f"<div><head>§ {number}</head>{''.join(f'<p>{text}</p>' for text in inner)}</div>"


def annotated(folder: Path, *units: str) -> ParsedDocument:
    """The law of these §§, annotated; two containers of which the first holds all but the last §."""
    titles = [
        f"<div><head>Titel {n}</head><head type='subtitle'>Sorten</head>{''.join(part)}</div>"
        for n, part in ((1, units[:-1]), (2, units[-1:]))
        if part
    ]
    return parsed(folder, _BOOK.format(first=titles[0], second="".join(titles[1:])))


def parsed(folder: Path, body: str) -> ParsedDocument:
    """The law of this body, annotated."""
    path = folder / "law.xml"
    path.write_text(_TEI.format(body=body), encoding="utf-8")
    document = DeTei().parse(Source(path, folder))
    annotate(document, jurisdiction_for("de"))
    return document


def definitions(folder: Path, *units: str) -> list[Definition]:
    return by_form(annotated(folder, *units, unit("99", "Der Apfel fällt nicht weit vom Stamm.")))


def terms(folder: Path, text: str) -> list[str]:
    return [definition.term for definition in definitions(folder, unit("1", text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wer die Ernte einem anderen überlässt (Verpachtung), haftet.", ["Verpachtung"]),
        ("Die Ernte ist ohne schuldhaftes Zögern (unverzüglich) einzubringen.", ["unverzüglich"]),
        ("Die Pflege eines Baumes (gärtnerische Sorge) obliegt dem Halter.", ["gärtnerische Sorge"]),
        ("Der letzte Wille (Testament, letztwillige Verfügung) gilt.", ["Testament", "letztwillige Verfügung"]),
        ("Der Verkauf (öffentlich zugängliche Versteigerung) ist frei.", ["öffentlich zugängliche Versteigerung"]),
        ("Die Angaben (Tag, Monat und Jahr) sind zu nennen.", []),
        ("Der Anteil (Apfelteil am Baum) steht dem Halter zu.", ["Apfelteil am Baum"]),
        ("Die Frist beginnt mit der Anzeige (im Folgenden: Erntefrist).", ["Erntefrist"]),
        ("Die Sortenschutzstelle (BSA) entscheidet.", []),
        ("Die Sorten der Anlage (Absatz 2) sind frei.", []),
        ("Die Sorten (insbesondere Boskoop) sind frei.", []),
        ("Der Betrag (50 Euro) ist zu zahlen.", []),
        ("Die Vorschrift (weggefallen) entfällt.", []),
        ("Obst aus Berlin (West) ist frei.", []),
        ("Obstbauer ist jede natürliche Person, die Bäume hält.", ["Obstbauer"]),
        ("Obstbauer ist, wer Bäume hält.", ["Obstbauer"]),
        ("Berechtigt ist, wer Bäume hält.", []),
        ("Halter ist derjenige, der den Baum pflegt.", ["Halter"]),
        ("Ein dauerhafter Korb ist jeder Behälter, der Äpfel fasst.", ["dauerhafter Korb"]),
        ("Zubehör sind bewegliche Sachen, die dem Baum dienen.", ["Zubehör"]),
        ("Äpfel und Birnen sind die Früchte, die im Herbst reifen.", ["Äpfel", "Birnen"]),
        ("Sorglos handelt, wer die Leiter nicht prüft.", ["sorglos"]),
        ("Grob fahrlässig im Sinne dieses Gesetzes handelt, wer die Leiter nicht prüft.", ["grob fahrlässig"]),
        ("Erntefähig ist, wer auf eine Leiter steigen kann.", ["erntefähig"]),
        ("Erntefähig im Sinne dieses Gesetzes ist jede Person, die steigen kann.", ["erntefähig"]),
        ("Sorglos handelt nicht, wer die Leiter prüft.", []),
        ("Sorglos handelt der Halter, wer er auch sei.", []),
        ("Ordnungswidrig handelt, wer vorsätzlich Äpfel wirft.", []),
        ("Abgabepflichtig ist, wer Äpfel verkauft.", []),
        ("Strafbar ist, wer Äpfel stiehlt.", []),
        ("In der Scheune ist ein Behälter, der Äpfel fasst.", []),
        ("Angemessen ist eine Frist, die den Reifegrad beachtet.", []),
        ("Der Anzeige ist eine Liste, die alle Bäume nennt, beizufügen.", []),
        ("Keine Äpfel sind die Früchte, die im Frühjahr reifen.", []),
        ("Als Apfel gilt jede Frucht, die rund ist.", ["Apfel"]),
        ("Als Apfel im Sinne dieses Gesetzes ist anzusehen, was rund ist.", ["Apfel"]),
        ("Unter Obstpflege ist jede Arbeit zu verstehen, die dem Baum dient.", ["Obstpflege"]),
        ("Unter „Obstpflege“ wird die Arbeit am Baum verstanden.", ["Obstpflege"]),
        ("Unter Bäumen ist die Ernte frei.", []),
        ("Unter einem Obstplan ist die Schätzung der Ernte zu verstehen.", ["Obstplan"]),
        ("Ohne die Erlaubnis ist der Halter, der erntet, berechtigt, den Baum zu fällen.", []),
        # The duty at the end is that of the relative clause.
        ("Reife Bäume sind Bäume, die geeignet sind, Äpfel zu tragen.", ["Reife Bäume"]),
        ("Bäume sind so zu pflegen, dass sie tragen.", []),
        ("Obstpflege bedeutet die Arbeit am Baum.", ["Obstpflege"]),
        ("„Feilbieten“ bedeutet, Obst zum Kauf anzubieten.", ["Feilbieten"]),
        ("Als zugegangen gilt, was abgegeben ist.", []),
        ("Die Ernte gilt als genehmigt.", []),
        ("Die Genossenschaft gilt als Händler im Sinne des Handelsgesetzbuchs.", []),
        ("Der Pflücker gilt als Händler im Sinne dieses Gesetzes.", ["Händler"]),
        ("Händler ist, wer es übernimmt, Äpfel zu kaufen oder zu verkaufen.", ["Händler"]),
        ("Händler (Händlerinnen und Händler) im Sinne dieses Gesetzes sind alle, die verkaufen.", ["Händler"]),
        ("Obstgärten sind Flächen, die bepflanzt sind.", ["Obstgärten"]),
        ("Obstgewerbe ist jeder Betrieb, es sei denn, dass er klein ist.", ["Obstgewerbe"]),
        (
            "Sorten- und Markengeheimnisse sind alle Daten, die geheim sind.",
            ["Sorten- und Markengeheimnisse", "Markengeheimnisse"],
        ),
        ("Das Pflückverfahren im Sinne dieses Gesetzes ist die Tätigkeit der Pflücker.", ["Pflückverfahren"]),
        ("Das Pflückverfahren ist die Sache der Pflücker.", []),
        ("Die Stelle (im Folgenden kurz „Obstamt“ genannt) prüft.", ["Obstamt"]),
        ("Das Amt (nachfolgend OBA) prüft.", ["OBA"]),
        ("Wer einen Baum hält, der trägt, (im folgenden kurz Obstbauer genannt) haftet.", ["Obstbauer"]),
        ("Wer einen Baum hält, (Obstbauer oder nicht) haftet.", []),
        ("Betrieb im Sinn des Abs. 1 ist jede Einrichtung.", ["Betrieb"]),
        ("Es wird vermutet, dass der Halter, der erntet, Eigentümer ist.", []),
        ("„Fallobst“ ist abgefallenes Obst.", ["Fallobst"]),
        ("Der Ausdruck „Fallobst“ steht auf dem Schild.", []),
    ],
)
def test_definition_is_found_by_its_form(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert terms(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "scope", "phrase"),
    [
        ("Bäume im Sinne dieses Gesetzes sind auch Sträucher.", LAW, "im Sinne dieses Gesetzes"),
        ("Bäume im Sinne des Gesetzes sind Obstbäume.", LAW, "im Sinne des Gesetzes"),
        ("Bäume im Sinne dieses Titels sind Obstbäume.", f"{LAW}:buch_1:titel_1", "im Sinne dieses Titels"),
        ("Bäume im Sinne dieser Vorschrift sind Obstbäume.", f"{LAW}:1", "im Sinne dieser Vorschrift"),
        ("Bäume im Sinne des § 99 sind Obstbäume.", f"{LAW}:99", "im Sinne des § 99"),
    ],
)
def test_phrase_gives_the_scope(tmp_path: Path, text: str, scope: str, phrase: str) -> None:
    [found] = definitions(tmp_path, unit("1", text))
    assert (found.term, found.scope_urn, found.phrase, found.inferred) == ("Bäume", scope, phrase, False)


def test_all_units_that_a_phrase_names_are_its_scope(tmp_path: Path) -> None:
    found = definitions(tmp_path, unit("1", "Bäume im Sinne dieses Titels und von § 99 sind Obstbäume."))
    assert [(definition.scope_urn, definition.inferred) for definition in found] == [
        (f"{LAW}:buch_1:titel_1", False),
        (f"{LAW}:99", False),
    ]


def test_definition_without_a_phrase_governs_the_law_and_says_so(tmp_path: Path) -> None:
    [found] = definitions(tmp_path, unit("1", "Obstbauer ist jede Person, die Bäume hält."))
    assert (found.scope_urn, found.phrase, found.inferred) == (LAW, "", True)


@pytest.mark.parametrize(
    "text",
    [
        "Früchte sind auch die Erträge, welche ein Baum bringt.",
        "Als Fallobst gilt es insbesondere, wenn der Wind es warf.",
        "Als Fallobst gilt insbesondere, was der Wind warf.",
    ],
)
def test_addition_to_a_definition_is_no_meaning_of_its_own(tmp_path: Path, text: str) -> None:
    [found] = definitions(tmp_path, unit("1", text))
    assert (found.relation, found.scope_urn, found.inferred) == ("includes", f"{LAW}:buch_1:titel_1", True)


@pytest.mark.parametrize(
    ("titles", "scope"),
    [
        (("Obst", "Sorten"), ":buch_1:titel_1"),
        (("Obst", "Allgemeine Vorschriften"), ":buch_1"),
        (("Allgemeiner Teil", "Sorten"), ""),
        (("Allgemeiner Teil", "Allgemeine Vorschriften"), ""),
    ],
)
def test_addition_governs_its_own_container_or_all_that_general_rules_open(
    tmp_path: Path, titles: tuple[str, str], scope: str
) -> None:
    outer, inner = titles
    title = f"<div><head>Titel 1</head><head type='subtitle'>{inner}</head>{unit('1', ADDITION)}</div>"
    body = f"<div><head>Buch 1</head><head type='subtitle'>{outer}</head>{title}</div>" + unit("2", "Frei.")
    [found] = parsed(tmp_path, body).definitions
    assert (found.relation, found.scope_urn) == ("includes", LAW + scope)


def test_addition_in_a_law_without_containers_governs_its_provision(tmp_path: Path) -> None:
    [found] = parsed(tmp_path, unit("1", ADDITION) + unit("2", "Frei.")).definitions
    assert (found.relation, found.scope_urn, found.inferred) == ("includes", f"{LAW}:1", True)


def test_adjective_whose_items_are_persons_is_defined_by_the_list(tmp_path: Path) -> None:
    lead = "Ernteunfähig ist:"
    persons = definitions(tmp_path, unit("1", lead, items=("wer zu jung ist,", "wer nicht klettern kann.")))
    places = definitions(tmp_path, unit("1", lead, items=("im Herbst der Halter,", "im Winter niemand.")))
    assert [(person.term, person.node_urn, person.scope_urn) for person in persons] == [
        ("ernteunfähig", f"{LAW}:1", LAW)
    ]
    assert places == []


def headed(folder: Path, heading: str, *paragraphs: str, items: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Term and relation of what a § with this heading defines."""
    inner = unit("1", *paragraphs, items=items).replace("</head>", f"</head><head type='subtitle'>{heading}</head>", 1)
    return [
        (definition.term, definition.relation) for definition in by_form(parsed(folder, inner + unit("2", "Frei.")))
    ]


@pytest.mark.parametrize(
    ("heading", "paragraphs", "items", "expected"),
    [
        ("Obstarten", ("Obstarten sind:",), ("Äpfel,", "Birnen.",), [("Obstarten", "means")]),
        ("Begriffe", ("Es reift. Obstarten sind",), ("die Äpfel,", "die Birnen."), [("Obstarten", "means")]),
        # A list of duties is none of things.
        ("Obstbäume", ("Obstbäume sind",), ("so zu pflegen, dass sie tragen,", "im Herbst zu schneiden."), []),
        ("Begriffsbestimmungen", ("Ein Obstgarten ist der eingezäunte Bereich.",), (), [("Obstgarten", "means")]),
        ("Ernte", ("Ein Obstgarten ist der Stolz des Halters.",), (), []),
        # The clause ends with a noun, and the law uses the word as a noun; a participle would end another.
        ("Ernte", ("Zuständige Stelle ist das Obstamt.", "Er zeigt es der zuständigen Stelle an."), (),
         [("Zuständige Stelle", "means")]),
        ("Ernte", ("Halter eines Obstgartens ist die Gemeinde.", "Es haftet der Halter."), (), [("Halter", "means")]),
        ("Ernte", ("Geräte sind Leitern, Körbe und Scheren.", "Er pflegt die Geräte."), (), [("Geräte", "means")]),
        ("Ernte", ("Verboten ist das Pflücken.", "Er hält verbotene Früchte."), (), []),
        ("Ernte", ("Geräte sind das ganze Jahr zu pflegen.", "Er hält die Geräte."), (), []),
        ("Ernte", ("Er zahlt; Halter ist die Gemeinde.", "Es haftet der Halter."), (), []),
        ("Ernte", ("Lagerfähig sind Früchte, die reifen.", "Er hält lagerfähige Früchte."), (),
         [("lagerfähig", "means")]),
        ("Ernte", ("Unzulässig sind Netze, die reißen.", "Unzulässige Netze sind zu entfernen."), (), []),
        ("Ernte", ("Obstbauer ist, wer nicht nur Holz macht.",), (), [("Obstbauer", "means")]),
        ("Ernte", ("Halteplätze (Standplätze) sind die Flächen, die frei sind.",), (),
         [("Halteplätze", "means"), ("Standplätze", "means")]),
        ("Ernte", ("Für § 1 gelten Beeren nicht als Früchte.",), (), [("Früchte", "excludes")]),
        ("Ernte", ("In diesem Gesetz gehören zum Obstbau auch Nüsse.",), (), [("Obstbau", "includes")]),
        ("Ernte", ("Anbieten umfasst das Auslegen von Obst.",), (), [("Anbieten", "means")]),
        ("Ernte", ("Einen Anspruch hat jemand dort, wo er Bäume hält.",), (), []),
        # What a later paragraph adds or takes is kept: the first one does not say it.
        ("Obstbauer", ("(1) Obstbauer ist, wer Bäume hält.", "(2) Obstbauer ist nicht, wer nur Holz macht."), (),
         [("Obstbauer", "means"), ("Obstbauer", "excludes")]),
        ("Obstbauer", ("(1) Obstbauer ist, wer erntet.", "(2) Als Obstbauer gilt nach § 2 nicht, wer pflückt."), (),
         [("Obstbauer", "means"), ("Obstbauer", "excludes")]),
        ("Obstarten", ("(1) Obstarten sind die Äpfel.", "(2) Obstarten sind Beeren auch dann, wenn sie klein sind."),
         (), [("Obstarten", "means"), ("Obstarten", "includes")]),
        ("Obstbauer", ("(1) Obstbauer ist, wer erntet.", "(2) Obstbauer ist, wer isst."), (), [("Obstbauer", "means")]),
        # Among definitions a noun with its attributes says what a thing is; a participle says what happens to it.
        ("Begriffe", ("Bäume sind fest mit dem Erdboden verbundene, holzige Pflanzen.",), (), [("Bäume", "means")]),
        ("Begriffe", ("Bäume sind in Klassen eingeteilt.",), (), []),
        ("Bäume", ("Obstbäume sind die Apfelbäume und die Birnbäume.",), (), [("Obstbäume", "means")]),
        ("Verfahren", ("Verfahrensfrei sind Bäume.",), (), []),
        ("Haupt- und Nebenernte", ("Nebenernte liegt vor, wenn es regnet.",), (), [("Nebenernte", "means")]),
        ("Ernte", ("Ein Verstoß liegt vor, wenn es regnet.",), (), []),
        ("Kündigung aus wichtigem Grund", ("Ein wichtiger Grund liegt vor, wenn es regnet.",), (), []),
        ("Ernte", ("Im Sinne dieses Gesetzes bedeutet „Halter“ auch der Pächter.",), (), [("Halter", "includes")]),
        # The verb first, several terms in one sentence, what belongs to a thing.
        ("Ernte", ("Im Sinne dieses Gesetzes ist Halter der Eigner, der erntet, Pächter der Halter, der zahlt.",), (),
         [("Halter", "means"), ("Pächter", "means")]),
        ("Ernte", ("In diesem Titel sind Halter, wer erntet.",), (), [("Halter", "means")]),
        ("Ernte", ("Im Sinne dieses Gesetzes ist Zulässig jede Ernte.",), (), []),
        ("Ernte", ("Im Sinne dieses Gesetzes ist 1. Händler, wer verkauft, 2. Ware jede Frucht.",), (),
         [("Händler", "means"), ("Ware", "means")]),
        ("Ernte", ("Im Sinne dieses Gesetzes ist",), ("Händler, wer verkauft,", "Ware jede Frucht, die reift."),
         [("Händler", "means"), ("Ware", "means")]),
        ("Begriff der Ernte", ("(1) Zur Ernte gehören alle Früchte.", "(2) Nicht zur Ernte gehören Blätter."), (),
         [("Ernte", "includes"), ("Ernte", "excludes")]),
        ("Ernte", ("Zum Obstbau im Sinne dieses Gesetzes gehört der Schnitt.",), (), [("Obstbau", "includes")]),
        ("Ernte", ("Zum Obstbau gehört der Schnitt.",), (), []),
        ("Verbundene Bäume", ("Verbundene Bäume sind rechtlich selbständige Bäume.",), (),
         [("Verbundene Bäume", "means")]),
        ("Einzusetzender Ertrag", ("Einzusetzen ist der gesamte Ertrag.",), (), []),
        ("Ernte", ("Nebenernte im Sinne dieses Gesetzes liegt vor, wenn es regnet.",), (), [("Nebenernte", "means")]),
        ("Ernte", ("Als „Halter“ im Sinne dieses Gesetzes gilt, wer erntet.",), (), [("Halter", "means")]),
        ("Begriffe", ("Im Sinne dieses Gesetzes gelten als:",), ("Kernobst (KO): Äpfel;", "„Beeren (BE)“: Kirschen."),
         [("Kernobst", "means"), ("Beeren", "means")]),
        ("Begriffe", ("Es bezeichnen die Begriffe:",), ("„Kernobst“ Äpfel;",), [("Kernobst", "means")]),
    ],
)  # fmt: skip
def test_heading_and_place_show_what_a_sentence_defines(
    tmp_path: Path, heading: str, paragraphs: tuple[str, ...], items: tuple[str, ...], expected: list[tuple[str, str]]
) -> None:
    assert headed(tmp_path, heading, *paragraphs, items=items) == expected


def test_meaning_that_another_provision_has_is_a_reference(tmp_path: Path) -> None:
    [found] = definitions(tmp_path, unit("1", "Pächter im Sinne dieses Titels ist der Halter im Sinne des § 99."))
    assert (found.relation, found.reference_urn) == ("reference", f"{LAW}:99")


def test_list_of_definitions_takes_the_scope_of_its_lead_in(tmp_path: Path) -> None:
    found = definitions(
        tmp_path,
        unit("1", "Im Sinne dieses Gesetzes ist oder sind", items=(
            "„Kernobst“ Äpfel, Birnen und Quitten;", "Steinobst: Kirschen und Pflaumen;",
            "Erntehelfer ist, wer Obst pflückt.",
        )),
    )  # fmt: skip
    assert [definition.term for definition in found] == ["Kernobst", "Steinobst", "Erntehelfer"]
    assert {(definition.scope_urn, definition.inferred) for definition in found} == {(LAW, False)}


def test_bracket_in_three_provisions_is_an_aside(tmp_path: Path) -> None:
    text = "Die Gemeinden (Gemeindeverbände) pflegen die Bäume."
    assert definitions(tmp_path, *(unit(str(n), text) for n in (1, 2, 3))) == []


def test_term_that_two_provisions_define_governs_only_each_of_them(tmp_path: Path) -> None:
    text = "Die Kündigung ist zum Monatsende zulässig (gesetzliche Frist)."
    found = definitions(tmp_path, unit("1", text), unit("2", text))
    assert [definition.scope_urn for definition in found] == [f"{LAW}:1", f"{LAW}:2"]


def test_everyday_word_governs_only_the_container_it_is_defined_in(tmp_path: Path) -> None:
    found = definitions(
        tmp_path, unit("1", "Der Hof ist offen. Der Garten auch."), unit("2", "Land mit Bäumen (Garten) ist frei.")
    )
    assert [(definition.term, definition.scope_urn) for definition in found] == [("Garten", f"{LAW}:buch_1:titel_1")]


def links(folder: Path, text: str) -> list[tuple[str, str]]:
    document = annotated(
        folder, unit("1", text), unit("2", "(1) Frei.", "(2) Frei."), unit("3", "Frei."), unit("4", "Frei.")
    )
    certain = [link for link in document.links if link.kind != "may_limit" and link.source_urn == f"{LAW}:1"]
    return [(link.kind, link.target_urn.removeprefix(f"{LAW}:")) for link in certain]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Abweichend von § 2 Absatz 2 und § 3 ist die Ernte frei.",
         [("notwithstanding", "2:2"), ("notwithstanding", "3")]),
        ("Die Ernte ist vorbehaltlich der §§ 2 und 3 frei.", [("subject_to", "2"), ("subject_to", "3")]),
        ("Außer in den Fällen des § 2 ist die Ernte frei.", [("subject_to", "2")]),
        ("Die Ernte ist frei, soweit sich nicht aus den §§ 2 bis 4 ein anderes ergibt.",
         [("subject_to", "2"), ("subject_to", "3"), ("subject_to", "4")]),
        ("Die Ernte ist frei, soweit in § 3 nichts anderes bestimmt ist.", [("subject_to", "3")]),
        ("Die Ernte ist frei, soweit sie aus § 3 folgt.", [("cites", "3")]),
        ("§ 2 Absatz 1 und § 3 sind nicht anzuwenden.", [("disapplies", "2:1"), ("disapplies", "3")]),
        ("Auf Birnen findet § 2 keine Anwendung.", [("disapplies", "2")]),
        ("§ 2 findet auf Birnen keine Anwendung.", [("disapplies", "2")]),
        ("Die Behörde kann von § 2 abweichende Zeiten festsetzen.", [("notwithstanding", "2")]),
        ("Abweichende Zeiten nach § 2 sind frei.", [("cites", "2")]),
        ("Bei Gefahr dürfen Bäume entgegen § 2 gefällt werden.", [("limits", "2")]),
        ("Wer entgegen § 2 erntet, zahlt.", [("cites", "2")]),
        ("Eine von § 2 abweichende Bestimmung ist nicht zulässig.", [("cites", "2")]),
        ("Eine von § 2 abweichende Bestimmung ist zulässig.", [("notwithstanding", "2")]),
        ("Die Behörde kann von § 2 befreien.", [("limits", "2")]),
        ("Die Behörde kann den Halter von der Pflicht nach § 2 befreien.", [("limits", "2")]),
        ("Halter sind von § 2 ausgenommen.", [("limits", "2")]),
        ("Halter sind von § 2 nicht ausgenommen.", [("cites", "2")]),
        ("Die Behörde kann Ausnahmen von § 2 zulassen.", [("limits", "2")]),
        ("Einer Ernte nach § 2 bedarf es nicht.", [("limits", "2")]),
        ("Die Pflicht nach § 2 entfällt bei Regen.", [("limits", "2")]),
        ("Von der Aufzeichnung nach § 2 kann abgesehen werden.", [("limits", "2")]),
        ("§ 2 gilt für Gärten. Für Höfe gilt er nicht.", [("cites", "2"), ("disapplies", "2")]),
        ("Die Miete wird, von Erhöhungen nach § 2 abgesehen, nicht geändert.", [("cites", "2")]),
        ("Der Pflicht nach § 2 unterliegen Gärten nicht.", [("limits", "2")]),
        ("Der Anspruch nach § 2 unterliegt nicht der Verjährung.", [("cites", "2")]),
        ("Die Beschränkung nach § 2 gilt nicht für Birnen.", [("disapplies", "2")]),
        ("Wer Birnen, für die § 2 nicht gilt, isst, zahlt.", [("cites", "2")]),
        ("Alte Bäume dürfen unbeschadet des § 2 gefällt werden.", [("limits", "2")]),
        ("Ein Baum nach § 2 zählt nicht.", [("cites", "2")]),
        ("Ordnungswidrig handelt, wer § 2 nicht beachtet.", [("cites", "2")]),
        ("Die Frist nach § 2 kann bei Regen verlängert werden.", [("limits", "2")]),
        ("Er kann die Ernte an anderen als den in § 2 genannten Orten zulassen.", [("notwithstanding", "2")]),
        ("Für andere als die in § 2 genannten Orte ist Sorge zu tragen.", [("cites", "2")]),
        ("§ 2 gilt nur für Birnen.", [("limits", "2")]),
        ("§ 2 ist erst ab 2030 anzuwenden.", [("limits", "2")]),
        ("§ 2 ist mit der Maßgabe anzuwenden, dass Birnen frei sind.", [("limits", "2")]),
        ("Die Behörde kann die Gebühr nach § 2 stunden.", [("limits", "2")]),
        ("Die Behörde kann Verordnungen nach § 2 erlassen.", [("cites", "2")]),
        ("An die Stelle des § 2 tritt die Satzung.", [("notwithstanding", "2")]),
        ("Ein von § 2 abweichender Baum ist frei.", [("notwithstanding", "2")]),
        ("Verträge, die von § 2 abweichende Fristen vorsehen, sind zu melden.", [("cites", "2")]),
        ("Fristen, die abweichend von § 2 bestimmt sind, sind zu melden.", [("cites", "2")]),
        ("Der Gärtner darf den Baum unbeschadet des § 2 nicht fällen.", [("cites", "2")]),
        ("Der Gärtner darf unter Beachtung von § 2 von dem Muster abweichen.", [("cites", "2")]),
        ("Für ein Urteil über Bäume gemäß § 2 ist es nicht erforderlich, dass sie blühen.", [("cites", "2")]),
        ("Außer in den Fällen des § 2 bedarf es auch dann keiner Frist, wenn der Baum welkt.", [("cites", "2")]),
        ("Außer in den Fällen des § 2 bedarf es einer Frist.", [("subject_to", "2")]),
        ("Es kann bestimmt werden, dass § 2 keine Anwendung findet.", [("disapplies", "2")]),
        ("§ 2 findet in den Ferien keine Anwendung.", [("disapplies", "2")]),
        ("§ 2 steht der Ernte nicht entgegen.", [("limits", "2")]),
        ("Statt des § 2 gilt die Satzung.", [("notwithstanding", "2")]),
        ("Der Halter kann von § 2 lesen.", [("cites", "2")]),
        ("§ 3 gilt nicht für Birnen.", [("disapplies", "3")]),
        ("Ein Baum, auf den § 2 keine Anwendung findet, ist frei.", [("cites", "2")]),
        ("Er sagt, dass die Vorschriften des § 3 nicht gelten.", [("cites", "3")]),
        ("Auf Bäume nach § 3 findet das Recht keine Anwendung.", [("cites", "3")]),
        ("Das Kapitel gilt mit Ausnahme des § 4.", [("disapplies", "4")]),
        ("Abweichend von anderen Vorschriften gilt § 3.", [("cites", "3")]),
        ("Reichen die Halter entgegen § 2 nichts ein, haften sie.", [("cites", "2")]),
        ("§ 2 bleibt unberührt.", [("cites", "2")]),
        ("Die Ernte ist frei, soweit § 2 nicht etwas anderes bestimmt.", [("subject_to", "2")]),
        ("Unbeschadet des § 2 ist die Ernte frei.", [("cites", "2")]),
        ("Ungeachtet des § 2 ist die Ernte frei.", [("notwithstanding", "2")]),
        ("Unter Vorbehalt von § 2 ist die Ernte frei.", [("subject_to", "2")]),
        ("§ 3 gilt entsprechend.", [("cites", "3")]),
        ("Die §§ 2 und 3 sind nicht auf Birnen anzuwenden.", [("disapplies", "2"), ("disapplies", "3")]),
        ("§ 3 mit Ausnahme von § 4 gilt nicht für Birnen.", [("disapplies", "3"), ("cites", "4")]),
        ("Das Kapitel gilt mit Ausnahme des § 4 nicht für Birnen.", [("cites", "4")]),
        ("Auf Birnen sind die §§ 2 und 3 insgesamt nicht anzuwenden.", [("disapplies", "2"), ("disapplies", "3")]),
        # The verb may stand first, and an exception beside its subject.
        ("Im Übrigen gelten § 2 Abs. 1 und § 3 nicht für Birnen.", [("disapplies", "2:1"), ("disapplies", "3")]),
        ("Für Birnen gilt § 3 auch für nicht reife Früchte.", [("cites", "3")]),
        ("Für Birnen gilt § 3, soweit § 2 nicht gilt.", [("cites", "3"), ("cites", "2")]),
        ("Mit Ausnahme des § 4 sind § 2 und § 3 nicht anzuwenden.",
         [("cites", "4"), ("disapplies", "2"), ("disapplies", "3")]),
        ("§ 3 gilt nicht in den Fällen des § 2.", [("disapplies", "3"), ("subject_to", "2")]),
        ("Vorbehalten bleibt § 2 Abs. 2.", [("subject_to", "2:2")]),
        ("§ 2 bleibt vorbehalten.", [("subject_to", "2")]),
        ("Geerntet wird nur unter den Einschränkungen der §§ 2 und 3.", [("subject_to", "2"), ("subject_to", "3")]),
        ("In den Anwendungsbereich des § 2 fallen nicht Birnen.", [("disapplies", "2")]),
        ("In den Anwendungsbereich des § 2 fallen Birnen.", [("cites", "2")]),
        ("Vom Anwendungsbereich des § 2 sind Birnen ausgenommen.", [("disapplies", "2")]),
        # What an exception takes out of words that do not apply goes on to apply, whatever their order.
        ("§ 2 und § 3 finden mit Ausnahme von § 3 Abs. 1 keine Anwendung.",
         [("disapplies", "2"), ("disapplies", "3"), ("cites", "3:1")]),
        ("§ 2 gilt nicht für Birnen mit Ausnahme von § 3 Abs. 1.", [("disapplies", "2"), ("cites", "3:1")]),
        ("Die nach § 2 mit Ausnahme von § 3 freien Bäume bleiben frei.", [("cites", "2"), ("cites", "3")]),
        ("Die in § 2 genannten Regeln gelten mit Ausnahme von § 3.", [("cites", "2"), ("disapplies", "3")]),
        ("Die Ernte ist frei, soweit nicht die §§ 2 bis 4 anderes bestimmen.",
         [("subject_to", "2"), ("subject_to", "3"), ("subject_to", "4")]),
        ("§ 2 ist – unbeschadet anderer Regeln – auf Birnen nicht anzuwenden.", [("disapplies", "2")]),
    ],
)  # fmt: skip
def test_phrase_and_reference_give_kind_and_target(tmp_path: Path, text: str, expected: list[tuple[str, str]]) -> None:
    assert links(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("term", "text", "uses"),
    [
        ("Verbraucher", "Der Verbraucher und die Verbraucherin; des Verbrauchers, den Verbrauchern.", 3),
        ("Verbraucher", "Verbraucherverträge und Immobiliar-Verbraucher", 0),
        ("Kaufvertrag", "Kaufvertrages, Kaufverträge, Kaufverträgen, Kaufverträgs", 3),
        ("elterliche Sorge", "der elterlichen Sorge; elterlicher Sorge; elterliche Fürsorge", 2),
        ("Sachen", "Eine Sache, die Sachen.", 2),
        ("unverzüglich", "unverzüglich; eine unverzügliche Anzeige", 2),
        ("Waren", "Sie waren da; die Waren kamen.", 1),
        ("Arbeitnehmers", "Der Arbeitnehmer geht.", 1),
        ("Straße", "Strasse und Straßen", 2),
        ("die Ware", "Ware", 1),
    ],
)
def test_term_is_found_in_its_inflected_forms(term: str, text: str, uses: int) -> None:
    rules = GermanTerms()
    assert len(TermIndex([rules.normalise(term)], rules).find(text)) == uses


def test_definition_reaches_the_provision_that_uses_an_inflected_form(tmp_path: Path) -> None:
    document = annotated(
        tmp_path,
        unit("1", "Obstbauer ist jede Person, die Bäume hält."),
        unit("2", "Die Äpfel des Obstbauern sind frei."),
    )
    assert document.used_terms == {f"{LAW}:2": ["obstbauer"]}


def test_noun_for_an_action_is_used_by_its_verb_and_a_person_in_both_declensions(tmp_path: Path) -> None:
    document = annotated(
        tmp_path,
        unit("1", "Anbieten umfasst das Auslegen von Obst."),
        unit("2", "Beauftragter ist, wer einen Garten pflegt. Pflücker ist, wer pflückt."),
        unit("3", "Die angebotenen Äpfel gehören dem Beauftragten. Das Pflücken ist frei."),
        unit("4", "Obst muss der Pflücker anzubieten bereit sein."),
    )
    assert document.used_terms == {f"{LAW}:3": ["anbieten", "beauftragter"], f"{LAW}:4": ["anbieten", "pflücker"]}


def test_word_in_the_sense_of_other_law_points_there(tmp_path: Path) -> None:
    [found] = definitions(tmp_path, unit("1", "Wer Händler im Sinne des § 2 des Marktgesetzes ist, zahlt nichts."))
    assert (found.term, found.relation, found.phrase) == (
        "Händler", "reference", "im Sinne des § 2 des Marktgesetzes"
    )  # fmt: skip
    assert definitions(tmp_path, unit("1", "Wer Händler im Sinne des § 2 ist, zahlt."), unit("2", "Frei.")) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Nach § 1 Abs. 2 Nr. 3 gilt dies. Das Weitere regelt § 2.", 2),
        ("Bis zum 3. Mai ist frei. Danach nicht.", 2),
        ("Eins\nZwei", 2),
        ("", 0),
    ],
)
def test_points_of_abbreviations_end_no_sentence(text: str, count: int) -> None:
    assert len(sentences(text)) == count


@pytest.mark.parametrize(
    ("definition", "text", "used"),
    [
        ("„feilbieten“ bedeutet, Obst zum Kauf anzubieten.", "Wer Obst feilbietet, zahlt.", True),
        ("„feilbieten“ bedeutet, Obst zum Kauf anzubieten.", "Niemand darf Obst feilbieten.", True),
        ("„gewerblich“ ist eine auf Dauer angelegte Tätigkeit.", "Die gewerbliche Ernte kostet Geld.", True),
        ("„Baum“ ist eine Pflanze.", "Wer baum sagt, zahlt.", False),
    ],
)
def test_a_term_written_small_is_used_by_small_words(tmp_path: Path, definition: str, text: str, used: bool) -> None:
    document = annotated(tmp_path, unit("1", definition), unit("2", text))
    assert (f"{LAW}:2" in document.used_terms) is used


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Für Zwecke des § 99 steht der Birne die Quitte gleich.", [("includes", "99")]),
        ("Im Sinne des § 99 sind Birnen auch Quitten.", [("includes", "99")]),
        ("Quitten gelten nicht als Birnen.", [("excludes", "")]),
        ("Die Quitte gilt als Birne.", [("includes", "2")]),  # without a phrase its own provision
        ("Die Lieferung gilt als erfolgt, wenn jemand Quitten als Birne verkauft.", []),
    ],
)
def test_provisions_add_to_a_term_that_another_one_defines(
    tmp_path: Path, text: str, expected: list[tuple[str, str]]
) -> None:
    meaning = unit("1", "Im Sinne dieses Gesetzes ist Birne jede Frucht, die ein Birnbaum trägt.")
    found = definitions(tmp_path, meaning, unit("2", text))
    added = [(one.relation, one.scope_urn.removeprefix(LAW).strip(":")) for one in found if one.node_urn.count(":2")]
    assert added == expected


def test_terms_given_in_the_plural_are_used_in_the_singular(tmp_path: Path) -> None:
    law = annotated(
        tmp_path, unit("1", "Alte Hunde im Sinne dieses Gesetzes sind Hunde, die zehn Jahre alt sind."),
        unit("2", "Wer einen alten Hund hält, zeigt dies an."),
    )  # fmt: skip
    assert [terms for urn, terms in law.used_terms.items() if urn.startswith(f"{LAW}:2")] == [["alte hunde"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Der Verlust des Ausweises ist der Bücherei unverzüglich anzuzeigen.", []),
        ("Der Verlust des Ausweises ist der Bücherei, spätestens am Folgetag, anzuzeigen.", []),
        ("Der Verlust des Ausweises ist der Leitung bekannt.", []),
        ("Der Verlust des Ausweises ist der Zustand, in dem ihn niemand mehr besitzt.", ["Verlust des Ausweises"]),
        ("Der Verlust des Ausweises ist die Zeit, wenn ihn niemand hat.", ["Verlust des Ausweises"]),
    ],
)
def test_whom_something_is_told_is_no_meaning_of_what_the_heading_names(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    body = f"<div><head>§ 1</head><head type='subtitle'>Verlust des Ausweises</head><p>{text}</p></div>"
    assert [definition.term for definition in by_form(parsed(tmp_path, body))] == expected


@pytest.mark.parametrize(
    "text",
    [
        "§ 1 ist für Pflücker, die das 14. Lebensjahr noch nicht vollendet haben, nicht anzuwenden.",
        "§ 1 gilt bis zum 31. Dezember 2025 nicht.",
        "§ 1 gilt ab dem 2. Erntetag nicht.",
    ],
)
def test_an_ordinal_ends_no_clause_of_an_exception(tmp_path: Path, text: str) -> None:
    document = annotated(tmp_path, unit("1", "Der Apfel wird gepflückt."), unit("2", text), unit("3", "Ende."))
    (link,) = [link for link in document.links if link.source_urn == f"{LAW}:2" and "may" not in link.kind]
    assert (link.kind, link.target_urn) == ("disapplies", f"{LAW}:1")
    assert text[int(link.properties["phrase_start"]) : int(link.properties["phrase_end"])] == link.properties["phrase"]
