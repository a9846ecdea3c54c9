"""The JSON of eRegulations (regulations-stub): one file is one part of the Code of Federal Regulations.

A regulation is at `regulation/<part>/<version>`; which title of the C.F.R. it belongs to and from when on it is in
force are beside it at `layer/meta/<part>/<version>` and nowhere else, so both files are one document. The other
layers are annotations by character offset, not law, and are skipped.

Each node's text repeats its designator, and its caption without a space after it (`(a) Scope.This part ...`), which is
how the two are told apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import cast

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.cfpb.labels import (
    INTERP,
    MAX_WORDS,
    cfr_corpus,
    container_number,
    is_reserved,
    rule_heading,
    supplement_number,
)
from rag.ingest.formats.cfpb.text import MAX_CAPTION, image, is_dash, without_repeat
from rag.ingest.formats.cfpb.tree import build_part
from rag.ingest.formats.cfpb.unit import Unit
from rag.ingest.formats.encoding import undamaged
from rag.ingest.formats.json_records import read_json
from rag.ingest.formats.xml import collapse
from rag.ingest.formats.xml_text import Rich
from rag.law.nodes import Mark, ParsedDocument
from retrieval.errors import IngestError
from retrieval.strict_json import member, objects

LAYERS = {
    "external-citations": "references to other codes",
    "internal-citations": "references inside the regulation",
    "interpretations": "where commentary stands",
    "terms": "uses of defined terms",
    "toc": "tables of contents",
    "keyterms": "captions",
    "paragraph-markers": "designators",
    "formatting": "typography",
    "graphics": "pictures",
    "analyses": "the agency's analysis",
    "section-by-section": "the agency's analysis",
}
_ROOT = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*\{")
_NODE_TYPE = re.compile(rb'"node_type"\s*:\s*"(?:regtext|appendix|interp|subpart|emptypart|subjgrp)"')
_LABEL = re.compile(rb'"label"\s*:\s*\[\s*"')
_LAYER = re.compile(
    rb'\A\s*\{\s*"\w+(?:-\w+)*"\s*:\s*\[\s*\{\s*"'
    rb'(?:offsets|ref|reference|citation|citation_type|cfr_title_number|effective_date|index|title|key_term|text|locations)"'
)
_ROLES = {"subpart": "subpart", "emptypart": "subpart", "subjgrp": "subjgrp"}
_CONTAINERS = frozenset({"part", "subpart", "subjgrp"})
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]*)\)")
_RULE_ROW = re.compile(r"\|[\s:|-]+\|?\Z")
# A full stop (or its like) after a word, with the next sentence glued to it: where the caption's mark-up ended.
_GLUED = re.compile(r"(?<=[A-Za-z0-9)\]”\"’])(?:[.?!:][”\"]?)(?=[A-Z“\"‘(\[§—])")
_SENTENCE = re.compile(r"[.?!]\s")
_ABBREVIATION = re.compile(r"(?:(?<![\w-])[A-Za-z]|\b(?:No|Sec|sec|Stat|seq|Inc|Co|Reg|Fed|Supp|Pub|Art|art|vs?))\Z")
_CAPTION_WORDS = 15


class ERegsJson(FileFormat):
    """Format `eregs_json`: one regulation file and its meta layer are one edition of one part."""

    name = "eregs_json"
    version = 1

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file is a tree of regulation nodes (`node_type` of the closed set, and a list as `label`)."""
        return bool(_ROOT.match(head) and _NODE_TYPE.search(head) and _LABEL.search(head))

    def skips(self, path: Path, head: bytes) -> str:
        """Why a layer is no document; empty for any other file. An empty layer is known by its folder only."""
        if _ROOT.match(head) is None or self.claims(path, head):
            return ""
        place = path.parts[-4:]
        stands = len(place) == 4 and place[0] == "layer"
        if not stands and not _LAYER.match(head):
            return ""
        what = LAYERS.get(place[1], "annotations") if stands else "annotations"
        what = "effective date and title of a regulation" if stands and place[1] == "meta" else what
        return f"a layer of eRegulations ({what}), not law"

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        """The meta layer of this regulation.

        Raises:
            IngestError: it is missing or lies outside `root`.
        """
        name = path.relative_to(root).as_posix()
        folder = path.parents[2] if len(path.parents) > 2 else path.parent
        meta = folder / "layer" / "meta" / path.parent.name / path.name
        if folder != root and root not in folder.parents:
            cause = (
                "its meta layer, which names the title of the C.F.R., lies outside; name the folder above regulation/"
            )
            raise IngestError(cause, file=name)
        if not meta.is_file() or not meta.resolve().is_relative_to(root.resolve()):
            cause = f"its meta layer (layer/meta/{path.parent.name}/{path.name}) is missing"
            raise IngestError(f"{cause}; only that names the title of the C.F.R.", file=name)
        return (meta,)

    def read(self, source: Source) -> ParsedDocument:
        """Read a part.

        Returns:
            Its nodes, all in force from the effective date; links `interprets`; warnings.

        Raises:
            IngestError: not strict JSON, a member missing or of the wrong type (named by its place in the tree), an
                unknown `node_type`, or a meta layer without title number or of another part.
        """
        tree = read_json(source.path, source.name)
        meta_name = source.parts[0].relative_to(source.root).as_posix() if source.parts else source.name
        if not source.parts:
            raise IngestError("its meta layer is missing; only that names the title of the C.F.R.", file=source.name)
        reader = _Tree(source.name)
        part = reader.part(tree)
        title, subject, since, letter = _meta(read_json(source.parts[0], meta_name), part.number, meta_name)
        if letter:
            part.tags["regulation"] = letter
        if since is None:
            reader.warnings.append("the meta layer states no effective date; from when on it is in force is unknown")
        built = build_part(part, title=title, valid_from=since, file=source.name)
        document = ParsedDocument(
            cfr_corpus(title, subject, "eRegulations"), built.nodes, source.name, ERegsJson.name, source.sha256(),
            ERegsJson.version, edition_date=since, links=built.links, warnings=reader.warnings + built.warnings,
        )  # fmt: skip
        return undamaged(document)


