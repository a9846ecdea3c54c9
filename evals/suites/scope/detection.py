"""Are the terms that a publisher's mark-up shows to be defined found without that mark-up?

Three kinds of truth, by what a source has: marks of defined terms; italics that open the paragraphs of a section
headed as definitions; and quotation marks that open them. The first says of every term whether it is defined here.
The other two are conventions of drafting: they tell of the paragraphs that follow them, and of no others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evals.rows import Gate, share_row
from evals.suites.scope.model import SUITE, Folder, Miss, Report, words_around
from rag.ingest.definitions import commentary
from rag.languages.registry import term_rules
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import CONTAINER_TYPES, Mark, ParsedDocument, ParsedNode, Tree

_HEADED = re.compile(r"\b(?:definitions?|defined|interpretation|meanings?)\b", re.IGNORECASE)
_QUOTE = re.compile(r"“([^“”\n]{1,100})”|\"([^\"\n]{1,100})\"|(?<!\w)‘([^‘’“”\n]{1,100})’(?!\w)")
_JOINT = re.compile(r",? (?:and|or) (?:other )?|, ")
_BRACKET = re.compile(r"\s*\([^()]*\)\s*\Z")
_OPENING = re.compile(r"(?:\(?(?:the|a|an)\s+)?(?:(?:terms?|words?|expressions?|phrases?)\s+)?\Z", re.IGNORECASE)
_CAPTION = (".", ":", "—", "–")
_HEAD = 120  # characters in which a short form follows its term
_MARKED, _ITALIC, _QUOTED = "marked", "italic", "quoted"
# The bounds of the issue, by format where one is named there, else by what shows the terms.
_GATES: dict[str, tuple[float, float]] = {
    "regml": (0.90, 0.93), "akn": (0.92, 0.82), _MARKED: (0.95, 0.95), _ITALIC: (0.92, 0.95), _QUOTED: (0.95, 0.95),
}  # fmt: skip


@dataclass(slots=True)
class Truth:
    """What one document defines by its mark-up: node URN -> terms as printed, normalised."""

    kind: str
    defined: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    @property
    def size(self) -> int:
        """How many terms there are."""
        return sum(map(len, self.defined.values()))


def truth_of(document: ParsedDocument) -> Truth | None:
    """What the document's own mark-up says; None where it has too little of any kind."""
    index = DocumentIndex(document)
    tree, aside = index.tree, commentary(document, index)
    normalise = term_rules(document.corpus.language).normalise
    kinds = {kind: Truth(kind) for kind in (_MARKED, _ITALIC, _QUOTED)}
    for node in (node for node in document.nodes if node.urn not in aside):
        for kind, words in _set_apart(node, headed=_headed(node, tree)):
            term = normalise(_BRACKET.sub("", words))
            if term:
                kinds[kind].defined.setdefault(node.urn, set()).add(term)
    return next((kind for kind in kinds.values() if kind.size >= 2), None)


def _set_apart(node: ParsedNode, *, headed: bool) -> Iterator[tuple[str, str]]:
    for mark in node.marks:
        words = node.text[mark.start : mark.end].strip().rpartition(". ")[2]
        if mark.kind == "term":
            yield _MARKED, words
        elif headed and _opens_in_italics(mark, node) and not words.endswith(_CAPTION):
            yield _ITALIC, words
    for match in _QUOTE.finditer(node.text) if headed else ():
        if _OPENING.fullmatch(node.text[: match.start()]):
            yield _QUOTED, match[1] or match[2] or match[3]


def _opens_in_italics(mark: Mark, node: ParsedNode) -> bool:
    return mark.kind == "italic" and mark.start == 0 and mark.end < len(node.text)


def _headed(node: ParsedNode, tree: Tree) -> bool:
    """Whether the node lies in a section, or under a caption, of definitions."""
    for parsed in (node, *tree.ancestors(node)):
        if parsed.structure_type in CONTAINER_TYPES:
            return False
        if _HEADED.search(parsed.heading):
            return True
    return False


@dataclass(slots=True)
class _Tally:
    found: int = 0
    right: int = 0
    defined: int = 0
    recalled: int = 0


def measure_detection(folder: Folder) -> Report:
    """Precision and recall of the terms defined, by kind of truth."""
    report = Report()
    tallies: dict[tuple[str, str], _Tally] = {}
    for document in folder.documents:
        truth = truth_of(document)
        if truth is None:
            continue
        tally = tallies.setdefault((document.format, truth.kind), _Tally())
        _compare(folder, document, truth, tally, report)
    for (form, kind), tally in sorted(tallies.items()):
        precision, recall = _GATES.get(form if kind == _MARKED else kind, _GATES[kind])
        source = folder.label if kind == _MARKED else f"{folder.label} {kind}"
        if tally.found:
            report.rows.append(
                share_row(SUITE, source, "definition_precision", tally.right, tally.found, Gate(">=", precision))
            )
        report.rows.append(
            share_row(SUITE, source, "definition_recall", tally.recalled, tally.defined, Gate(">=", recall))
        )
    return report


