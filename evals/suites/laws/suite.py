"""Small invented laws with what a careful reader expects in the scope of each rule, run through the real pipeline.

A context is right where every definition and exception that is expected is in it, none that does not belong is, every
conflict is told, and law from outside is named. It is wrong with certainty where a definition that does not govern is
given for one that does, without a mark.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evals.rows import Gate, Row, share_row
from evals.scratch import engine_with
from rag.engine import Engine
from rag.jurisdictions.jp.kanji import kanji_number
from retrieval.model import ScopedContext
from retrieval.paths import slug

SUITE = "laws"
DATA = Path(__file__).parents[2] / "data" / "laws" / "half1"
_STRUCTURE = {
    "part": "PART", "chapter": "CHAPTER", "section": "SECTION", "article": "ARTICLE", "subsection": "SUBSECTION",
    "paragraph": "PARAGRAPH", "schedule": "APPENDIX",
}  # fmt: skip
_PART = re.compile(r"[^()]+")
# What a provision is cited by where its label has more than its key: "§ 9-102", "Article L. 2".
_LABEL_NUMBER = re.compile(r"(?:§\s*|[^\W\d_]+\.?\s+)?(?P<number>(?:[A-Z]\.\s?)?\d+(?:[.-]\d+)+|[A-Z]\.\s?\d+)")
_PART_OF_CODE = re.compile(r"Part \d")  # a law of the set that is a part of a code of regulations
_CONTAINERS = ("part", "chapter", "schedule")
# Kinds by a country's own words, and where a word means another level there.
_OWN_KINDS = {
    "teil": "part", "abschnitt": "part", "kapitel": "chapter", "titre": "part", "chapitre": "chapter",
    "absatz": "subsection", "nummer": "paragraph", "item": "paragraph", "alinea": "subsection",
    "paragraphe": "subsection", "livre": "part", "buch": "part", "definition": "paragraph", "regulation": "section",
    "alinéa": "subsection", "subpart": "part",
}  # fmt: skip
_DESIGNATOR = re.compile(
    r"\d+(?:[.-]\d+)*(?:[a-z]\b)?|\b[IVXLC]+(?=er\b|\b)|[〇一二三四五六七八九十百]+(?:条の[一二三四五六七八九十]+)?|\(([a-z]{1,3})\)"
)


@dataclass(slots=True)
class Report:
    """Rows, and a line for every context that is not right."""

    rows: list[Row] = field(default_factory=list[Row])
    misses: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class SmallLaw:
    """One law of the set, with the URN of each of its keys."""

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


def canonical(given: dict[str, Any]) -> dict[str, Any]:
    """A law whose keys are designators, "3(a)" and "A1", also where its author wrote "§ 3 Abs. 1" or "第三条1"."""
    keys: dict[str, str] = {}
    nodes: list[dict[str, Any]] = []
    for node in given["nodes"]:
        kind = _OWN_KINDS.get(node["kind"], node["kind"])
        if given["language"] == "de" and node["kind"] == "paragraph" and node["key"].startswith("§"):
            kind = "section"
        parent = node["parent"]
        own = node["key"].removeprefix(parent).strip() if parent and kind not in ("section", "article") else node["key"]
        key = node["key"]
        if not re.fullmatch(r"[A-Z]?\d+[a-zA-Z]*(?:\(\w+\))*", key):
            found = [match[1] or match[0] for match in _DESIGNATOR.finditer(own)]
            number = _arabic(found[-1]) if found else slug(own)
            if kind in _CONTAINERS:
                key = f"{kind[0].upper()}{number}"
            elif kind in ("section", "article"):
                key = number
            else:
                item = "n" if node["kind"] in ("nummer", "item") and given["language"] != "fr" else ""
                key = f"{keys[parent]}({item}{number})" if parent else number
        keys[node["key"]] = key
        label = node["label"].removeprefix(parent).strip() if parent else node["label"]
        # A provision that its country calls otherwise than a section keeps that level: "regulation 4".
        level = node["kind"] if kind == "section" and node["kind"] in ("regulation", "rule", "clause") else kind
        nodes.append({
            **node, "key": key, "kind": kind, "level": level, "label": label,
            "parent": keys[parent] if parent else None,
        })  # fmt: skip
    expect: list[dict[str, Any]] = [
        {
            **entry, "rule": keys[entry["rule"]],
            "definitions": [{**each, "node": keys[each["node"]]} for each in entry["definitions"]],
            "not_definitions": [
                {**each, "node": keys[each["node"]]} if isinstance(each, dict) else {"term": "", "node": keys[each]}
                for each in entry["not_definitions"]
            ],
            **{name: [keys[key] for key in entry[name]] for name in ("exceptions", "not_exceptions")},
        }
        for entry in given["expect"]
    ]  # fmt: skip
    return {**given, "nodes": nodes, "expect": expect}


def _arabic(designator: str) -> str:
    """A designator without kanji: 第三条の二 has the number 3-2."""
    parts = designator.split("条の")
    return "-".join(str(kanji_number(part) or part.lower()) for part in parts)


def read_law(path: Path) -> SmallLaw:
    """One file of the set."""
    given: dict[str, Any] = canonical(json.loads(path.read_text(encoding="utf-8")))
    root = f"urn:lex:{given['jurisdiction'].lower()}:small-{given['id']}"
    kinds = {node["key"]: node["kind"] for node in given["nodes"]}
    urns: dict[str, str] = {}
    for node in given["nodes"]:
        segments = [part for part in _PART.findall(node["key"]) if part]
        if kinds[node["key"]] in _CONTAINERS and node["parent"] is None:
            segments = [f"{_level(node)}_{node['key'][1:].lower()}"]
        urns[node["key"]] = ":".join([root, *(_segment(segment) for segment in segments)])
    return SmallLaw(given, urns)


def _segment(designator: str) -> str:
    item = re.fullmatch(r"n(\d+)", designator)
    return f"nr.{item[1]}" if item else slug(designator.lower())


def _level(node: dict[str, Any]) -> str:
    """The publication's own word: of a container by its label, of a provision by what the country calls it."""
    word = re.match(r"[^\W\d_]+", node["label"])
    return (
        word[0].lower() if word and node["kind"] in (*_CONTAINERS, "article") and word[0].isascii() else node["level"]
    )


