"""Regulatory documents as flat lists of passages, as ObliQA publishes the rulebooks of Abu Dhabi Global Market.

A file is a JSON array of `{ID, DocumentID, PassageID, Passage}`. The hierarchy is rebuilt from the passage ids; lists
inside a passage stay in it, for the passage is what questions are answered with. Files of questions are no law and are
skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag.ingest.formats.base import Source
from rag.ingest.formats.encoding import undamaged
from rag.ingest.formats.json_records import Record, RecordsFormat, json_array, part_hash
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError
from retrieval.paths import segment, slug

# The hierarchy of passages, rebuilt from their ids: `1.1.2`, `3.2.1.(2).(b)`, `Part 2.Chapter 3`, `12)`, `Guidance`.

_BRACKETED = re.compile(r"\([0-9A-Za-z]{1,7}\)")
_TRAILING = re.compile(r"(.*?[0-9A-Za-z])((?:\([0-9A-Za-z]{1,7}\))+)\Z")
_WORDS = re.compile(r"[a-z]{4,}")
_NUMERAL = re.compile(r"(\d{1,4})\Z")


@dataclass(slots=True)
class Passage:
    """One passage with its place. `parts` are the components of its id, `key` their URN segments."""

    identifier: str
    uuid: str
    text: str
    parts: tuple[str, ...]
    key: tuple[str, ...]
    line: int | None = None
    suffix: int = 1  # which of several passages with this address
    parent: Passage | None = None
    children: list[Passage] = field(default_factory=list["Passage"])


def split_id(identifier: str) -> tuple[str, ...]:
    """The components of a passage id: `PART 4.9.1.(2)(b)` -> `PART 4`, `9`, `1`, `(2)`, `(b)`."""
    parts: list[str] = []
    for piece in identifier.split("."):
        one = " ".join(piece.split())
        match = _TRAILING.match(one)
        if match and " " not in match[1]:
            parts.extend((match[1], *_BRACKETED.findall(match[2])))
        elif one:
            parts.append(one)
    return tuple(parts)


def component_key(part: str) -> str:
    """The URN segment of one component: `(2)` -> `2`, `Part 3` -> `part_3`, words -> a slug."""
    named = re.match(r"([A-Za-z]{3,})\s+([0-9A-Za-z]{1,6})[:.]?\Z", part)
    if named and re.search(r"\d|^[A-Z]{1,5}$", named[2]):
        return f"{named[1].lower()}_{named[2].lower()}"
    bare = part.strip("()[]:. ")
    if re.fullmatch(r"[0-9A-Za-z-]{1,12}", bare):
        return segment(bare)
    return slug(bare)


def arrange(passages: Sequence[Passage], warnings: list[str]) -> list[Passage]:
    """Give every passage its parent and a unique address.

    Args:
        passages: in the order of the file; `parent`, `children` and `suffix` are set.

    Returns:
        The passages without parent, in order.
    """
    _place_items(passages)
    roots: list[Passage] = []
    placed: dict[tuple[str, ...], Passage] = {}
    counts: dict[tuple[str, ...], int] = {}
    last: Passage | None = None
    for passage in passages:
        passage.parent = _parent(passage, placed)
        passage.suffix = counts[passage.key] = counts.get(passage.key, 0) + 1
        if passage.suffix > 1:
            warnings.append(f"{':'.join(passage.key)}: {passage.suffix} passages have this address")
        placed.setdefault(passage.key, passage)
        apart = passage.parent is not None and last is not None and not _is_open(passage.parent, last)
        if apart and passage.parent is not None and not _is_last(passage.parent, roots):
            warnings.append(f"{':'.join(passage.key)}: stands apart from its parent and is moved to it")
        (passage.parent.children if passage.parent else roots).append(passage)
        last = passage
    return roots


def own_key(one: Passage) -> tuple[str, ...]:
    """The part of a passage's key that its parent's does not already give."""
    return one.key[len(one.parent.key) :] if one.parent else one.key


def _parent(one: Passage, placed: dict[tuple[str, ...], Passage]) -> Passage | None:
    for length in range(len(one.key) - 1, 0, -1):
        found = placed.get(one.key[:length])
        if found is not None:
            return found
    return None


def _is_open(parent: Passage, last: Passage) -> bool:
    current: Passage | None = last
    while current is not None and current is not parent:
        current = current.parent
    return current is not None


def _is_last(one: Passage, roots: Sequence[Passage]) -> bool:
    """Whether the passage ends the tree as it is, so that a child of it goes on in the order of the file."""
    current = one
    while current.parent is not None:
        if current.parent.children[-1] is not current:
            return False
        current = current.parent
    return roots[-1] is current


def _place_items(passages: Sequence[Passage]) -> None:
    """Put items whose id is their number alone (`1.` after `2.6.Guidance`) under the passage they follow.

    A single numeral after deeper ids is the next chapter if it is followed by a passage of its own, or counts on from
    the chapter before while no list of such items is open.
    """
    chapter = 0
    host: tuple[str, ...] = ()  # what an item would hang on
    item = 0  # the last item's number; 0 where no list is open
    for number, one in enumerate(passages):
        match = _NUMERAL.match(one.key[0]) if len(one.key) == 1 else None
        if match is None:
            ending = _NUMERAL.match(one.key[-1]) if any(_WORDS.match(part) for part in one.key[1:]) else None
            # The numbered items of a guidance may lose the first half of their ids on the way.
            item = int(ending[1]) if ending else 0
            host = (one.key[:-1] if ending else one.key) if len(one.key) > 1 else ()
            continue
        value = int(match[1])
        following = passages[number + 1].key if number + 1 < len(passages) else ()
        has_own = len(following) > 1 and following[0] == one.key[0]
        goes_on = item > 0 and value == item + 1
        if host and not has_own and (goes_on or (value == 1 and chapter > 0)):
            one.key, item = (*host, match[1]), value
        else:
            chapter, item, host = value, 0, ()


CORPUS = Corpus(
    "urn:lex:ae:doc", "Rules and guidance of Abu Dhabi Global Market (structured passages)", "en",
    publisher="Abu Dhabi Global Market; passages by ObliQA (RegNLP)", licence="see the publisher's terms",
    url="https://github.com/RegNLP/ObliQADataset",
)  # fmt: skip

_START = rb"\A(?:\xef\xbb\xbf)?\s*\[\s*\{\s*"
_PASSAGES = re.compile(_START + rb'(?:"[A-Za-z]+"\s*:\s*(?:"[^"\\]*"|\d+)\s*,\s*)*?"PassageID"\s*:\s*"')
_DOCUMENT_ID = re.compile(_START + rb'[^{}]{0,400}?"DocumentID"\s*:')
_QUESTIONS = re.compile(_START + rb'[^{}]{0,2000}?"Question"\s*:\s*"')
_DIRECTION_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_TABLE_START, _TABLE_END = "/Table Start", "/Table End"
_LIST_ITEM = re.compile(r"(?:\([a-zA-Z]{1,4}\)|[a-zA-Z]{1,3}\)|[•\-–o]\s|[a-z])")
_RUNNING = re.compile(r"\b(?:shall|must|may|is|are|was|were|means|includes?|has|have|had|will|would|does|do)\b")
_GUIDANCE = re.compile(r"guidance|examples?|notes?\b", re.IGNORECASE)
_READ_WORDS = {
    "part": ("PART", "part"), "chapter": ("CHAPTER", "chapter"), "title": ("TITLE", "title"),
    "section": ("PART", "section"), "schedule": ("PART", "schedule"), "app": ("PART", "appendix"),
    "appendix": ("PART", "appendix"), "annex": ("PART", "annex"), "annexure": ("PART", "annex"),
}  # fmt: skip
_BELOW = ("SUBSECTION", "PARAGRAPH", "SUBPARAGRAPH", "CLAUSE", "ITEM")
_MOST_HEADING = 200
_MOST_PARTS = 24


class PassagesJson(RecordsFormat):
    """Format `passages_json`: one file holds the passages of one document, or of several."""

    name = "passages_json"
    version = 1

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file is an array whose first object is a passage with its document's id."""
        return (
            _PASSAGES.match(head) is not None
            and _DOCUMENT_ID.match(head) is not None
            and _QUESTIONS.match(head) is None
        )

    def skips(self, path: Path, head: bytes) -> str:
        """A file of questions about passages names no document."""
        return "questions about passages, no law" if _QUESTIONS.match(head) else ""

    def documents(self, source: Source) -> Iterator[ParsedDocument]:
        """One document a DocumentID, in the order of their first passages.

        Raises:
            IngestError: no list of passages.
        """
        groups: dict[str, list[Record]] = {}
        for record in json_array(source.path, source.name):
            value = record.fields.get("DocumentID")
            if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).strip():
                raise record.refusal('field "DocumentID" must be a number or a string')
            groups.setdefault(str(value), []).append(record)
        if not groups:
            raise IngestError("holds no passage", file=source.name)
        digest = source.sha256()
        for identifier, records in groups.items():
            rulebook = _Rulebook(identifier, records, source)
            yield undamaged(rulebook.document(part_hash(digest, identifier, len(groups))))


