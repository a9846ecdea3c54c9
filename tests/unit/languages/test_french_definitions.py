from __future__ import annotations

from pathlib import Path

import pytest
from annotation_documents import by_form
from french_law import CODE, annotated, velo_code
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.annotation import annotate
from rag.ingest.formats.base import Source
from rag.ingest.formats.french.legalize_md import LegalizeMd
from rag.ingest.formats.french.lines import Line
from rag.ingest.formats.french.tree import Article, LawTree
from rag.jurisdictions.fr.naming import law_identity
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.fr.definitions import LIST_LEAD, list_item
from rag.languages.fr.rules import FrenchTerms
from rag.law.nodes import Corpus, Definition, ParsedDocument
from rag.law.term_uses import TermIndex

TERMS = FrenchTerms()


def defined(*lines: str, at: str = "9") -> list[Definition]:
    return by_form(annotated({at: lines}))


def short(found: list[Definition]) -> list[tuple[str, str, str, bool]]:
    """Term, relation, scope without the code's prefix (`code` for the code), inferred."""
    scopes = [definition.scope_urn.removeprefix(f"{CODE}:").replace(CODE, "code") for definition in found]
    return [(one.term, one.relation, scope, one.inferred) for one, scope in zip(found, scopes, strict=True)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            (
                "Au sens du présent code, on entend par :",
                "1° Vélo : un cycle à deux roues ;",
                "2° « Tricycle » : trois roues.",
            ),
            [("Vélo", "means", "code", False), ("Tricycle", "means", "code", False)],
        ),
        (
            ("Pour l'application du présent titre, on entend par cycles les véhicules sans moteur.",),
            [("cycles", "means", "titre_ii", False)],
        ),
        (
            ("On entend par « vélo cargo », un cycle qui porte une charge.",),
            [("vélo cargo", "means", "titre_ii", True)],
        ),
        (
            ("Il y a lieu d'entendre par :", "1° vélo : un cycle à deux roues ;"),
            [("vélo", "means", "titre_ii", True)],
        ),
        (("Le loueur est défini à l'article 2.",), [("loueur", "reference", "code", True)]),
        (("Un vélo cargo, au sens de l'article 9, est un cycle.",), [("vélo cargo", "means", "9", False)]),
        (("Le prix est défini avec soin.",), []),
        (("Par « loueur », on entend celui qui loue.",), [("loueur", "means", "titre_ii", True)]),
        (
            ("Pour l'application du présent titre, la flotte est un ensemble de vélos.",),
            [("flotte", "means", "titre_ii", False)],
        ),
        (("Pour l'application du présent titre, le délai est un délai franc.",), []),
        (
            ("Sont considérés comme ayant la qualité de loueur les cyclistes qui louent.",),
            [("loueur", "means", "titre_ii", True)],
        ),
        (
            ("Sont considérées comme périodes de location pour le calcul du tarif :", "1° Les jours ;"),
            [("périodes de location", "means", "titre_ii", True)],
        ),
        (
            ("Au sens du présent code, on entend par :", "1° Les mots : « vélo pliant » désignent un cycle."),
            [("vélo pliant", "means", "code", False)],
        ),
        (
            ("Nul n'est lésé en matière de stationnement, au sens de l'article 2.",),
            [("stationnement", "reference", "9", False)],
        ),
        (("Ils sont de la même flotte, au sens de l'article 2.",), [("flotte", "reference", "9", False)]),
        (
            ("Sont considérés comme loueurs, au sens du présent article, ceux qui louent.",),
            [("loueurs", "means", "9", False)],
        ),
        (
            ("Sont considérés comme motos, au sens des titres Ier et II, les cycles à moteur.",),
            [("motos", "means", "titre_i", False), ("motos", "means", "titre_ii", False)],
        ),
        (
            ("Constituent des pistes au sens du présent titre les voies réservées.",),
            [("pistes", "means", "titre_ii", False)],
        ),
        (
            ("Est de mauvaise foi, au sens du présent code, celui qui ment.",),
            [("mauvaise foi", "means", "code", False)],
        ),
        (
            ("Ne sont pas considérés comme vélos, au sens du présent titre, les jouets.",),
            [("vélos", "excludes", "titre_ii", False)],
        ),
        (
            ("Au sens du présent code, l'expression \" en ville \" s'entend des rues pavées.",),
            [("en ville", "means", "code", False)],
        ),
        (("La location est le contrat par lequel le loueur prête un vélo.",), [("location", "means", "code", True)]),
        (("L’usage est un droit personnel.",), [("usage", "means", "code", True)]),
        (('Ces voies s\'appellent " pistes ".',), [("pistes", "means", "code", True)]),
        (("Le maire crée un comité (ci-après dénommé « le Comité »).",), [("le Comité", "means", "9", True)]),
        (("Les voies ouvertes au sens de l'article 2 sont libres.",), [("voies ouvertes", "reference", "9", False)]),
        (
            (
                "Pour l'application du présent titre, sont considérés comme :",
                "1° Loueur ou bailleur, toute personne qui loue ;",
            ),
            [("Loueur", "means", "titre_ii", False), ("bailleur", "means", "titre_ii", False)],
        ),
        (
            ("Au sens du présent titre, la notion de « selle » désigne un siège.",),
            [("selle", "means", "titre_ii", False)],
        ),
        (
            ("Est qualifié d'opérateur de vélos toute personne qui loue.",),
            [("opérateur de vélos", "means", "titre_ii", True)],
        ),
        (("Constitue une course lente la course sans vitesse.",), [("course lente", "means", "titre_ii", True)]),
        (("Par loueur, il faut entendre celui qui loue.",), [("loueur", "means", "titre_ii", True)]),
        (("Le mot « selle » a le même sens qu'à l'article 2.",), [("selle", "reference", "titre_ii", True)]),
        (("Un vélo long est un vélo à deux places.",), [("vélo long", "means", "code", True)]),
        (("Un vélo léger s'entend comme celui de moins de dix kilos.",), [("vélo léger", "means", "titre_ii", True)]),
        (("Le cycle loué, dit « libre-service », est bleu.",), [("libre-service", "means", "9", True)]),
        (
            ("La société est considérée, pour l'application du présent titre, comme filiale de l'autre.",),
            [("filiale", "means", "titre_ii", False)],
        ),
        # Whose sense the sentence takes for another word is no scope of the term that it defines.
        (
            ("La selle est le siège d'un vélo long au sens de l'article 2.",),
            [("vélo long", "reference", "9", False)],
        ),
        (
            ("Le bail de cycle est un contrat de louage d'un vélo long au sens de l'article 2.",),
            [("bail de cycle", "means", "code", True), ("vélo long", "reference", "9", False)],
        ),
        (
            ("Le titre vise un ou plusieurs vélos, au sens de l'article 2.",),
            [("vélos", "reference", "9", False)],
        ),
        # The predicate has a subject of its own, whose meaning is given elsewhere.
        (
            ("Sont soumis au présent code les vélos longs au sens de l'article 2.",),
            [("vélos longs", "reference", "9", False)],
        ),
        (("Est un vélo long tout cycle à deux places.",), [("vélo long", "means", "titre_ii", True)]),
        (("Sont des vélos de la ville les cycles loués.",), [("vélos de la ville", "means", "titre_ii", True)]),
        (("Est un délit le vol de vélo.",), []),
        (("Est dénommé loueur le commerçant qui loue.",), [("loueur", "means", "titre_ii", True)]),
        (
            ("Les termes « loueur » et « client » y ont le sens que leur donne l'article 2.",),
            [("loueur", "reference", "titre_ii", True), ("client", "reference", "titre_ii", True)],
        ),
        (("Au présent article, le mot « vélo » ne comprend pas le tricycle.",), [("vélo", "excludes", "9", False)]),
        (
            ("Pour l'application du présent article, est regardée comme une machine toute cabine.",),
            [("machine", "means", "9", False)],
        ),
        # What stands elsewhere is added to: "par vélo, on désigne", "est réputé vélo".
        (
            (
                "Par « vélo », on désigne un cycle.",
                "Pour l'application de l'article 2, la trottinette est réputée un vélo.",
            ),
            [("vélo", "means", "titre_ii", True), ("vélo", "includes", "2", False)],
        ),
        (("Le loueur est une société qui loue.", "Les prix sont :", "1° Les tarifs ;"), []),
        (("Un loueur est une société qui loue.",), [("loueur", "means", "code", True)]),
        (("Loueur : toute personne qui loue un vélo.",), [("Loueur", "means", "code", True)]),
        (("Nota : les prix suivants sont affichés :",), []),
        (("I. – Un loueur est une société qui loue.",), [("loueur", "means", "code", True)]),
        (
            ("Le mot « loueur » désigne celui qui loue, et le mot « client » celui qui rend.",),
            [("client", "means", "titre_ii", True), ("loueur", "means", "titre_ii", True)],
        ),
        (
            ("Est réputé loueur, pour l'application de l'article 2, le dépositaire.",),
            [("loueur", "includes", "2", False)],
        ),
        (
            ("Pour l'application de l'article 2, constitue également un vélo le tricycle.",),
            [("vélo", "includes", "2", False)],
        ),
        (("Le loueur est celui mentionné à l'article 2.",), [("loueur", "reference", "code", True)]),
        (("Le loueur est celui mentionné à l'article 2 et son préposé.",), [("loueur", "means", "code", True)]),
        (("Le loueur est réputé le propriétaire.",), []),
        (("La location est présumée être un contrat.",), []),
        (("Le vélo est bleu.", "Il est un peu usé.", "Ainsi qu'il est dit à l'article 2, il roule."), []),
        (("L'usager et le loueur s'entendent sur le prix.", "Le mineur est entendu par le tribunal."), []),
        (("Le maire désigne un agent.", "Tout vélo est considéré comme un bien."), []),
        # A remark between commas, another case of what is known, a participle that is no term.
        (
            ("Est considéré comme vol de vélo, quelle qu'en soit la cause, le retrait d'un cycle.",),
            [("vol de vélo", "means", "titre_ii", True)],
        ),
        (("1° Est considéré comme don d'un vélo, le prêt gratuit.",), [("don d'un vélo", "means", "titre_ii", True)]),
        (("Le vol de vélo est la soustraction d'un cycle.",), [("vol de vélo", "means", "code", True)]),
        (("La mission du maire consiste à louer.",), []),
        # All units of a phrase are its scope, and one that the code does not have makes no wide one.
        (
            ("Pour l'application du présent titre et de l'article 2, on entend par cycles les véhicules.",),
            [("cycles", "means", "titre_ii", False), ("cycles", "means", "2", False)],
        ),
        (
            ("Pour l'application du présent titre et du chapitre qui suit, on entend par cycles les véhicules.",),
            [("cycles", "means", "titre_ii", True)],
        ),
        (("Pour l'application du 7° du II, le vélo s'entend d'un cycle.",), [("vélo", "means", "9", True)]),
    ],
)
def test_form_gives_term_relation_and_scope(lines: tuple[str, ...], expected: list[tuple[str, str, str, bool]]) -> None:
    assert short(defined(*lines)) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("Un loueur est une société qui loue.",), [("loueur", "code")]),
        (("Un bail de vélo a pour objet :", "1° La location ;"), [("bail de vélo", "code")]),
        (("Les loueurs sont :", "1° Les sociétés ;", "2° Les associations."), [("loueurs", "code")]),
        (("Les vélos sont :", "1° Nettoyés ;", "2° Réparés."), []),
        # Definitions are made for what their container opens.
        (("Est un vélo long tout cycle à deux places.",), [("vélo long", "livre_i")]),
    ],
)
def test_among_definitions_a_sentence_says_what_a_thing_is(
    lines: tuple[str, ...], expected: list[tuple[str, str]]
) -> None:
    tree = LawTree(law_identity("Code du vélo"), source="velo.md")
    book = tree.container(tree.root, "Livre Ier : Vélos")
    title = tree.container(book, "Titre Ier : Dispositions générales")
    tree.article(tree.container(title, "Chapitre Ier : Définitions"), Article("9", [Line(line) for line in lines]))
    tree.article(tree.container(book, "Titre II : Location"), Article("10", [Line("Le prix est libre.")]))
    parsed = ParsedDocument(Corpus(CODE, "Code du vélo", "fr"), tree.nodes(), "velo.md", "sample", "0" * 64, 1)
    annotate(parsed, jurisdiction_for("fr"))
    assert [(term, scope) for term, _, scope, _ in short(parsed.definitions)] == expected