def native(law: SmallLaw) -> str:
    """The law in the native format."""
    given = law.given
    root = next(iter(law.urns.values())).rsplit(":", 1)[0]
    root = ":".join(root.split(":")[:4])
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
    for node in _depth_first(given["nodes"]):
        urn = law.urns[node["key"]]
        words = "intro_text" if node["key"] in parents else "content_text"
        lines.append({
            "urn": urn, "parent_urn": law.urns[node["parent"]] if node["parent"] else root,
            "structure_type": _STRUCTURE[node["kind"]], "level": _level(node),
            "number": _number(node, urn), "heading": node["heading"], words: node["text"],
            "valid_from": "2020-01-01",
        })  # fmt: skip
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)


def _number(node: dict[str, Any], urn: str) -> str:
    """The designator that people cite a provision by."""
    labelled = _LABEL_NUMBER.fullmatch(node["label"]) if node["kind"] in ("section", "article") else None
    if node["kind"] in _CONTAINERS and node["parent"] is None:
        return node["key"][1:].upper()
    if labelled is None:
        return urn.rpartition(":")[2].rpartition("_")[2]
    return re.sub(r"\A([A-Z])\.\s?", r"\1", labelled["number"])


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


def measure(folder: Path) -> Report:
    """Measure all laws of a folder.

    Raises:
        IngestError: a law cannot be ingested.
    """
    laws = [read_law(path) for path in sorted(folder.glob("*.json"))]
    with TemporaryDirectory(prefix="lexscope-laws-") as place:
        for law in laws:
            (Path(place) / f"{law.given['id']}.jsonl").write_text(native(law), encoding="utf-8")
        with engine_with([Path(place)]) as engine:
            return _report([found for law in laws for found in _contexts(engine, law)])


@dataclass(frozen=True, slots=True)
class Found:
    """What one context lacks, what it has too much, and what of that it gives as certain."""

    language: str
    faults: tuple[str, ...]
    certain: bool
    possible: tuple[bool, ...] = ()  # of blocks that may limit the rule: whether the law's author says that they do


