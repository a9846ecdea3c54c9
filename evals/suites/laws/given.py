"""Small invented laws as their authors wrote them down, and the same as a publisher would print them.

Authors name provisions as their country does: "§ 3 Abs. 1", "Sec. 2412.001(1)", "Article 1er, a", "第三条第一項". A key
says where a provision stands by itself and by its parent; what kind of unit it is shows in what it contains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.jurisdictions.jp.kanji import kanji_number
from retrieval.paths import slug

_CITED = frozenset({"section", "article", "regulation", "rule", "clause"})
_CONTAINERS = frozenset({
    "part", "chapter", "title", "subtitle", "subchapter", "subpart", "division", "teil", "abschnitt", "kapitel", "buch",
    "titre", "chapitre", "livre", "sous-section",
})  # fmt: skip
_CHAPTERS = frozenset({"chapter", "kapitel", "chapitre"})
_SCHEDULES = frozenset({"schedule", "appendix", "annex", "anlage", "anhang", "annexe"})
_UPPER = frozenset(
    {"absatz", "alinea", "alinéa", "paragraphe", "subdivision", "subclause"}
)  # right below what is cited
_WORD = (
    r"(?:§{1,2}|(?![A-Z]\.\s?\d)[^\W\d_]{1,12}(?:-[^\W\d_]{1,12})?\.?(?=[\s(]))\s*"  # "Sec.", "§", "Abs."; not "L. 131"
)
_LED = re.compile(rf"[\s,.]*(?:{_WORD})?")
_QUOTED = re.compile(r"[“\"«„](?P<term>[^“”\"«»„]+)[”\"»“]")
_KANJI = re.compile(r"[〇一二三四五六七八九十百]+(?:条の[一二三四五六七八九十]+)?|\d+")
_PART_OF_CODE = re.compile(r"Part \d")  # a law of the set that is a part of a code of regulations


@dataclass(frozen=True, slots=True)
class SmallLaw:
    """One law of a set, with the URN of each of its keys."""

    given: dict[str, Any]
    urns: dict[str, str]

    @property
    def language(self) -> str:
        """ISO 639-1."""
        return str(self.given["language"])

    def below(self, key: str) -> set[str]:
        """The URNs of a provision and all its parts."""
        found = {key}
        for node in self.given["nodes"]:
            if node["parent"] in found:
                found.add(node["key"])
        return {self.urns[name] for name in found}

    def above(self, key: str) -> set[str]:
        """The URNs of a provision and all that contains it."""
        parents = {node["key"]: node["parent"] for node in self.given["nodes"]}
        found: set[str] = set()
        at: str | None = key
        while at is not None:
            found.add(self.urns[at])
            at = parents[at]
        return found


def read_law(path: Path) -> SmallLaw:
    """One file of a set. Each of its nodes gets `structure`, `level` and `number` as a publication has them."""
    return law_of(json.loads(path.read_text(encoding="utf-8")))


def law_of(given: dict[str, Any]) -> SmallLaw:
    """The same of what a file says."""
    for expected in given.get("expect", ()):
        expected["not_definitions"] = [
            each if isinstance(each, dict) else {"term": "", "node": each} for each in expected["not_definitions"]
        ]
    nodes = {node["key"]: node for node in given["nodes"]}
    containing = {
        node["key"] for node in given["nodes"] if any(_is_cited(below, given) for below in _below(node, given))
    }
    urns: dict[str, str] = {}
    taken: set[tuple[str | None, str, str]] = set()
    root = f"urn:lex:{given['jurisdiction'].lower()}:small-{slug(str(given['id']).lower())}"
    for node in _depth_first(given["nodes"]):
        parent = nodes.get(node["parent"] or "")
        node["structure"] = _structure(node, parent, given, contains=node["key"] in containing)
        node["level"] = _level(node)
        node["number"] = _number(node, parent, given["language"])
        while (place := (node["parent"], node["level"], node["number"])) in taken and node["number"]:
            node["number"] += "-2"  # a supplement numbers its paragraphs anew; "premier alinéa", "deuxième alinéa"
        taken.add(place)
        segment = slug(node["number"].lower() or node["key"])
        if node["structure"] in ("PART", "CHAPTER", "APPENDIX"):
            above = urns[parent["key"]] if parent is not None else root
            schedule = node["structure"] == "APPENDIX" and given["language"] == "en"
            word = "sch" if schedule else node["kind" if node["structure"] == "APPENDIX" else "level"]
            segment = f"{word}{'.' if schedule else '_'}{segment}" if node["number"] else word
        elif node["structure"] in ("SECTION", "ARTICLE"):
            above = root  # a provision is cited by its number alone
        else:
            above = urns[parent["key"]] if parent is not None else root
            segment = f"nr.{segment}" if node["level"] == "nummer" else segment
        urn = f"{above}:{segment}"
        while urn in urns.values():
            urn += "-2"
        urns[node["key"]] = urn
    return SmallLaw(given, urns)


def native(law: SmallLaw) -> str:
    """The law in the native format."""
    given = law.given
    root = ":".join(next(iter(law.urns.values())).split(":")[:4])
    corpus = {"urn": root, "title": given["title"], "language": given["language"]}
    lines: list[dict[str, Any]] = [
        {"lexscope": 1, "corpus": corpus, "edition_date": "2024-01-01"},
        {
            "urn": root,
            "structure_type": "ROOT",
            "level": "part" if _PART_OF_CODE.match(given["title"]) else "act",
            "heading": given["title"],
            "valid_from": "2020-01-01",
        },
    ]
    parents = {node["parent"] for node in given["nodes"]}
    lines += [
        {
            "urn": law.urns[node["key"]], "parent_urn": law.urns[node["parent"]] if node["parent"] else root,
            "structure_type": node["structure"], "level": node["level"],
            "number": node["number"] or law.urns[node["key"]].rpartition(":")[2], "heading": node["heading"] or "",
            "intro_text" if node["key"] in parents else "content_text": node["text"], "valid_from": "2020-01-01",
        }
        for node in _depth_first(given["nodes"])
    ]  # fmt: skip
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)


def _is_cited(node: dict[str, Any], given: dict[str, Any]) -> bool:
    return node["kind"] in _CITED or (
        given["language"] == "de"
        and node["kind"] == "paragraph"
        and node["key"].startswith("§")
        and "." not in node["key"]
    )


def _below(node: dict[str, Any], given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for below in given["nodes"]:
        if below["parent"] == node["key"]:
            yield below
            yield from _below(below, given)


def _structure(node: dict[str, Any], parent: dict[str, Any] | None, given: dict[str, Any], *, contains: bool) -> str:
    if node["kind"] in _SCHEDULES:
        return "APPENDIX"
    inside = parent is not None and parent["structure"] not in ("PART", "CHAPTER")
    if not inside and (contains or node["kind"] in _CONTAINERS):
        return "CHAPTER" if node["kind"] in _CHAPTERS else "PART"
    if not inside:
        return "ARTICLE" if node["kind"] == "article" else "SECTION"
    upper = node["kind"] in _UPPER or node["kind"] in ("subsection", *_CITED)
    return "SUBSECTION" if upper else "PARAGRAPH"


def _level(node: dict[str, Any]) -> str:
    """The publication's own word: of a container or annex by its label, of a provision by what its country calls it."""
    kind = str(node["kind"])
    if node["structure"] == "APPENDIX" and (word := re.match(r"[^\W\d_]+", node["label"])):
        return word[0].lower()
    if node["structure"] in ("PART", "CHAPTER"):
        word = re.match(r"[^\W\d_]+(?:-[^\W\d_]+)?", node["label"])
        return word[0].lower() if word and word[0].isascii() else kind
    if node["structure"] == "SECTION":
        return kind if kind in _CITED else "section"
    return {"absatz": "subsection", "alinea": "subsection", "alinéa": "subsection", "paragraphe": "subsection",
            "point": "paragraph", "definition": "paragraph", "item": "paragraph"}.get(kind, kind)  # fmt: skip