def test_list_of_definitions_may_stand_in_the_lines_of_one_provision() -> None:
    lines = (
        "Au sens du présent titre, il faut entendre par :", "Vélo : un cycle à deux roues ;",
        "2° tricycle, le cycle à trois.", "3° cycle : tout vélo.", "Le maire dit : il loue.", "Un loueur : personne.",
    )  # fmt: skip
    document = velo_code()
    node = next(node for node in document.nodes if node.urn == f"{CODE}:l5-2")
    node.intro_text, node.content_text = "", "\n".join(lines)
    annotate(document, jurisdiction_for("fr"))
    found = [("Vélo", "means", "titre_ii", False), ("tricycle", "means", "titre_ii", False)]
    assert short(document.definitions) == [*found, ("cycle", "means", "titre_ii", False)]


def test_run_of_quotations_without_a_verb_is_read_once_and_defines_nothing() -> None:
    assert defined("« x », " * 200 + "roulent.") == []


def test_reference_names_where_the_meaning_is_given() -> None:
    [one] = defined("Les associations cultuelles au sens de l'article 18 de la loi n° 78-17 sont admises.")
    assert (one.term, one.reference_urn) == ("associations cultuelles", "urn:lex:fr:loi-78-17:18")
    assert one.phrase == "au sens de l'article 18 de la loi n° 78-17"


