"""One level of a regulation as eRegulations nests it, and the corrections that its labels ask for.

RegML and the JSON made from it are the same tree; both parsers hand it over as `Unit`s. Two kinds of wrong nesting
show in the labels and are put right by `arrange`: the next designators of the parent's own list (`c-1-ii` inside
`c-1-i`, at its end) are beside the parent, and one that goes on with the label of the paragraph before it (`q-2-ii`
after `q-2`) stands inside that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from rag.ingest.formats.cfpb.labels import INTERP, Label, follows, is_term
from rag.ingest.formats.cfpb.text import pictures
from rag.ingest.formats.xml_text import Rich, join

COMMENTARY = frozenset({"interpretation section", "interpretation", "comment"})


@dataclass(slots=True)
class Unit:
    """One level as the source nests it.

    `role` is one of part, subpart, subjgrp, section, appendix, appendix section, paragraph, supplement, interpretation
    section, interpretation, comment, note. `number` is what a container or rule is called by.
    """

    role: str
    label: Label
    number: str = ""
    marker: str = ""
    heading: str = ""
    target: str = ""  # the label of the provision that a comment explains
    before: list[Rich] = field(default_factory=list[Rich])
    after: list[Rich] = field(default_factory=list[Rich])
    children: list[Unit] = field(default_factory=list["Unit"])
    merged: list[str] = field(default_factory=list[str])  # labels of paragraphs whose words are this one's lead-in
    tags: dict[str, str] = field(default_factory=dict[str, str])
    line: int | None = None

    @property
    def printed(self) -> str:
        """The printed designator without brackets and full stop; empty where there is none."""
        return self.marker.strip("().: ")

    def take_first_paragraph(self) -> None:
        """Make the first paragraph this rule's lead-in where it has neither designator, caption, picture nor children.

        It is how both publications set the words that a section begins with, or consists of.
        """
        first = self.children[0] if self.children and not join(self.before) else None
        if first is None or first.role != "paragraph" or first.marker or first.heading or first.children:
            return
        words = join(first.before)
        if not pictures(words) and not join(first.after):
            self.children.pop(0)
            self.before.append(words)
            self.merged.extend(["-".join(first.label)] if first.label else [])


def arrange(unit: Unit, warnings: list[str]) -> None:
    """Move descendants whose labels say that the mark-up nested them wrongly; each move is added to `warnings`."""
    kept: list[Unit] = []
    for child in unit.children:
        last = kept[-1] if kept else None
        inside = last is not None and last.role == child.role and len(child.label) > len(last.label) > 1
        # In `(a-1)` the hyphen is the designator's own: it is beside `(a)`.
        inside = inside and ("-" not in child.printed or tuple(child.printed.split("-")) != child.label[-2:])
        if last is not None and inside and child.label[: len(last.label)] == last.label:
            warnings.append(f"label {'-'.join(child.label)}: stands inside the paragraph before it, as its label says")
            last.children.append(child)
        else:
            kept.append(child)
    unit.children = kept
    position = 0
    while position < len(unit.children):
        child = unit.children[position]
        arrange(child, warnings)
        tail = _tail(child)
        for part in tail:
            label = "-".join(part.label)
            warnings.append(
                f"label {label}: stands beside the paragraph that the mark-up puts it in, as its label says"
            )
        unit.children[position + 1 : position + 1] = tail
        position += 1


def _tail(unit: Unit) -> list[Unit]:
    """The last children that go on with the unit's own list; taken out of it."""
    start = len(unit.children)
    while start and list_stem(unit.children[start - 1].label) == list_stem(unit.label) != ():
        start -= 1
    tail = unit.children[start:]
    words = [last_word(part.label) for part in (unit, *tail)]
    goes_on = all(follows(one, other) for one, other in pairwise(words))
    if not tail or not goes_on or any(child.role != unit.role for child in tail):
        return []
    unit.children = unit.children[:start]
    return tail


def level_of(unit: Unit) -> str:
    """The publication's word for the level."""
    if unit.role == "paragraph" and is_term(last_word(unit.label)):
        return "definition"
    return unit.role.removesuffix(" section") if unit.role in COMMENTARY else unit.role


def list_stem(label: Label) -> Label:
    """What a label shares with those of its list: all before its last word, or before `Interp` of a provision's."""
    if label and label[-1] == INTERP:
        return (*label[:-2], INTERP) if len(label) > 2 else ()
    return label[:-1]


def last_word(label: Label) -> str:
    """A label's own word: the last, or the one before a provision's `Interp`; empty where there is no label."""
    if len(label) > 1 and label[-1] == INTERP:
        return label[-2]
    return label[-1] if label else ""
