"""Opinions of courts as CourtListener's API gives them, one record a line, with citations marked in their HTML.

Each opinion is a document and a corpus of its own. Its URN comes from its reporter citation (`scotus-259-us-188`), else
from docket and date (`scotus-no-65-1922-05-29`), else from CourtListener's id (`scotus-cl-100000`); a court that the
record does not name is written `opinion`. Printed paragraph numbers are kept; other paragraphs are `p.N`, footnotes
`note.<label>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

from rag.ingest.formats.base import Source
from rag.ingest.formats.ecfr.xml import dates
from rag.ingest.formats.encoding import undamaged
from rag.ingest.formats.json_records import Record, RecordsFormat, json_lines
from rag.law.nodes import Corpus, Link, Mark, ParsedDocument, ParsedNode
from retrieval.errors import IngestError
from retrieval.paths import segment, slug

# The HTML of an opinion as plain blocks with their citations; nothing of it is ever executed or passed on.
# Page breaks of the reporter (`*189`) and calls of footnotes (`[1]`) are no words of the court: they are left out of
# the text, counted, and the page on which a block begins is kept beside it.

_BLOCKS = frozenset(
    {"p", "div", "center", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "ul", "ol", "li", "table", "tr",
     "thead", "tbody", "hr", "section", "article", "opinion", "author", "footnote"}
)  # fmt: skip
_VOID = frozenset({"br", "hr", "img", "wbr", "input", "col", "meta", "link"})
_ITALIC = frozenset({"i", "em"})
_SILENT = frozenset({"script", "style", "template"})
_CALL = re.compile(r"\s*\[?[0-9]{1,3}[a-z]?\]?\s*\Z|\s*\[?[*†‡]+\]?\s*\Z")
_MOST_OPEN = 200
# The controls of Latin-1, which no opinion means: pages of the time say Latin-1 and are Windows-1252, as browsers know.
_WINDOWS = {code: bytes([code]).decode("cp1252") for code in range(0x80, 0xA0) if code not in (129, 141, 143, 144, 157)}
_PARTS = ("volume", "reporter", "page")


class TooDeep(ValueError):
    """The HTML nests more elements than an opinion has."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation in the HTML. `opinion` is CourtListener's id of the opinion it resolved to, empty where it did not."""

    start: int
    end: int
    volume: str
    reporter: str
    page: str
    opinion: str


@dataclass(slots=True)
class Block:
    """One block of text: `tag` is its element with its class (`p.docket`), `text` where no element encloses it.

    `number` is a printed paragraph number; `outer` names the elements around it; `page` is the reporter's page.
    """

    tag: str
    outer: tuple[str, ...]
    text: str
    italics: list[Mark]
    cited: list[Cited]
    number: str = ""
    page: str = ""


@dataclass(slots=True)
class Opinion:
    """What an opinion's HTML holds, and how much was left out of its text on purpose."""

    blocks: list[Block] = field(default_factory=list[Block])
    pages: int = 0
    calls: int = 0
    scripts: int = 0


def read_opinion(html: str) -> Opinion:
    """Take the HTML apart. Unknown elements keep their words; a table's rows are `cell | cell`.

    Characters of Windows-1252 that were taken for Latin-1 are what they were in the opinion.

    Raises:
        TooDeep: more than 200 elements are open at once.
    """
    reader = _Reader()
    reader.feed(html.translate(_WINDOWS))
    reader.close()
    reader.finish()
    return reader.opinion


def windows_characters(html: str) -> int:
    """How many characters of Windows-1252 were taken for Latin-1."""
    return sum(ord(character) in _WINDOWS for character in html)