def _meta(value: object, part: str, name: str) -> tuple[str, str, date | None, str]:
    """Title number, what the title is about, effective date and regulation letter."""
    found = objects(member(value, part))
    if len(found) != 1:
        raise IngestError("the meta layer does not describe this part once", file=name)
    number = member(found[0], "cfr_title_number")
    title = str(number) if isinstance(number, int | str) and not isinstance(number, bool) else ""
    if not re.fullmatch(r"[1-9]\d{0,2}", title, re.ASCII):
        raise IngestError("the meta layer does not say which title of the C.F.R. it is", file=name)
    said = member(found[0], "effective_date")
    try:
        since = date.fromisoformat(said) if isinstance(said, str) and said else None
    except ValueError:
        raise IngestError("the effective date is not a date", file=name) from None
    subject, letter = member(found[0], "cfr_title_text"), member(found[0], "reg_letter")
    return title, subject if isinstance(subject, str) else "", since, letter if isinstance(letter, str) else ""


@dataclass(slots=True)
class _Tree:
    """One run over one regulation's JSON."""

    file: str
    warnings: list[str] = field(default_factory=list[str])

    def part(self, value: object) -> Unit:
        """The part's unit with all below it."""
        label = self._label(value, "the root")
        if len(label) != 1:
            raise IngestError("the root's label is not that of a part", file=self.file)
        part = Unit("part", label, label[0], heading=self._text(value, "title", "the root", needed=False))
        part.before = [Rich(collapse(self._text(value, "text", "the root")))]
        self._children(value, part, "the root")
        return part

    def _refuse(self, place: str, cause: str) -> IngestError:
        return IngestError(f"{place}: {cause}", file=self.file)

    def _text(self, value: object, name: str, place: str, *, needed: bool = True) -> str:
        found = member(value, name)
        if not isinstance(found, str) and (needed or found is not None):
            raise self._refuse(place, f'its "{name}" is missing or not text')
        return found if isinstance(found, str) else ""

    def _label(self, value: object, place: str) -> tuple[str, ...]:
        found = member(value, "label")
        words = cast("list[object]", found) if isinstance(found, list) else []
        label = tuple(word.strip() for word in words if isinstance(word, str) and word.strip())
        if len(label) > MAX_WORDS:
            raise self._refuse(place, f"a label of more than {MAX_WORDS} levels")
        if not label or len(label) != len(words):
            raise self._refuse(place, 'its "label" is missing or not a list of words')
        return label

    def _children(self, value: object, unit: Unit, place: str) -> None:
        found = member(value, "children")
        if not isinstance(found, list):
            raise self._refuse(place, 'its "children" are missing or not a list')
        for position, child in enumerate(cast("list[object]", found)):
            where = f"{place.removeprefix('the root')}.children[{position}]".lstrip(".")
            kind = self._text(child, "node_type", where)
            label = self._label(child, where)
            if kind == "emptypart" and not self._text(child, "title", where, needed=False):
                self._wrapper(child, unit, where)
            else:
                unit.children.append(self._unit(child, unit, kind, label, where))

    def _wrapper(self, value: object, unit: Unit, place: str) -> None:
        if collapse(self._text(value, "text", place)):
            raise self._refuse(place, "a subpart without a name has text of its own")
        self._children(value, unit, place)

    def _unit(self, value: object, parent: Unit, kind: str, label: tuple[str, ...], place: str) -> Unit:
        unit = Unit(self._role(parent, kind, label, place), label)
        unit.marker = self._text(value, "marker", place, needed=False).strip()
        unit.heading = collapse(self._text(value, "title", place, needed=False))
        text = self._text(value, "text", place)
        self._children(value, unit, place)
        self._words(unit, text)
        if unit.role == "section":
            unit.number = f"{label[0]}.{'-'.join(label[1:])}" if len(label) > 1 else ""
        elif unit.role in ("subpart", "appendix"):
            unit.number = container_number(label, unit.heading)
        elif unit.role == "supplement":
            unit.number = supplement_number(unit.heading)
        unit.heading = rule_heading(unit.role, unit.heading)
        if unit.role in ("section", "appendix section"):
            unit.take_first_paragraph()
        if is_reserved(unit.heading) and not unit.children:
            unit.tags["status"] = "reserved"
        return unit

    def _role(self, parent: Unit, kind: str, label: tuple[str, ...], place: str) -> str:
        if kind in _ROLES and parent.role in _CONTAINERS:
            return _ROLES[kind]
        if kind == "regtext":
            return "section" if parent.role in _CONTAINERS else "paragraph"
        if kind == "appendix":
            below = "appendix section" if parent.role == "appendix" else "paragraph"
            return "appendix" if parent.role in _CONTAINERS else below
        if kind == "interp":
            below = "interpretation section" if parent.role == "supplement" else "comment"
            below = "interpretation" if below == "comment" and label[-1] == INTERP else below
            return "supplement" if parent.role in _CONTAINERS else below
        raise self._refuse(place, "its node_type is unknown, or does not belong there")

    def _words(self, unit: Unit, text: str) -> None:
        said = _words(text)
        if unit.marker and said.text.startswith(unit.marker):
            said = said.cut(len(unit.marker))
        if not unit.heading and unit.marker:
            unit.heading, said = split_caption(said, parent=bool(unit.children))
        if unit.heading:
            said, repeated = without_repeat(unit.heading, said)
            if repeated:
                label = "-".join(unit.label)
                self.warnings.append(f"{label}: its words repeat the end of its caption; the repeat is left out")
        if said and not (unit.heading and is_dash(said)):
            unit.before.append(said)


