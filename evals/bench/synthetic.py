"""Invented codes of realistic shape, loaded by COPY into the real schema: what the benchmarks run on.

A corpus has titles of ten chapters, a chapter sections with subsections, paragraphs and items: six to nine labels deep.
Definitions are in a section of each chapter and a chapter of each title, and of terms with several the closest
wins. Nodes have earlier versions, edges, court overrides and preemptions. All of it follows from the seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from psycopg.types.range import DateRange

from rag.ingest.writing.reach import NOTHING, Defines, Placed, Reach, int_array, reach_of, store_term_closures
from rag.ingest.writing.rows import term_id
from rag.store.database import Connection, Database
from retrieval.paths import child_path, root_path
from retrieval.queries import QUERIES

RECIPE = 2  # to be raised with every change of the law that is made: kept stores are made anew
TITLES, CHAPTERS, SECTIONS = 12, 10, 24  # of a corpus, a title, a chapter
SMALL = 10_000  # below it, titles have two chapters: a store for a look whether all runs
CHANGED = date(2015, 1, 1)
SHARES = {"versions": 0.2, "excepts": 0.04, "cites": 0.3, "overrides": 0.006, "preemptions": 0.006}
WORDS = (
    *("a", "person", "shall", "keep", "every", "record", "of", "the", "premises", "for", "the", "period", "that"),
    *("this", "rule", "requires", "and", "make", "it", "available", "to", "the", "agency", "upon", "written"),
    *("request", "within", "thirty", "days", "unless", "the", "agency", "has", "granted", "an", "extension"),
)
NODES = """copy legal_nodes (jurisdiction, id, node_id, document_id, urn, citation_path, language, corpus, kind,
    structure_type, level, number, ordinal, heading, intro_text, content_text, validity, ancestor_ids, rule_id,
    used_terms, source, source_hash, search_hash, subtree_ids, line_terms, scope_ids, context_ids) from stdin"""
EDGES = """copy edges (jurisdiction, id, node_version_id, source_id, kind, reference, target_jurisdiction, target_urn,
    target_id, validity) from stdin"""
OVERRIDES = """copy judicial_overrides (urn_pattern, pattern_prefix, status, court, court_citation, effective)
    from stdin"""
PREEMPTIONS = "copy federal_preemption (federal_pattern, state_pattern, state_prefix, kind, effective) from stdin"


@dataclass(slots=True)
class Node:
    """One node on its way into the store."""

    node_id: int
    urn: str
    path: str
    level: str
    number: str
    ordinal: int
    ancestor_ids: list[int]
    rule_id: int
    used_terms: list[int] = field(default_factory=list[int])
    text: str = ""


@dataclass(slots=True)
class Defined:
    """One definition: the defining node, its term and the node it governs."""

    node: Node
    term: str
    scope: Node


@dataclass(slots=True)
class Built:
    """What a store of invented law came to."""

    nodes: int = 0
    versions: int = 0
    definitions: int = 0
    edges: int = 0
    rules: list[str] = field(default_factory=list[str])  # URNs of sections and subsections that hold rules


def code_name(number: int) -> str:
    """A jurisdiction of its own for each corpus; the first is federal law."""
    return "us" if number == 0 else f"us-x{number}"


class _Title:
    """One title: one document."""

    def __init__(
        self,
        rng: random.Random,
        corpus: Node,
        jurisdiction: str,
        number: int,
        ids: Iterator[int],
        more: int,
        chapters: int,
    ) -> None:
        self.rng, self.jurisdiction, self.ids, self.more = rng, jurisdiction, ids, more
        self.nodes: list[Node] = []
        self.definitions: list[Defined] = []
        self.rules: list[Node] = []
        self.vocabulary = 250 * more
        self.root = self._node(corpus, "title", str(number), number)
        self.document_id = next(ids)
        general = self._definitions(self.root, self.root, "general", 40 * more)
        for chapter in range(1, chapters + 1):
            self._chapter(chapter, general)

    def _node(self, parent: Node, level: str, number: str, ordinal: int, *, section: int | None = None) -> Node:
        node_id = next(self.ids)
        urn = f"{parent.urn}:{number}" if level not in ("title", "chapter") else f"{parent.urn}:{level}_{number}"
        node = Node(
            node_id, urn, child_path(parent.path, level, number), level, number, ordinal,
            [*parent.ancestor_ids, node_id], section or node_id,
        )  # fmt: skip
        self.nodes.append(node)
        return node

    def _definitions(self, parent: Node, scope: Node, name: str, count: int) -> list[str]:
        """A section of definitions that govern `scope`; each may use one other term of the same section."""
        terms = [f"term{number}" for number in self.rng.sample(range(self.vocabulary), count)]
        section = self._node(parent, "section", name, 0)
        section.text = "In this part:"
        for position, term in enumerate(terms):
            node = self._node(section, "paragraph", str(position + 1), position, section=section.node_id)
            used = self.rng.sample(terms, 1) if self.rng.random() < 0.5 else []
            node.used_terms = [term_id(name) for name in used]
            node.text = f"“{term}” means {self._words(12)} {' '.join(used)}."
            self.definitions.append(Defined(node, term, scope))
        return terms

    def _chapter(self, number: int, general: list[str]) -> None:
        chapter = self._node(self.root, "chapter", str(number), number)
        own = self._definitions(chapter, chapter, f"{number}00", 16 * self.more)
        for count in range(1, SECTIONS + 1):
            section = self._node(chapter, "section", f"{number}{count:02}", count)
            # Few of the terms that there are: how many a text uses does not grow with the number of definitions.
            terms = [*self.rng.sample(own, 6), *self.rng.sample(general, 8)]
            section.text = f"{self._words(10)}:"
            self.rules.append(section)
            for sub in range(1, self.rng.randint(2, 4) + 1):
                self._subsection(section, sub, terms)

    def _subsection(self, section: Node, number: int, terms: list[str]) -> None:
        subsection = self._node(section, "subsection", chr(96 + number), number, section=section.node_id)
        self._words_of(subsection, terms)
        self.rules.append(subsection)
        for count in range(1, self.rng.randint(1, 3) + 1):
            paragraph = self._node(subsection, "paragraph", str(count), count, section=section.node_id)
            self._words_of(paragraph, terms)
            if self.rng.random() < 0.15:
                for item in range(1, 3):
                    self._words_of(self._node(paragraph, "item", chr(104 + item), item, section=section.node_id), terms)

    def _words_of(self, node: Node, terms: list[str]) -> None:
        used = self.rng.sample(terms, self.rng.randint(1, 4))
        node.used_terms = sorted(term_id(name) for name in used)
        node.text = f"{self._words(25)} {' '.join(used)} {self._words(15)}."

    def _words(self, count: int) -> str:
        start = self.rng.randrange(len(WORDS))
        return " ".join(WORDS[(start + number) % len(WORDS)] for number in range(count))


def load(database: Database, size: int, *, seed: int = 7, more: int = 1) -> Built:
    """Fill an empty store with about `size` nodes.

    Args:
        database: an empty store with the schema.
        size: nodes; whole titles are written until there are as many, at least two of them.
        seed: what everything follows from.
        more: how many times the usual number of definitions are in every scope.
    """
    rng, built, ids = random.Random(seed), Built(), iter(range(1, 1 << 62))
    federal: list[Node] = []
    corpus_number, analysed = 0, 0
    while built.nodes < size or corpus_number < 2:
        jurisdiction = code_name(corpus_number)
        prefix = f"urn:lex:{jurisdiction}:code{corpus_number}"
        root = Node(next(ids), prefix, root_path(prefix), "corpus", "", 0, [], 0)
        root.ancestor_ids, root.rule_id = [root.node_id], root.node_id
        # Two corpora at least, so that federal law can overlap another's.
        titles = TITLES if size - built.nodes > 4000 * TITLES or corpus_number else max(1, size // 2 // 4000)
        with database.write() as conn:
            _source(conn, jurisdiction, root, next(ids))
        for number in range(1, titles + 1):
            title = _Title(rng, root, jurisdiction, number, ids, more, CHAPTERS if size >= SMALL else 2)
            federal = federal or title.rules
            with database.write() as conn:
                _write(conn, title, root, federal, rng, built, ids)
            if number == 1 or built.nodes > 2 * analysed:
                # Of an empty table, or of a jurisdiction that it has not seen, the planner expects nothing, and would
                # look for each foreign key from end to end.
                with database.admin() as conn:
                    conn.execute("analyze documents, legal_nodes, legal_definitions, edges")
                analysed = built.nodes
            if built.nodes >= size and corpus_number:
                break
        corpus_number += 1
    with database.admin() as conn:
        conn.execute("vacuum analyze")
    return built


def _source(conn: Connection, jurisdiction: str, root: Node, document_id: int) -> None:
    conn.execute(
        "insert into sources (urn, jurisdiction, title, language) values (%s, %s, 'Invented code', 'en')",
        [root.urn, jurisdiction],
    )
    _document(conn, jurisdiction, document_id, root.urn, root.urn, 1)
    with conn.cursor() as cursor, cursor.copy(NODES) as copy:
        copy.write_row(_row(jurisdiction, document_id, root, root, root.node_id, DateRange(None, None), NOTHING))


def _document(conn: Connection, jurisdiction: str, document_id: int, urn: str, corpus: str, nodes: int) -> None:
    conn.execute(
        "insert into documents (jurisdiction, id, urn, corpus_urn, source, format, source_hash, parser_version, nodes)"
        " values (%s, %s, %s, %s, 'synthetic', 'synthetic', '', '1', %s)",
        [jurisdiction, document_id, urn, corpus, nodes],
    )


def _row(
    jurisdiction: str,
    document_id: int,
    corpus: Node,
    node: Node,
    version_id: int,
    validity: DateRange,
    reach: Reach,
    was: str = "",
) -> tuple[object, ...]:
    words = was or node.text
    intro, content = (words, "") if words.endswith(":") else ("", words)
    return (
        jurisdiction, version_id, node.node_id, document_id, node.urn, node.path, "en", corpus.urn,
        "section" if _contains(node) else "legislation", node.level.upper(), node.level, node.number, node.ordinal,
        f"Heading {node.number}", intro, content, validity, node.ancestor_ids, node.rule_id, node.used_terms,
        "synthetic", "", "", *(None if keys is None else int_array(keys) for keys in reach),
    )  # fmt: skip


def _contains(node: Node) -> bool:
    """Whether a node is a container and no provision."""
    return node.level in ("corpus", "title", "chapter")


def _write(
    conn: Connection, title: _Title, corpus: Node, federal: list[Node], rng: random.Random, built: Built,
    ids: Iterator[int],
) -> None:  # fmt: skip
    jurisdiction, document_id = title.jurisdiction, title.document_id
    _document(conn, jurisdiction, document_id, title.root.urn, corpus.urn, len(title.nodes))
    current = {node.node_id: DateRange(None, None) for node in title.nodes}
    placed = (
        Placed(node.node_id, node.ancestor_ids, _contains(node), node.used_terms, node.rule_id) for node in title.nodes
    )
    defined = (
        Defines(definition.node.node_id, term_id(definition.term), definition.scope.node_id)
        for definition in title.definitions
    )
    reaches = reach_of(placed, defined)
    with conn.cursor() as cursor, cursor.copy(NODES) as copy:
        for node in title.nodes:
            amended = node.level in ("subsection", "paragraph", "item") and rng.random() < SHARES["versions"]
            current[node.node_id] = DateRange(CHANGED if amended else None, None)
            place, reach = (jurisdiction, document_id, corpus, node), reaches.get(node.node_id, NOTHING)
            copy.write_row(_row(*place, node.node_id, current[node.node_id], reach))
            if amended:
                old, span = f"Before {CHANGED}: {node.text}", DateRange(None, CHANGED)
                copy.write_row(_row(*place, next(ids), span, reach, old))
                built.versions += 1
    with conn.cursor() as cursor, cursor.copy(QUERIES["copy_definitions"]) as copy:
        for definition in title.definitions:
            node = definition.node
            copy.write_row((
                jurisdiction, next(ids), node.node_id, node.node_id, node.path,
                definition.term, definition.term, term_id(definition.term), "means",
                definition.scope.node_id, definition.scope.path, definition.scope.urn, False, "in this part", "", "en",
                current[node.node_id], "{}", "{}", False, node.urn, int_array(node.ancestor_ids),
                int_array(reaches[node.node_id].subtree_ids), None, int_array([]),
            ))  # fmt: skip
    store_term_closures(conn, jurisdiction, document_id)
    with conn.cursor() as cursor, cursor.copy(EDGES) as copy:
        for node in title.nodes:
            for kind, share in (("subject_to", SHARES["excepts"]), ("cites", SHARES["cites"])):
                if rng.random() < share:
                    kind = rng.choice(("subject_to", "notwithstanding")) if kind == "subject_to" else kind
                    target = rng.choice(title.rules)
                    copy.write_row((
                        jurisdiction, next(ids), node.node_id, node.node_id, kind, f"section {target.number}",
                        jurisdiction, target.urn, target.node_id, current[node.node_id],
                    ))  # fmt: skip
                    built.edges += 1
    _write_patterns(conn, title, federal, rng)
    built.nodes += len(title.nodes)
    built.definitions += len(title.definitions)
    built.rules += [node.urn for node in title.rules]


def _write_patterns(conn: Connection, title: _Title, federal: list[Node], rng: random.Random) -> None:
    always = DateRange(date(2000, 1, 1), None)
    with conn.cursor() as cursor, cursor.copy(OVERRIDES) as copy:
        for node in title.nodes:
            if node.ancestor_ids[3:] and rng.random() < SHARES["overrides"]:
                pattern = rng.choice((node.urn, f"{node.urn}:*"))
                copy.write_row((pattern, node.urn, "STAYED", "Court of Inventions", "1 C.I. 1", always))
    with conn.cursor() as cursor, cursor.copy(PREEMPTIONS) as copy:
        for node in title.nodes if title.jurisdiction != "us" else ():
            if node.ancestor_ids[3:] and rng.random() < SHARES["preemptions"]:
                copy.write_row((rng.choice(federal).urn, node.urn, node.urn, "conflict", always))


def stored_rules(database: Database) -> list[str]:
    """`Built.rules` of a store that was filled before: its sections and subsections that hold rules, as they were made.

    A section of definitions has no subsections.
    """
    with database.read() as conn:
        rows = conn.execute(
            "select urn from legal_nodes n where id = node_id and (structure_type = 'SUBSECTION'"
            " or structure_type = 'SECTION' and exists (select from legal_nodes s where s.jurisdiction = n.jurisdiction"
            " and s.node_id = n.node_id + 1 and s.structure_type = 'SUBSECTION')) order by id"
        )
        return [row[0] for row in rows]


def remove_unrelated_patterns(database: Database) -> None:
    """Take out what `add_unrelated_patterns` added, from a store that is to be used again."""
    with database.admin() as conn:
        conn.execute("delete from judicial_overrides where urn_pattern like 'urn:lex:us:elsewhere:%'")
        conn.execute("delete from federal_preemption where federal_pattern like 'urn:lex:us:elsewhere:%'")
        conn.execute("vacuum analyze judicial_overrides, federal_preemption")


def add_unrelated_patterns(database: Database, count: int) -> None:
    """Overrides and preemptions of law that is not in the store: a look-up costs the same however many there are."""
    with database.write() as conn:
        conn.execute(
            "insert into judicial_overrides (urn_pattern, pattern_prefix, status, court, court_citation, effective)"
            " select 'urn:lex:us:elsewhere:' || n, 'urn:lex:us:elsewhere:' || n, 'STAYED', 'Court of Inventions',"
            " '1 C.I. 1', daterange('2000-01-01', null) from generate_series(1, %s) n",
            [count],
        )
        conn.execute(
            "insert into federal_preemption (federal_pattern, state_pattern, state_prefix, kind, effective)"
            " select 'urn:lex:us:elsewhere:' || n, 'urn:lex:us-x1:elsewhere:' || n, 'urn:lex:us-x1:elsewhere:' || n,"
            " 'conflict', daterange('2000-01-01', null) from generate_series(1, %s) n",
            [count],
        )
    with database.admin() as conn:
        conn.execute("vacuum analyze judicial_overrides, federal_preemption")