def test_definition_is_used_in_its_scope_in_all_its_forms() -> None:
    parsed = annotated(
        {
            "7": ("Au sens du présent titre, on entend par :", "1° Acte administratif : une décision."),
            "8": ("Les actes administratifs sont publiés.",),
            "2": ("L'acte administratif est publié.",),
        }
    )
    assert parsed.used_terms == {f"{CODE}:8": ["acte administratif"]}


@pytest.mark.parametrize(
    ("term", "text", "uses"),
    [
        ("contrat", "Les contrats et l'avant-contrat.", ["contrats"]),
        (
            "acte administratif",
            "d'un acte administratif ou d’actes administratifs",
            ["acte administratif", "actes administratifs"],
        ),
        ("bail", "Les baux ruraux", ["baux"]),
        ("animal", "Les animaux", ["animaux"]),
        ("fonds", "Le fond et les fonds", ["fonds"]),
        ("usage", "L'usage, l’USAGE et l'usager", ["usage", "USAGE"]),
        ("eau", "Les eaux", ["eaux"]),
    ],
)
def test_term_is_found_in_plural_with_elision_and_in_capitals(term: str, text: str, uses: list[str]) -> None:
    assert [text[start:end] for start, end, _ in TermIndex([term], TERMS).find(text)] == uses


