"""French codes as a JSON tree of LEGI: `{type, data, children}` from the code over its sections to its articles.

What is kept of an article: its text (from `texteHtml`, which alone has the lines), dates, status and ids. Its `nota` is
a NOTE node beside the text, and its `lienModifications` are edges. Versions that were never in force are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import cast

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.encoding import undamaged
from rag.ingest.formats.french.legi_html import LEGI_ID, LegiHtml, legi_aliases
from rag.ingest.formats.french.lines import Line
from rag.ingest.formats.french.tree import Article, Change, LawTree, change_of
from rag.ingest.formats.json_records import read_json
from rag.ingest.formats.xml import collapse
from rag.jurisdictions.fr.naming import (
    JURISDICTION_URN,
    LICENCE,
    PUBLISHER,
    STATUS_TAGS,
    article_number,
    article_segment,
    iso_date,
    law_identity,
)
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.strict_json import member

OPEN_END = 32_472_144_000_000  # 2999-01-01 in milliseconds
_OPEN = (OPEN_END, "2999-01-01")
_DAY = 86_400_000


class LegiMembers:
    """Typed access to the nodes of one file. Every method raises IngestError where a member is of another type."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = source.name

    def load(self) -> dict[str, object]:
        """The file's root object."""
        value = read_json(self.source.path, self.name)
        if not isinstance(value, dict):
            raise self.error("is no JSON object")
        return cast("dict[str, object]", value)

    def data_of(self, node: dict[str, object]) -> dict[str, object]:
        """A node's data object."""
        data = node.get("data")
        if not isinstance(data, dict):
            raise self.error("a node has no data object")
        return cast("dict[str, object]", data)

    def id_of(self, data: dict[str, object]) -> str:
        """A node's LEGI id."""
        value = data.get("id")
        if not isinstance(value, str) or not LEGI_ID.fullmatch(value):
            raise self.error("a node has no LEGI id")
        return value

    def text_of(self, data: dict[str, object], key: str, identifier: str) -> str:
        """A text member; empty where absent or null."""
        value = data.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.error(f"the {key} of {identifier} is no text")
        return value

    def list_of(self, data: dict[str, object], key: str, identifier: str) -> list[object]:
        """A list member; empty where absent or null."""
        value = data.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(f"the {key} of {identifier} is no list")
        return cast("list[object]", value)

    def date_of(self, data: dict[str, object], key: str, identifier: str) -> date | None:
        """A date member; None where absent, null or the open end."""
        value = data.get(key)
        if value is None:
            return None
        found = legi_date(value)
        if found is None and value not in _OPEN:
            raise self.error(f"the {key} of {identifier} is no date at midnight")
        return found

    def error(self, cause: str) -> IngestError:
        """The refusal of this file."""
        return IngestError(cause, file=self.name)


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


_HEAD = re.compile(r'\s*\{\s*"(?:data|type)"\s*:')
_PART_ID = re.compile(r'"(?:id|cid)"\s*:\s*"LEGI(?:SCTA|ARTI)\d{6,}"')
_ROOT_ID = re.compile(r'"(?:id|cid)"\s*:\s*"(?:LEGITEXT|JORFTEXT)\d{6,}"')
_LINK_ID = re.compile(r"LEGIARTI\d+")
_LINK_TITLE = re.compile(r"(Code [^.]+?)(?:, [A-Z][A-Z0-9]+\.?)? - art\. (\S[^()]{0,40}?) \([A-Z]+\)")
_NEVER_IN_FORCE = "MODIFIE_MORT_NE"


