"""The same law in two formats: the same section URNs and words, or a difference that the publications themselves have.

A difference is explained where the words of one parse are not in the other's *source*, as its independent reader
has them: then the publications differ. Where they are there, a parser lost, moved or cut them: unexplained.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations

from rag.law.nodes import CITING_TYPES, ParsedDocument, ParsedNode, Tree

# Kind -> what it means, in the order in which they are tried.
EXPLANATIONS = {
    "range": "one publication has a range (`§§ 3 bis 6`) where the other has its members",
    "absent": "the other publication does not have these words",
    "division": "the same words and numbers, with unnumbered paragraphs cut where each mark-up cuts them",
    "renumbered": "the words are another section of the other publication",
    "table": "the other publication has lost a table",
    "edition": "amended between the days of the two editions",
    "wording": "other words in editions of one day, or of which one does not say its day",
}
UNEXPLAINED = "unexplained"
# Shorter words ("(weggefallen)") are in any law and show nothing.
_TELLING = 20


@dataclass(frozen=True, slots=True)
class Edition:
    """One parse of one publication, with its source's own words."""

    name: str  # format and file
    document: ParsedDocument
    source: str


@dataclass(slots=True)
class PairReport:
    """Sections of one law in two formats. `kinds` counts differences; `lines` tell each."""

    urn: str
    names: tuple[str, str]
    sections: int = 0
    equal: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    lines: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class _Section:
    node: ParsedNode
    words: str
    urns: tuple[str, ...]
    tables: bool


def pairs(found: Iterable[tuple[str, date | None, int]]) -> list[tuple[int, int]]:
    """Which parses of one law to compare: for every two formats those of one day, else the latest of each.

    Args:
        found: format, edition date and position of each parse.
    """
    by_format: dict[str, list[tuple[date | None, int]]] = {}
    for name, day, position in found:
        by_format.setdefault(name, []).append((day, position))
    out: list[tuple[int, int]] = []
    for one, other in combinations(sorted(by_format), 2):
        same = [(a, b) for day, a in by_format[one] for other_day, b in by_format[other] if day == other_day and day]
        latest = tuple(max(by_format[name], key=lambda item: item[0] or date.min)[1] for name in (one, other))
        out.extend(same or [(latest[0], latest[1])])
    return out


def compare(one: Edition, other: Edition) -> PairReport:
    """Every section of either edition, equal or with the kind of its difference."""
    report = PairReport(one.document.urn, (one.name, other.name))
    sides = (_sections(one.document), _sections(other.document))
    sources = tuple(_bare(edition.source) for edition in (one, other))
    aliases = tuple({alias for node in edition.document.nodes for alias in node.aliases} for edition in (one, other))
    days = [edition.document.edition_date for edition in (one, other)]
    amended = days[0] is not None and days[1] is not None and days[0] != days[1]
    for urn in dict.fromkeys((*sides[0], *sides[1])):
        report.sections += 1
        first, second = sides[0].get(urn), sides[1].get(urn)
        if first and second and (first.words, first.urns) == (second.words, second.urns):
            report.equal += 1
            continue
        if first and second:
            kind = _difference(first, second, sides, sources, amended=amended)
        else:
            here = 0 if first else 1
            section = first or second
            assert section is not None
            kind = _absence(section, sources[1 - here], aliases[1 - here], sides[1 - here], amended=amended)
        report.kinds[kind] += 1
        report.lines.append(f"{urn}: {kind}")
    return report


def _sections(document: ParsedDocument) -> dict[str, _Section]:
    """The provisions people cite, in document order, each with its words without its own title."""
    tree = Tree(document.nodes)
    out: dict[str, _Section] = {}
    for node in document.nodes:
        if node.structure_type in CITING_TYPES and not any(ancestor.urn in out for ancestor in tree.ancestors(node)):
            below = [parsed for parsed in tree.subtree(node) if parsed.structure_type != "NOTE"]
            words = _bare("".join(_words(tree, node)))
            tables = any(node.structure_type == "TABLE" for node in below)
            out[node.urn] = _Section(node, words, tuple(node.urn for node in below), tables)
    return out


def _words(tree: Tree, node: ParsedNode) -> Iterator[str]:
    yield node.intro_text
    for child in tree.children(node.urn):
        if child.structure_type != "NOTE":
            yield "" if "." in child.number or child.level == "textteil" else child.number.partition("~")[0]
            yield child.heading
            yield from _words(tree, child)
    yield node.content_text


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _difference(
    one: _Section, other: _Section, sides: Sequence[dict[str, _Section]], sources: Sequence[str], *, amended: bool
) -> str:
    if one.words == other.words:
        return "division" if _numbered(one) == _numbered(other) else UNEXPLAINED
    # Words that only go on where the other's end prove nothing by there; the longer ones do.
    for mine, theirs, side, source in ((one, other, sides[1], sources[1]), (other, one, sides[0], sources[0])):
        if len(mine.words) >= _TELLING and mine.words not in theirs.words and mine.words in source:
            moved = any(section.words == mine.words for section in side.values())
            return "renumbered" if moved else UNEXPLAINED
    if one.tables != other.tables:
        return "table"
    return "edition" if amended else "wording"


def _numbered(section: _Section) -> list[str]:
    """The URNs that people can cite: without those made for unnumbered paragraphs (`al.2`, `text.2`, `tab.1`)."""
    own = len(section.node.urn)
    return [urn for urn in section.urns if not re.search(r":[a-z]+\.\d", urn[own:])]


def _absence(section: _Section, source: str, aliases: set[str], others: dict[str, _Section], *, amended: bool) -> str:
    """Why the other side has no section of this URN."""
    covered = section.node.urn in aliases or any(alias in others for alias in section.node.aliases)
    if covered:
        return "range"
    if len(section.words) >= _TELLING:
        return UNEXPLAINED if section.words in source else "absent"
    heading = _bare(section.node.heading)
    stub = len(heading) < _TELLING or heading not in source
    return ("edition" if amended else "absent") if stub else UNEXPLAINED
