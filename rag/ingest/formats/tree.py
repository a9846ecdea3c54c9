"""From what a format has read to nodes: one URN each, in order, and drafts that become nodes when all is placed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

from rag.ingest.formats.xml import Element
from rag.ingest.formats.xml_text import Rich, join, set_text
from rag.law.nodes import ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.paths import parse_urn, segment

# The structure types of what is below a citing unit, outermost first.
LEVELS_BELOW = ("SUBSECTION", "PARAGRAPH", "SUBPARAGRAPH", "CLAUSE", "ITEM")

_Item = TypeVar("_Item")


def split_body(items: Sequence[_Item | Rich]) -> tuple[Rich, list[_Item | Rich], Rich]:
    """What is in a level, in order, as its lead-in, its children with the words between them, its flush text.

    Without children all words are flush text, as a leaf has them.
    """
    children = [index for index, item in enumerate(items) if not isinstance(item, Rich)] or [0, -1]
    first, last = children[0], children[-1] + 1
    words = [[item for item in part if isinstance(item, Rich)] for part in (items[:first], items[last:])]
    return join(words[0]), list(items[first:last]), join(words[1])


class TreeBuilder:
    """Makes the nodes of one document.

    Attributes:
        nodes: made so far, in document order.
        warnings: what was odd, with file and line.
    """

    def __init__(self, file: str) -> None:
        self.nodes: list[ParsedNode] = []
        self.warnings: list[str] = []
        self._file = file
        self._seen: dict[str, ParsedNode] = {}
        self._given: Counter[str] = Counter()  # how often a URN was wanted again, or a kind of number given out
        self._also: list[tuple[str, ParsedNode]] = []  # further addresses, which hold where nothing else has them

    def _numbered(self, urn: str, kind: str) -> str:
        """The next number below a URN for what has none of its own: `p.1`, `p.2`."""
        self._given[f"{urn}:{kind}"] += 1
        return f"{kind}.{self._given[f'{urn}:{kind}']}"

    def _free(self, urn: str, at: Element | int | None) -> tuple[str, str]:
        """The URN, or one with `~2` and up where an earlier node has it; and that suffix."""
        suffix = ""
        while f"{urn}{suffix}" in self._seen:
            self._given[urn] += 1
            suffix = f"~{self._given[urn] + 1}"
        if suffix:
            first = self._seen[urn].line
            self._warn(f"a second {urn} (first at line {first}) is kept as {urn}{suffix}", at)
        return f"{urn}{suffix}", suffix

    def _append(self, node: ParsedNode) -> ParsedNode:
        """Take a node in.

        Raises:
            IngestError: its URN is malformed.
        """
        try:
            parse_urn(node.urn)
        except InputError as error:
            cause = f"the {node.level} {node.number[:40]!r} has no URN. {error.message}"
            raise self._error(cause, node.line) from None
        plain, again, _ = node.urn.rpartition("~")
        if again and ":" not in node.urn[len(plain) :]:
            node.tags["duplicate_of"] = plain
        self._seen[node.urn] = node
        self.nodes.append(node)
        return node

    def _settle(self) -> None:
        """Give nodes the further addresses that name no other node and are claimed by one only."""
        claims = Counter(urn for urn, _ in self._also)
        for urn, node in self._also:
            if claims[urn] == 1 and urn not in self._seen:
                node.aliases.append(urn)

    def _warn(self, message: str, at: Element | int | None) -> None:
        line = _line(at)
        self.warnings.append(f"{self._file}:{line}: {message}" if line else f"{self._file}: {message}")

    def _error(self, cause: str, at: Element | int | None) -> IngestError:
        return IngestError(cause, file=self._file, line=_line(at))


def _line(at: Element | int | None) -> int | None:
    return at if at is None or isinstance(at, int) else at.sourceline


@dataclass(slots=True)
class Draft:
    """A node being built: words before its first child and after its last one."""

    urn: str
    number: str
    structure_type: str
    level: str = "paragraph"
    heading: str = ""
    line: int | None = None
    before: list[Rich] = field(default_factory=list[Rich])
    after: list[Rich] = field(default_factory=list[Rich])
    children: list[Draft] = field(default_factory=list["Draft"])

    def numbered(self, prefix: str = "p") -> str:
        """The next number below this for what has none of its own."""
        return f"{prefix}.{sum(child.number.startswith(f'{prefix}.') for child in self.children) + 1}"

    def nodes(self, parent: str | None = None, valid_from: date | None = None) -> Iterator[ParsedNode]:
        """This and everything below it as nodes, in order."""
        lead, flush = join(self.before), join(self.after)
        if not self.children:
            lead, flush = Rich(), join((lead, flush))
        node = ParsedNode(
            self.urn, parent, self.structure_type, self.level, self.number, self.heading, valid_from=valid_from,
            line=self.line,
        )  # fmt: skip
        set_text(node, lead, flush)
        yield node
        for child in self.children:
            yield from child.nodes(self.urn, valid_from)


class NodesByParent(dict[str, ParsedNode]):
    """Nodes by URN, whatever their order, with what is below each of them."""

    def __init__(self) -> None:
        super().__init__()
        self._children: dict[str | None, list[ParsedNode]] = {}

    def add(self, node: ParsedNode) -> None:
        """Take a node in, behind those of the same parent."""
        self[node.urn] = node
        self._children.setdefault(node.parent_urn, []).append(node)

    def free(self, urn: str) -> tuple[str, int]:
        """The URN, or one with `~2` and up where nodes have it, and which of them that is."""
        count = 1
        while (free := f"{urn}~{count}" if count > 1 else urn) in self:
            count += 1
        return free, count

    def below(self, urn: str) -> Sequence[ParsedNode]:
        """The children of a node."""
        return self._children.get(urn, ())

    def in_order(self, urn: str) -> list[ParsedNode]:
        """A node and all below it, depth first."""
        out: list[ParsedNode] = []
        waiting = [self[urn]]
        while waiting:
            out.append(waiting.pop())
            waiting.extend(reversed(self.below(out[-1].urn)))
        return out


class DraftTree:
    """A section whose paragraphs are placed one by one.

    Args:
        root: the section's own draft; its URN prefixes all others.
        warnings: what is odd is appended here, with the URN it concerns.
    """

    def __init__(self, root: Draft, warnings: list[str]) -> None:
        self.root = root
        self.warnings = warnings
        self.path = [root]  # the open drafts, one a level
        self._urns = {root.urn}

    def child(self, parent: Draft, key: str, structure: str, level: str, line: int | None) -> Draft:
        """Append a draft below another; a designator used before at this place gets `~2` and up."""
        if parent.after:
            # Words that were between two children keep their place as a node of their own.
            words, parent.after = parent.after, []
            held = self.child(parent, parent.numbered(), "PARAGRAPH", "paragraph", line)
            held.before = words
            key = parent.numbered() if key == held.number else key
        number, count = key, 1
        while f"{parent.urn}:{segment(number)}" in self._urns:
            count += 1
            number = f"{key}~{count}"
        draft = Draft(f"{parent.urn}:{segment(number)}", number, structure, level, line=line)
        if count > 1:
            self.warnings.append(f"{draft.urn}: the designator {key} occurs {count} times at this place")
        self._urns.add(draft.urn)
        parent.children.append(draft)
        return draft