class _Rulebook:
    """One run over the passages of one document."""

    def __init__(self, identifier: str, records: list[Record], source: Source) -> None:
        self.identifier = identifier
        self.source = source
        self.slug = f"passages-{slug(identifier)}"
        self.urn = f"{CORPUS.urn}:{self.slug}"
        self.warnings: list[str] = []
        self.nodes: list[ParsedNode] = []
        self.marks_removed = 0
        self.passages = [self._passage(record) for record in records]

    def document(self, digest: str) -> ParsedDocument:
        root = ParsedNode(self.urn, CORPUS.urn, "ROOT", "document", self.slug, kind="section")
        root.tags = {"document_id": self.identifier}
        self.nodes.append(root)
        tops = arrange(self.passages, self.warnings)
        if tops and _is_title(tops[0]):
            root.heading = tops[0].identifier
        for top in tops:
            self._add(top, root, below=0)
        if self.marks_removed:
            self.warnings.append(f"{self.urn}: {self.marks_removed} invisible marks of writing direction are removed")
        self.warnings.append(f"{self.urn}: the source states no title by itself, no date and no status")
        return ParsedDocument(
            CORPUS, self.nodes, self.source.name, PassagesJson.name, digest, PassagesJson.version,
            warnings=self.warnings,
        )  # fmt: skip

    def _passage(self, record: Record) -> Passage:
        identifier, raw = record.text("PassageID"), record.text("Passage")
        text, removed = _DIRECTION_MARKS.subn("", raw)
        self.marks_removed += removed
        parts = split_id(_DIRECTION_MARKS.sub("", identifier))
        if not any(re.search(r"[0-9A-Za-z]", part) for part in parts):
            raise record.refusal("a passage has no id to cite it by")
        parts = tuple(part for part in parts if re.search(r"[0-9A-Za-z]", part))
        if len(parts) > _MOST_PARTS:
            raise record.refusal(f"a passage id has more than {_MOST_PARTS} levels")
        uuid = record.fields.get("ID")
        key = tuple(component_key(part) for part in parts)
        return Passage(identifier, uuid if isinstance(uuid, str) else "", text, parts, key)

    def _add(self, one: Passage, parent: ParsedNode, *, below: int) -> None:
        """Add a passage and what hangs on it; `below` counts the levels below the citing unit, itself included."""
        suffix = f"~{one.suffix}" if one.suffix > 1 else ""
        own = own_key(one)
        lines = _lines(one.text)
        heading, words = _heading(lines, lead=bool(one.children))
        container = not below and not words and not _GUIDANCE.match(one.parts[-1]) and _holds_rules(one)
        structure, level = self._level(one, container=container, below=below)
        node = ParsedNode(
            f"{parent.urn}:{':'.join(own)}{suffix}", parent.urn, structure, level, f"{'.'.join(own)}{suffix}", heading,
            kind="section" if container else "legislation",
        )  # fmt: skip
        if one.children:
            node.intro_text = "\n".join(words)
        else:
            node.content_text = "\n".join(words)
        node.tags = {"passage_id": one.identifier, "document_id": self.identifier}
        if one.uuid:
            node.aliases = [one.uuid]
        self.nodes.append(node)
        for child in one.children:
            self._add(child, node, below=0 if container else below + 1)

    @staticmethod
    def _level(one: Passage, *, container: bool, below: int) -> tuple[str, str]:
        last = one.parts[-1]
        word = re.match(r"[A-Za-z]+", last)
        named = _READ_WORDS.get(word[0].lower()) if word else None
        if container:
            return named or (("CHAPTER", "chapter") if len(one.parts) == 1 else ("PART", "part"))
        if _GUIDANCE.match(last):
            return "NOTE", "guidance"
        if not below:
            return ("APPENDIX", named[1]) if named and named[1] in ("schedule", "appendix", "annex") else (
                "SECTION", "rule")  # fmt: skip
        return _BELOW[min(below, len(_BELOW)) - 1], "paragraph"