def split_caption(said: Rich, *, parent: bool) -> tuple[str, Rich]:
    """The caption at the start of a node's text, and the text after it.

    Args:
        said: the text without its designator.
        parent: whether the node has children; then a few words that end in a full stop are a caption alone.
    """
    text = said.text
    for match in _GLUED.finditer(text, 0, MAX_CAPTION):
        caption = text[: match.end()]
        if _sentences(caption) or "\n" in caption:
            break
        if not _ABBREVIATION.search(text[: match.start()]) and text[:1].isupper() | (text[:1] in "“\"‘'"):
            return caption, said.cut(match.end())
    # A repeated end of the caption begins in lower case, so no sentence can be told apart there.
    for match in re.compile(r"[.](?=[a-z])").finditer(text, 0, MAX_CAPTION):
        rest, tail = text[match.end() :], text[: match.end()]
        while " " in tail:
            tail = tail.partition(" ")[2]
            if " " in tail and rest.startswith(tail):
                return text[: match.end()], said.cut(match.end())
    alone = (
        parent
        and len(text) <= MAX_CAPTION
        and text.endswith(".")
        and not _sentences(text)
        and len(text.split()) <= _CAPTION_WORDS
    )
    return (text, Rich()) if alone and text[:1].isupper() else ("", said)


def _sentences(text: str) -> int:
    return sum(not _ABBREVIATION.search(text[: match.start()]) for match in _SENTENCE.finditer(text))


def _words(text: str) -> Rich:
    """A node's text with its pictures marked and its tables (`|a|b|`) as rows; lines are kept only for tables."""
    names: list[str] = []

    def mark(match: re.Match[str]) -> str:
        names.append(match[2])
        return image(match[1])

    text = _PICTURE.sub(mark, text)
    lines: list[str] = []
    for line in text.split("\n") if "|" in text else [text]:
        row = line.strip()
        if len(row) > 1 and row.startswith("|") and row.endswith("|"):
            if not _RULE_ROW.fullmatch(row):
                lines.append(" | ".join(collapse(cell) for cell in row[1:-1].split("|")))
        elif collapse(line):
            lines.append(collapse(line))
    whole = "\n".join(lines)
    # Where a picture is in the words is not known any more: it belongs to all of them.
    return Rich(whole, tuple(Mark(0, len(whole), "image", name) for name in names if name))
