"""A French law being put together: containers and articles in order, with what occurs twice decided at the end.

Every line is an alinéa and is counted, list items included; tables are not. A line with a designator is cited by it
(`i`, `1`, `a`) below the designators that are open, any other one as `al.N`, where N counts the lines of the unit
it is in (the article, or the numbered paragraph). Each line also has an alias `al.N` in every unit around it, so
that "deuxième alinéa du II" and "cinquième alinéa de l'article" are one node.

* The line right before a list, a table or dashes is their lead-in; the article's first line then is the article's own
  `intro_text`, an article of one line has it as `content_text`.
* A line between two items of one list goes on with the first of them; after the last item it closes the list.
* A list that starts again in one unit is cited through its lead-in (`al.5:1`), and the items that share a designator
  are tagged `ambiguous`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import NamedTuple

from rag.ingest.formats import history
from rag.ingest.formats.french.legi_html import legi_aliases
from rag.ingest.formats.french.lines import RANKS, Line, Token, announces, is_dash, tokens_at
from rag.jurisdictions.fr.naming import (
    Law,
    article_number,
    article_segment,
    container_heading,
    is_repealed_stub,
    plain_letters,
)
from rag.law.nodes import Link, Mark, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.paths import segment

# From the lines of a French article to its nodes.

MAX_NESTING = 8  # open lists; deeper ones are no law, and their items become siblings


@dataclass(slots=True)
class _Draft:
    urn: str
    number: str
    level: str
    structure_type: str
    parent: _Draft | None
    ordinal: int  # the alinéa's place in the article, from 1; 0 for a table
    source_line: int | None
    text: str = ""
    marks: list[Mark] = field(default_factory=list[Mark])
    aliases: list[str] = field(default_factory=list[str])
    tags: dict[str, str] = field(default_factory=dict[str, str])
    children: list[_Draft] = field(default_factory=list["_Draft"])


@dataclass(slots=True)
class _Open:
    """An open numbered paragraph. `parent` is where its siblings go, `unit` what their URNs continue."""

    draft: _Draft
    token: Token
    parent: _Draft
    unit: _Draft
    listed: dict[str, _Draft]  # the items of its list by segment


def article_nodes(root: ParsedNode, lines: Sequence[Line], warnings: list[str]) -> list[ParsedNode]:
    """The article and everything below it, in order.

    Args:
        root: the article, without text; its dates are those of all nodes, its URN begins all others.
        lines: its alinéas and tables.
        warnings: what is odd is appended here with the URN it concerns.
    """
    top = _Draft(root.urn, root.number, root.level, root.structure_type, None, 1, root.line)
    _Outline(top, lines, warnings).run()
    _lift_first_line(top)
    return list(_nodes(top, root, root.parent_urn))


class _Outline:
    """Places the lines of one article, first to last."""

    def __init__(self, top: _Draft, lines: Sequence[Line], warnings: list[str]) -> None:
        self.top = top
        self.lines = lines
        self.warnings = warnings
        self.stack: list[_Open] = []
        self.urns: dict[str, _Draft] = {top.urn: top}
        self.previous: _Draft | None = None  # the line before, where it may lead in what comes
        self.previous_text = ""
        self.dashes: _Draft | None = None  # the parent of the dashes that are running
        self.tables: _Draft | None = None
        self.table_count = 0
        self.ordinal = 0
        self.readings = [() if line.table else tokens_at(line.text) for line in lines]
        self.last_seen = {
            (token.style, token.first or token.value[0]): at for at, one in enumerate(self.readings) for token in one
        }
        # For each line the next one that may carry a designator.
        self.ahead = [len(lines)] * len(lines)
        following = len(lines)
        for at in range(len(lines) - 1, -1, -1):
            self.ahead[at] = following
            if self.readings[at]:
                following = at

    def run(self) -> None:
        for at, line in enumerate(self.lines):
            if line.table:
                self._table(line)
                continue
            self.tables = None
            self.ordinal += 1
            token = self._choose(self.readings[at], at)
            if token is not None:
                self.dashes = None
                self._numbered(line, at, token)
            elif is_dash(line.text):
                self._dash(line, at)
            else:
                self.dashes = None
                self._plain(line, at)
            self.previous_text = line.text

    # Which reading of a designator holds

    def _entry(self, token: Token) -> int | None:
        """The place in the stack of the list that this token continues."""
        for place in range(len(self.stack) - 1, -1, -1):
            known = self.stack[place].token
            if known.style == token.style and token.value > known.value:
                return place
        return None

    def _next_in_line(self, token: Token) -> bool:
        place = self._entry(token)
        if place is None:
            return False
        known = self.stack[place].token.value
        first = token.first or token.value[0]
        return first == known[0] + 1 or (token.value[0] == known[0] and token.value > known)

    def _choose(self, readings: Sequence[Token], at: int) -> Token | None:
        exact = next((reading for reading in readings if self._next_in_line(reading)), None)
        if exact is not None:
            return exact
        starting = [reading for reading in readings if reading.starts and (reading.sure or self._answered(reading, at))]
        if starting:
            return starting[0]
        # A designator out of sequence (its neighbours may be repealed) counts where nothing else is written so.
        return next((reading for reading in readings if reading.sure), None)

    def _answered(self, token: Token, at: int) -> bool:
        return self.last_seen.get((token.style, 2), -1) > at

    # Lines with a designator

    def _numbered(self, line: Line, at: int, token: Token) -> None:
        lead = self.previous if self.previous is not None and self.previous.level == "alinéa" else None
        announced = announces(self.previous_text) and self.previous is not None
        draft = self._open(line, token, lead, announced=announced)
        end = token.end
        while True:
            # Several levels in one line: "I.-A.-", "II. - 1° a)". Only the first of a list opens below.
            inner = [token for token in tokens_at(line.text, end) if token.starts and token.sure]
            inner = [one for one in inner if RANKS[one.style] > RANKS[token.style]]
            if not inner:
                break
            token, end = inner[0], inner[0].end
            draft = self._open(line, token, None, announced=True)
        self._fill(draft, line, end)
        self._count(draft)
        self.previous = draft

    def _open(self, line: Line, token: Token, lead: _Draft | None, *, announced: bool) -> _Draft:
        place = self._entry(token)
        restart = token.starts and (announced or lead is not None) and len(self.stack) < MAX_NESTING
        same = [number for number, one in enumerate(self.stack) if one.token.style == token.style]
        if place is None and same and not restart:
            place = same[-1]  # out of order: a sibling all the same
        if place is not None:
            entry = self.stack[place]
            del self.stack[place:]
            return self._push(line, token, entry.parent, entry.unit, entry.listed)
        if not announced or lead is not None:
            while self.stack and RANKS[self.stack[-1].token.style] >= RANKS[token.style]:
                self.stack.pop()
        unit = self.stack[-1].draft if self.stack else self.top
        parent = lead if lead is not None and self._within(lead, unit) else unit
        return self._push(line, token, parent, unit, {})

    @staticmethod
    def _within(lead: _Draft, unit: _Draft) -> bool:
        return lead.parent is unit and unit.children[-1:] == [lead]

    def _push(self, line: Line, token: Token, parent: _Draft, unit: _Draft, listed: dict[str, _Draft]) -> _Draft:
        key = segment(plain_letters(token.number).lower().replace(" ", "-"))
        number, urn = token.number, f"{unit.urn}:{key}"
        through = f"{parent.urn}:{key}"
        aliases = [through] if parent is not unit else []
        known = self.urns.get(urn)
        tags: dict[str, str] = {}
        elsewhere = known is not None and known.parent is not parent
        if known is not None and elsewhere and parent is not unit and through not in self.urns:
            urn, aliases = through, []
            known.tags["ambiguous"] = tags["ambiguous"] = "true"
            self.warnings.append(f"{urn}: a second list of its unit; the designator alone is ambiguous there")
        count = 1
        while urn in self.urns:
            count += 1
            urn, number = f"{unit.urn}:{key}~{count}", f"{token.number}~{count}"
        if count > 1:
            self.warnings.append(f"{urn}: the designator occurs {count} times at this place")
            if known is not None:
                known.tags["ambiguous"] = tags["ambiguous"] = "true"
        draft = _Draft(urn, number, "point", "PARAGRAPH", parent, self.ordinal, line.number, aliases=aliases, tags=tags)
        if token.first and count == 1:
            draft.aliases += [f"{unit.urn}:{part.lower()}" for part in token.number.split("-")]
        self._add(draft)
        listed[key] = draft
        self.stack.append(_Open(draft, token, parent, unit, listed))
        return draft

    # Lines without one

    def _plain(self, line: Line, at: int) -> None:
        unit = self._unit(line, at)
        self._alinea(line, unit, unit)

    def _dash(self, line: Line, at: int) -> None:
        if self.dashes is None:
            announced = self.previous is not None and announces(self.previous_text)
            self.dashes = self.previous if announced and self.previous is not None else self._unit(line, at)
        held = self.previous
        self._alinea(line, self._innermost(self.dashes), self.dashes)
        # A list never hangs on a dash: what the dashes hang on is what leads it in.
        self.previous = held if held is not None and held.level != "alinéa" else None

    def _innermost(self, draft: _Draft) -> _Draft:
        """The numbered paragraph (or article) that a draft is in, itself included."""
        current: _Draft = draft
        while current.level == "alinéa" and current.parent is not None:
            current = current.parent
        return current

    def _alinea(self, line: Line, unit: _Draft, parent: _Draft) -> None:
        number = f"al.{self.ordinal - unit.ordinal + 1}"
        draft = _Draft(f"{unit.urn}:{number}", number, "alinéa", "PARAGRAPH", parent, self.ordinal, line.number)
        self._add(draft)
        self._fill(draft, line, 0)
        self._count(draft)
        self.previous = draft

    def _unit(self, line: Line, at: int) -> _Draft:
        """Where a line without designator belongs, decided by what comes next; closes what it is not part of."""
        place = self._continued(at)
        if place is None:
            mid = bool(self.previous_text) and line.text[:1].islower() and self.previous_text[-1:] not in '.:;»"”)'
            place = len(self.stack) - 1 if mid else self._last_heading()
        del self.stack[place + 1 :]
        return self.stack[-1].draft if self.stack else self.top

    def _continued(self, at: int) -> int | None:
        """The place in the stack of the item whose list goes on after this line."""
        following = self.ahead[at]
        if following == len(self.lines):
            return None
        readings = self.readings[following]
        chosen = [reading for reading in readings if self._next_in_line(reading)]
        # Sure designators go on with their list over a gap too: its missing items may be repealed.
        chosen += [
            reading for reading in readings if reading.sure and not reading.starts and self._entry(reading) is not None
        ]
        return self._entry(chosen[0]) if chosen else None

    def _last_heading(self) -> int:
        """Roman numerals and capitals head all that follows; a list of numbers ends with its last item."""
        heads = [place for place, one in enumerate(self.stack) if RANKS[one.token.style] <= RANKS["A"]]
        return heads[-1] if heads else -1

    def _table(self, line: Line) -> None:
        parent = self.tables or self.previous or self.top
        self.table_count += 1
        number = f"tab.{self.table_count}"
        draft = _Draft(f"{self.top.urn}:{number}", number, "tableau", "TABLE", parent, 0, line.number)
        self._add(draft)
        self._fill(draft, line, 0)
        self.tables = parent

    # Common

    def _add(self, draft: _Draft) -> None:
        if draft.parent is not None:
            draft.parent.children.append(draft)
        self.urns[draft.urn] = draft

    @staticmethod
    def _fill(draft: _Draft, line: Line, start: int) -> None:
        draft.text = line.text[start:]
        if is_repealed_stub(draft.text):
            draft.tags["status"] = "repealed"
        kept = [replace(mark, start=max(mark.start, start) - start, end=mark.end - start) for mark in line.marks]
        draft.marks = [mark for mark in kept if mark.end > mark.start]

    def _count(self, draft: _Draft) -> None:
        """Alinéa aliases: the line's place in every unit around it."""
        unit: _Draft | None = draft
        while unit is not None:
            if unit.level != "alinéa":
                alias = f"{unit.urn}:al.{self.ordinal - unit.ordinal + 1}"
                if alias != draft.urn:
                    draft.aliases.append(alias)
            unit = unit.parent