def _is_title(one: Passage) -> bool:
    """Whether a passage is the document's name: words in capitals, with a year or without."""
    return len(one.parts) == 1 and re.fullmatch(r"[A-Z][A-Z ,&'()-]{8,}(?:\d{4})?", one.identifier.strip()) is not None


def _holds_rules(one: Passage) -> bool:
    """Whether what hangs on a passage is rules of their own and not its paragraphs or guidance."""
    return any(
        not part.startswith("(") and not _GUIDANCE.match(part) for child in one.children for part in child.parts[-1:]
    )


def _lines(text: str) -> list[str]:
    """The lines of a passage, white space collapsed; rows of tables are `cell | cell`, their markers left out."""
    out: list[str] = []
    table = False
    for raw in text.split("\n"):
        line = " ".join(raw.split())
        if line in (_TABLE_START, _TABLE_END):
            table = line == _TABLE_START
        elif line:
            out.append(" | ".join(" ".join(cell.split()) for cell in raw.strip().split("\t")) if table else line)
    return out


def _heading(lines: list[str], *, lead: bool) -> tuple[str, list[str]]:
    """The heading of a passage and its other lines.

    Args:
        lead: other passages hang on it, so that a single short line without a verb is a heading.
    """
    if not lines:
        return "", []
    first, rest = lines[0], lines[1:]
    plain = len(first) <= _MOST_HEADING and not first.endswith((":", ";", ",", "—", "–", "-")) and " | " not in first
    if not plain or _LIST_ITEM.match(first) or _RUNNING.search(first) or (first.endswith(".") and len(first) > 80):
        return "", lines
    if not rest:
        return (first, []) if lead and not first.endswith(".") else ("", lines)
    if first.endswith(".") or _LIST_ITEM.match(rest[0]):
        return "", lines
    return first, rest
