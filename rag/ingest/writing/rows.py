"""From a parsed document to rows: paths, order, what is searched, and the hash that decides what changed.

An edition of a document is compared with the store: which versions stay, are redated, go or begin. That part is pure.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date

from rag.ingest.writing.editions import UNKNOWN_DAY, Dating, Days, History, Key, Showing, Shown, Span, merged
from rag.law.nodes import CITING_TYPES, KINDS, STRUCTURE_TYPES, ParsedDocument, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.model import Basis
from retrieval.paths import child_path, parse_urn, root_path

# A hit inside a longer section is answered with the paragraph around it, not with pages of the section.
RULE_CHARACTERS = 6000
# UTF-8 bytes of words that fit into a tsvector of a megabyte whatever they are: a node's own, and each of those around.
SEARCHED_BYTES, AROUND_BYTES = 200_000, 20_000
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(slots=True)
class NodeRow:
    """One version of one node, ready to be compared with what is stored."""

    node: ParsedNode
    path: str
    ordinal: int
    valid_from: date | None
    valid_to: date | None
    rule_urn: str
    search_heading: str
    search_titles: str  # headings between the node and its section
    search_leads: str  # lead-ins there
    search_body: str
    used_terms: list[int]
    source_hash: str
    search_hash: str
    from_basis: Basis = "unknown"
    to_basis: Basis = "unknown"
    uncertain: tuple[Days, ...] = ()


def term_id(normalised_term: str) -> int:
    """A 31-bit number for a term: the same everywhere, so that no dictionary has to be shared.

    Two terms with one number cost a superfluous fetch, never a wrong definition: readers compare the term too.
    """
    return zlib.crc32(normalised_term.encode()) & 0x7FFFFFFF


def build_rows(document: ParsedDocument, corpus_path: str | None) -> list[NodeRow]:
    """Rows of a document, in document order.

    Args:
        corpus_path: citation path of the corpus's root node, where that is not this document's own root.

    Raises:
        IngestError: a URN outside the corpus, a parent that does not precede its child, two nodes with one
            citation path, a path the store cannot index, an unknown kind or structure type, or text that is no text.
    """
    for node in document.nodes:
        _refuse_unstorable(document, node)
    paths: dict[str, str] = {}
    taken: dict[str, str] = {}
    counters: dict[str, int] = {}
    ordinals: dict[str, int] = {}
    for node in document.nodes:
        if node.urn in paths:
            continue  # a further version of a node already placed
        paths[node.urn] = _place(document, node, paths, corpus_path)
        other = taken.setdefault(paths[node.urn], node.urn)
        if other != node.urn:
            raise IngestError(f"{node.urn} and {other} have one citation path", file=document.source, line=node.line)
        parent = node.parent_urn or ""
        ordinals[node.urn] = counters.get(parent, 0)
        counters[parent] = ordinals[node.urn] + 1
    parents = {node.urn: node for node in document.nodes}
    sizes = _subtree_sizes(document.nodes)
    return [_row(document, node, paths[node.urn], ordinals[node.urn], parents, sizes) for node in document.nodes]


def _refuse_unstorable(document: ParsedDocument, node: ParsedNode) -> None:
    for name, value, known in (("kind", node.kind, KINDS), ("structure type", node.structure_type, STRUCTURE_TYPES)):
        if value not in known:
            cause = f"node {node.urn[:200]}: its {name} is none of {', '.join(known)}"
            raise IngestError(cause, file=document.source, line=node.line)
    words = "\n".join((node.heading, node.intro_text, node.content_text, node.number, *node.aliases, *node.tags,
                       *node.tags.values()))  # fmt: skip
    # PostgreSQL keeps neither, and would answer with an error that names no node.
    if _UNSTORABLE.search(words):
        cause = f"node {node.urn[:200]}: its text has a NUL or half of a surrogate pair"
        raise IngestError(cause, file=document.source, line=node.line)


def _place(document: ParsedDocument, node: ParsedNode, paths: dict[str, str], corpus_path: str | None) -> str:
    try:
        urn = parse_urn(node.urn)
        if urn.text != node.urn or not f"{node.urn}:".startswith(f"{document.corpus.urn}:"):
            raise InputError(f"its URN is not one of the corpus {document.corpus.urn}")
        if node.parent_urn is None:
            if node.urn != document.corpus.urn:
                raise InputError("it has no parent and is not the corpus's root")
            return root_path(node.urn)
        parent = corpus_path if node.parent_urn == document.corpus.urn and corpus_path else paths.get(node.parent_urn)
        if parent is None:
            raise InputError(f"its parent {node.parent_urn} does not stand before it")
        return child_path(parent, node.level, node.number or urn.segments[-1])
    except InputError as error:
        raise IngestError(f"node {node.urn[:200]}: {error.message}", file=document.source, line=node.line) from None


def _subtree_sizes(nodes: list[ParsedNode]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for node in reversed(nodes):
        sizes[node.urn] = sizes.get(node.urn, 0) + len(node.text) + len(node.heading)
        if node.parent_urn is not None:
            sizes[node.parent_urn] = sizes.get(node.parent_urn, 0) + sizes[node.urn]
    return sizes


def _row(
    document: ParsedDocument,
    node: ParsedNode,
    path: str,
    ordinal: int,
    parents: dict[str, ParsedNode],
    sizes: dict[str, int],
) -> NodeRow:
    chain = _up_to_citing_unit(node, parents)
    rule = next((ancestor for ancestor in chain if sizes[ancestor.urn] <= RULE_CHARACTERS), node)
    # Of a plain document its chunks are found, under its title, and never the document among them.
    searched = node.kind != "section" and not (node is document.nodes[0] and _has_chunks(document))
    above = [ancestor for ancestor in chain if ancestor is not node]
    titled = [*above, document.nodes[0]] if node.kind == "chunk" else above
    titles = " ".join(ancestor.heading for ancestor in titled if ancestor.heading)
    leads = " ".join(ancestor.intro_text for ancestor in above if ancestor.intro_text)
    search = (node.heading, titles, leads, node.text) if searched else ("", "", "", "")
    around = [node.kind, node.structure_type, node.level, node.number, sorted(node.tags.items()), sorted(node.aliases)]
    return NodeRow(
        node=node,
        path=path,
        ordinal=ordinal,
        valid_from=node.valid_from,
        valid_to=node.valid_to,
        rule_urn=rule.urn,
        search_heading=search[0],
        search_titles=search[1],
        search_leads=search[2],
        search_body=search[3],
        used_terms=sorted({term_id(term) for term in document.used_terms.get(node.urn, [])}),
        source_hash=words_hash(node, document.corpus.language),
        search_hash=hashlib.md5(json.dumps([search, around]).encode(), usedforsecurity=False).hexdigest(),
    )


def words_hash(node: ParsedNode, language: str) -> str:
    """SHA-256 of a node's words, which tells its versions apart."""
    words = [node.heading, node.intro_text, node.content_text, language]
    return hashlib.sha256(json.dumps(words, ensure_ascii=False).encode()).hexdigest()


