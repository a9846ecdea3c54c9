"""One small invented law in every format, as the files it consists of: what bad input is made from.

Every law says WORD in its last sentence, so that a test can see whether the end of it arrived.
"""

from __future__ import annotations

import json
from pathlib import Path

WORD = "Papierdrachen"
Law = dict[str, str]  # file name -> text; the file that names the document first

_DC = (
    'xmlns="https://code.dccouncil.us/schemas/dc-library" xmlns:xi="http://www.w3.org/2001/XInclude" '
    'containing-doc="D.C. Code"'
)
_AKN = "http://docs.oasis-open.org/legaldocml/ns/akn/3.0"
_USLM = 'xmlns="http://xml.house.gov/schemas/uslm/1.0" xmlns:dcterms="http://purl.org/dc/terms/"'
_CLML = (
    'xmlns="http://www.legislation.gov.uk/namespaces/legislation" '
    'xmlns:ukm="http://www.legislation.gov.uk/namespaces/metadata" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _jsonl(*values: object) -> str:
    return "".join(f"{_json(value)}\n" for value in values)


def _opinion(number: int, volume: int, words: str) -> dict[str, object]:
    cite = f'<span class="volume">{volume}</span> <span class="reporter">U.S.</span> <span class="page">12</span>'
    html = (
        f'<div><center><b><span class="citation no-link">{cite}</span> (1999)</b></center>'
        "<center><h1>KITE COMPANY<br> v.<br> LANTERN.</h1></center><center>No. 65.</center>"
        "<center><p><b>Supreme Court of United States.</b></p></center><center>Decided May 29, 1999.</center>"
        f"<p>The kite is <i>not</i> a lantern.</p><p>{words}</p></div>"
    )
    return {"id": number, "absolute_url": f"/opinion/{number}/kite/", "html_with_citations": html}


def _eregs(label: str, text: str, *children: object, **more: str) -> dict[str, object]:
    return {"children": children, "label": label.split("-"), "node_type": "regtext", "text": text, **more}


def _legi(number: int, num: str, words: str) -> dict[str, object]:
    identifier = f"LEGIARTI{number:012d}"
    data = {
        "id": identifier, "cid": identifier, "num": num, "texteHtml": f"<p>{words}</p>", "texte": "",
        "etat": "VIGUEUR", "dateDebut": "2020-01-01", "dateFin": "2999-01-01",
    }  # fmt: skip
    return {"type": "article", "data": data}


def _native(urn: str, parent: str | None, kind: str, level: str, number: str, text: str) -> dict[str, object]:
    fields = {"urn": urn, "structure_type": kind, "level": level, "number": number, "content_text": text}
    return fields | ({"parent_urn": parent} if parent else {})


LAWS: dict[str, Law] = {
    "akn": {
        "law.xml": f'<akomaNtoso xmlns="{_AKN}"><act><meta><identification source="#p"><FRBRWork>'
        '<FRBRthis value="/akn/za/act/1980-05-03/10/!main"/><FRBRuri value="/akn/za/act/1980-05-03/10"/>'
        '<FRBRalias value="Kites Act" name="title"/><FRBRdate date="1980-05-03" name="Generation"/>'
        '<FRBRcountry value="za"/></FRBRWork><FRBRExpression><FRBRdate date="2020-02-01" name="Generation"/>'
        '<FRBRlanguage language="eng"/></FRBRExpression></identification></meta><body>'
        '<section eId="sec_1"><num>1</num><heading>Kites</heading><content><p>A kite has a tail.</p></content>'
        '</section><section eId="sec_2"><num>2</num><heading>Words</heading><content>'
        f"<p>It is a {WORD}.</p></content></section>"
        "</body></act></akomaNtoso>"
    },
    "clml": {
        "law.xml": f"<Legislation {_CLML}><ukm:Metadata><dc:title>Kettles Act 1999</dc:title><ukm:PrimaryMetadata>"
        '<ukm:DocumentClassification><ukm:DocumentMainType Value="UnitedKingdomPublicGeneralAct"/>'
        '<ukm:DocumentStatus Value="revised"/></ukm:DocumentClassification><ukm:Year Value="1999"/>'
        '<ukm:Number Value="7"/><ukm:EnactmentDate Date="1999-05-04"/></ukm:PrimaryMetadata></ukm:Metadata>'
        "<Primary><Body><P1group><Title>Kettles</Title><P1><Pnumber>1</Pnumber><P1para>"
        "<P2><Pnumber>1</Pnumber><P2para><Text>A kettle boils water.</Text></P2para></P2>"
        f"<P2><Pnumber>2</Pnumber><P2para><Text>It is no {WORD}.</Text></P2para></P2></P1para></P1></P1group>"
        "</Body></Primary></Legislation>"
    },
    "courtlistener_jsonl": {
        "opinions.jsonl": _jsonl(
            _opinion(5, 901, "First."), _opinion(6, 902, "Second."), _opinion(7, 903, f"A {WORD} too.")
        )
    },
    "dc_xml": {
        "index.xml": f"<container {_DC}><prefix>Title</prefix><num>51</num><heading>Kites.</heading><container>"
        '<prefix>Chapter</prefix><num>1</num><heading>Flying.</heading><xi:include href="./sections/51-101.xml"/>'
        '<xi:include href="./sections/51-102.xml"/></container></container>',
        "sections/51-101.xml": f"<section {_DC}><num>51-101</num><heading>Kites.</heading>"
        "<para><num>(a)</num><text>A kite has a tail.</text></para>"
        "<para><num>(b)</num><text>A tail has bows.</text></para></section>",
        "sections/51-102.xml": f"<section {_DC}><num>51-102</num><heading>Words.</heading>"
        f"<text>It is a {WORD}.</text></section>",
    },
    "de_md": {
        "law.md": "---\nTitle: Drachengesetz\njurabk: DrachG\nlayout: default\norigslug: drachg\nslug: drachg\n"
        "\n---\n\n# Drachengesetz (DrachG)\n\nAusfertigungsdatum\n:   1990-05-06\n\n## Abschnitt 1 - Allgemeines\n\n"
        "### § 1 Zweck\n\n(1) Ein Drachen fliegt.\n\n(2) Er hat einen Schwanz.\n\n### § 2 Wort\n\n"
        f"Er heißt {WORD}.\n"
    },
    "de_tei": {
        "law.xml": '<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:id="BJNR009990999"><teiHeader><fileDesc><titleStmt>'
        '<title>Apfelgesetz</title><title type="short">ApfelG</title></titleStmt><publicationStmt>'
        "<date>1999-01-02</date></publicationStmt></fileDesc></teiHeader><text><front/><body>"
        "<div><head>§ 1</head><p>(1) Äpfel sind rund.</p><p>(2) Sie fallen.</p></div>"
        f"<div><head>§ 2</head><p>Ein {WORD} fällt nicht.</p></div></body></text></TEI>"
    },
    "ecfr_xml": {
        "title.xml": '<ECFR><AMDDATE>Feb. 20, 2025</AMDDATE><DIV1 N="99" TYPE="TITLE"><HEAD>Title 99—Invented Rules'
        '</HEAD><DIV5 N="7" TYPE="PART"><HEAD>PART 7—KITES</HEAD><DIV8 N="7.1" TYPE="SECTION"><HEAD>§ 7.1   Kites.'
        '</HEAD><P>(a) A kite has a tail.</P><P>(b) A tail has bows.</P></DIV8><DIV8 N="7.2" TYPE="SECTION">'
        f"<HEAD>§ 7.2   Words.</HEAD><P>It is a {WORD}.</P></DIV8></DIV5></DIV1></ECFR>"
    },
    "egov_xml": {
        "501AC0000000999_20240401_505AC0000000063.xml": '<Law Era="Reiwa" Year="01" Num="999" LawType="Act" Lang="ja" '
        'PromulgateMonth="06" PromulgateDay="19"><LawNum>令和元年法律第九百九十九号</LawNum><LawBody>'
        '<LawTitle>凧揚げ法</LawTitle><MainProvision><Article Num="1"><ArticleTitle>第一条</ArticleTitle>'
        '<Paragraph Num="1"><ParagraphNum/><ParagraphSentence><Sentence>凧は、空を飛ぶ。</Sentence></ParagraphSentence>'
        '</Paragraph></Article><Article Num="2"><ArticleTitle>第二条</ArticleTitle><Paragraph Num="1"><ParagraphNum/>'
        f"<ParagraphSentence><Sentence>凧は、{WORD}という。</Sentence></ParagraphSentence></Paragraph></Article>"
        "</MainProvision></LawBody></Law>"
    },
    "eregs_json": {
        "regulation/7/2020-1": _json(
            _eregs(
                "7", "",
                {**_eregs("7-Subpart", "",
                          _eregs("7-1", "", _eregs("7-1-a", "(a) A kite has a tail.", marker="(a)"),
                                 _eregs("7-1-b", f"(b) It is a {WORD}.", marker="(b)"), title="§ 7.1 Kites.")),
                 "node_type": "emptypart"},
                title="KITES",
            )
        ),
        "layer/meta/7/2020-1": _json(
            {"7": [{"cfr_title_number": 97, "effective_date": "2020-02-01", "reg_letter": "K", "cfr_title_text": "T"}]}
        ),
    },
    "gdpr_json": {
        "act.json": _json(
            {
                "title": "Kite Regulation", "abbrv": "KR", "regulation": "2031/7", "dated": "02/03/2031",
                "chapters": [{"number": "I", "title": "Flying", "type": "chapter", "contents": [
                    {"number": "1", "title": "Kites", "type": "article", "contents": [
                        {"number": "1", "type": "point", "text": "A kite has a tail.", "subpoints": []},
                        {"number": "2", "type": "point", "text": f"It is a {WORD}.", "subpoints": []}]}]}],
            }
        )
    },
    "legalize_md": {
        "code.md": '---\ntitle: "Code des phares"\nidentifier: "LEGITEXT000000000001"\ncountry: "fr"\nrank: "code"\n'
        'last_updated: "2024-05-01"\nstatus: "in_force"\nsource: "https://law.example/phares"\n---\n'
        "# Code des phares\n\n## Livre Ier : Des feux\n\n##### Article 1\n\nUn phare éclaire la mer.\n\n"
        f"##### Article 2\n\nIl n'est pas un {WORD}.\n"
    },
    "legi_json": {
        "code.json": _json(
            {
                "type": "code",
                "data": {"id": "LEGITEXT000000000002", "cid": "LEGITEXT000000000002", "title": "Code des cerfs-volants",
                         "dateDebutVersion": "2024-05-01"},
                "children": [{"type": "section",
                              "data": {"id": "LEGISCTA000000000001", "cid": "LEGISCTA000000000001",
                                       "title": "Livre Ier : Des jouets", "etat": "VIGUEUR"},
                              "children": [_legi(1, "1", "Un cerf-volant vole."),
                                           _legi(2, "2", f"Il est un {WORD}.")]}],
            }
        )
    },
    "lexjsonl": {
        "law.jsonl": _jsonl(
            {"lexscope": 1, "corpus": {"urn": "urn:lex:us:doc:kites", "title": "Kites", "language": "en"}},
            _native("urn:lex:us:doc:kites", None, "ROOT", "rules", "", ""),
            _native("urn:lex:us:doc:kites:1", "urn:lex:us:doc:kites", "SECTION", "section", "1", "A kite has a tail."),
            _native("urn:lex:us:doc:kites:2", "urn:lex:us:doc:kites", "SECTION", "section", "2", f"It is a {WORD}."),
        )
    },
    "md_statutes_jsonl": {
        "title-90.jsonl": _jsonl(
            *(
                {"n": n, "path": f"chunks/title-90/chunk-{n}.md",
                 "text": f"\n# Title 90— KITES\n### CHAPTER 1— TAILS\n#### §\u202f{n}. {head}\n\n{words}\n"}
                for n, head, words in ((1, "Tails", "A kite has a tail."), (2, "Words", f"It is a {WORD}."))
            )
        )
    },
    "passages_json": {
        "1.json": _json(
            [
                {"ID": f"id-{at}", "DocumentID": 1, "PassageID": one, "Passage": words}
                for at, (one, words) in enumerate(
                    [("1.", "1. KITES"), ("1.1", "A kite has a tail."), ("1.2", f"It is a {WORD}.")]
                )
            ]
        )
    },
    "regml": {
        "part.xml": '<regulation xmlns="eregs"><fdsys><cfrTitleNum>98</cfrTitleNum><cfrTitleText>TOYS</cfrTitleText>'
        "<title>KITES</title></fdsys><preamble><agency>Kite Office</agency><regLetter>K</regLetter><cfr><title>98"
        "</title><section>7</section></cfr><documentNumber>2020-1</documentNumber><effectiveDate>2020-02-01"
        '</effectiveDate></preamble><part label="7"><content><subpart label="7-Subpart"><content><section label="7-1" '
        'sectionNum="1"><subject>§ 7.1 Kites.</subject><paragraph label="7-1-a" marker="(a)"><content>A kite has a '
        f'tail.</content></paragraph><paragraph label="7-1-b" marker="(b)"><content>It is a {WORD}.</content>'
        "</paragraph></section></content></subpart></content></part></regulation>"
    },
    "uslm": {
        "law.xml": f'<uscDoc {_USLM} identifier="/us/usc/t60"><meta><docNumber>60</docNumber><docPublicationName>'
        "Online@120-1</docPublicationName><dcterms:created>2025-03-01T07:18:38</dcterms:created></meta><main>"
        '<title identifier="/us/usc/t60"><num value="60">Title 60—</num><heading>KITES</heading>'
        '<section identifier="/us/usc/t60/s1"><num value="1">§ 1.</num><heading> Kites</heading><content>A kite has a '
        'tail.</content></section><section identifier="/us/usc/t60/s2"><num value="2">§ 2.</num><heading> Words'
        f"</heading><content>It is a {WORD}.</content></section></title></main></uscDoc>"
    },
}  # fmt: skip

LINES = frozenset({"courtlistener_jsonl"})  # several documents a file, one a line
MARKDOWN = frozenset({"de_md", "legalize_md"})  # whose end nothing marks
XML = frozenset(name for name, law in LAWS.items() if next(iter(law)).endswith(".xml"))


def write(name: str, folder: Path) -> Path:
    """Write a law into a folder of its own; the path of the file that names the document."""
    for file, text in LAWS[name].items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / next(iter(LAWS[name]))