def _lift_first_line(top: _Draft) -> None:
    """The first line is the article's own text where it is all of it or leads in a list or table."""
    if not top.children or top.children[0].level != "alinéa":
        return
    first, *others = top.children
    if first.children or not others:
        top.text, top.marks = first.text, first.marks
        top.aliases = [first.urn, *first.aliases]
        top.tags = first.tags
        for child in first.children:
            child.parent = top
        top.children = [*first.children, *others]


def _nodes(draft: _Draft, article: ParsedNode, parent_urn: str | None) -> Iterator[ParsedNode]:
    root = draft.urn == article.urn
    yield ParsedNode(
        urn=draft.urn,
        parent_urn=parent_urn,
        structure_type=draft.structure_type,
        level=draft.level,
        number=draft.number,
        heading=article.heading if root else "",
        intro_text=draft.text if draft.children else "",
        content_text="" if draft.children else draft.text,
        kind=article.kind,
        tags={**article.tags, **draft.tags} if root else dict(draft.tags),
        aliases=[*article.aliases, *draft.aliases] if root else draft.aliases,
        valid_from=article.valid_from,
        valid_to=article.valid_to,
        marks=draft.marks,
        line=draft.source_line,
    )
    for child in draft.children:
        yield from _nodes(child, article, draft.urn)