def _contexts(engine: Engine, law: SmallLaw) -> Iterator[tuple[str, Found]]:
    for expected in law.given["expect"]:
        urn = law.urns[expected["rule"]]
        context = engine.context(urn)
        faults = list(_faults(law, expected, context))
        limits = {urn for key in expected["exceptions"] for urn in law.below(key)}
        possible = tuple(block.urn in limits for block in context.blocks if block.role == "possible_exception")
        yield (
            f"{law.given['id']} {expected['rule']}",
            Found(law.language, tuple(fault for fault, _ in faults), any(certain for _, certain in faults), possible),
        )


def _faults(law: SmallLaw, expected: dict[str, Any], context: ScopedContext) -> Iterator[tuple[str, bool]]:
    """Each fault, and whether the context gives it as certain."""
    roles = {block.urn: block.role for block in context.blocks}
    defined = {definition.urn for definition in context.definitions} | {
        urn for urn, role in roles.items() if role == "definition"
    }
    line = law.above(expected["rule"]) | law.below(expected["rule"])
    marked = {definition.urn for definition in context.definitions if definition.inferred}
    conflicts = [warning.message for warning in context.warnings if warning.kind == "conflicting_definitions"]
    if context.status != "ok":
        yield f"status {context.status}", False
    for entry in expected["definitions"]:
        wanted = law.below(entry["node"])
        if not wanted & (defined | line & roles.keys()):
            rivals = {each.urn for each in context.definitions if each.term.casefold() == entry["term"].casefold()}
            yield f"no definition of {entry['term']!r} at {entry['node']}", bool(rivals - marked) and not conflicts
    for entry in expected["not_definitions"]:
        served, term = law.urns[entry["node"]], entry["term"].casefold()
        # A node may define other terms too, which the rule uses.
        terms = {each.term.casefold() for each in context.definitions if each.urn == served}
        if served in defined and served not in line and (not term or not terms or term in terms):
            yield f"{entry['node']} is served as a definition", served not in marked and not conflicts
    for key in expected["exceptions"]:
        if not law.below(key) & roles.keys():
            yield f"no exception {key}", False
    for key in expected["not_exceptions"]:
        if roles.get(law.urns[key]) == "exception":
            yield f"{key} is served as an exception", False
    for term in expected["conflicts"]:
        if not any(term.casefold() in message.casefold() for message in conflicts):
            yield f"the conflict about {term!r} is not told", True
    said = " ".join([
        *(warning.message for warning in context.warnings), *(left.reason for left in context.omitted),
        *(left.urn for left in context.omitted), *(definition.phrase for definition in context.definitions),
        *(block.reason for block in context.blocks if block.role != "definition"),
    ])  # fmt: skip
    for name in expected["external"]:
        if name.casefold() not in said.casefold():
            yield f"external law {name!r} is not named", False


def _report(found: Iterable[tuple[str, Found]]) -> Report:
    report = Report()
    by_language: dict[str, list[Found]] = {}
    for name, one in found:
        by_language.setdefault(one.language, []).append(one)
        by_language.setdefault("all", []).append(one)
        if one.faults:
            certain = " (as certain)" if one.certain else ""
            report.misses.append(f"{one.language} {name}{certain}: {'; '.join(one.faults)}")
    for language, contexts in sorted(by_language.items()):
        right = sum(not context.faults for context in contexts)
        report.rows.append(
            share_row(SUITE, language, "contexts_right", right, len(contexts), Gate(">=", 0.95, hard=False))
        )
        wrong = sum(context.certain for context in contexts)
        report.rows.append(
            share_row(SUITE, language, "wrong_as_certain", wrong, len(contexts), Gate("<=", 0.0, hard=False))
        )
    if possible := [right for found in by_language.get("all", []) for right in found.possible]:
        report.rows.append(share_row(SUITE, "all", "possible_exceptions_right", sum(possible), len(possible)))
    kinds = Counter(
        re.sub(r"['\"].*?['\"]|\S*\d\S*", "_", fault) for found in by_language.get("all", []) for fault in found.faults
    )
    report.misses += [f"{count} times: {kind}" for kind, count in kinds.most_common()]
    return report