@pytest.mark.parametrize(
    ("term", "plain"),
    [
        ("L’Usage", "usage"),
        ("Les  Actes ", "actes"),
        ("« la Commission »", "commission"),
        ("de l'eau", "eau"),
        ("la", "la"),
    ],
)
def test_term_is_normalised_without_article(term: str, plain: str) -> None:
    assert TERMS.normalise(term) == plain


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert TERMS.normalise(TERMS.normalise(text)) == TERMS.normalise(text)


@given(
    st.lists(
        st.sampled_from(
            [
                "on entend par ",
                "« ",
                " »",
                "Vélo",
                " : ",
                "au sens ",
                "de l'article 2",
                "du présent titre",
                "est un ",
                "Le ",
                "la ",
                "s'appelle ",
                ", ",
                ". ",
                "\n",
                "ci-après ",
                "dénommé ",
                '"',
                "\ud800",
            ]
        ),
        max_size=20,
    ).map("".join)
)
def test_any_text_gives_definitions_of_nodes_that_exist(text: str) -> None:
    parsed = annotated({"9": (text or "x",)})
    urns = {node.urn for node in parsed.nodes}
    assert all(
        {definition.node_urn, definition.scope_urn} <= urns and definition.term for definition in parsed.definitions
    )


# Exceptions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Par dérogation à l'article 2, le stationnement est payant.", [("notwithstanding", "2")]),
        (
            "Par dérogation aux articles 1 à 4, sauf disposition contraire.",
            [("notwithstanding", "1"), ("notwithstanding", "2"), ("notwithstanding", "3"), ("notwithstanding", "4")],
        ),
        ("Sous réserve des dispositions du deuxième alinéa de l'article 2, il est libre.", [("subject_to", "2:al.2")]),
        ("Sauf dans les cas prévus à l'article 2, il est libre.", [("subject_to", "2")]),
        (
            "Les actes mentionnés à l'article L. 5-1, à l'exception de ceux prévus à son deuxième alinéa.",
            [("cites", "l5-1"), ("subject_to", "l5-1:al.2")],
        ),
        ("L'article 2 n'est pas applicable aux motos.", [("disapplies", "2")]),
        ("L'article 2 ne vise pas les motos.", [("disapplies", "2")]),
        ("L'interdiction de garer prévue à l'article 2 ne s'applique pas.", [("disapplies", "2")]),
        ("Les avis qui n'ont pas paru aux lieux prévus par l'article 2 ne sont pas applicables.", [("cites", "2")]),
        ("Le ministre peut accorder des dérogations à l'article 2.", [("limits", "2")]),
        ("Le ministre peut dispenser un loueur de l'article 2.", [("limits", "2")]),
        ("Sont exemptés des dispositions de l'article 2 les loueurs.", [("limits", "2")]),
        ("Le maire peut suspendre l'application de l'article 2.", [("limits", "2")]),
        ("Est réputé avoir satisfait à l'article 2 le loueur qui paie.", [("limits", "2")]),
        ("Le maire peut autoriser qu'il soit dérogé à l'article 2.", [("notwithstanding", "2")]),
        ("L'article 2 cesse de s'appliquer en mai.", [("limits", "2")]),
        ("Les avis pris en application de l'article 2 sont suspendus.", [("cites", "2")]),
        ("En cas de dispense de publication prévue à l'article 2, il est libre.", [("cites", "2")]),
        ("Les motos échappent à l'article 2.", [("limits", "2")]),
        ("L'article 2 n'oblige pas les motos.", [("limits", "2")]),
        ("Le ministre peut publier l'article 2.", [("cites", "2")]),
        ("Les articles 1 et 2 ne s'appliquent pas aux motos.", [("disapplies", "1"), ("disapplies", "2")]),
        ("Les dispositions du titre Ier ne sont pas applicables aux motos.", [("disapplies", "titre_i")]),
        ("L'article 2 ne s'applique qu'aux motos.", [("limits", "2")]),
        ("Sans préjudice de l'article 2, il est libre.", [("cites", "2")]),
        ("Malgré l'article 2, le présent titre s'applique.", [("notwithstanding", "2")]),
        ("L'article 2 ne s'applique pas aux motos.", [("disapplies", "2")]),
        (
            "L'article 2, à l'exception de l'article 4, ne s'applique pas aux motos.",
            [("disapplies", "2"), ("subject_to", "4")],
        ),
        ("Il peut être dérogé à l'article 2.", [("notwithstanding", "2")]),
        ("Sont exclus du champ d'application de l'article 2 les jouets.", [("disapplies", "2")]),
        ("Par dérogation à l'article I.8, l'article 2 est applicable.", [("cites", "2")]),
        ("Sauf convention contraire, l'article 2 est applicable.", [("cites", "2")]),
        ("Cette règle n'est pas applicable aux vélos mentionnés à l'article 2.", [("cites", "2")]),
        ("Toutefois, le maire décide.", [("limits", "r6-1")]),
        ("Le maire peut toutefois décider.", [("limits", "r6-1")]),
        ("L'obligation prévue à l'article 2 cesse de s'appliquer en hiver.", [("limits", "2")]),
        ("L'obligation de l'article 2 ne pèse pas sur les enfants.", [("disapplies", "2")]),
        ("Sauf danger immédiat, l'article 2 s'impose à tous.", [("limits", "2")]),
        ("Sauf convention contraire, l'article 2 s'applique.", [("cites", "2")]),
        (
            "La taxe prévue à l'article 2 est annuelle. Elle n'est pas due par les enfants.",
            [("cites", "2"), ("disapplies", "2")],
        ),
        ("La taxe est fixée selon l'article 2. Elle n'est pas due par les enfants.", [("cites", "2")]),
        ("L'article 2 ne fait pas obstacle à la pose de râteliers.", [("limits", "2")]),
        ("La pose autorisée aux termes de l'article 2 ne fait pas obstacle à la vente.", [("cites", "2")]),
        ("Les articles 1 et 2 ne font pas obstacle aux usages.", [("limits", "1"), ("limits", "2")]),
        ("Les motos ne sont pas soumises aux dispositions de l'article 2.", [("disapplies", "2")]),
        ("Les motos qui ne sont pas soumises à l'article 2 sont admises.", [("cites", "2")]),
        ("La taxe de l'article 2 ne concerne aucun enfant.", [("cites", "2")]),
        ("Le fait de méconnaître l'article 2 sans motif est puni.", [("cites", "2")]),
        ("Ne sont pas soumis à l'article 2 : les jouets.", [("disapplies", "2")]),
        ("A l'exception de l'article 2, le présent titre est applicable.", [("subject_to", "2")]),
        ("Par dérogation à l'article 1:14, le vélo est libre.", []),
    ],
)
def test_phrase_and_reference_give_kind_and_target(text: str, expected: list[tuple[str, str]]) -> None:
    found = annotated({"9": (text,)}).links
    links = [link for link in found if link.source_urn == f"{CODE}:9" and not link.kind.startswith("may_")]
    assert [(link.kind, link.target_urn.removeprefix(f"{CODE}:")) for link in links] == expected


