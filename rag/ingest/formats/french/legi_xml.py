"""French law as DILA's dump of LEGI has it: a folder a text, with thousands of small files; one text is one document.

    LEGITEXT.../texte/struct/LEGITEXT....xml      TEXTELR: the text's structure; names the document
    LEGITEXT.../texte/version/LEGITEXT....xml     TEXTE_VERSION: its title and state
    LEGITEXT.../section_ta/LEGI/SCTA/../..xml     SECTION_TA: what is in a section
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

from lxml import etree

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.french.legi_html import LEGI_ID, LegiHtml, legi_aliases
from rag.ingest.formats.french.lines import Line
from rag.ingest.formats.french.tree import Article, Change, LawTree, change_of
from rag.ingest.formats.xml import MAX_NESTING, Element, collapse, local, plain, read_xml
from rag.jurisdictions.fr.naming import LICENCE, PUBLISHER, STATUS_TAGS, article_segment, iso_date, law_identity
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError, InputError

CURRENT = frozenset({"VIGUEUR", "VIGUEUR_DIFF", "ABROGE_DIFF"})
_NEVER_IN_FORCE = "MODIFIE_MORT_NE"
_OPEN_YEAR = 2999


@dataclass(frozen=True, slots=True)
class Span:
    """When something is in force; `never` where it was and will not be. `state` is the publication's own word."""

    start: date | None
    end: date | None
    state: str
    never: bool

    @property
    def current(self) -> bool:
        """Whether it is in force or will be."""
        return not self.never and (self.state in CURRENT if self.state else self.end is None)


@dataclass(frozen=True, slots=True)
class Link:
    """One entry of a structure. `cid` is what the versions of one section share; `words` its title or number."""

    id: str
    cid: str
    words: str
    span: Span

    @property
    def is_article(self) -> bool:
        """Whether it leads to an article and not to a section."""
        return "ARTI" in self.id


class LegiFiles:
    """Reads the files of one text. Every method raises IngestError, with file and cause, where one is not right.

    Args:
        source: the file with the structure (TEXTELR), and all other files of the text's folder as its parts.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.paths: dict[str, Path] = {}
        for path in source.parts:
            if path.parent.name == "version":
                self.paths[f"version {path.stem}"] = path
            elif self.paths.setdefault(path.stem, path) != path:
                raise IngestError("stands twice in the text's folder", file=self._name(path))

    def has(self, identifier: str) -> bool:
        """Whether there is a file of this section or article."""
        return identifier in self.paths

    def articles(self) -> set[str]:
        """The ids of all article files."""
        return {path for path in self.paths if "ARTI" in path}

    def structure(self) -> Element:
        """The root of the TEXTELR file."""
        root = read_xml(self.source.path, name=self.source.name)
        if local(root) != "TEXTELR":
            raise IngestError("its root element is not TEXTELR", file=self.source.name)
        return root

    def version(self, identifier: str) -> Element:
        """The root of the TEXTE_VERSION file, which has the text's title."""
        return self._read(f"version {identifier}", "TEXTE_VERSION", "META/META_COMMUN/ID")

    def section(self, identifier: str) -> Element:
        """The root of a SECTION_TA file."""
        return self._read(identifier, "SECTION_TA", "ID")

    def article(self, identifier: str) -> Element:
        """The root of an ARTICLE file: one version of an article."""
        return self._read(identifier, "ARTICLE", "META/META_COMMUN/ID")

    def links(self, root: Element, identifier: str) -> Iterator[Link]:
        """The entries of a structure, in order.

        Args:
            root: of a TEXTELR or SECTION_TA file.
        """
        structure = root.find("STRUCT" if local(root) == "TEXTELR" else "STRUCTURE_TA")
        for child in structure if structure is not None else ():
            kind, found = local(child), child.get("id", "")
            if kind not in ("LIEN_ART", "LIEN_SECTION_TA"):
                continue
            if not LEGI_ID.fullmatch(found) or ("ARTI" in found) != (kind == "LIEN_ART"):
                raise self.error(f"a {kind} of {identifier} has no LEGI id of its kind")
            words = collapse(child.get("num", "")) if kind == "LIEN_ART" else plain(child)
            span = self.span(child.get("debut", ""), child.get("fin", ""), child.get("etat", ""), found)
            yield Link(found, child.get("cid") or found, words, span)

    def span(self, start: str, end: str, state: str, identifier: str) -> Span:
        """The dates and the state of a link or an article."""
        first, last = self.day(start, identifier), self.day(end, identifier)
        never = state == _NEVER_IN_FORCE or re.match(rf"{_OPEN_YEAR}-", start) is not None
        empty = first is not None and last is not None and first >= last
        return Span(first, last, state, never or empty)

    def day(self, text: str, identifier: str) -> date | None:
        """A date; None where there is none, or the open end."""
        try:
            return iso_date(text.strip()) if text.strip() else None
        except ValueError:
            raise self.error(f"a date of {identifier} is no date") from None

    def error(self, cause: str) -> IngestError:
        """The refusal of this text."""
        return IngestError(cause, file=self.source.name)

    def _read(self, key: str, kind: str, place: str) -> Element:
        path = self.paths.get(key)
        if path is None:
            raise self.error(
                f"{key} is part of the text, and its file is missing; a daily update is no whole text, "
                f"unpack the full dump first"
            )
        root = read_xml(path, name=self._name(path))
        if local(root) != kind or value(root, place) != path.stem:
            raise IngestError(f"is no {kind} with the id of its file name", file=self._name(path))
        return root

    def _name(self, path: Path) -> str:
        return path.relative_to(self.source.root).as_posix()


