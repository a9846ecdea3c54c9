"""French law as DILA's dump of LEGI has it: a folder a text, with thousands of small files; one text is one document.

    LEGITEXT.../texte/struct/LEGITEXT....xml      TEXTELR: the text's structure; names the document
    LEGITEXT.../texte/version/LEGITEXT....xml     TEXTE_VERSION: its title and state
    LEGITEXT.../section_ta/LEGI/SCTA/../..xml     SECTION_TA: what stands in a section
    LEGITEXT.../article/LEGI/ARTI/../..xml        ARTICLE: one version of an article

The structure is followed from the text down (`legi_xml_outline`), and all versions of an article that were ever in
force are kept, each with its dates. A section or an article in force whose file is missing refuses the text: the daily
updates have the changed files only. Layout and elements are known from public parsers and from samples in their tests,
not from a dump in hand. Other than in LEGI's JSON, an article has no `cid`, and links inside a text are followed by the
id in their address only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from pathlib import Path

from rag.ingest.formats.base import Source
from rag.ingest.formats.french.legi_html import LegiHtml
from rag.ingest.formats.french.legi_xml_files import LegiFiles, Link, fragment, value
from rag.ingest.formats.french.lines import Line
from rag.ingest.formats.french.tree import Article, LawTree
from rag.ingest.formats.xml import Element
from rag.jurisdictions.fr.naming import LICENCE, PUBLISHER, STATUS_TAGS, article_segment, law_identity
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError, InputError

# Where each article of a LEGI text stands: the links of its structure, followed from the text to its articles.

MAX_DEPTH = 40  # sections in sections; published codes reach 9
_VISITS = 20  # times that each file of a text may be come by on average


@dataclass(slots=True)
class Place:
    """A link to a version of an article. `rank` decides between several; only the best one is `chosen`."""

    link: Link
    rank: tuple[bool, bool, date, date]
    chosen: bool = False

    @property
    def current(self) -> bool:
        """Whether the version is in force, or will be, in a section that is."""
        return self.rank[0] and self.rank[1]


@dataclass(slots=True)
class Section:
    """A section with all its versions; `current` says whether it is in force or will be."""

    title: str
    ids: list[str]
    start: date | None
    end: date | None
    state: str
    current: bool
    children: list[Section | Place] = field(default_factory=list["Section | Place"])

    def holds_articles(self) -> bool:
        """Whether an article was placed in it, or further down."""
        return any(one.chosen if isinstance(one, Place) else one.holds_articles() for one in self.children)


class Outline:
    """Follows the links of one text.

    Attributes:
        top: what stands directly in the text.
        places: the chosen place of each version of an article, by id.
        never: ids of sections that were never in force, and are not followed.
        missing: ids of sections of the past that have no file.
        headings: how many earlier headings of sections were not kept.
    """

    def __init__(self, files: LegiFiles, root: Element, identifier: str) -> None:
        self.places: dict[str, Place] = {}
        self.never: list[str] = []
        self.missing: list[str] = []
        self.headings = 0
        self._files = files
        self._visits = _VISITS * (len(files.paths) + 1)
        self.top = self._children(list(files.links(root, identifier)), frozenset(), 1, current=True)
        for place in self.places.values():
            place.chosen = True

    def _children(
        self, links: list[Link], above: frozenset[str], depth: int, *, current: bool
    ) -> list[Section | Place]:
        found: list[Section | Place] = []
        sections: dict[str, list[Link]] = {}
        for link in links:
            if link.is_article:
                found.append(self._place(link, current=current))
            elif link.span.never:
                self.never.append(link.id)
            else:
                sections.setdefault(link.cid, []).append(link)
        made = [self._section(versions, above, depth, current=current) for versions in sections.values()]
        # What is in force comes first, so that it has the address that people cite.
        return [*found, *(one for one in made if one.current), *(one for one in made if not one.current)]

    def _place(self, link: Link, *, current: bool) -> Place:
        span = link.span
        place = Place(link, (current, span.current, span.end or date.max, span.start or date.min))
        known = self.places.get(link.id)
        if known is None or place.rank > known.rank:
            self.places[link.id] = place
        return place

    def _section(self, versions: list[Link], above: frozenset[str], depth: int, *, current: bool) -> Section:
        latest = max(versions, key=lambda one: (one.span.current, one.span.start or date.min))
        here = current and latest.span.current
        ids = list(dict.fromkeys([latest.id, *(one.id for one in versions)]))
        if above & set(ids):
            raise self._files.error(f"{latest.id} is a section of itself")
        if depth > MAX_DEPTH:
            raise self._files.error(f"sections are nested deeper than {MAX_DEPTH}")
        links: list[Link] = []
        title = latest.words
        for identifier in ids:
            self._visits -= 1
            if self._visits < 0:
                raise self._files.error("its sections are linked from each other too often to be a text")
            if not self._files.has(identifier) and not (here and identifier == latest.id):
                self.missing.append(identifier)
                continue
            root = self._files.section(identifier)
            title = title or value(root, "TITRE_TA")
            links.extend(self._files.links(root, identifier))
        if not title:
            raise self._files.error(f"{latest.id} has no title")
        self.headings += len({one.words for one in versions if one.words} - {title})
        starts, ends = [one.span.start for one in versions], [one.span.end for one in versions]
        section = Section(title, ids, _least(starts), _most(ends), latest.span.state, here)
        section.children = self._children(links, above | set(ids), depth + 1, current=here)
        return section


def _least(days: list[date | None]) -> date | None:
    known = [one for one in days if one is not None]
    return min(known) if len(known) == len(days) else None


def _most(days: list[date | None]) -> date | None:
    known = [one for one in days if one is not None]
    return max(known) if len(known) == len(days) else None


_PROLOG = r"(?>\ufeff|\s+|<\?.*?\?>|<!--.*?-->)*+"
_ROOT = re.compile(
    _PROLOG + r"<(TEXTELR|TEXTE_VERSION|SECTION_TA|ARTICLE)\b[^>]*>(?=.*?<ID>\s*([A-Z]{8}\d+)\s*</ID>)", re.DOTALL
)
_MEMBER = re.compile(r"(?:LEGI|JORF)(?:ARTI|SCTA)\d{12}\.xml")
_LINK_ID = re.compile(r"(?:LEGI|JORF)ARTI\d{12}")
# What frames the articles in a law or decree, and is no provision.
_FRAME = ("VISAS", "SIGNATAIRES", "TP", "NOTA", "ABRO", "RECT")


class LegiXml:
    """A text of LEGI in the XML of a dump; its parts are the other files of its folder."""

    @property
    def name(self) -> str:
        """The format's name."""
        return "legi_xml"

    @property
    def version(self) -> int:
        """Raised whenever the nodes change."""
        return 1

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file is the structure (TEXTELR) of a text of LEGI."""
        kind, identifier = _opening(head)
        return kind == "TEXTELR" and identifier.startswith("LEGITEXT")

    def skips(self, path: Path, head: bytes) -> str:
        """Why a file of a dump names no text: a part of one, or of another collection than LEGI."""
        kind, identifier = _opening(head)
        if not kind or self.claims(path, head):
            return ""
        if identifier.startswith("LEGI"):
            return "part of a French text, whose structure (texte/struct) is not beside it"
        return "of another collection of DILA than LEGI"

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        """The other files of the text's folder, in the order of their names.

        Raises:
            IngestError: the file does not stand in `texte/struct` of a folder inside `root`, the file of the text's
                version is missing, or a file leads outside `root`.
        """
        name = path.relative_to(root).as_posix()
        folder = path.parents[2] if len(path.parents) > 2 else path.parent
        if path.parent.name != "struct" or path.parent.parent.name != "texte" or not folder.is_relative_to(root):
            cause = "is the structure of a text and has no others beside it; name the folder above texte/struct"
            raise IngestError(cause, file=name)
        version = folder / "texte" / "version" / path.name
        if not version.is_file():
            raise IngestError(f"the text has no texte/version/{path.name} with its title", file=name)
        found = [version]
        for below in ("article", "section_ta"):
            found += sorted(one for one in (folder / below).rglob("*.xml") if _MEMBER.fullmatch(one.name))
        inside = root.resolve()
        for one in found:
            if not one.resolve().is_relative_to(inside):
                raise IngestError("leads outside the folder that was named", file=one.relative_to(root).as_posix())
        return tuple(found)

    def parse(self, source: Source) -> ParsedDocument:
        """Read a text.

        Raises:
            IngestError: a file that is not the XML expected or is missing, no title, a date that is none, or an
                article that cannot be cited.
        """
        if not source.parts:
            source = replace(source, parts=self.parts(source.path, source.root))
        return _Reader(LegiFiles(source)).read(self)


class _Reader:
    """Reads one text."""

    def __init__(self, files: LegiFiles) -> None:
        self.files = files
        self.law = law_identity("")
        self.targets: dict[str, str] = {}
        self.never: list[str] = []
        self.missing: list[str] = []
        self.counts = {"links": 0, "notas": 0, "images": 0, "frame": 0}

    def read(self, form: LegiXml) -> ParsedDocument:
        source = self.files.source
        root = self.files.structure()
        identifier = value(root, "META/META_COMMUN/ID")
        if identifier != source.path.stem:
            raise self.files.error("its id is not that of its file name")
        version = self.files.version(identifier)
        text = "META/META_SPEC/META_TEXTE_VERSION/"
        title = value(version, f"{text}TITREFULL") or value(version, f"{text}TITRE")
        if not title:
            raise self.files.error("the text has no title")
        self.law = law_identity(title)
        self.counts["frame"] = sum(bool(value(version, one)) for one in _FRAME)
        outline = Outline(self.files, root, identifier)
        self.targets = {key: urn for key, place in outline.places.items() if (urn := self._urn(place))}
        tree = LawTree(self.law, source=source.name)
        cid = value(root, "META/META_SPEC/META_TEXTE_CHRONICLE/CID")
        tree.root.aliases += [alias for one in dict.fromkeys((identifier, cid)) if one for alias in _aliases(one)]
        if (status := STATUS_TAGS.get(value(version, f"{text}ETAT"))) is not None:
            tree.root.tags["status"] = status
        self._children(tree, tree.root, outline.top)
        nodes = tree.nodes()
        _settle_containers(nodes)
        changed = "META/META_SPEC/META_TEXTE_CHRONICLE/DERNIERE_MODIFICATION"
        edition = self.files.day(value(version, changed) or value(root, changed), identifier)
        place = "codes/texte_lc" if "code" in self.law.tags else "loda/id"
        url = f"https://www.legifrance.gouv.fr/{place}/{identifier}"
        corpus = Corpus(self.law.urn, self.law.title, "fr", PUBLISHER, LICENCE, url)
        warnings = [*tree.warnings, *self._warnings(tree, outline)]
        return ParsedDocument(
            corpus, nodes, source.name, form.name, source.sha256(), form.version, edition, warnings=warnings
        )

    def _urn(self, place: Place) -> str:
        try:
            return f"{self.law.urn}:{article_segment(place.link.words or place.link.id)}"
        except InputError:
            # Only for links: the article itself is refused with its file where it cannot be cited.
            return ""

    def _children(self, tree: LawTree, parent: ParsedNode, children: list[Section | Place]) -> None:
        for child in children:
            if isinstance(child, Place):
                article = self._article(child) if child.chosen else None
                if article is not None:
                    tree.article(parent, article)
            elif child.current or child.holds_articles():
                status = STATUS_TAGS.get(child.state)
                section = tree.container(
                    parent, child.title, valid_from=child.start, valid_to=child.end,
                    aliases=[alias for one in child.ids for alias in _aliases(one)],
                    tags={"status": status} if status else {},
                )  # fmt: skip
                self._children(tree, section, child.children)

    def _article(self, place: Place) -> Article | None:
        link = place.link
        if link.span.never:
            self.never.append(link.id)
            return None
        if not self.files.has(link.id) and not place.current:
            self.missing.append(link.id)
            return None
        root = self.files.article(link.id)
        data = "META/META_SPEC/META_ARTICLE/"
        first, last, state = (value(root, f"{data}{one}") for one in ("DATE_DEBUT", "DATE_FIN", "ETAT"))
        span = self.files.span(first, last, state, link.id)
        if span.never:
            self.never.append(link.id)
            return None
        self.counts["links"] += sum(1 for _ in root.iterfind("LIENS/LIEN"))
        lines, nota = self._lines(root, "BLOC_TEXTUEL/CONTENU"), self._lines(root, "NOTA/CONTENU")
        self.counts["notas"] += bool(nota)
        tags = {"legi_id": link.id}
        if span.state in STATUS_TAGS:
            tags["status"] = STATUS_TAGS[span.state]
        aliases = [alias for one in (link.id, *self._others(root, link.id)) for alias in _aliases(one)]
        number = value(root, f"{data}NUM") or link.words or link.id
        return Article(number, lines, valid_from=span.start, valid_to=span.end, tags=tags, aliases=aliases, nota=nota)

    def _others(self, root: Element, identifier: str) -> Iterator[str]:
        """Ids of other versions that were or will be in force and have no file here."""
        for one in root.iterfind("VERSIONS/VERSION"):
            for link in one.iterfind("LIEN_ART"):
                other = link.get("id", "")
                span = self.files.span(link.get("debut", ""), link.get("fin", ""), one.get("etat", ""), identifier)
                if _LINK_ID.fullmatch(other) and not span.never and not self.files.has(other):
                    yield other

    def _lines(self, root: Element, place: str) -> list[Line]:
        reader = LegiHtml(self._target)
        lines = reader.read(fragment(root, place))
        self.counts["images"] += reader.images
        return lines

    def _target(self, attributes: dict[str, str]) -> str:
        ids = _LINK_ID.findall(attributes.get("href", ""))
        return next((self.targets[one] for one in ids if one in self.targets), "")

    def _warnings(self, tree: LawTree, outline: Outline) -> Iterator[str]:
        counts, known = self.counts, len(tree.warnings)
        tree.warn_of("articles were never in force and are left out", self.never)
        tree.warn_of("sections were never in force and are left out", outline.never)
        tree.warn_of(
            "articles or sections of the past have no file and are left out", [*self.missing, *outline.missing]
        )
        apart = self.files.articles() - outline.places.keys()
        tree.warn_of("articles are linked from no section of the text and are left out", sorted(apart))
        yield from tree.warnings[known:]
        if outline.headings:
            yield f"{outline.headings} earlier headings of sections are left out; the latest one stands for all"
        if counts["links"]:
            yield f"{counts['links']} notes on what created or amended an article (LIENS) are left out"
        if counts["notas"]:
            yield f"{counts['notas']} articles have an editorial nota, kept apart from the text as a NOTE"
        if counts["images"]:
            yield f"{counts['images']} pictures have no words; their places are marked in the text"
        if counts["frame"]:
            yield f"{counts['frame']} texts around the articles (visas, signatures, notes) are left out"


def _opening(head: bytes) -> tuple[str, str]:
    """The root element of a file of a dump and the first id in it; empty for other files."""
    match = _ROOT.match(head.decode("utf-8", "replace"))
    return (match[1], match[2]) if match else ("", "")


def _aliases(identifier: str) -> list[str]:
    """The id as others write it: `fr.legiarti000006902764`, and as Légifrance does."""
    return [f"fr.{identifier.lower()}", identifier]


def _settle_containers(nodes: list[ParsedNode]) -> None:
    """Take back `ambiguous` where containers of one kind and number were never in force together."""
    groups: dict[str, list[ParsedNode]] = {}
    for node in nodes:
        if node.kind == "section" and "ambiguous" in node.tags:
            head, _, last = node.urn.rpartition(":")
            groups.setdefault(f"{head}:{last.partition('~')[0]}", []).append(node)
    for group in groups.values():
        spans = sorted((one.valid_from or date.min, one.valid_to or date.max) for one in group)
        if all(before[1] <= after[0] for before, after in pairwise(spans)):
            for node in group:
                del node.tags["ambiguous"]
