"""EU acts in the JSON shape of GDPRtEXT: chapters, sections, articles, points, subpoints, recitals, citations.

The shape knows no dates of application and no footnotes inside the text; its `citations` are the footnotes, and the
text has their calls in brackets.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import cast

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.encoding import undamaged
from rag.ingest.formats.history import day_of
from rag.ingest.formats.json_records import read_json
from rag.ingest.formats.tree import LEVELS_BELOW, TreeBuilder
from rag.ingest.formats.xml import collapse
from rag.jurisdictions.grammar.union_law import CELEX_LETTERS, celex_urn
from rag.law.nodes import Corpus, Mark, ParsedDocument, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.paths import segment, slug

_CONTAINERS = {"part": "PART", "title": "TITLE", "chapter": "CHAPTER", "section": "PART", "subsection": "PART"}
# Where containers and articles stand, and what they are where they do not say so.
_BODY = {f"{level}s": level for level in _CONTAINERS} | {"articles": "article", "contents": ""}
_META = frozenset({
    "title", "abbrv", "dated", "updated", "about", "identifier", "language", "celex", "recitals", "citations",
    *CELEX_LETTERS, *_BODY,
})  # fmt: skip
_UNIT = frozenset({"number", "title", "type", "text", "contents", "subpoints", "points", *_BODY})
_HEAD_ACT = re.compile(rb'[{,]\s*"(?:regulation|directive|decision|celex)"\s*:\s*"')
_HEAD_BODY = re.compile(rb'[{,]\s*"(?:parts|titles|chapters|sections|articles|recitals)"\s*:\s*\[')
_CELEX = re.compile(r"3(?:19|20)\d{2}[rld]\d{4}\Z", re.ASCII)
_DATE = re.compile(r"(?:(\d{1,2})[/.](\d{1,2})[/.](\d{4})|(\d{4})-(\d{2})-(\d{2}))\Z", re.ASCII)
_ACT_NAME = re.compile(
    r"(?<!Framework )\b(Regulation|Directive|Decision)\s+(?:\((?:EU|EC|EEC|Euratom|,|\s)+\)\s*)?(?:No\s+)?"
    r"(\d{1,5}/\d{1,5})(?:/(?:EC|EEC|EU|JHA|Euratom))*"
)
# "Article 22(1) and (4)" is no call of a footnote.
_CALL = re.compile(r"(?<!\band)(?<!\bor)(?<!\bto)(?<![,;])\s\((\d{1,3})\)")
_SKIPPED_CALLS = 5  # footnotes of words that the file does not have, such as the title
_SHOWABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}\Z")

_Object = dict[str, object]


class GdprJson(FileFormat):
    """Format `gdpr_json`: one file is one act."""

    name = "gdpr_json"
    version = 1

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether it is a JSON object that names an EU act and begins with its recitals or a level of its structure."""
        start = head.lstrip()
        return start.startswith(b"{") and bool(_HEAD_ACT.search(head)) and bool(_HEAD_BODY.search(head))

    def read(self, source: Source) -> ParsedDocument:
        """Read an act.

        Returns:
            Its nodes. Recitals (`rec.26`) and footnotes (`cit.4`) are notes in containers of their own; `edition_date`
            is the date of the last update.

        Raises:
            IngestError: not strict JSON, no act number or one that could be read in two ways, an unknown kind of unit,
                or a unit of the wrong type or without number or text.
        """
        value = read_json(source.path, source.name)
        if not isinstance(value, dict):
            raise IngestError("is no JSON object", file=source.name)
        return undamaged(_Act(cast("_Object", value), source).document())


