"""A French law being put together: containers and articles in order, with what occurs twice decided at the end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from rag.ingest.formats.french.alineas import article_nodes
from rag.ingest.formats.french.lines import Line
from rag.jurisdictions.fr.naming import Law, article_number, article_segment, container_heading, is_repealed_stub
from rag.law.nodes import Mark, ParsedNode
from retrieval.errors import IngestError, InputError

SHINGLE = 4  # words; two texts of one number are versions where they share enough runs of this length
_SHARED_OF_BOTH = 0.5  # of all runs of the two texts
_SHARED_OF_SHORTER = 0.5  # of the shorter text's runs, for neighbours: an article that was reworded
_NAMED = 12  # URNs listed in one warning


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
        """Which articles stand on their own (by identity); what else shares a number becomes a version or is left."""
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
