"""French law of the Legalize project: one Markdown file a law, with front matter.

Two layouts: `## Livre`, `#### Section`, `##### Article 1240`, and an older one without any `#`, in which headings are
lines like others. Every line of an article is an alinéa. The number of # says nothing about the rank of a heading;
its kind does. The publication has no dates or statuses of articles, and prints some numbers twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.encoding import read_text, undamaged
from rag.ingest.formats.french.lines import Line
from rag.ingest.formats.french.tree import Article, LawTree, join_lines
from rag.ingest.formats.xml import collapse
from rag.jurisdictions.fr.naming import LICENCE, PUBLISHER, container_heading, iso_date, law_identity, plain_letters
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError
from retrieval.strict_json import JsonRefused, parse_json

_KEY = re.compile(r"([a-z_][a-z0-9_]*):\s*(.*)")
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")
_ARTICLE = re.compile(r"Articles?\s+(\S.*)", re.IGNORECASE)
_ANNEX = re.compile(r"(Annexes?\b.*)", re.IGNORECASE)
_ARTICLE_DEPTH = 5
_LONGEST_HEADING = 500
# A table that the publication lost: the article still speaks of it.
_LOST_TABLE = re.compile(
    r"\btableaux? (?:ci-après|ci-dessous|suivants?|figurant)|colonne de (?:gauche|droite) du", re.I
)
# A line that can only be an article's heading where nothing marks headings: its number and nothing else.
_BARE_ARTICLE = re.compile(
    r"Article\s+((?:annexe\s*)?(?:(?:L\.?O|LO|[LRDA])?\.?\s?\*{0,2}\s?\d+(?:er)?(?:[-.]\d+)*"
    r"(?:[ -](?:[a-z]+ies|bis|ter|quater))?(?:[ -][A-Z]{1,2}){0,2}|liminaire|préliminaire|unique|annexe|[IVXLC]+))"
)
_KIND_FIRST = re.compile(
    r"(?:sous-)?(?:partie|livre|titre|chapitre|section|paragraphe)\b|\w+ (?:sous-)?partie\b", re.IGNORECASE
)
_BARE_DIVISION = re.compile(
    r"Dispositions (?:générales|communes|préliminaires|diverses|particulières|spéciales|transitoires|finales)\b"
    r"[^;:]{0,120}"
)
_TABLE = re.compile(r"\s*\|.*\|\s*$")
_TABLE_RULE = re.compile(r"[\s|:-]+")
_IDENTIFIER = re.compile(r"(?:LEGI|JORF)TEXT\d{6,}")
_HEAD_KEYS = re.compile(r'\nidentifier:\s*"?(?:LEGI|JORF)TEXT\d{6,}"?\s*\n')
_COUNTRY = re.compile(r'\ncountry:\s*"?fr"?\s*\n')
_STATUS = {"repealed": "repealed", "abrogated": "repealed", "annulled": "annulled", "expired": "expired"}
_MARKED_RANKS = {2: 0, 3: 3}  # of headings without a kind, by their #; deeper ones are in the open chapter
_LOCAL = 6  # the rank right below a chapter


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of the file that says something: `depth` is its number of #, 0 for text."""

    number: int
    depth: int
    text: str


