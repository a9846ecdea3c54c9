"""The term layer of eRegulations as ground truth: each use of a term, linked by editors to its governing definition.

Rows of uses: `definition_resolution` is the governing definition given the span, `definition_precision` and
`definition_recall` are of span and definition together. A definition is compared by the paragraph that makes it.
Captions are left out on both sides: editors link few of them, and a scoped context wants the definitions of a heading's
terms too. A term that editors link in few of the places where it stands says nothing about its uses.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from evals.rows import REPORTED, Gate, Row, share_row
from evals.suites.scope.model import SUITE, Folder, Miss, Report
from rag.ingest.definitions import commentary
from rag.ingest.used_terms import term_uses
from rag.languages.registry import term_rules
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import Definition, ParsedDocument, ParsedNode, Tree
from rag.law.term_uses import TermIndex, TermRules
from retrieval.context.shadowing import Binding, DefinitionVersion, bind
from retrieval.errors import IngestError

_RESOLUTION, _PRECISION, _RECALL = Gate(">=", 0.99), Gate(">=", 0.93), Gate(">=", 0.95)
_NONE = Gate("<=", 0)
# Editors who link less than this share of the places where a definition's term stands do not link it as a rule.
_REGULAR = 0.15


@dataclass(frozen=True, slots=True)
class Use:
    """A linked use: a span of a node's text, and the label of the paragraph that defines it."""

    node_urn: str
    start: int
    end: int
    definition: str


class Governing:
    """Which definition governs a term at a node, by the rule that serves answers."""

    def __init__(self, document: ParsedDocument, rules: TermRules) -> None:
        self._ids = {node.urn: number for number, node in enumerate(document.nodes, start=1)}
        self._tree = Tree(document.nodes)
        self._definitions = [self._version(one, number, rules) for number, one in enumerate(document.definitions, 1)]
        self._bindings: dict[str, dict[str, Binding]] = {}

    def _version(self, one: Definition, number: int, rules: TermRules) -> DefinitionVersion:
        term = rules.normalise(one.term)
        node, scope = self._ids[one.node_urn], self._ids[one.scope_urn]
        return DefinitionVersion(
            jurisdiction="", id=number, node_id=node, urn=one.node_urn, term=one.term, normalised_term=term,
            term_id=hash(term), relation=one.relation, scope_id=scope, scope_urn=one.scope_urn, inferred=one.inferred,
            phrase=one.phrase, reference_urn=one.reference_urn, valid_from=None, used_terms=[],
        )  # fmt: skip

    def bindings(self, urn: str) -> dict[str, Binding]:
        """Normalised term -> binding at a node."""
        if urn not in self._bindings:
            node = self._tree.by_urn[urn]
            chain = [self._ids[parsed.urn] for parsed in (*reversed(self._tree.ancestors(node)), node)]
            self._bindings[urn] = bind(self._definitions, chain)
        return self._bindings[urn]


def measure_terms(folder: Folder) -> Report:
    """Uses and their definitions against every term layer of the folder."""
    report = Report()
    for document in folder.documents:
        if document.format != "eregs_json":
            continue
        source = folder.paths[document.source]
        layer = source.parents[2] / "layer" / "terms" / source.parent.name / source.name
        name = f"{folder.label} {source.parent.name} uses"
        if not layer.is_file():
            report.notes.append(f"{name}: its uses of terms are not measured: there is no layer/terms beside it")
            continue
        try:
            uses, unlinked, lost = _layer(document, source, layer)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            cause = f"the term layer cannot be read as one ({type(error).__name__})"
            raise IngestError(cause, file=layer.name) from None
        if lost:
            report.notes.append(f"{name}: {lost} linked uses lie in captions or designators and are left out")
        if uses:
            _Comparison(name, folder.annotated(document), uses, unlinked, report).run()
    return report


def _layer(document: ParsedDocument, regulation: Path, layer: Path) -> tuple[list[Use], set[str], int]:
    """The linked uses, the labels of definitions that are never linked, and how many uses lie outside the texts."""
    links = cast("dict[str, object]", json.loads(layer.read_text(encoding="utf-8")))
    listed = cast("dict[str, dict[str, str]]", links.pop("referenced"))
    texts = dict(_texts(cast("dict[str, object]", json.loads(regulation.read_text(encoding="utf-8")))))
    nodes = {alias.rpartition("/")[2]: node for node in document.nodes for alias in node.aliases}
    uses: list[Use] = []
    linked: Counter[str] = Counter()
    lost = 0
    for label, entries in links.items():
        place = _Place(texts[label], nodes[label])
        for entry in cast("list[dict[str, object]]", entries):
            definition = listed[cast("str", entry["ref"])]["reference"]
            linked[definition] += len(cast("list[object]", entry["offsets"]))
            for pair in cast("list[list[int]]", entry["offsets"]):
                start, end = int(pair[0]), int(pair[1])
                span = place.span(start, end)
                if span is None:
                    lost += 1
                else:
                    uses.append(Use(nodes[label].urn, *span, nodes[definition].urn))
    words = "\n".join(texts.values())
    occurring: Counter[str] = Counter()
    for item in listed.values():
        occurring[item["reference"]] += len(
            re.findall(rf"\b{re.escape(item['term'])}(?:s|es)?\b", words, re.IGNORECASE)
        )
    unlinked = {nodes[name].urn for name, count in occurring.items() if linked[name] < _REGULAR * count}
    return [use for use in uses if use.definition not in unlinked], unlinked, lost