SHINGLE = 4  # words; two texts of one number are versions where they share enough runs of this length
_SHARED_OF_BOTH = 0.5  # of all runs of the two texts
_SHARED_OF_SHORTER = 0.5  # of the shorter text's runs, for neighbours: an article that was reworded
_NAMED = 12  # URNs listed in one warning


class Change(NamedTuple):
    """What a note on an article says made or changed it."""

    kind: str  # of edge
    words: str
    identifier: str  # the LEGI id of the act, or of its article
    day: date | None  # of effect


# What LEGI calls the links of an article: (type, direction) -> kind of edge. `cible` is what was done to the article,
# `source` what it did; the types are verbs of the act that did it in both.
_CHANGES = {
    ("CREE", "cible"): "created_by", ("CREATION", "cible"): "created_by", ("MODIFIE", "cible"): "amended_by",
    ("MODIFICATION", "source"): "amended_by", ("ABROGE", "cible"): "repealed_by",
    ("ABROGATION", "source"): "repealed_by", ("PERIME", "cible"): "repealed_by",
    ("TRANSFERE", "cible"): "renumbered_by", ("DEPLACE", "cible"): "renumbered_by",
    ("CODIFICATION", "source"): "codifies", ("CODIFIE", "cible"): "codified_by",
    ("CITATION", "source"): "cites", ("MODIFIE", "source"): "amends", ("ABROGE", "source"): "repeals",
    ("CREE", "source"): "creates",
}  # fmt: skip


