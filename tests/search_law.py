"""A small invented body of law with tags, dates, edges, languages and kinds: what searches are tried on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

Row = dict[str, object]

TEA = "urn:lex:us-dc:tea"  # a code with a chapter, sections and paragraphs
EDICT = "urn:lex:us:edict"  # a federal one
CODE_DU_THE = "urn:lex:fr:code-du-the"
ALSACE = "urn:lex:fr-alsace:the"


def head(urn: str, language: str = "en", title: str = "Invented") -> Row:
    """The first line of a file."""
    corpus = {"urn": urn, "title": title, "language": language}
    return {"lexscope": 1, "corpus": corpus, "edition_date": "2020-01-01", "annotated": True}


def node(urn: str, kind: str, text: str = "", parent: str | None = "", **more: object) -> Row:
    """One node; its parent is the URN before its last part unless another is named."""
    above = urn.rpartition(":")[0] if parent == "" else parent
    structure = more.pop("structure_type", "SECTION")
    level = more.pop("level", str(structure).lower())
    row: Row = {"urn": urn, "structure_type": structure, "level": level, "kind": kind, "content_text": text, **more}
    return row | ({"parent_urn": above} if above is not None else {})


def cites(*targets: str, kind: str = "cites") -> list[Row]:
    """Links to other provisions."""
    return [{"kind": kind, "reference": f"see {target}", "target_urn": target} for target in targets]


def _decision(number: int, court: str, level: str, day: str, text: str, links: list[Row], **tags: str) -> list[Row]:
    urn = f"urn:lex:gb:teacourt-{number}"
    all_tags = {"court": court, "court_level": level, "date": day, "case_number": f"T {number}/20", **tags}
    return [
        head(urn, title=f"Kettle v Spoon {number}"),
        node(urn, "decision", parent=None, structure_type="ROOT", heading=f"Kettle v Spoon {number}", tags=all_tags,
             aliases=[f"[20{number}] TEAC {number}"]),
        node(f"{urn}:1", "decision", text, links=links),
        node(f"{urn}:2", "decision", "The appeal concerning oolong is dismissed."),
    ]  # fmt: skip


FILES: dict[str, list[Row]] = {
    "tea.jsonl": [
        head(TEA, title="Code of tea"),
        node(TEA, "section", parent=None, structure_type="ROOT", heading="Code of tea", tags={"collection": "codes"}),
        node(f"{TEA}:chapter_1", "section", structure_type="CHAPTER", heading="Brewing"),
        node(f"{TEA}:1", "legislation", parent=f"{TEA}:chapter_1", heading="Green tea", intro_text="A brewer:",
             tags={"section_number": "1"}),
        node(f"{TEA}:1:a", "legislation", "shall steep green tea in hot water;", structure_type="PARAGRAPH"),
        node(f"{TEA}:1:b", "legislation", "may add a lemon slice.", structure_type="PARAGRAPH",
             tags={"status": "repealed"}, links=cites(f"{EDICT}:1")),
        node(f"{TEA}:2", "legislation", "A brewer shall warm the pot with hot water before steeping black tea.",
             parent=f"{TEA}:chapter_1", heading="Black tea", valid_from="2010-05-01", tags={"section_number": "2"},
             links=cites(f"{TEA}:1:a", kind="subject_to")),
        node(f"{TEA}:chapter_10", "section", structure_type="CHAPTER", heading="Serving"),
        node(f"{TEA}:3", "legislation", "Oolong is served in small cups; 100% of them are clean_cups.",
             parent=f"{TEA}:chapter_10", heading="Oolong", valid_from="2015-01-01", valid_to="2018-01-01"),
        node(f"{TEA}:4", "notice", "The price of oolong is published each spring.", parent=f"{TEA}:chapter_10",
             valid_from="2012-02-02"),
    ],
    "edict.jsonl": [
        head(EDICT, title="Federal edict"),
        node(EDICT, "section", parent=None, structure_type="ROOT", heading="Federal edict",
             tags={"collection": "edicts"}),
        node(f"{EDICT}:1", "legislation", "No person shall import black tea without a permit.", valid_from="2001-01-01",
             aliases=["xx.edict000000000001"]),
    ],
    "the.jsonl": [
        head(CODE_DU_THE, "fr", "Code du thé"),
        node(CODE_DU_THE, "section", parent=None, structure_type="ROOT", heading="Code du thé"),
        node(f"{CODE_DU_THE}:1", "legislation", "Le thé noir est servi très chaud.", structure_type="ARTICLE",
             valid_from="2003-03-03", tags={"article_number": "1"}),
    ],
    "alsace.jsonl": [
        head(ALSACE, "fr", "Usages locaux"),
        node(ALSACE, "section", parent=None, structure_type="ROOT", heading="Usages locaux"),
        node(f"{ALSACE}:1", "legislation", "Le thé vert est servi froid.", structure_type="ARTICLE"),
    ],
    "d1.jsonl": _decision(11, "High Tea Court", "supreme", "2011-04-05", "Green tea was steeped too long.",
                          cites(f"{TEA}:1:a", f"{EDICT}:1"), official_grade="A", importance_level="highest_importance",
                          formation="Full bench", formation_solemnity="full_court"),
    "d2.jsonl": _decision(12, "Cup Tribunal", "first_instance", "2012-06-07",
                          "Black tea was imported without a permit.", cites(f"{EDICT}:1")),
    "d3.jsonl": _decision(13, "Cup Tribunal", "first_instance", "2023-02-30", "Nobody had oolong.", []),
}  # fmt: skip


def write_law(folder: Path) -> Path:
    """The files in a folder, and a plain document beside them."""
    folder.mkdir(exist_ok=True)
    for name, rows in FILES.items():
        (folder / name).write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    filling = [f"Paragraph {number} speaks of saucers and of nothing else whatever. " * 9 for number in range(40)]
    words = "# Menu\n\nThe samovar stands in the hall.\n\n" + "\n\n".join(filling) + "\n\nThe last word is kombucha.\n"
    (folder / "Menu.md").write_text(words, encoding="utf-8")
    return folder


def nodes() -> Iterator[tuple[str, Row, list[Row]]]:
    """Every node of the files with its language and its line, root first: what an oracle filters."""
    for rows in FILES.values():
        corpus = cast("dict[str, str]", rows[0]["corpus"])
        known: dict[object, list[Row]] = {}
        for row in rows[1:]:
            line = [*known.get(row.get("parent_urn"), []), row]
            known[row["urn"]] = line
            yield corpus["language"], row, line
