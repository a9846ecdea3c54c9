"""A part of the Code of Federal Regulations as eRegulations holds it, as nodes: addresses, order, marks, links.

What becomes of a label that contradicts the place it is at, once `arrange` has moved what it can:

* inside an unnumbered wrapper of an appendix (`B-a` inside `B-p1`) it keeps its address and its place;
* any other is addressed by its place, with a warning.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from rag.ingest.formats.cfpb.labels import (
    external_urn,
    is_counted,
    label_segment,
    provision_segment,
    provision_urn,
    provision_words,
    split_interp,
)
from rag.ingest.formats.cfpb.text import pictures
from rag.ingest.formats.cfpb.unit import COMMENTARY, Unit, arrange, last_word, level_of, list_stem
from rag.ingest.formats.tree import LEVELS_BELOW
from rag.ingest.formats.xml_text import Rich, join
from rag.law.nodes import Link, Mark, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.paths import segment, slug

_CONTAINERS = {"part": "PART", "subpart": "PART", "subjgrp": "PART", "supplement": "PART"}
_RULES = {"section": "SECTION", "appendix": "APPENDIX", "interpretation section": "SECTION"}


@dataclass(slots=True)
class Built:
    """The nodes of a part in document order, its links, and what was odd."""

    nodes: list[ParsedNode] = field(default_factory=list[ParsedNode])
    links: list[Link] = field(default_factory=list[Link])
    warnings: list[str] = field(default_factory=list[str])


def build_part(part: Unit, *, title: str, valid_from: date | None, file: str) -> Built:
    """Address every unit and turn the tree into nodes.

    Args:
        part: the part's own unit, its `number` the part number.
        valid_from: the first day in force of this edition.

    Returns:
        The part's nodes, links `interprets` from commentary to what it explains and `uses_term` from a node to the
        definitions whose terms it uses, and warnings.

    Raises:
        IngestError: a section, appendix or subpart without a number, or two sections of one number.
    """
    return _Part(part, title, valid_from, file).run()


class _Part:
    def __init__(self, part: Unit, title: str, valid_from: date | None, file: str) -> None:
        self.part, self.title, self.valid_from, self.file = part, title, valid_from, file
        self.corpus = f"urn:lex:us:{title}cfr"
        self.root = f"{self.corpus}:part_{self._segment(part.number, part)}"
        self.supplement = self.root
        self.built = Built()
        self.urns: set[str] = set()
        self.places: set[tuple[str, str, str]] = set()
        self.labels: dict[str, str] = {}  # label -> URN
        self.counts: dict[str, int] = {}  # how often an address, or a kind of number under one parent, was given out
        self.pending: list[tuple[Unit, ParsedNode, Rich]] = []

    def run(self) -> Built:
        arrange(self.part, self.built.warnings)
        self._add(self.part, None, self.root, self.part.number, depth=0)
        for child in self.part.children:
            self._place(child, self.part, self.root, depth=0)
        for unit, node, words in self.pending:
            self._mark(node, words)
            self._interprets(unit, node)
        return self.built

    def _segment(self, text: str, unit: Unit) -> str:
        try:
            return segment(text)
        except InputError:
            cause = f"a {unit.role} without a number to cite it by"
            raise IngestError(cause, file=self.file, line=unit.line) from None

    def _place(self, unit: Unit, parent: Unit, parent_urn: str, *, depth: int) -> None:
        urn, number = self._address(unit, parent, parent_urn)
        level = level_of(unit)
        count = 1
        if urn in self.urns or (parent_urn, level, number.lower()) in self.places:
            if unit.role == "section":
                cause = f"section {number} occurs twice in one edition"
                raise IngestError(cause, file=self.file, line=unit.line)
            while count == 1 or f"{urn}~{count}" in self.urns:
                count = self._count(f"{urn}~", 2)
            urn, number = f"{urn}~{count}", f"{number}~{count}"
            self.built.warnings.append(f"{urn}: its designator occurs {count} times at this place")
        self._add(unit, parent_urn, urn, number, depth=depth)
        below = 0 if unit.role in _CONTAINERS else depth + 1
        for child in unit.children:
            self._place(child, unit, urn, depth=below)

    def _count(self, what: str, first: int = 1) -> int:
        self.counts[what] = self.counts.get(what, first - 1) + 1
        return self.counts[what]

    def _address(self, unit: Unit, parent: Unit, parent_urn: str) -> tuple[str, str]:
        if unit.role == "section":
            return f"{self.corpus}:{self._segment(unit.number, unit)}", unit.number
        if unit.role in ("subpart", "appendix"):
            return f"{parent_urn}:{unit.role}_{self._segment(unit.number, unit)}", unit.number
        if unit.role == "subjgrp":
            return f"{parent_urn}:subjgrp_{slug(unit.heading)}", slug(unit.heading)
        if unit.role == "supplement":
            name = f"supplement_{segment(unit.number)}" if unit.number else "interpretations"
            self.supplement = f"{self.root}:{name}"
            return self.supplement, unit.number or "interpretations"
        if unit.role == "note":
            count = self._count(f"{parent_urn}:note")
            return f"{parent_urn}:note.{count}", f"note.{count}"
        try:
            return self._commentary(unit, parent) or self._paragraph(unit, parent, parent_urn)
        except InputError:
            return self._counted(unit, parent, parent_urn)

    def _counted(self, unit: Unit, parent: Unit, parent_urn: str) -> tuple[str, str]:
        """A paragraph without designator is counted: `p.1`, `p.2`, as printed works cite it."""
        key = f"{parent_urn}:p"
        if key not in self.counts:
            self.counts[key] = sum(is_counted(last_word(child.label)) for child in parent.children)
        number = f"p.{self._count(key)}"
        if unit.label:
            self.built.warnings.append(f"{parent_urn}:{number}: its label has nothing to cite it by")
        return f"{parent_urn}:{number}", number

    def _commentary(self, unit: Unit, parent: Unit) -> tuple[str, str] | None:
        divided = split_interp(unit.label) if unit.role in COMMENTARY else None
        if divided is None:
            return None
        provision, comment = divided
        own = [label_segment(letter) for letter in comment]
        if not provision and not own:
            return None
        if not provision:
            return f"{self.supplement}:{':'.join(own)}", own[-1]
        name = provision_segment(provision)
        if not comment:
            return f"{self.supplement}:{name}", name
        above = split_interp(parent.label)
        if above is not None and (provision, comment[:-1]) != above and len(comment) > 1:
            return None
        # A comment that explains a narrower provision than the heading it is under names that one.
        aside = above is not None and above[0] != provision
        return f"{self.supplement}:{name}:{':'.join(own)}", f"{name}-{own[-1]}" if aside else own[-1]

    def _paragraph(self, unit: Unit, parent: Unit, parent_urn: str) -> tuple[str, str]:
        if not unit.label:
            return self._counted(unit, parent, parent_urn)
        rest = unit.label[len(parent.label) :] if unit.label[: len(parent.label)] == parent.label else ()
        if len(rest) > 1 and unit.printed.split("-") == list(rest):
            return f"{parent_urn}:{segment(unit.printed)}", segment(unit.printed)
        own = label_segment(last_word(unit.label))
        if len(rest) != 1:
            if is_counted(last_word(parent.label)) and list_stem(unit.label) == list_stem(parent.label):
                urn = f"{parent_urn.rpartition(':')[0]}:{own}"
                if urn not in self.urns:
                    number = f"{unit.label[1]}-{own}" if (parent_urn, "paragraph", own) in self.places else own
                    return urn, number
            self.built.warnings.append(
                f"{parent_urn}:{own}: addressed by its place; its label is {'-'.join(unit.label)}"
            )
        return f"{parent_urn}:{own}", own

    def _add(self, unit: Unit, parent_urn: str | None, urn: str, number: str, *, depth: int) -> None:
        intro, content = join(unit.before), join(unit.after)
        if not unit.children:
            intro, content = Rich(), join((intro, content))
        kind = "section" if unit.role in _CONTAINERS else "notice" if unit.role in COMMENTARY else "legislation"
        node = ParsedNode(
            urn, parent_urn or self.corpus, self._structure(unit, depth), level_of(unit),
            number, unit.heading, intro.text, content.text, kind, valid_from=self.valid_from, line=unit.line,
        )  # fmt: skip
        self._tag(node, unit)
        words = join((intro, content))
        if images := pictures(words):
            node.tags["image"] = " ".join(images)
            self.built.warnings.append(f"{urn}: {len(images)} picture(s) have no words; their places are marked")
        for label in ("-".join(unit.label), *unit.merged):
            if label and label not in self.labels:
                self.labels[label] = urn
                node.aliases.append(f"eregs:{self.title}/{label}")
            elif label:
                self.built.warnings.append(f"{urn}: the label {label} is another node's too")
        self.urns.add(urn)
        self.places.add((node.parent_urn or "", node.level, number.lower()))
        self.pending.append((unit, node, words))
        self.built.nodes.append(node)

    @staticmethod
    def _structure(unit: Unit, depth: int) -> str:
        if unit.role in _CONTAINERS:
            return _CONTAINERS[unit.role]
        if unit.role in _RULES and (unit.role != "interpretation section" or depth == 0):
            return _RULES[unit.role]
        if unit.role == "note":
            return "NOTE"
        if level_of(unit) == "definition":
            return "DEFINITION"
        return LEVELS_BELOW[min(max(depth, 1), len(LEVELS_BELOW)) - 1]

    def _tag(self, node: ParsedNode, unit: Unit) -> None:
        node.tags |= unit.tags
        if unit.role in ("part", "section", "appendix"):
            node.tags |= {"code": "CFR", "title": self.title, "part": self.part.number}
        if unit.role in ("section", "appendix"):
            node.tags["section_number" if unit.role == "section" else "appendix"] = unit.number
        divided = split_interp(unit.label) if unit.role == "comment" else None
        if divided is not None and divided[0] and divided[1]:
            designation = f"{provision_words(divided[0])}-{'.'.join(divided[1])}"
            node.tags |= {"code": "CFR", "title": self.title, "part": self.part.number, "comment": designation}
        printed = unit.printed
        if printed and printed.lower() not in (node.number.partition("~")[0], node.number.rpartition("-")[2]):
            node.tags["marker"] = unit.marker.strip()
            self.built.warnings.append(f"{node.urn}: its printed designator differs from its label")
        node.number = printed if printed.lower() == node.number else node.number

    def _target(self, label: str) -> str:
        return self.labels.get(label) or provision_urn(tuple(part for part in label.split("-") if part), self.corpus)

    def _mark(self, node: ParsedNode, words: Rich) -> None:
        uses: dict[str, tuple[str, int]] = {}
        for mark in words.marks:
            said = words.text[mark.start : mark.end]
            if mark.kind == "def":
                node.marks.append(Mark(mark.start, mark.end, "term"))
            elif mark.kind == "term":
                first, count = uses.get(mark.target, (said, 0))
                uses[mark.target] = (first, count + 1)
            elif mark.kind != "image":
                external = mark.kind == "external"
                target = external_urn(mark.target, words.text, mark.start, mark.end) if external else ""
                node.marks.append(
                    Mark(mark.start, mark.end, "reference", target if external else self._target(mark.target.strip()))
                )
        for target, (first, count) in uses.items():
            urn = self._target(target.strip())
            if urn != node.urn:
                self.built.links.append(Link(node.urn, "uses_term", first, urn, {"uses": str(count)}))

    def _interprets(self, unit: Unit, node: ParsedNode) -> None:
        if unit.role not in COMMENTARY:
            return
        divided = split_interp(unit.label)
        if divided is None or not divided[0]:
            return
        # A comment belongs to its heading, which has the link, unless it names a provision of its own.
        if divided[1] and not unit.target and provision_segment(divided[0]) in (node.parent_urn or "").split(":"):
            return
        stated = unit.target or "-".join((self.part.label[0], *divided[0]))
        urn = self.labels.get(stated, "")
        if urn:
            self.built.links.append(Link(node.urn, "interprets", unit.heading or provision_words(divided[0]), urn))
        elif unit.target:
            self.built.warnings.append(f"{node.urn}: what it says it interprets ({unit.target}) is not in this part")