class LegalizeMd(FileFormat):
    """A French code or act in the Markdown of the Legalize project."""

    name = "legalize_md"
    version = 3

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file begins with front matter that names a French text by its official id."""
        text = head.decode("utf-8", "replace").replace("\r\n", "\n")
        front, closed, _ = text.partition("\n---\n") if text.startswith("---\n") else ("", "", "")
        return bool(closed) and bool(_HEAD_KEYS.search(f"{front}\n")) and bool(_COUNTRY.search(f"{front}\n"))

    def read(self, source: Source) -> ParsedDocument:
        """Read a law.

        Raises:
            IngestError: not UTF-8, front matter missing or malformed, a date that is none, an article without number.
        """
        name = source.name
        lines = read_text(source.path, name).replace("\r\n", "\n").split("\n")
        front, start = _front_matter(lines, name)
        for key in ("title", "identifier"):
            if not front.get(key, "").strip():
                raise IngestError(f"its front matter has no {key}", file=name, line=1)
        identifier = front["identifier"]
        if not _IDENTIFIER.fullmatch(identifier):
            raise IngestError("the identifier of its front matter is no LEGI id", file=name, line=1)
        law = law_identity(front["title"])
        edition = _front_date(front, "last_updated", name)
        tree = LawTree(law, source=name)
        tree.root.aliases += [f"fr.{identifier.lower()}", identifier]
        if front.get("status", "") in _STATUS:
            tree.root.tags["status"] = _STATUS[front["status"]]
        _Reader(tree, name).read(_rows(lines, start), front["title"])
        url = front.get("source", "") or f"https://www.legifrance.gouv.fr/codes/texte_lc/{identifier}"
        corpus = Corpus(law.urn, law.title, "fr", PUBLISHER, LICENCE, url)
        nodes = tree.nodes()
        document = ParsedDocument(
            corpus, nodes, name, self.name, source.sha256(), self.version, edition, warnings=tree.warnings
        )
        return undamaged(document)


class _Reader:
    """Puts the rows of one file into the tree."""

    def __init__(self, tree: LawTree, name: str) -> None:
        self.tree = tree
        self.name = name
        self.open: list[tuple[int, int, ParsedNode]] = []  # containers with their ranks and their number of #
        self.article: Article | None = None
        self.loose: list[Line] = []  # words before the first article of a container
        self.empty: list[str] = []
        self.lost: list[str] = []

    def read(self, rows: list[_Row], title: str) -> None:
        marked = any(row.depth > 1 for row in rows)
        previous = 0
        for place, row in enumerate(rows):
            following = rows[place + 1].text if place + 1 < len(rows) else ""
            if row.depth == 1 and not place:
                if _bare(row.text) != _bare(title):
                    self.tree.warnings.append(f"line {row.number}: the first heading is not the title of the law")
                    self._container(row)
                continue
            article = _ARTICLE.fullmatch(row.text) if row.depth else None
            if article is None and row.depth >= _ARTICLE_DEPTH:
                article = _ANNEX.fullmatch(row.text)
            if not marked and not row.depth:
                article = _BARE_ARTICLE.fullmatch(row.text)
            if article:
                self._open_article(article[1], row.number)
            elif row.depth or (not marked and _is_bare_heading(row.text, following)):
                self._container(row)
            else:
                self._line(row, continues=previous == row.number - 1)
            previous = row.number
        self._close()
        self.tree.warn_of("articles have no text in the source", self.empty)
        self.tree.warn_of("articles speak of a table that the source does not print as one", self.lost)

    def _close(self) -> None:
        if self.article is not None:
            self.tree.article(self.open[-1][2] if self.open else self.tree.root, self.article)
            if not self.article.lines:
                self.empty.append(self.article.urn)
            elif _LOST_TABLE.search(self.article.words) and not any(line.table for line in self.article.lines):
                self.article.tags["incomplete"] = "true"
                self.lost.append(self.article.urn)
            self.article = None
        elif self.loose:
            node = self.open[-1][2] if self.open else self.tree.root
            text, node.marks = join_lines(self.loose)
            node.intro_text = text
        self.loose = []

    def _open_article(self, number: str, line: int) -> None:
        self._close()
        self.article = Article(number, [], line=line)

    def _container(self, row: _Row) -> None:
        self._close()
        rank = self._rank(row)
        # Words without a kind hold no kind of their own depth: "## Dispositions préliminaires" ends at "## Livre Ier".
        while self.open and (
            self.open[-1][0] >= rank or (self.open[-1][2].level == "division" and row.depth <= self.open[-1][1])
        ):
            self.open.pop()
        parent = self.open[-1][2] if self.open else self.tree.root
        self.open.append((rank, row.depth, self.tree.container(parent, row.text, line=row.number)))

    def _rank(self, row: _Row) -> int:
        """Twice the rank of its kind; in between stand the kinds that only their surroundings rank."""
        heading = container_heading(row.text)
        chapters = [rank for rank, _, node in self.open if node.level == "chapitre"]
        if heading.level in ("partie", "sous-partie") and chapters and (row.depth > 3 or not row.depth):
            return chapters[-1] + 1  # the parts of one chapter, not of the code
        if heading.rank is not None:
            return 2 * heading.rank
        if row.depth in _MARKED_RANKS:
            return 2 * _MARKED_RANKS[row.depth]
        return chapters[-1] + 1 if chapters else 2 * _LOCAL

    def _line(self, row: _Row, *, continues: bool) -> None:
        lines = self.article.lines if self.article is not None else self.loose
        if not _TABLE.match(row.text):
            lines.append(Line(row.text, number=row.number))
            return
        if _TABLE_RULE.fullmatch(row.text):
            return  # the rule below a table's head has no words
        cells = [collapse(cell) for cell in row.text.strip().strip("|").split("|")]
        text = " | ".join(cell for cell in cells if cell)
        if continues and lines and lines[-1].table:
            lines[-1].text += f"\n{text}"
        elif text:
            lines.append(Line(text, table=True, number=row.number))


def _bare(text: str) -> str:
    return plain_letters(collapse(text)).lower().rstrip(". ")


def _is_bare_heading(text: str, following: str) -> bool:
    if _is_bare_container(text):
        return True
    leads = _BARE_ARTICLE.fullmatch(following) is not None or _is_bare_container(following)
    return leads and _BARE_DIVISION.fullmatch(text) is not None


def _is_bare_container(text: str) -> bool:
    shaped = len(text) <= _LONGEST_HEADING and _KIND_FIRST.match(text) is not None
    return shaped and container_heading(text).separated


def _rows(lines: list[str], start: int) -> list[_Row]:
    return list(_each_row(lines, start))


def _each_row(lines: list[str], start: int) -> Iterator[_Row]:
    for number, line in enumerate(lines[start:], start=start + 1):
        text = collapse(line)
        if not text:
            continue
        heading = _HEADING.fullmatch(text)
        yield _Row(number, len(heading[1]), heading[2]) if heading else _Row(number, 0, text)


def _front_matter(lines: list[str], name: str) -> tuple[dict[str, str], int]:
    """The front matter's keys and the number of lines that it takes."""
    if not lines or lines[0].rstrip() != "---":
        raise IngestError("does not begin with front matter", file=name, line=1)
    found: dict[str, str] = {}
    for number, line in enumerate(lines[1:], start=2):
        if line.rstrip() == "---":
            return found, number
        if not line.strip():
            continue
        match = _KEY.fullmatch(line.rstrip())
        if match is None:
            raise IngestError("a line of its front matter is no key with a value", file=name, line=number)
        if match[1] in found:
            raise IngestError("a key of its front matter occurs twice", file=name, line=number)
        found[match[1]] = _value(match[2].strip(), name, number)
    raise IngestError("its front matter has no end", file=name, line=1)


def _value(text: str, name: str, line: int) -> str:
    if not text.startswith('"'):
        quoted = len(text) > 1 and text.startswith("'") and text.endswith("'")
        return text[1:-1].replace("''", "'") if quoted else text
    try:
        value = parse_json(text, max_bytes=100_000, max_depth=1)
    except JsonRefused:
        value = None
    if not isinstance(value, str):
        raise IngestError("a value of its front matter is not closed by its quotation mark", file=name, line=line)
    return value


def _front_date(front: dict[str, str], key: str, name: str) -> date | None:
    if not front.get(key):
        return None
    try:
        return iso_date(front[key])
    except ValueError:
        raise IngestError(f"the {key} of its front matter is no date", file=name, line=1) from None