@dataclass(slots=True)
class _Span:
    name: str
    classes: tuple[str, ...]
    opinion: str = ""
    start: int = -1
    parts: dict[str, str] = field(default_factory=dict[str, str])


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.opinion = Opinion()
        self.stack: list[_Span] = []
        self.page = ""
        self.number = ""
        self.linked = False  # the words that are held lead to a footnote
        self._reset()

    def _reset(self) -> None:
        self.out: list[str] = []
        self.length = 0
        self.gap = ""
        self.italics: list[Mark] = []
        self.cited: list[Cited] = []
        self.held = ""  # words of an element that may be a page break, a call or a number
        self.first_page = self.page
        for span in self.stack:
            span.start = -1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._end_implied(tag)
        if tag in _BLOCKS:
            self._flush()
        if tag == "br":
            self._space("\n" if self._inside("pre") else " ")
        if tag in ("td", "th") and self.length:
            self._words(" | ")
        if tag in _VOID:
            return
        if tag == "a" and given.get("href", "").startswith("#"):
            self.linked = True
        if tag == "sup" and not self._inside("a"):
            self.linked = False  # a bare number raised above the line is a power, unless it leads somewhere
        self.stack.append(_Span(tag, tuple(given.get("class", "").split()), given.get("data-id", "")))

    def _end_implied(self, tag: str) -> None:
        """End what HTML lets authors leave open: a paragraph before a block, an item before the next one."""
        names = [span.name for span in self.stack]
        inner = names[max((at for at, name in enumerate(names) if name in ("ul", "ol", "table")), default=0) :]
        if tag in _BLOCKS and "p" in inner:
            self.handle_endtag("p")
        elif tag in ("li", "tr", "td", "th") and tag in inner:
            self.handle_endtag(tag)
        if len(self.stack) >= _MOST_OPEN:
            raise TooDeep("too many open elements")

    def handle_endtag(self, tag: str) -> None:
        if not any(span.name == tag for span in self.stack):
            return
        if tag in _BLOCKS:
            self._flush()
        # What a closing tag finds open inside it ends with it.
        while self.stack:
            span = self.stack.pop()
            self._close(span)
            if span.name == tag:
                break

    def handle_data(self, data: str) -> None:
        if any(span.name in _SILENT for span in self.stack):
            self.opinion.scripts += 1
        elif self._held_by() is not None:
            self.held += data
        else:
            self._words(data)
            for span in self.stack:
                for part in _PARTS:
                    if part in span.classes and (citation := self._citation()):
                        citation.parts[part] = citation.parts.get(part, "") + data.strip()

    def finish(self) -> None:
        """End what the source left open."""
        self._flush()

    def _inside(self, name: str) -> bool:
        return any(span.name == name for span in self.stack)

    def _citation(self) -> _Span | None:
        return next((span for span in reversed(self.stack) if "citation" in span.classes), None)

    def _held_by(self) -> _Span | None:
        return next((span for span in self.stack if _holds(span)), None)

    def _close(self, span: _Span) -> None:
        if _holds(span) and self._held_by() is None:
            held, self.held = self.held, ""
            if "star-pagination" in span.classes or span.name == "page-number":
                self.page = held.strip(" *\n")
                self.first_page = self.first_page if self.length else self.page
                self.opinion.pages += 1
                self._space(" ")
            elif span.name == "span" or (span.name == "a" and any("footnote" in span.classes for span in self.stack)):
                self.number = held.strip()  # of a paragraph, or of a footnote where its anchor is in it
            elif _CALL.match(held) and (self.linked or not held.strip().isalnum()):
                self.opinion.calls += 1
            else:
                self._words(held)
        elif span.start >= 0 and span.name in _ITALIC:
            self.italics.append(Mark(span.start, self.length, "italic"))
        elif span.start >= 0 and "citation" in span.classes:
            parts = (span.parts.get(part, "") for part in _PARTS)
            self.cited.append(Cited(span.start, self.length, *parts, opinion=span.opinion))

    def _space(self, kind: str) -> None:
        if self.length and self.gap != "\n":
            self.gap = kind

    def _words(self, data: str) -> None:
        lines = self._inside("pre")
        for run in re.findall(r"\s+|\S+", data):
            if run.isspace():
                self._space("\n" if lines and "\n" in run else " ")
                continue
            if self.length and self.gap:
                self.out.append(self.gap)
                self.length += 1
            self.gap = ""
            for span in self.stack:
                if span.start < 0:
                    span.start = self.length
            self.out.append(run)
            self.length += len(run)

    def _flush(self) -> None:
        if self.held and self._held_by() is not None:  # an element that a block ends without closing it
            self._words_now()
        if self.length:
            for span in self.stack:
                if span.start >= 0 and "citation" in span.classes:
                    parts = (span.parts.get(part, "") for part in _PARTS)
                    self.cited.append(Cited(span.start, self.length, *parts, opinion=span.opinion))
            blocks = [span for span in self.stack if span.name in _BLOCKS]
            tag = ".".join((blocks[-1].name, *blocks[-1].classes)) if blocks else "text"
            outer = tuple(".".join((block.name, *block.classes)) for block in blocks)
            self.opinion.blocks.append(
                Block(tag, outer, "".join(self.out), self.italics, sorted(self.cited, key=lambda one: one.start),
                      self.number, self.first_page)
            )  # fmt: skip
            self.number = ""
        self._reset()

    def _words_now(self) -> None:
        held, self.held = self.held, ""
        for span in self.stack:
            if _holds(span):
                span.classes, span.name = (), "span_"
        self._words(held)


