"""Where a statutory reference stands: what a passage has named so far, and what its words say a reference lies in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rag.jurisdictions.grammar.provisions import Law, Reading, Unit
from rag.jurisdictions.grammar.targets import Target, below
from rag.law.jurisdiction import FoundReference, ReferenceContext, ReferenceKind, ReferencePart
from rag.law.nodes import ParsedNode

OTHER = Target("", "external")
UNREAD = Target("", "relative", confident=False)
# After the name of a law: "(see sections 3 and 4", "(which limits the width of the reference in section 46".
_OF_LAST = re.compile(r"\s?\((?:(?P<sure>see)|which\b[^()]{0,160}?)\s{1,3}\Z")
# Lines below "in that Schedule—" begin with its parts.
_OF_SCHEDULE = re.compile(r"\bin\sthat\s(?i:schedule)\s?[—–:-][^:]{0,600}\n\Z")
_REACH = 700
_CHANGED_BY = re.compile(
    r"(?:amended|repealed|replaced|supplemented|inserted|substituted|implemented|modifi[ée]e?|geändert|remplac[ée]e?)\s"
    r"(?:by|par|durch)\s(?:(?:the|la|le|l[’']|die|Council|Commission)\s){0,2}\Z",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Passage:
    """What reading one text has to remember. `ambient` is the law whose text the passage amends, if any."""

    here: ReferenceContext | None
    law: Law | None = None  # the last one named
    law_end: int = -1  # the offset after its name, and after what of it was cited
    last: dict[str, Target] = field(default_factory=lambda: {})  # level -> the last provision of it
    ambient: Law | None = None


@dataclass(slots=True, unsafe_hash=True)
class Cited:
    """A reference with what it was read from."""

    reference: FoundReference
    reading: Reading | None
    law: Law | None


def of_last(text: str, reading: Reading, passage: Passage, *, container: bool) -> Target | None:
    """What the words before say a reference lies in: the law just named, or the schedule; None where nothing.

    Args:
        text: the text.
        reading: a reference that names no law.
        passage: what the text has named before it.
        container: whether the reference is to a part or chapter.
    """
    law = passage.law
    if law is not None and 0 <= passage.law_end <= reading.start:
        joint = _OF_LAST.fullmatch(text, passage.law_end, reading.start)
        if joint is not None:
            return Target(law.urn, "explicit", law.certain and bool(joint["sure"])) if law.urn else OTHER
    schedule = passage.last.get("schedule")
    if schedule is None or reading.outer or not container:
        return None
    return schedule if _OF_SCHEDULE.search(text, max(0, reading.start - _REACH), reading.start) else None


def in_passing(text: str, begin: int, end: int) -> bool:
    """Whether a law is only named as one that changed another: what follows a comma then is that other one's.

    "Directive 2002/58/EC, as amended by Directive 2009/136/EC, Article 5(3)".
    """
    return text[end : end + 1] == "," and _CHANGED_BY.search(text, max(0, begin - 40), begin) is not None


def whole_law(text: str, law: Law, begin: int, end: int) -> Cited:
    """A law cited as a whole, by the words between two offsets."""
    kind: ReferenceKind = "explicit" if law.urn else "external"
    part = ReferencePart(begin, end, law.urn)
    return Cited(FoundReference(begin, end, text[begin:end], (part,), kind, law.certain), None, law)


def heads_schedule(text: str, reading: Reading, passage: Passage) -> bool:
    """Whether a reference is the line at the head of a schedule that says which provision of its law it belongs to."""
    here = passage.here
    alone = reading.start == 0 and reading.law is None and text[reading.end : reading.end + 1] in ("", "\n")
    return alone and here is not None and here.node.structure_type == "APPENDIX"


def segments_of(unit: Unit) -> list[str]:
    """URN segments of a path. A sentence and a first unnumbered subparagraph are words of what they stand in."""
    if unit.level == "sentence":
        return []
    counted, passed = ("indent", "") if unit.level == "indent" else ("sub", "~1")
    return [f"{counted}.{one[1:]}" if one[0] == "~" else one for one in unit.path if one != passed]


def section_first(unit: Unit, here: ReferenceContext) -> Target:
    """A provision that begins with its section's number, as Canada and Australia cite: "subsection 180(1)"."""
    node = here.index.node(below(here.index.corpus_urn, *unit.path)) if len(unit.path) > 1 else None
    return Target(node.urn, "relative") if node is not None else UNREAD


def neighbour_of(level: str, step: int, passage: Passage) -> Target:
    """The provision before or after the one the text stands in, by the order of the nodes."""
    here = passage.here
    node = here.index.nearest(here.node, level) if here else None
    section = here.index.section(here.node) if here else None
    if here is None or node is None or section is None:
        return UNREAD
    nodes = here.index.tree.nodes if node is section else here.index.tree.children(node.parent_urn or "")
    alike = [one for one in nodes if one.level == node.level and one.structure_type == node.structure_type]
    position = alike.index(node) + step
    return Target(alike[position].urn, "relative") if 0 <= position < len(alike) else UNREAD


def repeated(unit: Unit, here: ReferenceContext) -> ParsedNode | None:
    """The unit of this number in the nearest container: in some laws every part begins at 1 again."""
    for one in here.index.chain(here.node)[1:]:
        node = here.index.numbered(unit.level, unit.number, one)
        if node is not None:
            return node
    return None