def value(root: Element, place: str) -> str:
    """The words at a path below an element; empty where there is nothing."""
    found = root.find(place)
    return "" if found is None else plain(found)


def fragment(root: Element, place: str) -> str:
    """The mark-up at a path below an element, for the reader of LEGI's HTML; empty where there is nothing."""
    found = root.find(place)
    return "" if found is None else etree.tostring(found, encoding="unicode", with_tail=False)


# Where each article of a LEGI text stands: the links of its structure, followed from the text to its articles.

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
        return any(child.chosen if isinstance(child, Place) else child.holds_articles() for child in self.children)


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
        return [
            *found,
            *(section for section in made if section.current),
            *(section for section in made if not section.current),
        ]

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
        ids = list(dict.fromkeys([latest.id, *(version.id for version in versions)]))
        if above & set(ids):
            raise self._files.error(f"{latest.id} is a section of itself")
        if depth > MAX_NESTING:
            raise self._files.error(f"sections are nested deeper than {MAX_NESTING}")
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
        self.headings += len({version.words for version in versions if version.words} - {title})
        starts, ends = [version.span.start for version in versions], [version.span.end for version in versions]
        section = Section(title, ids, _least(starts), _most(ends), latest.span.state, here)
        section.children = self._children(links, above | set(ids), depth + 1, current=here)
        return section


def _least(days: list[date | None]) -> date | None:
    known = [day for day in days if day is not None]
    return min(known) if len(known) == len(days) else None


def _most(days: list[date | None]) -> date | None:
    known = [day for day in days if day is not None]
    return max(known) if len(known) == len(days) else None


_PROLOG = r"(?>\ufeff|\s+|<\?.*?\?>|<!--.*?-->)*+"
_ROOT = re.compile(
    _PROLOG + r"<(TEXTELR|TEXTE_VERSION|SECTION_TA|ARTICLE)\b[^>]*>(?=.*?<ID>\s*([A-Z]{8}\d+)\s*</ID>)", re.DOTALL
)
_MEMBER = re.compile(r"(?:LEGI|JORF)(?:ARTI|SCTA)\d{12}\.xml")
_LINK_ID = re.compile(r"(?:LEGI|JORF)ARTI\d{12}")
# What frames the articles in a law or decree, and is no provision.
_FRAME = ("VISAS", "SIGNATAIRES", "TP", "NOTA", "ABRO", "RECT")