def _has_chunks(document: ParsedDocument) -> bool:
    return len(document.nodes) > 1 and document.nodes[1].kind == "chunk"


def fitting_the_index(row: NodeRow) -> NodeRow:
    """The row with no more words to be searched than the server can index; the text itself stays whole.

    `search_hash` stays that of all the words, so that an unchanged node is known again.
    """
    return replace(
        row,
        search_heading=_beginning(row.search_heading, AROUND_BYTES),
        search_titles=_beginning(row.search_titles, AROUND_BYTES),
        search_leads=_beginning(row.search_leads, AROUND_BYTES),
        search_body=_beginning(row.search_body, SEARCHED_BYTES),
    )


def _beginning(text: str, limit: int) -> str:
    """What of a text fits into so many bytes, cut at a space where it has one."""
    data = text.encode()
    if len(data) <= limit:
        return text
    cut = data[:limit].decode(errors="ignore")
    return cut.rpartition(" ")[0] or cut


def _up_to_citing_unit(node: ParsedNode, parents: dict[str, ParsedNode]) -> list[ParsedNode]:
    """The node's ancestors from its section or article down to itself; only itself where it lies in none."""
    chain = [node]
    while chain[-1].structure_type not in CITING_TYPES:
        parent = parents.get(chain[-1].parent_urn or "")
        if parent is None or parent.kind == "section":
            return [node]
        chain.append(parent)
    return chain[::-1]