def change_of(type_: str, direction: str, words: str, identifier: str, day: date | None) -> Change | None:
    """A link of LEGI as a change; None for one of a kind that says nothing of the article's history."""
    kind = _CHANGES.get((type_.upper(), direction.lower()))
    return Change(kind, words, identifier, day) if kind and words else None


@dataclass(slots=True)
class Article:
    """One printed text of an article. `line` is the source's, where it has lines."""

    number: str
    lines: list[Line]
    valid_from: date | None = None
    valid_to: date | None = None
    tags: dict[str, str] = field(default_factory=dict[str, str])
    aliases: list[str] = field(default_factory=list[str])
    nota: list[Line] = field(default_factory=list[Line])
    history: list[Change] = field(default_factory=list["Change"])
    line: int | None = None
    urn: str = ""
    parent: ParsedNode | None = None
    versions: list[Article] = field(default_factory=list["Article"])  # further versions of the same URN

    @property
    def words(self) -> str:
        """Its text in one line."""
        return " ".join(line.text for line in self.lines)


class LawTree:
    """Collects a law's containers and articles in document order; `nodes` decides the doubles and gives all nodes."""

    def __init__(self, law: Law, *, source: str) -> None:
        self.law = law
        self.source = source
        self.warnings: list[str] = []
        self.links: list[Link] = []
        level = "code" if "code" in law.tags else law.tags.get("nature", "loi").lower()
        # A law or decree is cited as a whole by its number, so that its root is a legislation node; a code is not.
        kind = "legislation" if "number" in law.tags else "section"
        self.root = ParsedNode(law.urn, None, "ROOT", level, heading=law.title, kind=kind, tags=dict(law.tags))
        self._entries: list[ParsedNode | Article] = []
        self._urns = {law.urn}
        self._first: dict[str, ParsedNode] = {}
        self._doubles: list[str] = []
        self._numbers: set[str] = set()

    def container(
        self,
        parent: ParsedNode,
        printed: str,
        *,
        valid_from: date | None = None,
        valid_to: date | None = None,
        aliases: Sequence[str] = (),
        tags: dict[str, str] | None = None,
        line: int | None = None,
    ) -> ParsedNode:
        """Open a container below `parent` and return its node."""
        heading = container_heading(printed)
        base = f"{parent.urn}:{heading.segment}"
        urn, number, count = base, heading.number, 1
        while urn in self._urns:
            count += 1
            urn, number = f"{base}~{count}", f"{heading.number}~{count}"
        node = ParsedNode(
            urn, parent.urn, heading.structure_type, heading.level, number, heading.title, kind="section",
            tags=tags or {}, aliases=list(aliases), valid_from=valid_from, valid_to=valid_to, line=line,
        )  # fmt: skip
        first = self._first.setdefault(base, node)
        if first is not node:
            first.tags["ambiguous"] = node.tags["ambiguous"] = "true"
            self._doubles.append(urn)
        self._urns.add(urn)
        self._entries.append(node)
        return node

    def article(self, parent: ParsedNode, article: Article) -> None:
        """Add an article below `parent`.

        Raises:
            IngestError: its number has nothing to cite it by.
        """
        article.parent = parent
        article.number = article_number(article.number)
        try:
            article.urn = f"{self.law.urn}:{article_segment(article.number)}"
        except InputError as error:
            raise IngestError(error.message, file=self.source, line=article.line) from None
        self._entries.append(article)

    def nodes(self) -> list[ParsedNode]:
        """All nodes in document order; call once, at the end."""
        kept = self._decide()
        out = [self.root]
        for entry in self._entries:
            if isinstance(entry, ParsedNode):
                out.append(entry)
            elif id(entry) in kept:
                for version in sorted((entry, *entry.versions), key=_start):
                    out.extend(self._article_nodes(entry, version))
        self._mark_empty(out)
        self.warn_of("container headings share kind and number with another one below the same heading", self._doubles)
        return out

    def warn_of(self, what: str, urns: Sequence[str]) -> None:
        """One warning for many nodes, with the first of them by name and the count of all."""
        if urns:
            more = f" and {len(urns) - _NAMED} more" if len(urns) > _NAMED else ""
            self.warnings.append(f"{len(urns)} {what}: {', '.join(urns[:_NAMED])}{more}")

    def _decide(self) -> set[int]:
        """Which articles are on their own (by identity); what else shares a number becomes a version or is left."""
        groups: dict[str, list[tuple[int, Article]]] = {}
        for place, entry in enumerate(self._entries):
            if isinstance(entry, Article):
                groups.setdefault(entry.urn, []).append((place, entry))
        self._numbers = set(groups)
        kept: set[int] = set()
        earlier: list[str] = []
        repeated: list[str] = []
        ambiguous: list[str] = []
        for urn, group in groups.items():
            slots = self._slots(group, earlier, repeated) if len(group) > 1 else [group[0][1]]
            for count, article in enumerate(slots, start=1):
                if len(slots) > 1:
                    article.tags["ambiguous"] = "true"
                if count > 1:
                    article.urn = f"{urn}~{count}"
                    ambiguous.append(article.urn)
                for version in article.versions:
                    version.tags.update({"ambiguous": "true"} if len(slots) > 1 else {})
                kept.add(id(article))
        self.warn_of("earlier texts of an article printed beside the present one are left out", earlier)
        self.warn_of("articles are printed twice in the same words and kept once", repeated)
        self.warn_of("articles share their number with another text in force: both are kept as ambiguous", ambiguous)
        return kept

    def _slots(self, group: list[tuple[int, Article]], earlier: list[str], repeated: list[str]) -> list[Article]:
        """The articles of one number that stay side by side, each with the versions before and after it."""
        slots: list[Article] = []
        places: dict[int, int] = {}
        for place, article in group:
            for index, other in enumerate(slots):
                if all(_disjoint(article, version) for version in (other, *other.versions)):
                    other.versions.append(article)
                    break
                dates = (article.valid_from, article.valid_to)
                same = " ".join(article.words.split()) == " ".join(other.words.split())
                if not other.versions and dates == (other.valid_from, other.valid_to):
                    # Without dates to tell them apart the later one in the source is the present text (measured).
                    neighbours = place == places[id(other)] + 1
                    if same or (dates == (None, None) and _is_rewording(other, article, neighbours=neighbours)):
                        (repeated if same else earlier).append(article.urn)
                        slots[index] = article
                        break
            else:
                slots.append(article)
            places[id(article)] = place
        return slots

    def _article_nodes(self, first: Article, article: Article) -> Iterator[ParsedNode]:
        parent = first.parent or self.root
        number, _, double = first.urn.removeprefix(f"{self.law.urn}:").partition("~")
        annex = number.startswith("annexe")
        tags = {"article_number": article.number, **self.law.article_tags, **article.tags}
        root = ParsedNode(
            first.urn, parent.urn, "APPENDIX" if annex else "ARTICLE", "annexe" if annex else "article",
            f"{article.number}~{double}" if double else article.number, tags=tags, aliases=list(article.aliases),
            valid_from=article.valid_from, valid_to=article.valid_to, line=article.line,
        )  # fmt: skip
        # People write "article 1er" and "article 1" for the same article, whichever of them is printed.
        other = {"1er": "1", "1": "1er"}.get(number, "")
        if other and f"{self.law.urn}:{other}" not in self._numbers and not double:
            root.aliases.append(f"{self.law.urn}:{other}")
        if is_repealed_stub(article.words):
            root.tags["status"] = "repealed"
        for change in article.history:
            link = history.made(root.urn, change.kind, change.words, day=change.day)
            link.properties |= {"id": legi_aliases(change.identifier)[0]} if change.identifier else {}
            self.links.append(link)
        nodes = article_nodes(root, article.lines, self.warnings)
        yield from nodes
        if article.nota:
            text, marks = join_lines(article.nota)
            yield ParsedNode(
                f"{first.urn}:nota", first.urn, "NOTE", "nota", "nota", content_text=text, kind="notice",
                valid_from=article.valid_from, valid_to=article.valid_to, marks=marks, line=article.line,
            )  # fmt: skip

    def _mark_empty(self, nodes: Sequence[ParsedNode]) -> None:
        parents = {node.urn: node.parent_urn for node in nodes if node.kind == "section"}
        filled: set[str] = set()
        for node in nodes:
            if node.kind == "section" and not node.text:
                continue
            current: str | None = node.parent_urn if node.kind != "section" else node.urn
            while current is not None and current in parents and current not in filled:
                filled.add(current)
                current = parents[current]
        empty = [node for node in nodes if node.urn in parents and node.urn not in filled and node is not self.root]
        for node in empty:
            node.tags["empty"] = "true"
        self.warn_of("container headings have no article below them", [node.urn for node in empty])


def join_lines(lines: Sequence[Line]) -> tuple[str, list[Mark]]:
    """Lines as one text with a line break between them, and their marks at their new places."""
    text, marks = "", list[Mark]()
    for line in lines:
        text += "\n" if text else ""
        marks += [Mark(mark.start + len(text), mark.end + len(text), mark.kind, mark.target) for mark in line.marks]
        text += line.text
    return text, marks


def _start(article: Article) -> date:
    return article.valid_from or date.min


def _disjoint(one: Article, other: Article) -> bool:
    return (one.valid_to is not None and one.valid_to <= (other.valid_from or date.min)) or (
        other.valid_to is not None and other.valid_to <= (one.valid_from or date.min)
    )


def _is_rewording(one: Article, other: Article, *, neighbours: bool) -> bool:
    """Whether two texts of one number are versions of one provision and not two provisions."""
    first, second = _shingles(one.words), _shingles(other.words)
    shared = (first & second).total()
    if not shared:
        return False
    if shared / (first | second).total() >= _SHARED_OF_BOTH:
        return True
    return neighbours and shared / min(first.total(), second.total()) >= _SHARED_OF_SHORTER


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return Counter(tuple(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1)))