def _holds(span: _Span) -> bool:
    """Whether the element's words are looked at before they count as text."""
    if span.name in ("sup", "page-number") or "star-pagination" in span.classes:
        return True
    return (span.name == "span" and "num" in span.classes) or (span.name == "a" and "footnote" in span.classes)


_HEAD = re.compile(rb'\A(?:\xef\xbb\xbf)?\s*\{[^\n]*?"absolute_url"\s*:\s*"/opinion/\d+/')
_SUPREME = "Supreme Court of the United States"
_SUPREME_COURT = re.compile(r"\ASupreme Court of (?:the )?United States\.?\Z", re.IGNORECASE)
_SUPREME_REPORTERS = frozenset({"us", "s-ct", "sup-ct", "l-ed", "l-ed-2d"})
_COURT = re.compile(r"\bCourt\b", re.IGNORECASE)
_DOCKET = re.compile(r"\ANos?\.\s*(.*?)\.?\Z")
_FACTS = frozenset({"p.case_cite", "p.parties", "p.docket", "p.court", "p.date"})
_NOTES_HEADING = re.compile(r"(?:foot)?notes?:?\Z", re.IGNORECASE)
_NOTE_LABEL = re.compile(r"\[([0-9]{1,3}[a-z]?|[*†‡]+)\]\s*")
_RULE = re.compile(r"[*\s_—–-]+\Z")
_URL_ID = re.compile(r"/opinions/(\d+)/?\Z")


@dataclass(slots=True)
class _Facts:
    """What the head of an opinion says about it."""

    case_name: str = ""
    citations: list[Cited] = field(default_factory=list[Cited])
    docket: str = ""
    court: str = ""
    decided: date | None = None


class CourtListenerJsonl(RecordsFormat):
    """Format `courtlistener_jsonl`: one file holds one opinion a line."""

    name = "courtlistener_jsonl"
    version = 2

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the first line is a record with the address of an opinion."""
        return _HEAD.match(head) is not None

    def documents(self, source: Source) -> Iterator[ParsedDocument]:
        """One document an opinion, in the order of the file; one record at a time is in memory.

        `source_hash` is of the record's line, so that a changed opinion does not make its neighbours changed.

        Raises:
            IngestError: a record that is no opinion, or none.
        """
        taken: dict[str, int] = {}
        for record in json_lines(source.path, source.name):
            yield undamaged(_Decision(record, source).document(taken))
        if not taken:
            raise IngestError("holds no opinion", file=source.name)


def citation_urn(volume: str, reporter: str, page: str) -> str:
    """The URN of a decision of the Supreme Court by its official citation; empty for any other reporter."""
    if _reporter(reporter) != "us" or not (volume.isdecimal() and page.isdecimal()):
        return ""
    return f"urn:lex:us:scotus-{volume}-us-{page}"


def _reporter(printed: str) -> str:
    """A reporter's abbreviation as part of a URN: `U. S.` -> `us`, `S. Ct.` -> `s-ct`, `F.3d` -> `f3d`."""
    found = slug(printed.replace(".", ""), limit=20)
    return "us" if found == "u-s" else found