def _compare(folder: Folder, document: ParsedDocument, truth: Truth, tally: _Tally, report: Report) -> None:
    index = DocumentIndex(document)
    tree = index.tree
    found, additions = _found(document, folder.annotated(document, ("term", "italic"), plain=True))
    told = {_section(index, tree.by_urn[urn]) for urn in truth.defined}
    for urn, terms in found.items():
        node = tree.by_urn[urn]
        for term in terms - additions.get(urn, set()):
            if not _judged(truth, node, term, marked=_section(index, node) in told):
                continue
            tally.found += 1
            said = truth.kind != _MARKED and _said(node, term)
            if said or _near(node, term, truth.defined, tree) or (urn in truth.defined and _short_form(node, term)):
                tally.right += 1
            else:
                words = f"{term}: {words_around(node)}"
                report.misses.append(Miss(folder.label, "definition_precision", "not marked as defined", urn, words))
    for urn, terms in truth.defined.items():
        node = tree.by_urn[urn]
        for term in terms:
            tally.defined += 1
            if _near(node, term, found, tree):
                tally.recalled += 1
            else:
                cause = "another term is found" if urn in found else "nothing is found in its node"
                words = f"{term}: {words_around(node)}"
                report.misses.append(Miss(folder.label, "definition_recall", cause, urn, words))


def _section(index: DocumentIndex, node: ParsedNode) -> str:
    section = index.section(node)
    return section.urn if section is not None else node.urn


def _judged(truth: Truth, node: ParsedNode, term: str, *, marked: bool) -> bool:
    """Whether the truth can say of a term that it is not defined.

    A convention of drafting tells only of the nodes that open as it wants. Editors who mark terms leave out whole
    sections: there a term in quotation marks is not held against the detector, any other is.
    """
    if truth.kind == _MARKED:
        return marked or not _said(node, term)
    return node.urn in truth.defined


def _found(document: ParsedDocument, hidden: ParsedDocument) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The terms found without the mark-up, and of these what only adds to a term that the same section defines."""
    normalise = term_rules(document.corpus.language).normalise
    index = DocumentIndex(hidden)
    meant: set[tuple[str, str]] = set()
    for definition in hidden.definitions:
        if definition.relation not in ("includes", "excludes"):
            meant.add((_section(index, index.tree.by_urn[definition.node_urn]), normalise(definition.term)))
    found: dict[str, set[str]] = {}
    additions: dict[str, set[str]] = {}
    for definition in hidden.definitions:
        term = normalise(definition.term)
        found.setdefault(definition.node_urn, set()).add(term)
        section = _section(index, index.tree.by_urn[definition.node_urn])
        if definition.relation in ("includes", "excludes") and (section, term) in meant:
            additions.setdefault(definition.node_urn, set()).add(term)
    return found, additions


def _near(node: ParsedNode, term: str, known: Mapping[str, set[str]], tree: Tree) -> bool:
    """Whether the term is among these at the node, at its parent or at a child: a lead-in and its list are one."""
    places = (node.urn, node.parent_urn or "", *(child.urn for child in tree.children(node.urn)))
    return any(_alike(term, other) for place in places for other in known.get(place, ()))


def _alike(one: str, other: str) -> bool:
    """Whether two heads name one term; a mark may hold a compound head ("act or rule") in one piece."""
    return one == other or one in _JOINT.split(other) or other in _JOINT.split(one)


def _short_form(node: ParsedNode, term: str) -> bool:
    """Whether the term is a short form set beside a marked term: "Notice of Intent (NOI)", "Privacy Act or Act"."""
    pattern = rf"\w (?:\([“\"]?{re.escape(term)}\b[^()]*\)|or {re.escape(term)}\b)"
    return re.search(pattern, node.text[:_HEAD], re.IGNORECASE) is not None


def _said(node: ParsedNode, term: str) -> bool:
    """Whether the node itself speaks of the term as one: `the term "x"`, or sets it in quotation marks."""
    pattern = rf"(?:\b(?:terms?|words?|expressions?|phrases?) (?:the |an? )?|[“‘\"](?:the |an? )?){re.escape(term)}\b"
    return re.search(pattern, node.text.replace("’", "'"), re.IGNORECASE) is not None