class LegiXml(FileFormat):
    """A text of LEGI in the XML of a dump; its parts are the other files of its folder."""

    name = "legi_xml"
    version = 2

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
            IngestError: the file is not in `texte/struct` of a folder inside `root`, the file of the text's
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
            found += sorted(path for path in (folder / below).rglob("*.xml") if _MEMBER.fullmatch(path.name))
        inside = root.resolve()
        for one in found:
            if not one.resolve().is_relative_to(inside):
                raise IngestError("leads outside the folder that was named", file=one.relative_to(root).as_posix())
        return tuple(found)

    def read(self, source: Source) -> ParsedDocument:
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
        self.counts = {"notas": 0, "images": 0, "frame": 0}

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
        self.counts["frame"] = sum(bool(value(version, name)) for name in _FRAME)
        outline = Outline(self.files, root, identifier)
        self.targets = {key: urn for key, place in outline.places.items() if (urn := self._urn(place))}
        tree = LawTree(self.law, source=source.name)
        cid = value(root, "META/META_SPEC/META_TEXTE_CHRONICLE/CID")
        tree.root.aliases += [
            alias for fromkey in dict.fromkeys((identifier, cid)) if fromkey for alias in legi_aliases(fromkey)
        ]
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
            corpus, nodes, source.name, form.name, source.sha256(), form.version, edition, links=tree.links,
            warnings=warnings,
        )  # fmt: skip

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
                    aliases=[alias for identifier in child.ids for alias in legi_aliases(identifier)],
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
        first, last, state = (value(root, f"{data}{name}") for name in ("DATE_DEBUT", "DATE_FIN", "ETAT"))
        span = self.files.span(first, last, state, link.id)
        if span.never:
            self.never.append(link.id)
            return None
        lines, nota = self._lines(root, "BLOC_TEXTUEL/CONTENU"), self._lines(root, "NOTA/CONTENU")
        self.counts["notas"] += bool(nota)
        tags = {"legi_id": link.id}
        if span.state in STATUS_TAGS:
            tags["status"] = STATUS_TAGS[span.state]
        aliases = [alias for other in (link.id, *self._others(root, link.id)) for alias in legi_aliases(other)]
        number = value(root, f"{data}NUM") or link.words or link.id
        return Article(
            number,
            lines,
            valid_from=span.start,
            valid_to=span.end,
            tags=tags,
            aliases=aliases,
            nota=nota,
            history=[*_history(root)],
        )

    def _others(self, root: Element, identifier: str) -> Iterator[str]:
        """Ids of other versions that were or will be in force and have no file here."""
        for found in root.iterfind("VERSIONS/VERSION"):
            for link in found.iterfind("LIEN_ART"):
                other = link.get("id", "")
                span = self.files.span(link.get("debut", ""), link.get("fin", ""), found.get("etat", ""), identifier)
                if _LINK_ID.fullmatch(other) and not span.never and not self.files.has(other):
                    yield other

    def _lines(self, root: Element, place: str) -> list[Line]:
        reader = LegiHtml(self._target)
        lines = reader.read(fragment(root, place))
        self.counts["images"] += reader.images
        return lines

    def _target(self, attributes: dict[str, str]) -> str:
        ids = _LINK_ID.findall(attributes.get("href", ""))
        return next((self.targets[identifier] for identifier in ids if identifier in self.targets), "")

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
        if counts["notas"]:
            yield f"{counts['notas']} articles have an editorial nota, kept apart from the text as a NOTE"
        if counts["images"]:
            yield f"{counts['images']} pictures have no words; their places are marked in the text"
        if counts["frame"]:
            yield f"{counts['frame']} texts around the articles (visas, signatures, notes) are left out"


def _history(root: Element) -> Iterator[Change]:
    """What the links of an article say happened to it."""
    for link in root.iterfind("LIENS/LIEN"):
        day = link.get("datesignatexte", "")
        found, words = link.get("id") or link.get("cidtexte") or "", collapse("".join(link.itertext()))
        change = change_of(
            link.get("typelien", ""), link.get("sens", ""), words, found if LEGI_ID.fullmatch(found) else "",
            iso_date(day) if re.fullmatch(r"\d{4}-\d\d-\d\d", day) and day < "2900" else None,
        )  # fmt: skip
        if change is not None:
            yield change


def _opening(head: bytes) -> tuple[str, str]:
    """The root element of a file of a dump and the first id in it; empty for other files."""
    match = _ROOT.match(head.decode("utf-8", "replace"))
    return (match[1], match[2]) if match else ("", "")


def _settle_containers(nodes: list[ParsedNode]) -> None:
    """Take back `ambiguous` where containers of one kind and number were never in force together."""
    groups: dict[str, list[ParsedNode]] = {}
    for node in nodes:
        if node.kind == "section" and "ambiguous" in node.tags:
            head, _, last = node.urn.rpartition(":")
            groups.setdefault(f"{head}:{last.partition('~')[0]}", []).append(node)
    for group in groups.values():
        spans = sorted((node.valid_from or date.min, node.valid_to or date.max) for node in group)
        if all(before[1] <= after[0] for before, after in pairwise(spans)):
            for node in group:
                del node.tags["ambiguous"]