class _Decision:
    """One run over one record."""

    def __init__(self, record: Record, source: Source) -> None:
        self.record = record
        self.source = source
        self.number = record.number("id")
        self.address = record.text("absolute_url")
        html = record.text("html_with_citations")
        try:
            self.opinion = read_opinion(html)
        except TooDeep:
            raise record.refusal("the opinion's HTML is nested too deeply") from None
        if not self.opinion.blocks:
            raise record.refusal("an opinion has no text")
        blocks = self.opinion.blocks
        split = next((at for at, block in enumerate(blocks) if not _is_head(block)), len(blocks))
        self.head, self.body = blocks[:split], blocks[split:]
        self.facts = _facts(self.head)
        self.resolved = self._resolved()
        repaired = windows_characters(html)
        self.warnings = [f"{repaired} characters of Windows-1252 are read as such"] if repaired else []
        self.nodes: list[ParsedNode] = []
        self.urns: dict[str, int] = {}

    def document(self, taken: dict[str, int]) -> ParsedDocument:
        """Build the document; `taken` counts the URNs that the file has used before."""
        urn = self._urn()
        taken[urn] = taken.get(urn, 0) + 1
        if taken[urn] > 1:
            self.warnings.append(f"{urn}~{taken[urn]}: {taken[urn]} opinions of the file have this citation")
            urn = f"{urn}~{taken[urn]}"
        facts = self.facts
        name = facts.case_name or " ".join(self.address.strip("/").split("/")[-1].split("-"))
        root = self._node(urn, None, "ROOT", "decision", "", self.head)
        root.heading = name
        cites = [f"{citation.volume} {citation.reporter} {citation.page}" for citation in facts.citations]
        root.aliases = list(dict.fromkeys((*cites, f"courtlistener.{self.number}", self.address)))
        root.tags = {key: value for key, value in self._tags(name).items() if value}
        self._paragraphs(urn)
        for node in self.nodes:
            node.valid_from = facts.decided
        self._report(urn)
        corpus = Corpus(
            urn, f"{name}, {cites[0]}" if cites else name, "en", publisher="CourtListener (Free Law Project)",
            licence="Public domain (opinion of a court)", url=f"https://www.courtlistener.com{self.address}",
        )  # fmt: skip
        return ParsedDocument(
            corpus, self.nodes, self.source.name, CourtListenerJsonl.name, self.record.sha256,
            CourtListenerJsonl.version, edition_date=facts.decided, links=self._links(urn), warnings=self.warnings,
        )  # fmt: skip

    def _urn(self) -> str:
        facts = self.facts
        reporters = [_reporter(citation.reporter) for citation in facts.citations]
        supreme = bool(_SUPREME_COURT.match(facts.court)) or (not facts.court and _SUPREME_REPORTERS & set(reporters))
        court = "scotus" if supreme else slug(facts.court) if facts.court else "opinion"
        if supreme:
            facts.court = _SUPREME
        if facts.citations:
            first = facts.citations[0]
            return f"urn:lex:us:{court}-{slug(first.volume)}-{reporters[0]}-{slug(first.page)}"
        if facts.docket and facts.decided:
            return f"urn:lex:us:{court}-no-{slug(facts.docket)}-{facts.decided}"
        return f"urn:lex:us:{court}-cl-{self.number}"

    def _tags(self, name: str) -> dict[str, str]:
        fields = self.record.fields
        author, kind = fields.get("author_str"), fields.get("type")
        return {
            "court": self.facts.court,
            "date": self.facts.decided.isoformat() if self.facts.decided else "",
            "case_number": self.facts.docket,
            "case_name": name,
            "author": author if isinstance(author, str) else "",
            "opinion_type": kind if isinstance(kind, str) else "",
            "per_curiam": "true" if fields.get("per_curiam") is True else "",
        }

    def _node(
        self, urn: str, parent: str | None, structure: str, level: str, number: str, blocks: list[Block]
    ) -> ParsedNode:
        """A node whose own words are these blocks, a line each."""
        text, marks = "", list[Mark]()
        for block in blocks:
            shift = len(text) + bool(text)
            text = f"{text}\n{block.text}" if text else block.text
            marks.extend(Mark(italic.start + shift, italic.end + shift, italic.kind) for italic in block.italics)
            for citation in block.cited:
                target = self.resolved.get(citation.opinion, "") if citation.opinion else ""
                marks.append(Mark(citation.start + shift, citation.end + shift, "reference", target))
        node = ParsedNode(urn, parent, structure, level, number, kind="decision", line=self.record.line)
        if parent is None:
            node.intro_text = text
        else:
            node.content_text = text
        node.marks = sorted((mark for mark in marks if mark.start < mark.end), key=lambda mark: (mark.start, mark.end))
        page = next((block.page for block in blocks if block.page), "")
        if page and parent is not None:
            node.tags["page"] = page
        self.nodes.append(node)
        return node

    def _child(self, root: str, key: str, structure: str, level: str, block: Block) -> ParsedNode:
        stem = f"{root}:{segment(key)}"
        self.urns[stem] = self.urns.get(stem, 0) + 1
        count = self.urns[stem]
        if count > 1:
            self.warnings.append(f"{stem}~{count}: its number occurs {count} times")
        suffix = f"~{count}" if count > 1 else ""
        return self._node(f"{stem}{suffix}", root, structure, level, f"{key}{suffix}", [block])

    def _paragraphs(self, root: str) -> None:
        in_notes, heading, rules, unnumbered = False, "", 0, 0
        note: ParsedNode | None = None
        for block in self.body:
            if re.match(r"h[1-6]\b", block.tag):
                if _NOTES_HEADING.match(block.text):
                    in_notes = True
                elif _RULE.match(block.text):
                    rules += 1
                else:
                    heading = f"{heading} {block.text}".strip()
                continue
            label = _NOTE_LABEL.match(block.text) if in_notes else None
            footnote = any(".footnote" in child for child in block.outer)
            if label or (footnote and block.number):
                key = label[1] if label else block.number
                block = _cut(block, label.end()) if label else block
                key = key if re.search(r"[0-9a-z]", key) else f"s{len(key)}"
                note = self._child(root, f"note.{key}", "NOTE", "footnote", block)
            elif (in_notes or footnote) and note is not None:
                self._append(note, block)
            elif block.number:
                if not re.search(r"[0-9A-Za-z]", block.number):
                    raise self.record.refusal("a paragraph's number cannot be cited")
                self._child(root, block.number, "PARAGRAPH", "paragraph", block)
            else:
                unnumbered += 1
                self._child(root, f"p.{unnumbered}", "PARAGRAPH", "paragraph", block)
            if heading:
                self.nodes[-1].heading, heading = heading, ""
        if heading:
            raise self.record.refusal("an opinion ends in a heading")
        if rules:
            self.warnings.append(f"{root}: {rules} lines of asterisks are left out")

    def _append(self, node: ParsedNode, block: Block) -> None:
        """Go on with the last node in a further line."""
        self.nodes.pop()
        more = self._node(node.urn, node.parent_urn, node.structure_type, node.level, node.number, [block])
        shift = len(node.content_text) + 1
        marks = [Mark(mark.start + shift, mark.end + shift, mark.kind, mark.target) for mark in more.marks]
        node.content_text = f"{node.content_text}\n{more.content_text}"
        node.marks.extend(marks)
        self.nodes[-1] = node

    def _resolved(self) -> dict[str, str]:
        """CourtListener's ids -> URNs, read from the official citations among the marks that it resolved."""
        found: dict[str, set[str]] = {}
        for citation in (cited for block in self.body for cited in block.cited):
            urn = citation_urn(citation.volume, citation.reporter, citation.page)
            if citation.opinion and urn:
                found.setdefault(citation.opinion, set()).add(urn)
        # Two official citations of one opinion: one of them is a page inside it, and which one nothing says.
        return {opinion: next(iter(urns)) for opinion, urns in found.items() if len(urns) == 1}

    def _links(self, urn: str) -> list[Link]:
        """Opinions that the record lists as cited though no mark in the text leads to them."""
        listed = self.record.fields.get("opinions_cited")
        marked = {citation.opinion for block in self.opinion.blocks for citation in block.cited}
        ids = [match[1] for name in (str(item) for item in _items(listed)) if (match := _URL_ID.search(name))]
        return [
            Link(urn, "cites", f"courtlistener.{fromkey}") for fromkey in dict.fromkeys(ids) if fromkey not in marked
        ]

    def _report(self, urn: str) -> None:
        opinion = self.opinion
        if opinion.pages or opinion.calls:
            self.warnings.append(
                f"{urn}: {opinion.pages} page breaks and {opinion.calls} footnote calls are left out of the text"
            )
        if opinion.scripts:
            self.warnings.append(f"{urn}: {opinion.scripts} scripts or style sheets are left out")
        if self.facts.decided is None:
            self.warnings.append(f"{urn}: the source states no date of decision")