class _Act(TreeBuilder):
    """One run over one file."""

    def __init__(self, value: _Object, source: Source) -> None:
        super().__init__(source.name)
        self.value, self.source = value, source
        self._parents: set[str] = set()

    def document(self) -> ParsedDocument:
        meta = {key: collapse(text) for key in _META if isinstance(text := self.value.get(key), str)}
        adopted, updated = self._date(meta.get("dated", "")), self._date(meta.get("updated", ""))
        kind = next((celex_letter for celex_letter in CELEX_LETTERS if meta.get(celex_letter)), "")
        celex = meta.get("celex", "").lower()
        urn = f"urn:lex:eu:{celex}" if _CELEX.match(celex) else celex_urn(kind, meta.get(kind, ""), adopted)
        if not urn:
            cause = "its CELEX number cannot be told from regulation, directive, decision or celex"
            raise IngestError(cause, file=self._file)
        celex = urn.rpartition(":")[2].upper()
        named = {"celex": celex, "act_title": meta.get("title", ""), kind: meta.get(kind, ""),
                 "code": meta.get("abbrv", "")}  # fmt: skip
        self._tags = {key: text for key, text in named.items() if key and text}
        root = ParsedNode(urn, None, "ROOT", kind or "act", celex, meta.get("title", ""), kind="section")
        more = {"subject": meta.get("about", ""), "official_journal": meta.get("identifier", ""),
                "adopted": adopted.isoformat() if adopted else ""}  # fmt: skip
        root.tags = self._tags | {key: text for key, text in more.items() if text}
        root.aliases = [part for part in (celex, meta.get("abbrv", "")) if part]
        self._only(self.value, _META, "the act")
        self._append(root)
        for key in self.value:
            if key == "recitals":
                self._notes(root, key, "rec", "recital", "legislation")
            elif key == "citations":
                # Where to find what the text names, not law: kept, but never served as a rule.
                self._notes(root, key, "cit", "citation", "section")
            elif key in _BODY:
                self._units(self.value, key, root)
        self._settle()
        language = meta.get("language", "en").lower()
        corpus = Corpus(
            urn, meta.get("title") or celex, language, publisher="GDPRtEXT (University College Dublin)",
            licence="CC BY 4.0", url=f"https://eur-lex.europa.eu/legal-content/{language.upper()}/TXT/?uri=CELEX:{celex}",
        )  # fmt: skip
        return ParsedDocument(
            corpus, self.nodes, self._file, GdprJson.name, self.source.sha256(), GdprJson.version,
            edition_date=updated or adopted, warnings=self.warnings,
        )  # fmt: skip

    def _units(self, owner: _Object, key: str, parent: ParsedNode) -> None:
        """Containers and articles under a key."""
        for index, unit in enumerate(self._objects(owner.get(key), f"{parent.urn}, {key}")):
            kind = self._text(unit, "type").lower() or _BODY[key]
            where = f"{parent.urn}, {key}[{index}]"
            if kind in _CONTAINERS:
                self._container(unit, kind, parent, where)
            elif kind == "article":
                self._article(unit, parent, where)
            else:
                shown = kind if _SHOWABLE.match(kind) else "something else"
                raise self._refused(f"is {shown}, not a container or an article", where)

    def _container(self, unit: _Object, kind: str, parent: ParsedNode, where: str) -> None:
        number, title = self._number(unit), self._text(unit, "title")
        last = f"{kind}_{self._segment(number, where) if number else slug(title)}"
        node = self._add(parent, last, _CONTAINERS[kind], kind, number or last, title, kind_of="section")
        node.intro_text = self._text(unit, "text")
        self._only(unit, _UNIT, where)
        for key in unit:
            if key in _BODY:
                self._units(unit, key, node)

    def _article(self, unit: _Object, parent: ParsedNode, where: str) -> None:
        number = self._number(unit)
        urn = f"{self.nodes[0].urn}:{self._segment(number, where)}"
        node = self._add(parent, "", "ARTICLE", "article", number, self._text(unit, "title"), urn=urn)
        node.tags = {"article_number": number} | self._tags
        node.intro_text = self._text(unit, "text")
        self._only(unit, _UNIT, where)
        self._points(unit, node, where, depth=0)

    def _points(self, unit: _Object, node: ParsedNode, where: str, *, depth: int) -> None:
        """Numbered points and unnumbered words, below an article (depth 0) or a point.

        An unnumbered entry is the article's own words where nothing is before it, and else a further
        subparagraph: of the paragraph before it, or of the article where its points only complete its lead-in.
        """
        keys = [key for key in ("contents", "subpoints", "points", "points") if unit.get(key) is not None]
        entries = [one for key in keys for one in self._objects(unit[key], f"{where}, {key}")]
        numbered = any(self._number(entry) for entry in entries)
        listed = depth > 0
        last: ParsedNode | None = None
        for index, entry in enumerate(entries):
            place, number, text = f"{where}[{index}]", self._number(entry), self._text(entry, "text")
            if number:
                point = listed or not number[:1].isdigit()
                level = "point" if point else "paragraph"
                own = self._segment(number, place)
                child = self._add(node, own, LEVELS_BELOW[min(depth, 3) + 1], level, number, self._text(entry, "title"))
                last = child
            elif depth == 0 and not node.intro_text and node.urn not in self._parents:
                node.intro_text, child = text, node
                listed = listed or (numbered and text.endswith(":"))
                text = ""
            elif depth > 0 and not numbered:
                child = self._add(node, self._next(node, "indent", 1), "ITEM", "indent", "", "")
            else:
                holder = last if last is not None and not listed else node
                child = self._add(holder, self._next(holder, "sub", 2), "SUBPARAGRAPH", "subparagraph", "", "")
            child.intro_text = child.intro_text or text
            self._only(entry, _UNIT, place)
            self._points(entry, child, place, depth=depth + 1)

    def _notes(self, root: ParsedNode, key: str, prefix: str, level: str, kind: str) -> None:
        """Recitals or footnotes, as a list or as an object with a key for each."""
        value = self.value[key]
        if isinstance(value, dict):
            value = list(cast("_Object", value).values())
        entries = self._objects(value, key)
        if not entries:
            return
        holder = self._add(root, key, "PART", key, key, "", kind_of="section")
        for index, entry in enumerate(entries):
            number = self._number(entry)
            own = self._segment(number, f"{key}[{index}]")
            urn = f"{root.urn}:{prefix}.{own}"
            node = self._add(holder, "", "NOTE", level, number, self._text(entry, "title"), urn=urn, kind_of=kind)
            node.intro_text = self._text(entry, "text")
            if level == "recital":
                node.tags = {"recital_number": number} | self._tags
            self._only(entry, _UNIT, f"{key}[{index}]")

    def _settle(self) -> None:
        """Give leaves their words as content, then mark the acts whose footnotes the text calls."""
        for node in self.nodes:
            if node.urn not in self._parents:
                node.intro_text, node.content_text = "", node.intro_text
                if not node.content_text and node.urn != self.nodes[0].urn:
                    self._warn(f"{node.urn} has no text", None)
        cited = {node.number: node.text for node in self.nodes if node.level == "citation"}
        last = 0
        # In print the recitals come first, and footnotes are counted through.
        for node in sorted(self.nodes, key=lambda one: one.level != "recital"):
            for call in _CALL.finditer(node.text) if node.level != "citation" else ():
                number = int(call[1])
                if call[1] not in cited or not last < number <= last + _SKIPPED_CALLS:
                    continue
                last = number
                target = _named_act(cited[call[1]])
                names = [match for match in _ACT_NAME.finditer(node.text, max(0, call.start() - 160), call.start())
                         if _act_urn(match) == target]  # fmt: skip
                if target and names:
                    node.marks.append(Mark(names[-1].start(), names[-1].end(), "reference", target))

    def _add(
        self, parent: ParsedNode, own: str, structure: str, level: str, number: str, heading: str, *, urn: str = "",
        kind_of: str = "legislation",
    ) -> ParsedNode:  # fmt: skip
        urn, suffix = self._free(urn or f"{parent.urn}:{own}", None)
        node = ParsedNode(urn, parent.urn, structure, level, (number or own) + suffix, heading, kind=kind_of)
        self._parents.add(parent.urn)
        return self._append(node)

    def _next(self, node: ParsedNode, name: str, first: int) -> str:
        return f"{name}.{int(self._numbered(node.urn, name).rpartition('.')[2]) + first - 1}"

    def _objects(self, value: object, where: str) -> list[_Object]:
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._refused("is no list", where)
        elements = cast("list[object]", value)
        if not all(isinstance(element, dict) for element in elements):
            raise self._refused("holds something else than objects", where)
        return cast("list[_Object]", elements)

    def _text(self, unit: _Object, key: str) -> str:
        value = unit.get(key)
        if value is not None and not isinstance(value, str):
            before = f" after {self.nodes[-1].urn}" if self.nodes else ""
            raise self._refused(f"has a {key} that is no text", f"a unit{before}")
        return collapse(value or "")

    def _number(self, unit: _Object) -> str:
        value = unit.get("number")
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self._text(unit, "number").strip("()[]. ")

    def _segment(self, number: str, where: str) -> str:
        try:
            return segment(number)
        except InputError:
            raise self._refused("has no number to cite it by", where) from None

    def _date(self, text: str) -> date | None:
        match = _DATE.match(text)
        if match is None:
            if text:
                self._warn("a date of the act cannot be read", None)
            return None
        day, month, year = (match[1], match[2], match[3]) if match[3] else (match[6], match[5], match[4])
        if (found := day_of(year, month, day)) is None:
            raise self._refused("has an impossible date", "the act")
        return found

    def _only(self, unit: _Object, known: frozenset[str], where: str) -> None:
        for key in unit.keys() - known:
            shown = key if _SHOWABLE.match(key) else "with an unusual name"
            self._warn(f"{where}: the member {shown} is not read; what it holds is left out", None)

    def _refused(self, cause: str, where: str) -> IngestError:
        return IngestError(f"{where} {cause}", file=self._file)


def _act_urn(match: re.Match[str]) -> str:
    return celex_urn(match[1], match[0])


def _named_act(footnote: str) -> str:
    """The URN of the act that a footnote begins with; empty where it names none or something else."""
    match = _ACT_NAME.search(footnote[:120])
    return _act_urn(match) if match else ""