@dataclass(slots=True)
class StoredVersion:
    """A stored version, as far as a comparison needs it."""

    id: int
    node_id: int
    urn: str
    valid_from: date | None
    valid_to: date | None
    source_hash: str
    search_hash: str
    path: str
    ordinal: int
    ancestor_ids: list[int]
    rule_id: int
    used_terms: list[int]
    kind: str = ""
    subtree_ids: list[int] = field(default_factory=list[int])
    line_terms: list[int] | None = None
    scope_ids: list[int] | None = None
    context_ids: list[int] | None = None


@dataclass(slots=True)
class VersionPlan:
    """What to write. Rows carry their validity in `valid_from` and `valid_to`.

    `kept` pairs rows of the edition with the versions that hold their words, where no later edition shows these too;
    `redated` are other versions whose validity changes; `copied` are stored words that hold once more, at another time.
    """

    new: list[NodeRow] = field(default_factory=list[NodeRow])
    kept: list[tuple[NodeRow, StoredVersion]] = field(default_factory=list[tuple[NodeRow, StoredVersion]])
    redated: list[tuple[StoredVersion, Span]] = field(default_factory=list[tuple[StoredVersion, Span]])
    copied: list[tuple[StoredVersion, Span]] = field(default_factory=list[tuple[StoredVersion, Span]])
    deleted: list[StoredVersion] = field(default_factory=list[StoredVersion])
    used_terms: list[tuple[StoredVersion, list[int]]] = field(default_factory=list[tuple[StoredVersion, list[int]]])
    unplaced: list[str] = field(default_factory=list[str])  # URNs with words of which nothing says when they began
    missing: list[str] = field(default_factory=list[str])  # URNs with words in force that only an edition's file has
    following: Key | None = None  # the edition after this one
    timelines: dict[str, list[Span]] = field(default_factory=dict[str, list[Span]])  # empty for a first edition
    changed: list[str] = field(default_factory=list[str])  # URNs whose history changed

    def rewritten(self) -> list[str]:
        """URNs with stored words that are in force on no day any more."""
        said = {(urn, span.source_hash) for urn, spans in self.timelines.items() for span in spans}
        return [version.urn for version in self.deleted if (version.urn, version.source_hash) not in said]


def shown_by_urn(rows: list[NodeRow]) -> dict[str, Shown]:
    """What the edition of these rows shows of each node."""
    found: dict[str, list[Showing]] = {}
    for row in rows:
        found.setdefault(row.node.urn, []).append(Showing(row.source_hash, row.valid_from, row.valid_to))
    return {urn: merged(showings) for urn, showings in found.items()}


def plan_versions(
    rows: list[NodeRow], stored: list[StoredVersion], history: History, key: Key, dating: Dating
) -> VersionPlan:
    """Put an edition into its document's history, and compare what is then in force with the store.

    Args:
        rows: all rows of the edition.
        stored: all stored versions of the document.
        history: what the editions in the store show; this one is added to it.
        key: the edition's. One with the same key gives way: its file or its parser was corrected.
    """
    plan = VersionPlan()
    plan.following, plan.changed = history.add(key, dating, shown_by_urn(rows))
    known: dict[str, list[StoredVersion]] = {}
    for version in stored:
        known.setdefault(version.urn, []).append(version)
    given = {(row.node.urn, row.source_hash): row for row in rows}
    is_first = not stored and len(history.editions) == 1
    for urn in dict.fromkeys([*(row.node.urn for row in rows), *known, *plan.changed]):
        row = _only_row(given, urn, history) if is_first else None
        if row is not None:
            plan.new.append(_told(row, UNKNOWN_DAY if dating == "nodes" else key.day))
        else:
            _plan_node(plan, urn, known.get(urn, []), given, history, key)
    return plan


