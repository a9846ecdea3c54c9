"""French codes as a JSON tree of LEGI: `{type, data, children}` from the code over its sections to its articles.

What is kept of an article: its text (from `texteHtml`, which alone has the lines), dates, status and ids. Its `nota` is
a NOTE node beside the text. `lienModifications` are left out and counted; so are versions that were never in force.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import cast

from rag.ingest.formats.base import Source
from rag.ingest.formats.french import (
    JURISDICTION_URN,
    LICENCE,
    PUBLISHER,
    STATUS_TAGS,
    article_number,
    article_segment,
    iso_date,
    law_identity,
)
from rag.ingest.formats.french_lines import Line
from rag.ingest.formats.french_tree import Article, LawTree
from rag.ingest.formats.legi_html import LegiHtml
from rag.ingest.formats.xml import MAX_BYTES, collapse
from rag.ingest.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.strict_json import JsonRefused, member, parse_json

MAX_JSON_DEPTH = 120  # three levels of JSON a container
OPEN_END = 32_472_144_000_000  # 2999-01-01 in milliseconds
_DAY = 86_400_000
_HEAD = re.compile(r'\s*\{\s*"(?:data|type|children)"\s*:')
_ROOT_ID = re.compile(r'"(?:id|cid)"\s*:\s*"(?:LEGITEXT|JORFTEXT)\d{6,}"')
_SECTION_ID = re.compile(r'"(?:id|cid)"\s*:\s*"LEGISCTA\d{6,}"')
_ID = re.compile(r"(?:LEGI|JORF)(?:TEXT|SCTA|ARTI)\d+")
_LINK_ID = re.compile(r"LEGIARTI\d+")
_LINK_TITLE = re.compile(r"(Code [^.]+?)(?:, [A-Z][A-Z0-9]+\.?)? - art\. (\S[^()]{0,40}?) \([A-Z]+\)")
_NEVER_IN_FORCE = "MODIFIE_MORT_NE"


class LegiJson:
    """A French code as one JSON file of the LEGI tree (layouts of 2019 and later)."""

    @property
    def name(self) -> str:
        """The format's name."""
        return "legi_json"

    @property
    def version(self) -> int:
        """Raised whenever the nodes change."""
        return 1

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file is a tree node that carries the id of a French text."""
        text = head.decode("utf-8", "replace")
        if not _HEAD.match(text):
            return False
        return _ROOT_ID.search(text) is not None or _SECTION_ID.search(text) is not None

    def skips(self, path: Path, head: bytes) -> str:
        """Every file of this format is a document."""
        return ""

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        """A code is one file."""
        return ()

    def parse(self, source: Source) -> ParsedDocument:
        """Read a code.

        Raises:
            IngestError: not strict JSON, not such a tree, a member of the wrong type, or a date that is none.
        """
        return _Reader(source).read(self)


class _Reader:
    def __init__(self, source: Source) -> None:
        self.name = source.name
        self.source = source
        self.targets: dict[str, str] = {}
        self.counts = {"links": 0, "dropped": 0, "earlier": 0, "notas": 0, "images": 0, "lineless": 0}
        self.unlike: list[str] = []
        self.never: list[str] = []
        self.law = law_identity("")

    def read(self, form: LegiJson) -> ParsedDocument:
        top = self._load()
        data = self._data(top)
        if top.get("type") not in ("code", "section", "texte"):
            raise self._error("its root is neither a code nor a text")
        identifier = self._id(data)
        title = self._text(data, "title", identifier)
        if not title.strip():
            raise self._error("its root has no title")
        self.law = law_identity(title)
        for article in self._walk(top):
            self._know(self._data(article))
        tree = LawTree(self.law, source=self.name)
        tree.root.aliases += _aliases(identifier)
        if (status := STATUS_TAGS.get(self._text(data, "etat", identifier))) is not None:
            tree.root.tags["status"] = status
        self._children(tree, tree.root, top)
        nodes = tree.nodes()
        edition = self._date(data, "dateDebutVersion", identifier) or self._date(data, "dateModif", identifier)
        url = f"https://www.legifrance.gouv.fr/codes/texte_lc/{identifier}"
        corpus = Corpus(self.law.urn, self.law.title, "fr", PUBLISHER, LICENCE, url)
        warnings = [*tree.warnings, *self._warnings(tree)]
        digest = self.source.sha256()
        return ParsedDocument(corpus, nodes, self.name, form.name, digest, form.version, edition, warnings=warnings)

    # The tree

    def _load(self) -> dict[str, object]:
        try:
            if self.source.path.stat().st_size > MAX_BYTES:
                raise self._error(f"is larger than {MAX_BYTES} bytes")
            raw = self.source.path.read_bytes()
        except OSError as error:
            raise self._error(f"cannot be read ({type(error).__name__})") from None
        try:
            value = parse_json(raw, max_bytes=MAX_BYTES, max_depth=MAX_JSON_DEPTH)
        except JsonRefused as refused:
            raise IngestError(
                f"is not JSON that can be read safely: {refused.reason}", file=self.name, line=_bad_line(raw)
            ) from None
        if not isinstance(value, dict):
            raise self._error("is not a JSON object")
        return cast("dict[str, object]", value)

    def _below(self, node: dict[str, object]) -> Iterator[dict[str, object]]:
        children = node.get("children")
        if children is None:
            return
        if not isinstance(children, list):
            raise self._error("the children of a node are no list")
        for child in cast("list[object]", children):
            if not isinstance(child, dict):
                raise self._error("a child of a node is no object")
            yield cast("dict[str, object]", child)

    def _walk(self, node: dict[str, object]) -> Iterator[dict[str, object]]:
        for child in self._below(node):
            if child.get("type") == "article":
                yield child
            else:
                yield from self._walk(child)

    def _children(self, tree: LawTree, parent: ParsedNode, node: dict[str, object]) -> None:
        for child in self._below(node):
            data = self._data(child)
            if child.get("type") == "article":
                if child.get("children"):
                    raise self._error(f"article {self._id(data)} has children")
                article = self._article(data)
                if article is not None:
                    tree.article(parent, article)
            elif child.get("type") == "section":
                identifier = self._id(data)
                status = STATUS_TAGS.get(self._text(data, "etat", identifier))
                start, end = self._date(data, "dateDebut", identifier), self._date(data, "dateFin", identifier)
                if start is not None and end is not None and start >= end:
                    start = end = None
                    tree.warnings.append(f"{identifier}: its dates exclude each other and are not used")
                section = tree.container(
                    parent, self._text(data, "title", identifier), valid_from=start, valid_to=end,
                    aliases=_aliases(identifier), tags={"status": status} if status else {},
                )  # fmt: skip
                self._children(tree, section, child)
            else:
                raise self._error("a node is neither a section nor an article")

    def _article(self, data: dict[str, object]) -> Article | None:
        identifier = self._id(data)
        start, end = self._date(data, "dateDebut", identifier), self._date(data, "dateFin", identifier)
        state = self._text(data, "etat", identifier)
        self.counts["links"] += len(self._list(data, "lienModifications", identifier))
        if state == _NEVER_IN_FORCE or (start is not None and end is not None and start >= end):
            self.never.append(identifier)
            return None
        lines = self._lines(data, "texteHtml", "texte", identifier)
        nota = self._lines(data, "notaHtml", "nota", identifier)
        self.counts["notas"] += bool(nota)
        aliases = _aliases(identifier)
        tags = {"legi_id": identifier}
        cid = self._text(data, "cid", identifier)
        if cid:
            if not _ID.fullmatch(cid):
                raise self._error(f"the cid of {identifier} is no LEGI id")
            tags["cid"] = cid
        if state in STATUS_TAGS:
            tags["status"] = STATUS_TAGS[state]
        for other in dict.fromkeys([cid, *self._earlier(data, identifier)]):
            if other and other != identifier:
                aliases += _aliases(other)
        return Article(
            self._number(data, identifier), lines, valid_from=start, valid_to=end, tags=tags, aliases=aliases, nota=nota
        )

    def _earlier(self, data: dict[str, object], identifier: str) -> Iterator[str]:
        """Ids of the other versions that were or will be in force; their texts are not in the file."""
        for version in self._list(data, "articleVersions", identifier):
            if not isinstance(version, dict):
                raise self._error(f"a version of {identifier} is no object")
            one = cast("dict[str, object]", version)
            other = self._id(one)
            start, end = self._date(one, "dateDebut", other), self._date(one, "dateFin", other)
            if one.get("etat") == _NEVER_IN_FORCE or (start is not None and end is not None and start >= end):
                self.counts["dropped"] += 1
            elif other != identifier:
                self.counts["earlier"] += 1
                yield other

    def _number(self, data: dict[str, object], identifier: str) -> str:
        """The article's number; one without is cited by its id."""
        return self._text(data, "num", identifier).strip() or identifier

    def _know(self, data: dict[str, object]) -> None:
        """Note what the ids of an article resolve to, so that links to it find it."""
        identifier = self._id(data)
        try:
            urn = f"{self.law.urn}:{article_segment(self._number(data, identifier))}"
        except InputError as error:
            raise self._error(f"{identifier}: {error.message}") from None
        self.targets[identifier] = urn
        others = [member(one, "id") for one in self._list(data, "articleVersions", identifier)]
        for other in (data.get("cid"), *others):
            if isinstance(other, str):
                self.targets.setdefault(other, urn)

    # Members

    def _lines(self, data: dict[str, object], html: str, text: str, identifier: str) -> list[Line]:
        fragment, plain = self._text(data, html, identifier), self._text(data, text, identifier)
        if not fragment.strip():
            # Without mark-up the lines are lost; the words are not.
            self.counts["lineless"] += bool(plain.strip())
            return [Line(collapse(plain))] if plain.strip() else []
        reader = LegiHtml(self._target)
        lines = reader.read(fragment)
        self.counts["images"] += reader.images
        found = re.sub(r"[\s|^]|\[image\]", "", "".join(line.text for line in lines))
        if plain.strip() and found != re.sub(r"[\s|^]", "", plain):
            self.unlike.append(identifier)
        return lines

    def _target(self, attributes: dict[str, str]) -> str:
        for identifier in _LINK_ID.findall(attributes.get("href", "")):
            if identifier in self.targets:
                return self.targets[identifier]
        match = _LINK_TITLE.fullmatch(" ".join((attributes.get("title") or attributes.get("alt") or "").split()))
        if match is None:
            return ""
        law = law_identity(match[1])
        try:
            return f"{law.urn}:{article_segment(article_number(match[2]))}" if law.urn != JURISDICTION_URN else ""
        except InputError:
            return ""

    def _data(self, node: dict[str, object]) -> dict[str, object]:
        data = node.get("data")
        if not isinstance(data, dict):
            raise self._error("a node has no data object")
        return cast("dict[str, object]", data)

    def _id(self, data: dict[str, object]) -> str:
        value = data.get("id")
        if not isinstance(value, str) or not _ID.fullmatch(value):
            raise self._error("a node has no LEGI id")
        return value

    def _text(self, data: dict[str, object], key: str, identifier: str) -> str:
        value = data.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._error(f"the {key} of {identifier} is no text")
        return value

    def _list(self, data: dict[str, object], key: str, identifier: str) -> list[object]:
        value = data.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._error(f"the {key} of {identifier} is no list")
        return cast("list[object]", value)

    def _date(self, data: dict[str, object], key: str, identifier: str) -> date | None:
        value = data.get(key)
        if value is None:
            return None
        found = legi_date(value)
        if found is None and value not in _OPEN:
            raise self._error(f"the {key} of {identifier} is no date at midnight")
        return found

    def _warnings(self, tree: LawTree) -> Iterator[str]:
        counts = self.counts
        tree_warnings = len(tree.warnings)
        tree.warn_of("articles were never in force and are left out", self.never)
        tree.warn_of("articles have other words in `texte` than in `texteHtml`; the latter is kept", self.unlike)
        yield from tree.warnings[tree_warnings:]
        if counts["dropped"]:
            yield f"{counts['dropped']} versions in the lists of versions were never in force; their ids are no aliases"
        if counts["earlier"]:
            yield f"{counts['earlier']} other versions are named by id only; their texts are not in the file"
        if counts["links"]:
            yield f"{counts['links']} notes on what created or amended an article (lienModifications) are left out"
        if counts["notas"]:
            yield f"{counts['notas']} articles have an editorial nota, kept apart from the text as a NOTE"
        if counts["images"]:
            yield f"{counts['images']} pictures have no words; their places are marked in the text"
        if counts["lineless"]:
            yield f"{counts['lineless']} texts have no texteHtml; their alinéas are run together"

    def _error(self, cause: str) -> IngestError:
        return IngestError(cause, file=self.name)


_OPEN = (OPEN_END, "2999-01-01")


def legi_date(value: object) -> date | None:
    """A LEGI date: milliseconds since 1970 at midnight UTC (or in France), or ISO; None for the open end or no date."""
    if isinstance(value, str):
        try:
            return iso_date(value)
        except ValueError:
            return None
    if not isinstance(value, int) or isinstance(value, bool) or value == OPEN_END:
        return None
    days, rest = divmod(value, _DAY)
    if rest:
        # Midnight in France is one or two hours before midnight UTC.
        if _DAY - rest not in (3_600_000, 7_200_000):
            return None
        days += 1
    try:
        found = date(1970, 1, 1) + timedelta(days=days)
    except OverflowError:
        return None
    return found


def _aliases(identifier: str) -> list[str]:
    """The id as others write it: `fr.legiarti000006902764`, and as Légifrance does."""
    return [f"fr.{identifier.lower()}", identifier]


def _bad_line(raw: bytes) -> int | None:
    """The line of the first byte that is no UTF-8, where that is what is wrong."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return raw.count(b"\n", 0, error.start) + 1
    return None