def _number(node: dict[str, Any], parent: dict[str, Any] | None, language: str) -> str:
    """The designator that people cite a provision by, without brackets."""
    label = str(node["label"])
    below = node["structure"] in ("SUBSECTION", "PARAGRAPH")
    own = label.removeprefix(parent["label"]) if below and parent is not None else label
    if own == label and below and parent is not None:
        own = (
            label
            if not node["key"].startswith(parent["key"]) or len(label) < 6
            else node["key"].removeprefix(parent["key"])
        )
    if language == "ja":
        found = _KANJI.findall(own)
        return "-".join(str(kanji_number(part) or part) for part in found[-1].split("条の")) if found else ""
    if (quoted := _QUOTED.search(own)) is not None:
        return slug(quoted["term"])
    rest = own[match.end() :] if (match := _LED.match(own)) is not None else own
    rest = rest.strip(" .,()°–-") or ("" if node["structure"] == "APPENDIX" else own.strip(" .,()°"))
    if node["structure"] == "APPENDIX" and not re.search(r"\d|\b[A-Z]\b", rest):
        return ""
    rest = re.sub(r"\A([A-Z])\.\s?(?=\d)", r"\1", re.sub(r"\b(\d+|[IVXLC]+)er\b", r"\1", rest))
    return rest.lower() if below else rest


def _depth_first(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """A law's nodes, each with all its parts before the next; an author may add a provision to an earlier chapter."""
    below: dict[str | None, list[dict[str, Any]]] = {}
    for node in nodes:
        below.setdefault(node["parent"], []).append(node)

    def walk(parent: str | None) -> Iterator[dict[str, Any]]:
        for node in below.get(parent, ()):
            yield node
            yield from walk(node["key"])

    return walk(None)