def _texts(node: dict[str, object]) -> Iterator[tuple[str, str]]:
    yield "-".join(cast("list[str]", node["label"])), cast("str", node["text"])
    for child in cast("list[dict[str, object]]", node["children"]):
        yield from _texts(child)


class _Place:
    """Offsets of the publication's text as offsets of the node's, which has neither designator nor caption in it."""

    def __init__(self, published: str, node: ParsedNode) -> None:
        self._kept = [at for at, char in enumerate(node.text) if not char.isspace()]
        bare = "".join(char for char in published if not char.isspace())
        self._before = [0]
        for char in published:
            self._before.append(self._before[-1] + (not char.isspace()))
        self._shift = bare.rfind("".join(node.text[at] for at in self._kept)) if self._kept else -1

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """The span in the node's text; None where it lies outside."""
        first, last = self._before[start] - self._shift, self._before[end] - self._shift - 1
        if self._shift < 0 or first < 0 or last >= len(self._kept):
            return None
        return self._kept[first], self._kept[last] + 1


class _Comparison:
    """One document's uses: what editors linked and what annotation finds."""

    def __init__(
        self, name: str, document: ParsedDocument, uses: list[Use], unlinked: set[str], report: Report
    ) -> None:
        self._name, self._document, self._uses, self._unlinked, self._report = name, document, uses, unlinked, report
        self._rules = term_rules(document.corpus.language)
        self._tree = Tree(document.nodes)
        self._governing = Governing(document, self._rules)

    def run(self) -> None:
        """Add the rows and misses."""
        self._resolution()
        found = self._found()
        aside = commentary(self._document, DocumentIndex(self._document))
        every = {(use.node_urn, use.start, use.end): use.definition for use in self._uses}
        parts = (("", None), (" in rule text", False), (" in commentary", True))
        for label, keep in parts if aside else parts[:1]:
            mine = {key: one for key, one in found.items() if keep is None or (key[0] in aside) is keep}
            gold = {key: one for key, one in every.items() if keep is None or (key[0] in aside) is keep}
            if mine and gold:
                self._spans(label, mine, gold, gated=keep is None)

    def _same(self, predicted: str, definition: str) -> bool:
        """Whether a definition is made by the paragraph or a part of it."""
        return predicted == definition or predicted.startswith(f"{definition}:")

    def _resolution(self) -> None:
        right = certain = 0
        for use in self._uses:
            node = self._tree.by_urn[use.node_urn]
            bindings = self._governing.bindings(node.urn)
            words = node.text[use.start : use.end]
            terms = [term for _, _, term in TermIndex(bindings, self._rules).find(words, heading=True)]
            kept = bindings[max(terms, key=len)].kept if terms else ()
            if any(self._same(definition.urn, use.definition) for definition in kept):
                right += 1
                continue
            wrong = [definition for definition in kept if not definition.inferred]
            certain += bool(wrong)
            cause = "no definition in scope" if not kept else "another definition governs"
            self._miss("definition_resolution", cause, use.node_urn, use.start, use.end, use.definition)
            if wrong:
                self._miss("definition_wrong_with_certainty", wrong[0].urn, node.urn, use.start, use.end, "")
        n = len(self._uses)
        self._report.rows.append(share_row(SUITE, self._name, "definition_resolution", right, n, _RESOLUTION))
        metric = "definition_wrong_with_certainty"
        self._report.rows.append(Row(SUITE, self._name, metric, float(certain), n, None, None, _NONE))

    def _found(self) -> dict[tuple[str, int, int], tuple[str, ...]]:
        """Span -> URNs of the governing definitions, less those of which the editors link no use at all."""
        found: dict[tuple[str, int, int], tuple[str, ...]] = {}
        for use in term_uses(self._document, DocumentIndex(self._document), self._rules):
            if use.heading:
                continue
            kept = tuple(definition.urn for definition in self._governing.bindings(use.node_urn)[use.term].kept)
            if not any(self._same(name, never) for name in kept for never in self._unlinked):
                found[use.node_urn, use.start, use.end] = kept
        return found

    def _spans(
        self, label: str, found: dict[tuple[str, int, int], tuple[str, ...]], gold: dict[tuple[str, int, int], str],
        *, gated: bool,
    ) -> None:  # fmt: skip
        right = 0
        for key, kept in found.items():
            if key in gold and any(self._same(name, gold[key]) for name in kept):
                right += 1
            elif gated:
                cause = "not linked" if key not in gold else "linked to another definition"
                self._miss("definition_precision", f"{cause}: {kept[0]}", *key, kept[0])
        if gated:
            for key in gold.keys() - found.keys():
                self._miss("definition_recall", f"not found: {gold[key]}", *key, gold[key])
        rows = (("definition_precision", len(found), _PRECISION), ("definition_recall", len(gold), _RECALL))
        for metric, n, gate in rows:
            name = f"{self._name}{label}"
            self._report.rows.append(share_row(SUITE, name, metric, right, n, gate if gated else REPORTED))

    def _miss(self, metric: str, cause: str, urn: str, start: int, end: int, definition: str) -> None:
        text = self._tree.by_urn[urn].text
        words = f"{text[max(0, start - 60) : start]}[{text[start:end]}]{text[end : end + 60]}"
        self._report.misses.append(Miss(self._name, metric, cause, urn, " ".join(words.split())))
