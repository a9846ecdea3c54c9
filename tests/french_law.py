"""A small invented French code for tests, built as its publications are."""

from __future__ import annotations

from rag.ingest.annotation import annotate
from rag.ingest.formats.french.lines import Line
from rag.ingest.formats.french.tree import Article, LawTree
from rag.jurisdictions.fr.naming import law_identity
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.jurisdiction import DocumentIndex, FoundReference, ReferenceContext
from rag.law.nodes import Corpus, ParsedDocument

CODE = "urn:lex:fr:code-du-velo"
FRANCE = jurisdiction_for("fr")

_ARTICLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Titre Ier : Stationnement", "1", ("Le stationnement est libre.",)),
    ("Titre Ier : Stationnement", "2", ("Le maire fixe la liste.", "Il en informe le public.", "Il la publie.")),
    (
        "Titre Ier : Stationnement",
        "3",
        (
            "I. - Sont admis :",
            "1° Les vélos ;",
            "2° Les tricycles, notamment :",
            "a) A deux places ;",
            "b) A trois places.",
            "II. - Le maire peut refuser :",
            "1° Les motos ;",
            "2° Les autos.",
            "Il motive sa décision.",
        ),
    ),
    ("Titre II : Location", "4", ("La location est payante.",)),
    ("Titre II : Location", "L. 5-1", ("Le loueur tient un registre.", "Le registre est public.")),
    ("Titre II : Location", "L. 5-2", ("Le registre est annuel.",)),
    ("Titre II : Location", "R. * 6-1", ("Le décret fixe le tarif.",)),
)


def velo_code(changes: dict[str, tuple[str, ...]] | None = None, title: str = "Code du vélo") -> ParsedDocument:
    """The code, with the lines of some articles changed or articles added to its last title."""
    wanted = dict(changes or {})
    tree = LawTree(law_identity(title), source="velo.md")
    opened, container = "", tree.root
    for heading, number, lines in _ARTICLES:
        if heading != opened:
            opened, container = heading, tree.container(tree.root, heading)
        tree.article(container, Article(number, [Line(urn) for urn in wanted.pop(number, lines)]))
    for number, lines in wanted.items():
        tree.article(container, Article(number, [Line(line) for line in lines]))
    corpus = Corpus(tree.law.urn, tree.law.title, "fr")
    return ParsedDocument(corpus, tree.nodes(), "velo.md", "sample", "0" * 64, 1)


def references(text: str, at: str = "3:ii:2", parsed: ParsedDocument | None = None) -> list[FoundReference]:
    """The references of a text that stands at a node of the code."""
    index = DocumentIndex(parsed or velo_code())
    node = index.node(f"{index.corpus_urn}:{at}")
    assert node is not None
    return FRANCE.find_references(text, ReferenceContext(node, index))


def cited(text: str, at: str = "3:ii:2", parsed: ParsedDocument | None = None) -> list[str]:
    """Their URNs, those of the code without its prefix; `?` for what could not be read, `-` for law without address."""
    out: list[str] = []
    for reference in references(text, at, parsed):
        for part in reference.parts:
            name = part.urn.removeprefix(f"{CODE}:") or ("-" if reference.kind == "external" else "?")
            out.append(name if reference.confident else f"{name} unsure")
    return out


def annotated(changes: dict[str, tuple[str, ...]], title: str = "Code du vélo") -> ParsedDocument:
    """The changed code after annotation."""
    parsed = velo_code(changes, title)
    annotate(parsed, FRANCE)
    return parsed