class LegiJson(FileFormat):
    """A French code as one JSON file of the LEGI tree (layouts of 2019 and later)."""

    name = "legi_json"
    version = 4

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file is a tree whose root carries the id of a French text."""
        text = head.decode("utf-8", "replace")
        return _HEAD.match(text) is not None and _ROOT_ID.search(text.partition('"children"')[0]) is not None

    def skips(self, path: Path, head: bytes) -> str:
        """A tree below a section or article is no document of its own."""
        text = head.decode("utf-8", "replace").partition('"children"')[0]
        part = _HEAD.match(text) is not None and _PART_ID.search(text) is not None and not self.claims(path, head)
        return "a part of a French text, not the whole of one" if part else ""

    def read(self, source: Source) -> ParsedDocument:
        """Read a code.

        Raises:
            IngestError: not strict JSON, not such a tree, a member of the wrong type, or a date that is none.
        """
        return undamaged(_Reader(source).read(self))


class _Reader(LegiMembers):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.targets: dict[str, str] = {}
        self.counts = {"dropped": 0, "earlier": 0, "notas": 0, "images": 0, "lineless": 0}
        self.unlike: list[str] = []
        self.never: list[str] = []
        self.law = law_identity("")

    def read(self, form: LegiJson) -> ParsedDocument:
        top = self.load()
        data = self.data_of(top)
        if top.get("type") not in ("code", "section", "texte"):
            raise self.error("its root is neither a code nor a text")
        identifier = self.id_of(data)
        if "TEXT" not in identifier:
            raise self.error("its root is a part of a text and not the whole of one")
        title = self.text_of(data, "title", identifier)
        if not title.strip():
            raise self.error("its root has no title")
        self.law = law_identity(title)
        for article in self._walk(top):
            self._know(self.data_of(article))
        tree = LawTree(self.law, source=self.name)
        tree.root.aliases += legi_aliases(identifier)
        if (status := STATUS_TAGS.get(self.text_of(data, "etat", identifier))) is not None:
            tree.root.tags["status"] = status
        self._children(tree, tree.root, top)
        nodes = tree.nodes()
        edition = self.date_of(data, "dateDebutVersion", identifier) or self.date_of(data, "dateModif", identifier)
        url = f"https://www.legifrance.gouv.fr/codes/texte_lc/{identifier}"
        corpus = Corpus(self.law.urn, self.law.title, "fr", PUBLISHER, LICENCE, url)
        warnings = [*tree.warnings, *self._warnings(tree)]
        digest = self.source.sha256()
        return ParsedDocument(
            corpus, nodes, self.name, form.name, digest, form.version, edition, links=tree.links, warnings=warnings
        )

    # The tree

    def _below(self, node: dict[str, object]) -> Iterator[dict[str, object]]:
        children = node.get("children")
        if children is None:
            return
        if not isinstance(children, list):
            raise self.error("the children of a node are no list")
        for child in cast("list[object]", children):
            if not isinstance(child, dict):
                raise self.error("a child of a node is no object")
            yield cast("dict[str, object]", child)

    def _walk(self, node: dict[str, object]) -> Iterator[dict[str, object]]:
        for child in self._below(node):
            if child.get("type") == "article":
                yield child
            else:
                yield from self._walk(child)

    def _children(self, tree: LawTree, parent: ParsedNode, node: dict[str, object]) -> None:
        for child in self._below(node):
            data = self.data_of(child)
            if child.get("type") == "article":
                if child.get("children"):
                    raise self.error(f"article {self.id_of(data)} has children")
                article = self._article(data)
                if article is not None:
                    tree.article(parent, article)
            elif child.get("type") == "section":
                identifier = self.id_of(data)
                status = STATUS_TAGS.get(self.text_of(data, "etat", identifier))
                start, end = self.date_of(data, "dateDebut", identifier), self.date_of(data, "dateFin", identifier)
                if start is not None and end is not None and start >= end:
                    start = end = None
                    tree.warnings.append(f"{identifier}: its dates exclude each other and are not used")
                section = tree.container(
                    parent, self.text_of(data, "title", identifier), valid_from=start, valid_to=end,
                    aliases=legi_aliases(identifier), tags={"status": status} if status else {},
                )  # fmt: skip
                self._children(tree, section, child)
            else:
                raise self.error("a node is neither a section nor an article")

    def _article(self, data: dict[str, object]) -> Article | None:
        identifier = self.id_of(data)
        start, end = self.date_of(data, "dateDebut", identifier), self.date_of(data, "dateFin", identifier)
        state = self.text_of(data, "etat", identifier)
        if state == _NEVER_IN_FORCE or (start is not None and end is not None and start >= end):
            self.never.append(identifier)
            return None
        lines = self._lines(data, "texteHtml", "texte", identifier)
        nota = self._lines(data, "notaHtml", "nota", identifier)
        self.counts["notas"] += bool(nota)
        aliases = legi_aliases(identifier)
        tags = {"legi_id": identifier}
        cid = self.text_of(data, "cid", identifier)
        if cid:
            if not LEGI_ID.fullmatch(cid):
                raise self.error(f"the cid of {identifier} is no LEGI id")
            tags["cid"] = cid
        if state in STATUS_TAGS:
            tags["status"] = STATUS_TAGS[state]
        for other in dict.fromkeys([cid, *self._earlier(data, identifier)]):
            if other and other != identifier:
                aliases += legi_aliases(other)
        return Article(
            self._number(data, identifier), lines, valid_from=start, valid_to=end, tags=tags, aliases=aliases,
            nota=nota, history=[*self._history(data, identifier)],
        )  # fmt: skip

    def _history(self, data: dict[str, object], identifier: str) -> Iterator[Change]:
        """What the notes on an article say happened to it."""
        for item in self.list_of(data, "lienModifications", identifier):
            if not isinstance(item, dict):
                raise self.error(f"a link of {identifier} is no object")
            link = cast("dict[str, object]", item)
            said = {name: member(link, name) for name in ("linkType", "linkOrientation", "articleId", "textCid",
                                                          "textTitle", "articleNum", "dateDebutCible")}  # fmt: skip
            text = {name: value if isinstance(value, str) else "" for name, value in said.items()}
            title, number = text["textTitle"], text["articleNum"]
            words = title if f"art. {number}" in title else f"{title} {number}"
            found, day = text["articleId"] or text["textCid"], legi_date(text["dateDebutCible"])
            change = change_of(text["linkType"], text["linkOrientation"], words, found, day)
            if change is not None:
                yield change

    def _earlier(self, data: dict[str, object], identifier: str) -> Iterator[str]:
        """Ids of the other versions that were or will be in force; their texts are not in the file."""
        for version in self.list_of(data, "articleVersions", identifier):
            if not isinstance(version, dict):
                raise self.error(f"a version of {identifier} is no object")
            one = cast("dict[str, object]", version)
            other = self.id_of(one)
            start, end = self.date_of(one, "dateDebut", other), self.date_of(one, "dateFin", other)
            if one.get("etat") == _NEVER_IN_FORCE or (start is not None and end is not None and start >= end):
                self.counts["dropped"] += 1
            elif other != identifier:
                self.counts["earlier"] += 1
                yield other

    def _number(self, data: dict[str, object], identifier: str) -> str:
        """The article's number; one without is cited by its id."""
        return self.text_of(data, "num", identifier).strip() or identifier

    def _know(self, data: dict[str, object]) -> None:
        """Note what the ids of an article resolve to, so that links to it find it."""
        identifier = self.id_of(data)
        try:
            urn = f"{self.law.urn}:{article_segment(self._number(data, identifier))}"
        except InputError as error:
            raise self.error(f"{identifier}: {error.message}") from None
        self.targets[identifier] = urn
        others = [member(entry, "id") for entry in self.list_of(data, "articleVersions", identifier)]
        for other in (data.get("cid"), *others):
            if isinstance(other, str):
                self.targets.setdefault(other, urn)

    # Members

    def _lines(self, data: dict[str, object], html: str, text: str, identifier: str) -> list[Line]:
        fragment, plain = self.text_of(data, html, identifier), self.text_of(data, text, identifier)
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
        if counts["notas"]:
            yield f"{counts['notas']} articles have an editorial nota, kept apart from the text as a NOTE"
        if counts["images"]:
            yield f"{counts['images']} pictures have no words; their places are marked in the text"
        if counts["lineless"]:
            yield f"{counts['lineless']} texts have no texteHtml; their alinéas are run together"
