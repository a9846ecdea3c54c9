"""What must hold between the lines of a native file: one tree, in document order, every address used once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import NoReturn

from rag.ingest.formats.lexjsonl_schema import NodeLine
from retrieval.errors import IngestError, InputError
from retrieval.paths import child_path, root_path

Rows = Sequence[tuple[int, NodeLine]]


def check_tree(corpus_urn: str, rows: Rows) -> None:
    """Check a document's lines against each other.

    Args:
        corpus_urn: the prefix that the header declares.
        rows: line numbers and lines in the order of the file.

    Raises:
        IngestError: with the line and the cause, without a file.
    """
    if not rows:
        _refuse(1, "is the only line; a document has at least its root node")
    _check_prefixes(corpus_urn, rows)
    outline = _Outline(corpus_urn, rows)
    for line, node in rows:
        outline.add(line, node)
    _check_versions(rows)
    _check_scopes(rows)


def _refuse(line: int, cause: str) -> NoReturn:
    raise IngestError(cause, line=line)


def _check_prefixes(corpus_urn: str, rows: Rows) -> None:
    for line, node in rows:
        if node.urn != corpus_urn and not node.urn.startswith(f"{corpus_urn}:"):
            _refuse(line, 'field "urn" must begin with the URN of the corpus in the header, spelled the same way')


class _Outline:
    """Walks the lines in order and keeps the nodes from the root to the current one open."""

    def __init__(self, corpus_urn: str, rows: Rows) -> None:
        self.corpus_urn = corpus_urn
        self.root = rows[0][1].urn
        self.first_lines: dict[str, int] = {}
        self.parents: dict[str, str | None] = {}
        for line, node in rows:
            self.first_lines.setdefault(node.urn, line)
            self.parents.setdefault(node.urn, node.parent_urn)
        self.open_nodes: list[tuple[str, str]] = []  # URN and citation path
        self.owners: dict[str, tuple[str, int]] = {}  # citation path -> URN and line that took it

    def add(self, line: int, node: NodeLine) -> None:
        """Put the node directly within its parent's subtree and give it a citation path of its own."""
        if node.urn == self.root:
            self._check_root(line, node)
            self.open_nodes.clear()
        else:
            self._close_up_to(line, self._parent(line, node))
        if node.urn != self.corpus_urn and not node.resolved_number.strip():
            _refuse(line, 'field "number" must not be empty; leave it out to take the last part of the URN')
        try:
            path = self._path(node)
        except InputError as fault:
            _refuse(line, f"{fault.message} Shorten number and level, or nest less deeply.")
        owner, owner_line = self.owners.setdefault(path, (node.urn, line))
        if owner != node.urn:
            _refuse(
                line,
                f'fields "level" and "number" give the citation path of the node in line {owner_line}; siblings must'
                " differ in one of them",
            )
        self.open_nodes.append((node.urn, path))

    def _check_root(self, line: int, node: NodeLine) -> None:
        if node.urn == self.corpus_urn:
            if node.parent_urn is not None:
                _refuse(line, 'field "parent_urn" must be left out: this node is the corpus itself')
        elif node.parent_urn != self.corpus_urn:
            _refuse(line, 'field "parent_urn" of the first node, the document\'s root, must be the URN of the corpus')

    def _parent(self, line: int, node: NodeLine) -> str:
        parent = node.parent_urn
        beside_root = parent == self.corpus_urn and self.root != self.corpus_urn
        if parent is None or beside_root or node.structure_type == "ROOT":
            _refuse(line, "is a second root; a file is one document, so give it a parent or a file of its own")
        if parent not in self.first_lines:
            _refuse(line, 'field "parent_urn" names no node of this file; add the parent before this line')
        if self._lies_within(parent, node.urn):
            _refuse(line, 'field "parent_urn" makes a circle: the node would lie within itself')
        if self.first_lines[parent] > line:
            _refuse(line, f"stands before its parent in line {self.first_lines[parent]}; put it after its parent")
        return parent

    def _lies_within(self, urn: str, container: str) -> bool:
        seen: set[str] = set()
        current: str | None = urn
        while current is not None and current not in seen:
            if current == container:
                return True
            seen.add(current)
            current = self.parents.get(current)
        return False

    def _close_up_to(self, line: int, parent: str) -> None:
        while self.open_nodes and self.open_nodes[-1][0] != parent:
            self.open_nodes.pop()
        if not self.open_nodes:
            _refuse(
                line,
                f"stands apart from its parent in line {self.first_lines[parent]}; the nodes within a node follow it"
                " directly (depth first)",
            )

    def _path(self, node: NodeLine) -> str:
        if node.urn == self.corpus_urn:
            return root_path(self.corpus_urn)
        above = self.open_nodes[-1][1] if self.open_nodes else root_path(self.corpus_urn)
        return child_path(above, node.level, node.resolved_number)


def _check_versions(rows: Rows) -> None:
    versions: dict[str, list[tuple[date, date, int]]] = {}
    places: dict[str, tuple[str | None, str, str]] = {}
    for line, node in rows:
        place = (node.parent_urn, node.level, node.resolved_number)
        # A URN has one citation path, so a provision that moves needs a URN of its own.
        if places.setdefault(node.urn, place) != place:
            _refuse(
                line,
                f"has the URN of line {versions[node.urn][0][2]} at another place; versions of a node share"
                ' "parent_urn", "level" and "number" (a provision that moved gets a URN of its own)',
            )
        period = (node.valid_from or date.min, node.valid_to or date.max, line)
        versions.setdefault(node.urn, []).append(period)
    for periods in versions.values():
        periods.sort()
        for (_, end, line), (start, _, other) in pairwise(periods):
            if start < end:
                _refuse(
                    max(line, other),
                    f"has the URN of line {min(line, other)} and is in force on the same days; versions of a node must"
                    ' not overlap (set "valid_to" of the older to "valid_from" of the newer)',
                )


def _check_scopes(rows: Rows) -> None:
    known = {node.urn for _, node in rows}
    for line, node in rows:
        if any(definition.scope_urn not in known for definition in node.definitions):
            _refuse(line, 'field "definitions.scope_urn" names no node of this file; a scope lies within its document')
