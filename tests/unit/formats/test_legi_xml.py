"""The parser for the XML of a LEGI dump: invented texts laid out as a dump is, and a published one known from JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from lxml import etree, html

from rag.ingest.formats.base import Source
from rag.ingest.formats.french.legi_json import LegiJson
from rag.ingest.formats.french.legi_xml import LegiXml
from rag.ingest.formats.registry import discover
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError

CODE = "urn:lex:fr:code-des-phares"
CANARY = "Quillfeather 4711"
OPEN = "2999-01-01"
STRUCT = "texte/struct/LEGITEXT000000000001.xml"
VERSION = "texte/version/LEGITEXT000000000001.xml"


def ident(kind: str, number: int) -> str:
    return f"LEGI{kind}{number:012d}"


def place(identifier: str) -> str:
    """Where a dump has the file of an article or section."""
    folder = "article" if "ARTI" in identifier else "section_ta"
    pairs = "/".join(re.findall(r"\d\d", identifier[8:18]))
    return f"{folder}/{identifier[:4]}/{identifier[4:8]}/{pairs}/{identifier}.xml"


def art(number: int, num: str, start: str = "2000-01-01", end: str = OPEN, state: str = "VIGUEUR") -> str:
    return f'<LIEN_ART debut="{start}" etat="{state}" fin="{end}" id="{ident("ARTI", number)}" num="{num}"/>'


def sec(
    number: int, title: str, start: str = "2000-01-01", end: str = OPEN, state: str = "VIGUEUR", cid: int | None = None
) -> str:
    shared = ident("SCTA", number if cid is None else cid)
    return (
        f'<LIEN_SECTION_TA cid="{shared}" debut="{start}" etat="{state}" fin="{end}" id="{ident("SCTA", number)}" '
        f'niv="1" url="/x.xml">{title}</LIEN_SECTION_TA>'
    )


def section_file(identifier: str, title: str, links: str) -> str:
    return (
        f"<SECTION_TA><ID>{identifier}</ID><TITRE_TA>{title}</TITRE_TA><COMMENTAIRE/><STRUCTURE_TA>{links}"
        f"</STRUCTURE_TA></SECTION_TA>"
    )


def article_file(
    identifier: str, num: str, text: str, start: str = "2000-01-01", end: str = OPEN, state: str = "VIGUEUR",
    *, nota: str = "", versions: str = "", links: str = "",
) -> str:  # fmt: skip
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<ARTICLE><META><META_COMMUN><ID>{identifier}</ID>'
        f"<ORIGINE>LEGI</ORIGINE><NATURE>Article</NATURE></META_COMMUN><META_SPEC><META_ARTICLE><NUM>{num}</NUM>"
        f"<ETAT>{state}</ETAT><DATE_DEBUT>{start}</DATE_DEBUT><DATE_FIN>{end}</DATE_FIN><TYPE>AUTONOME</TYPE>"
        f"</META_ARTICLE></META_SPEC></META><VERSIONS>{versions}</VERSIONS><NOTA><CONTENU>{nota}</CONTENU></NOTA>"
        f"<BLOC_TEXTUEL><CONTENU>{text}</CONTENU></BLOC_TEXTUEL><LIENS>{links}</LIENS></ARTICLE>"
    )


class Dump:
    """The folder of one text, as a dump unpacks it."""

    def __init__(self, root: Path, number: int = 1) -> None:
        self.root = root
        self.identifier = ident("TEXT", number)
        self.folder = root / "LEGI" / "TEXT" / "00" / self.identifier

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def text(self, links: str, title: str = "Code des phares", state: str = "VIGUEUR", frame: str = "") -> Dump:
        common = f"<META_COMMUN><ID>{self.identifier}</ID><ORIGINE>LEGI</ORIGINE><NATURE>CODE</NATURE></META_COMMUN>"
        chronicle = (
            f"<META_TEXTE_CHRONICLE><CID>{self.identifier}</CID><DERNIERE_MODIFICATION>2024-05-01"
            f"</DERNIERE_MODIFICATION></META_TEXTE_CHRONICLE>"
        )
        self.write(
            f"texte/struct/{self.identifier}.xml",
            f"<TEXTELR><META>{common}<META_SPEC>{chronicle}</META_SPEC></META><VERSIONS/><STRUCT>{links}</STRUCT>"
            f"</TEXTELR>",
        )
        self.write(
            f"texte/version/{self.identifier}.xml",
            f"<TEXTE_VERSION><META>{common}<META_SPEC>{chronicle}<META_TEXTE_VERSION><TITRE>Code</TITRE><TITREFULL>"
            f"{title}</TITREFULL><ETAT>{state}</ETAT></META_TEXTE_VERSION></META_SPEC></META>{frame}</TEXTE_VERSION>",
        )
        return self

    def section(self, number: int, title: str, links: str) -> Dump:
        self.write(place(ident("SCTA", number)), section_file(ident("SCTA", number), title, links))
        return self

    def article(self, number: int, num: str, text: str, *dates: str, **more: str) -> Dump:
        name = ident("ARTI", number)
        self.write(place(name), article_file(name, num, text, *dates, **more))
        return self

    def parsed(self) -> ParsedDocument:
        found = discover(self.root)
        if found.rejected:
            raise found.rejected[0]
        ((form, source),) = [source for source in found.sources if self.identifier in source[1].name]
        assert (form.name, found.skipped) == ("legi_xml", [])
        document = form.parse(source)
        build_rows(document, None)  # one address for each time, or it raises
        return document


@pytest.fixture
def dump(tmp_path: Path) -> Dump:
    return Dump(tmp_path)


def named(document: ParsedDocument, urn: str) -> list[ParsedNode]:
    return [node for node in document.nodes if node.urn == f"{CODE}:{urn}"]


def test_a_text_is_a_document_of_its_files_and_carries_its_ids(dump: Dump) -> None:
    dump.text(sec(1, "Livre Ier : Des feux"), frame="<VISAS><CONTENU>Vu la mer ;</CONTENU></VISAS>")
    dump.section(1, "Livre Ier : Des feux", sec(2, "Titre II : Du feu") + art(1, "L. 1-1"))
    dump.section(2, "Titre II : Du feu", art(2, "L. 1-2"))
    link = '<a href="/x?idArticle=LEGIARTI000000000002">L. 1-2</a>'
    text = f"<p><br/>Les feux :</p><p>1° Brûlent ;</p><p>2° Voir {link}.</p>"
    dump.article(1, "L1-1", text, nota="<p>Voir ailleurs.</p>", links="<LIEN/><LIEN/>").article(2, "L1-2", "<p>B.</p>")
    document = dump.parsed()
    assert (document.corpus.urn, document.corpus.title, document.corpus.language) == (CODE, "Code des phares", "fr")
    assert document.corpus.url == "https://www.legifrance.gouv.fr/codes/texte_lc/LEGITEXT000000000001"
    assert document.edition_date == date(2024, 5, 1)
    assert [(node.urn.removeprefix(CODE), node.structure_type) for node in document.nodes] == [
        ("", "ROOT"), (":livre_i", "TITLE"), (":l1-1", "ARTICLE"), (":l1-1:1", "PARAGRAPH"), (":l1-1:2", "PARAGRAPH"),
        (":l1-1:nota", "NOTE"), (":livre_i:titre_ii", "TITLE"), (":l1-2", "ARTICLE"),
    ]  # fmt: skip
    assert document.nodes[0].aliases == ["fr.legitext000000000001", "LEGITEXT000000000001"]
    (article,) = named(document, "l1-1")
    assert article.tags == {"article_number": "L1-1", "code": "Code des phares", "legi_id": "LEGIARTI000000000001"}
    assert article.aliases[:2] == ["fr.legiarti000000000001", "LEGIARTI000000000001"]
    assert (article.intro_text, article.valid_from, article.valid_to) == ("Les feux :", date(2000, 1, 1), None)
    (point,) = named(document, "l1-1:2")
    assert [(point.text[mark.start : mark.end], mark.target) for mark in point.marks] == [("L. 1-2", f"{CODE}:l1-2")]
    assert document.warnings == [
        "1 articles have an editorial nota, kept apart from the text as a NOTE",
        "1 texts around the articles (visas, signatures, notes) are left out",
    ]


def test_every_version_of_an_article_is_kept_with_its_dates_and_the_dead_ones_are_named(dump: Dump) -> None:
    spans = [
        ("1990-01-01", "1995-01-01", "MODIFIE"), ("1995-01-01", "2030-01-01", "ABROGE_DIFF"),
        ("2030-01-01", OPEN, "VIGUEUR_DIFF"), ("2020-01-01", "2021-01-01", "MODIFIE_MORT_NE"), (OPEN, OPEN, ""),
        ("2020-01-01", "2020-01-01", "MODIFIE"),
    ]  # fmt: skip
    named_only = [(70, "1980-01-01", "1990-01-01", "MODIFIE"), (71, OPEN, OPEN, "")]
    dump.text("".join(art(at, "7", *span) for at, span in enumerate(spans, start=1)))
    versions = "".join(
        f'<VERSION etat="{state}">{art(number, "7", start, end)}</VERSION>'
        for number, start, end, state in [(1, *spans[0]), *named_only]
    )
    for at, span in enumerate(spans, start=1):
        dump.article(at, "7", f"<p>Texte {at}.</p>", *span, versions=versions)
    document = dump.parsed()
    found = [
        (node.content_text, node.valid_from, node.valid_to, node.tags.get("status")) for node in named(document, "7")
    ]
    assert found == [
        ("Texte 1.", date(1990, 1, 1), date(1995, 1, 1), "superseded"),
        ("Texte 2.", date(1995, 1, 1), date(2030, 1, 1), "repeal_pending"),
        ("Texte 3.", date(2030, 1, 1), None, "not_yet_in_force"),
    ]
    assert named(document, "7")[0].aliases == [
        "fr.legiarti000000000001", "LEGIARTI000000000001", "fr.legiarti000000000070", "LEGIARTI000000000070",
        f"{CODE}:7:al.1",
    ]  # fmt: skip
    assert document.warnings == [
        "3 articles were never in force and are left out: LEGIARTI000000000004, LEGIARTI000000000005, "
        "LEGIARTI000000000006"
    ]


def test_versions_of_a_section_are_one_container_and_a_repealed_one_makes_no_address_ambiguous(dump: Dump) -> None:
    past = ("1980-01-01", "1990-01-01", "ABROGE")
    dump.text(
        sec(9, "Titre Ier : Des bouées", *past)
        + sec(1, "Titre Ier : Des phares", "1990-01-01", "2000-01-01", "MODIFIE")
        + sec(2, "Titre Ier : Des feux", "2000-01-01", cid=1) + sec(8, "Titre II : Vide", *past)
    )  # fmt: skip
    dump.section(9, "", art(9, "4", *past)).section(8, "", art(2, "5"))
    dump.section(1, "", art(1, "3", "1990-01-01", "1995-01-01", "MODIFIE") + art(2, "5"))
    dump.section(2, "", art(2, "5"))
    dump.article(9, "4", "<p>Bouée.</p>", *past).article(2, "5", "<p>Feu.</p>")
    dump.article(1, "3", "<p>Phare.</p>", "1990-01-01", "1995-01-01", "ABROGE")
    document = dump.parsed()
    assert [(node.urn.removeprefix(CODE), (node.parent_urn or "").removeprefix(CODE)) for node in document.nodes] == [
        ("", ""), (":titre_i", ""), (":5", ":titre_i"), (":3", ":titre_i"), (":titre_i~2", ""), (":4", ":titre_i~2"),
    ]  # fmt: skip
    (title,) = named(document, "titre_i")
    assert (title.heading, title.valid_from, title.valid_to, title.tags) == ("Des feux", date(1990, 1, 1), None, {})
    assert title.aliases[::2] == ["fr.legiscta000000000002", "fr.legiscta000000000001"]
    (gone,) = named(document, "titre_i~2")
    assert (gone.valid_to, gone.tags) == (date(1990, 1, 1), {"status": "repealed"})
    assert "1 earlier headings of sections are left out; the latest one stands for all" in document.warnings


def test_an_article_linked_twice_stands_where_it_is_in_force(dump: Dump) -> None:
    dump.text(sec(1, "Titre Ier : A") + sec(2, "Titre II : B"))
    dump.section(1, "", art(1, "1", "2000-01-01", "2010-01-01", "TRANSFERE")).section(2, "", art(1, "1", "2010-01-01"))
    document = dump.article(1, "1", "<p>Un.</p>").parsed()
    assert [node.parent_urn for node in named(document, "1")] == [f"{CODE}:titre_ii"]


def test_a_law_is_known_by_its_number(dump: Dump) -> None:
    dump.text(art(1, "1er"), title="LOI n° 2025-127 du 14 février 2025 sur les phares (1)", state="ABROGE")
    document = dump.article(1, "1er", "<p>Un.</p>").parsed()
    assert document.corpus.urn == "urn:lex:fr:loi-2025-127"
    assert document.corpus.url == "https://www.legifrance.gouv.fr/loda/id/LEGITEXT000000000001"
    assert document.nodes[0].tags["status"] == "repealed"
    assert "urn:lex:fr:loi-2025-127:1" in document.nodes[1].aliases


def test_a_dump_of_several_texts_is_several_documents(tmp_path: Path) -> None:
    for number, title in ((1, "Code des phares"), (2, "Code des bouées")):
        Dump(tmp_path, number).text(art(1, "1"), title=title).article(1, "1", f"<p>{title}.</p>")
    documents = [form.parse(source) for form, source in discover(tmp_path).sources]
    assert [document.corpus.urn for document in documents] == [CODE, "urn:lex:fr:code-des-bouees"]
    assert len({document.source_hash for document in documents}) == 2


def test_what_is_not_linked_and_what_of_the_past_is_missing_is_named(dump: Dump) -> None:
    past = ("1990-01-01", "1995-01-01", "MODIFIE")
    dump.text(art(1, "1") + art(2, "2", *past) + sec(5, "Titre V", *past)).article(1, "1", "<p>Un.</p>")
    assert dump.article(3, "3", "<p>Trois.</p>").parsed().warnings == [
        "2 articles or sections of the past have no file and are left out: LEGIARTI000000000002, LEGISCTA000000000005",
        "1 articles are linked from no section of the text and are left out: LEGIARTI000000000003",
    ]


Damage = Callable[[Dump], object]


def without_file(name: str) -> Damage:
    def change(dump: Dump) -> None:
        (dump.folder / name).unlink()

    return change


def added(name: str, text: str) -> Damage:
    def change(dump: Dump) -> None:
        dump.write(name, text)

    return change


def changed(name: str, old: str, new: str) -> Damage:
    def change(dump: Dump) -> None:
        text = (dump.folder / name).read_text(encoding="utf-8")
        assert old in text
        dump.write(name, text.replace(old, new))

    return change


ONE, FIRST = place(ident("ARTI", 1)), place(ident("SCTA", 1))


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (without_file(ONE), "LEGIARTI000000000001 is part of the text, and its file is missing"),
        (without_file(FIRST), "LEGISCTA000000000001 is part of the text, and its file is missing"),
        (without_file(VERSION), "texte/version"),
        (changed(ONE, ident("ARTI", 1), ident("ARTI", 2)), "id of its file name"),
        (changed(ONE, "ARTICLE>", "ARTIKEL>"), "is no ARTICLE"),
        (changed(ONE, "2000-01-01", CANARY), "no date"),
        (changed(ONE, "<NUM>1</NUM>", "<NUM>—</NUM>"), "designator"),
        (changed(ONE, "</CONTENU>", "</CONTENT>"), "not well-formed"),
        (changed(ONE, "<ARTICLE>", '<!DOCTYPE ARTICLE [<!ENTITY x "y">]><ARTICLE>'), "DOCTYPE"),
        (changed(VERSION, "TITRE", "INTITULE"), "the text has no title"),
        (changed(STRUCT, "Titre Ier", ""), "LEGISCTA000000000001 has no title"),
        (changed(STRUCT, f'id="{ident("SCTA", 1)}"', f'id="{CANARY}"'), "no LEGI id"),
        (changed(STRUCT, ident("TEXT", 1), ident("TEXT", 2)), "not that of its file name"),
        (changed(FIRST, "<LIEN_ART", sec(1, "Titre II") + "<LIEN_ART"), "a section of itself"),
        (added(f"article/{ident('ARTI', 1)}.xml", "<ARTICLE/>"), "stands twice"),
    ],
)
def test_a_text_with_a_bad_or_missing_file_is_refused_without_its_words(damage: Damage, says: str, dump: Dump) -> None:
    dump.text(sec(1, "Titre Ier")).section(1, "", art(1, "1")).article(1, "1", "<p>Un.</p>")
    damage(dump)
    with pytest.raises(IngestError, match=says) as refused:
        dump.parsed()
    assert CANARY not in str(refused.value)
    assert refused.value.file is not None
    assert not refused.value.file.startswith("/")


def test_a_maze_of_sections_is_refused_before_it_is_walked(dump: Dump) -> None:
    dump.text(sec(1, "A"))
    for at in range(1, 30):
        dump.section(at, "A", "".join(sec(at + 1, "A", cid=100 * at + n) for n in range(3)))
    with pytest.raises(IngestError, match="too often"):
        dump.section(30, "A", "").parsed()


def test_a_structure_alone_or_of_another_collection_is_no_text(dump: Dump, tmp_path: Path) -> None:
    dump.text(art(1, "1")).article(1, "1", "<p>Un.</p>")
    struct = dump.folder / STRUCT
    with pytest.raises(IngestError, match="name the folder above"):
        LegiXml().parse(Source(struct, struct.parent))
    (tmp_path / "k.xml").write_text("<TEXTELR><META><META_COMMUN><ID>KALITEXT000000000001</ID></META_COMMUN></META>")
    loose = article_file(ident("ARTI", 8), "8", "<p>Huit.</p>")
    (tmp_path / "loose.xml").write_text(loose, encoding="utf-8")
    (dump.folder / "article" / "link.xml").symlink_to(tmp_path / "loose.xml")
    found = discover(tmp_path)
    assert len(found.sources) == 1
    assert {name.rsplit("/", 1)[-1]: reason[:25] for name, reason in found.skipped} == {
        "k.xml": "of another collection of ", "loose.xml": "part of a French text, wh",
        "link.xml": "part of a French text, wh",
    }  # fmt: skip
    outside = tmp_path / "outside.xml"
    outside.write_text("<ARTICLE/>")
    inner = dump.folder / place(ident("ARTI", 9))
    inner.symlink_to(outside)
    with pytest.raises(IngestError, match="leads outside"):
        LegiXml().parts(struct, dump.folder)


# --- the same text, as the JSON of LEGI and as a dump -----------------------------------------------------------------


def xhtml(fragment: str) -> str:
    """A fragment of HTML as well-formed XML."""
    found = html.fragment_fromstring(fragment, create_parent="div")
    return etree.tostring(found, method="xml", encoding="unicode")


def day(value: Any) -> str:
    return value if isinstance(value, str) else str(date(1970, 1, 1) + timedelta(hours=12, milliseconds=value))


def put(dump: Dump, node: dict[str, Any]) -> str:
    """Write a node of the JSON tree as files of a dump; gives the link to it."""
    data = node["data"]
    start, end, state = day(data["dateDebut"]), day(data["dateFin"]), data["etat"]
    common = f'debut="{start}" etat="{state}" fin="{end}" id="{data["id"]}"'
    if node["type"] == "section":
        title = escape(data["title"])
        links = "".join(put(dump, entry) for entry in node["children"])
        dump.write(place(data["id"]), section_file(data["id"], title, links))
        return f'<LIEN_SECTION_TA cid="{data["cid"]}" {common}>{title}</LIEN_SECTION_TA>'
    versions = "".join(
        f'<VERSION etat="{entry["etat"]}"><LIEN_ART debut="{day(entry["dateDebut"])}" fin="{day(entry["dateFin"])}" '
        f'id="{entry["id"]}"/></VERSION>'
        for entry in data["articleVersions"]
    )
    text, nota = (xhtml(data.get(key) or "") for key in ("texteHtml", "notaHtml"))
    file = article_file(data["id"], data["num"], text, start, end, state, nota=nota, versions=versions)
    dump.write(place(data["id"]), file)
    return f'<LIEN_ART {common} num="{data["num"]}"/>'


@pytest.mark.data
def test_a_published_code_gives_the_nodes_that_its_json_gives(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "fr-legi-json" / "LEGITEXT000031366350.json"
    expected = LegiJson().parse(Source(source, source.parent))
    tree = json.loads(source.read_bytes())
    dump = Dump(tmp_path, 31366350)
    dump.text("".join(put(dump, entry) for entry in tree["children"]), title=tree["data"]["title"])
    found = dump.parsed()
    assert found.corpus == expected.corpus
    assert len(found.nodes) == len(expected.nodes) > 1500
    for one, other in zip(found.nodes, expected.nodes, strict=True):
        cid = other.tags.pop("cid", "")
        assert shape(one, cid) == shape(other, cid)


def shape(node: ParsedNode, cid: str) -> tuple[object, ...]:
    """What both publications have; only the JSON names the `cid` of an article."""
    aliases = set(node.aliases) - {cid, f"fr.{cid.lower()}"}
    return (
        node.urn, node.parent_urn, node.structure_type, node.level, node.number, node.heading, node.intro_text,
        node.content_text, node.kind, node.tags, aliases, node.valid_from, node.valid_to,
    )  # fmt: skip