def _only_row(given: dict[tuple[str, str], NodeRow], urn: str, history: History) -> NodeRow | None:
    """The row of a node that the first edition shows once, with dates that stand for themselves.

    Its timeline is that row, so that most nodes of a new document need not be compared with anything.
    """
    shown = history.steps[urn][0].shown
    row = given.get((urn, shown[0].source_hash)) if len(shown) == 1 else None
    if row is None or (row.valid_from, row.valid_to) != (shown[0].valid_from, shown[0].valid_to):
        return None
    return None if row.valid_from == UNKNOWN_DAY or row.valid_to == date.max else row


def _told(row: NodeRow, day: date) -> NodeRow:
    """A row that is all of its node's timeline, with what its bounds rest on."""
    if row.valid_from is not None:
        row.from_basis = "stated"
    elif day > UNKNOWN_DAY and (row.valid_to is None or day < row.valid_to):
        row.uncertain = ((None, day),)
    elif day > UNKNOWN_DAY:
        row.uncertain = ((None, row.valid_to),)
    row.to_basis = "unknown" if row.valid_to is None else "stated"
    return row


def _plan_node(
    plan: VersionPlan,
    urn: str,
    known: list[StoredVersion],
    given: dict[tuple[str, str], NodeRow],
    history: History,
    key: Key,
) -> None:
    spans = plan.timelines[urn] = history.timeline(urn)
    pairs = list(_matched(spans, known))
    kept = {version.id: version for _, version in pairs if version is not None}
    plan.deleted.extend(version for version in known if version.id not in kept)
    for span, version in pairs:
        row = given.get((urn, span.source_hash))
        origin = next((version for version in kept.values() if version.source_hash == span.source_hash), None)
        if version is not None:
            _keep(plan, span, version, row, history, key)
        elif row is not None:
            plan.new.append(_dated(row, span))
        elif origin is not None:
            plan.copied.append((origin, span))
        else:
            plan.missing.append(urn)
    if history.unplaced(urn) - {span.source_hash for span in spans}:
        plan.unplaced.append(urn)


def _keep(
    plan: VersionPlan, span: Span, version: StoredVersion, row: NodeRow | None, history: History, key: Key
) -> None:
    """A version that stays. Its place is that of the last edition that shows it, its terms are those of all."""
    terms = version.used_terms
    if row is not None:
        others = terms if history.shown_elsewhere(version.urn, span.source_hash, key) else []
        terms = sorted({*others, *row.used_terms})
        if span.last == key:
            plan.kept.append((replace(_dated(row, span), used_terms=terms), version))
            return
    if (version.valid_from, version.valid_to) != (span.valid_from, span.valid_to):
        plan.redated.append((version, span))
    if terms != version.used_terms:
        plan.used_terms.append((version, terms))


def _dated(row: NodeRow, span: Span) -> NodeRow:
    return replace(
        row, valid_from=span.valid_from, valid_to=span.valid_to, from_basis=span.from_basis, to_basis=span.to_basis,
        uncertain=span.uncertain,
    )  # fmt: skip


def _matched(spans: list[Span], known: list[StoredVersion]) -> Iterator[tuple[Span, StoredVersion | None]]:
    """Each span with a stored version that has its words at a time they share."""
    free = list(known)
    for span in spans:
        found = next(
            (version for version in free if version.source_hash == span.source_hash and _meet(span, version)), None
        )
        if found is not None:
            free.remove(found)
        yield span, found


def _meet(span: Span, version: StoredVersion) -> bool:
    return not (_before(span.valid_to, version.valid_from) or _before(version.valid_to, span.valid_from))


def _before(end: date | None, start: date | None) -> bool:
    return end is not None and start is not None and end <= start