def _items(value: object) -> list[object]:
    return [*value] if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def _is_head(block: Block) -> bool:
    """Whether a block is before the opinion: its citation, parties, docket, court, dates, way to the court."""
    inside = {child.partition(".")[0] for child in block.outer}
    return not block.number and (
        block.tag in _FACTS or "center" in inside or "h1" in inside or not inside & {"p", "pre", "blockquote", "h2"}
    )


def _facts(head: list[Block]) -> _Facts:
    facts = _Facts()
    undecided: list[date] = []
    for block in head:
        text = block.text
        whole = [citation for citation in block.cited if citation.volume and citation.reporter and citation.page]
        docket = _DOCKET.match(text)
        if "h1" in block.tag or block.tag == "p.parties":
            facts.case_name = facts.case_name or text.rstrip(" .")
        elif whole and block.text.startswith(whole[0].volume):
            facts.citations.extend(whole)
        elif docket and not facts.docket:
            facts.docket = docket[1] if re.search(r"\d", docket[1]) else ""
        elif not facts.court and _COURT.search(text) and (block.tag == "p.court" or "center" in block.outer):
            facts.court = text.rstrip(" .")
        elif found := dates(text):
            undecided.extend(found)
            if re.match(r"decided\b", text, re.IGNORECASE):
                facts.decided = found[-1]
    facts.decided = facts.decided or max(undecided, default=None)
    return facts


def _cut(block: Block, start: int) -> Block:
    """The block without its first characters."""
    italics = [Mark(max(0, italic.start - start), max(0, italic.end - start), italic.kind) for italic in block.italics]
    cited = [
        Cited(
            max(0, citation.start - start),
            max(0, citation.end - start),
            citation.volume,
            citation.reporter,
            citation.page,
            citation.opinion,
        )
        for citation in block.cited
    ]
    return Block(block.tag, block.outer, block.text[start:], italics, cited, block.number, block.page)