# Published law


@pytest.mark.thorough
def test_copulas_of_the_civil_code_are_found_and_fictions_are_not(shared_data: Path) -> None:
    folder = shared_data / "fr-legalize-md"
    parsed = LegalizeMd().parse(Source(folder / "LEGITEXT000006070721.md", folder))
    annotate(parsed, jurisdiction_for("fr"))
    terms = {TERMS.normalise(definition.term) for definition in by_form(parsed) if definition.relation == "means"}
    wanted = "contrat propriété usufruit vente dol testament alluvion cautionnement hypothèque fiducie degré"
    assert terms.issuperset(
        [*wanted.split(), "en france", "produit défectueux", "prêt à usage", "legs universel", "contrat d'adhésion"]
    )
    assert 75 <= len(terms) <= 100
    texts = {node.urn: node.text for node in parsed.nodes}
    assert not [definition for definition in by_form(parsed) if "réputé" in texts[definition.node_urn][:60]]
    kinds = [link.kind for link in parsed.links]
    assert kinds.count("notwithstanding") >= 29
    assert kinds.count("disapplies") >= 30


def test_a_quoted_term_and_a_capital_are_an_item_below_a_sentence_of_definitions() -> None:
    assert LIST_LEAD.search("Les définitions qui suivent s'appliquent à la présente loi.")
    assert LIST_LEAD.search("Les dispositions qui suivent s'appliquent à la présente loi.") is None
    item = list_item("« vélo » Cycle à deux roues.")
    assert item is not None
    assert item.terms == ("vélo",)
    assert list_item("« vélo » et cycle.") is None
