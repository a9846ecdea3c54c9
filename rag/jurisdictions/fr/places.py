"""Turns French references as read into URNs: from the place the text is in, and from what it named before."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field, replace

from rag.jurisdictions.fr.laws import NamedLaw, law_at
from rag.jurisdictions.fr.names import LawName
from rag.jurisdictions.fr.naming import JURISDICTION_URN, plain_letters
from rag.jurisdictions.fr.reader import Reading
from rag.jurisdictions.fr.text import fold
from rag.jurisdictions.fr.units import Item, Step, Unit
from rag.jurisdictions.grammar.kernel import OTHER, UNREAD, Target, of_document
from rag.law.jurisdiction import DocumentIndex, ReferenceContext, ReferenceKind
from rag.law.nodes import ParsedNode
from rag.law.patterns import lazy
from retrieval.paths import slug

# Places in a French document: the order of its articles and alinéas, and its containers by kind and number.

_LAW_WORD = lazy(r"(?<![\w-])(?i:code|loi|ordonnance|decret|constitution)(?=\s)")
RECENT = 20  # laws of one nature; "la même loi" never means one named longer ago


class LawsOfArticle:
    """The laws that the alinéas of one article name, for "la même loi" in a later alinéa."""

    def __init__(self, index: DocumentIndex, section: ParsedNode) -> None:
        self._places: dict[str, int] = {}
        self._named: dict[str, list[tuple[int, LawName]]] = {}
        for place, node in enumerate(index.tree.subtree(section)):
            self._places[node.urn] = place
            text = fold(node.text).text
            for word in _LAW_WORD.finditer(text):
                law = law_at(text, word.start())
                if law is not None and law.name is not None:
                    for nature in ("", plain_nature(law.nature)):
                        self._named.setdefault(nature, []).append((place, law.name))

    def before(self, node: ParsedNode, nature: str) -> list[LawName]:
        """The last laws of a nature (empty: of any) that the alinéas before this one name, the last one first."""
        named = self._named.get(nature, [])
        end = bisect_left(named, self._places.get(node.urn, 0), key=lambda one: one[0])
        return [law for _, law in named[max(0, end - RECENT) : end]][::-1]


@of_document
def _laws_by_article(_: DocumentIndex) -> dict[str, LawsOfArticle]:
    return {}


def laws_of_article(index: DocumentIndex, section: ParsedNode) -> LawsOfArticle:
    """What an article names, read once."""
    known = _laws_by_article(index)
    if section.urn not in known:
        known[section.urn] = LawsOfArticle(index, section)
    return known[section.urn]


def plain_nature(nature: str) -> str:
    """The noun by which a law is taken up: a "décret-loi" is "ce décret" too."""
    return nature.partition("-")[0]


class ArticleOrder:
    """The articles of a document in its order, for "l'article précédent"."""

    def __init__(self, index: DocumentIndex) -> None:
        self._articles = [node for node in index.tree.nodes if node.structure_type == "ARTICLE"]
        self._places = {node.urn: place for place, node in enumerate(self._articles)}

    def beside(self, node: ParsedNode, step: int) -> ParsedNode | None:
        """The article `step` places further on (back, if negative)."""
        place = self._places.get(node.urn, -1)
        wanted = place + step
        return self._articles[wanted] if place >= 0 and 0 <= wanted < len(self._articles) else None


article_order = of_document(ArticleOrder)


def certain(node: ParsedNode) -> bool:
    """Whether nothing else of the document is meant by the same number."""
    return node.tags.get("ambiguous") != "true"


def numbered(index: DocumentIndex, level: str, number: str, within: ParsedNode) -> ParsedNode | None:
    """The only container of a kind and number under another; None where there is none or more than one."""
    spellings = {"preliminaire": "préliminaire"}
    return index.numbered(level, number, within) or index.numbered(level, spellings.get(number, number), within)


_PARAGRAPHS = ("paragraph", "subsection", "alinea")


def line_count(index: DocumentIndex, urn: str) -> int:
    """The number of alinéas of an article or point; they are numbered without gaps, so that halving finds the last."""
    high = 1
    while index.node(f"{urn}:al.{high}") is not None:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if index.node(f"{urn}:al.{middle}") is not None else (low, middle)
    return low


def line_place(node: ParsedNode, section: ParsedNode) -> int:
    """Which alinéa of its article a node is; 0 where it is none."""
    start = f"{section.urn}:al."
    names = (name for name in (node.urn, *node.aliases) if name.startswith(start))
    return next((int(name[len(start) :]) for name in names if name[len(start) :].isdigit()), 0)


def lines_beside(own: int, unit: Unit, count: int) -> range:
    """The places of the alinéas before or after the one at place `own`; `count` is their number in the article."""
    if unit.which == "previous":
        return range(max(1, own - unit.count) if unit.count else 1, own)
    return range(own + 1, min(count, own + unit.count) + 1 if unit.count else count + 1)


@dataclass(slots=True, unsafe_hash=True)
class Cited:
    """One cited provision; offsets into the folded text."""

    item: Item
    target: Target


@dataclass(slots=True)
class Places:
    """Resolves the references of one text in order, remembering what was named last."""

    here: ReferenceContext | None
    laws: dict[str, list[LawName]] = field(default_factory=lambda: {})  # named so far, by nature
    article: Target | None = None  # named last
    articles: dict[str, Target] = field(default_factory=lambda: {})  # number -> the article named so
    points: dict[str, Target] = field(default_factory=lambda: {})  # segment -> the point named so

    def cited(self, reading: Reading) -> list[Cited]:
        """The provisions that a reading names; empty where it names none here."""
        law = self._law(reading)
        if reading.external:
            return [Cited(Item(reading.start, reading.end), OTHER)]
        if not reading.units:
            target = self._whole(reading, law)
            return [Cited(Item(reading.start, reading.end), target)] if target is not None else []
        own = self._steps(reading, reading.bare_units, None) if reading.bare_units and self.here else []
        found = self._steps(reading, reading.units, law)
        if own and all(step.target.urn and step.target.confident for step in own):
            # It is in a list of another article's parts, and is a part of this article too.
            found = [Cited(step.item, replace(step.target, confident=False)) for step in found]
        return found

    # The law

    def _law(self, reading: Reading) -> Target | None:
        named, which = reading.law, reading.law_which
        if named is not None:
            return self._named(named)
        if which == "present":
            root = self.here.index.corpus_urn if self.here else ""
            return Target(root, "relative") if root else UNREAD
        if which in ("same", "this"):
            last = self._last(reading.law_nature)
            if last is not None:
                return Target(last.urn, "explicit", last.sure) if last.urn else OTHER
            own = self._own_nature()
            if which == "this" and own is not None and self.here and own == reading.law_nature:
                return Target(self.here.index.corpus_urn, "relative", confident=False)
            return UNREAD
        return None

    def _named(self, named: NamedLaw) -> Target:
        law = named.name
        if law is not None and self.here is not None and law.title and law.title == self.here.index.root.heading:
            law = replace(law, urn=self.here.index.corpus_urn)
        if named.taken_up and (law is None or not law.urn or not law.sure):
            number = law.title if law is not None else ""
            last = self._last(named.nature, number)
            if last is None and law is not None:
                return Target(law.urn, "explicit", confident=False) if law.urn else OTHER
            if last is None:
                return UNREAD
            return Target(last.urn, "explicit", last.sure) if last.urn else OTHER
        if law is None:
            return UNREAD
        for nature in ("", plain_nature(law.nature)):
            self.laws.setdefault(nature, []).append(law)
        return Target(law.urn, "explicit", law.sure) if law.urn else OTHER

    def _last(self, nature: str, title: str = "") -> LawName | None:
        """The law of a nature (empty: of any) that was named last; with a title, one that can have it."""
        known = self.laws.get(plain_nature(nature), [])[-RECENT:][::-1]
        section = self.here.index.section(self.here.node) if self.here else None
        if self.here is not None and section is not None and not known:
            known = laws_of_article(self.here.index, section).before(self.here.node, plain_nature(nature))
        return next((law for law in known if not title or law.title in ("", title)), None)

    def _own_nature(self) -> str | None:
        if self.here is None:
            return None
        root = self.here.index.root
        return root.level if root.structure_type == "ROOT" else None

    def _whole(self, reading: Reading, law: Target | None) -> Target | None:
        """A law cited without an article; "ce code" and its like only where they say something."""
        if law is None or (law is UNREAD and (self.here is None or reading.law_which == "this")):
            return None
        return law

    # Units

    def _steps(self, reading: Reading, units: list[Unit], law: Target | None) -> list[Cited]:
        bases: list[Target] | None = [law] if law is not None else None
        for unit in reversed(units[1:]):
            found = self._unit(unit, bases, reading)
            bases = list(dict.fromkeys(cited.target for cited in found)) or [UNREAD]
        return self._unit(units[0], bases, reading)

    def _unit(self, unit: Unit, bases: list[Target] | None, reading: Reading) -> list[Cited]:
        if unit.kind == "article":
            return self._articles(unit, bases, reading)
        if unit.kind == "container":
            return self._containers(unit, bases)
        if unit.which in ("previous", "next") and unit.kind == "line":
            return self._lines_beside(unit)
        whole = Item(unit.start, unit.end)
        if not unit.items:  # "le présent alinéa", "cet alinéa"
            node = self.here.node if self.here and unit.which == "present" else None
            return [Cited(whole, Target(node.urn, "relative") if node is not None else UNREAD)]
        if unit.kind == "phrase":
            # A sentence is no node: its alinéa stands for it.
            if bases is None:
                return []
            return [Cited(whole, base) for base in bases]
        if bases is None:
            return self._bare(unit)
        found = [Cited(item, self._below(base, item.steps)) for base in bases for item in unit.items]
        self.points |= {cited.item.steps[-1].segment: cited.target for cited in found if unit.kind == "point"}
        return found

    def _bare(self, unit: Unit) -> list[Cited]:
        """Alinéas and points without their article: of the article named last ("son"), or of this one."""
        if unit.which == "his" and self.article is not None:
            return [Cited(item, self._below(self.article, item.steps)) for item in unit.items]
        section = self.here.index.section(self.here.node) if self.here else None
        if self.here is None or section is None:
            return [Cited(item, UNREAD) for item in unit.items]
        if unit.kind == "line":
            base = Target(section.urn, "relative")
            return [Cited(item, self._below(base, item.steps)) for item in unit.items]
        return [Cited(item, self._bare_point(item.steps[0], unit, self.here)) for item in unit.items]

    def _bare_point(self, step: Step, unit: Unit, here: ReferenceContext) -> Target:
        if unit.which == "same" and step.segment in self.points:
            return self.points[step.segment]
        section = here.index.section(here.node)
        for node in here.index.chain(here.node):
            if unit.which == "present":
                found = node if node.urn.rpartition(":")[2].partition("~")[0] == step.segment else None
            else:
                found = here.index.node(f"{node.urn}:{step.segment}")
            if found is not None:
                return Target(found.urn, "relative", found.tags.get("ambiguous") != "true")
            if node is section:
                break
        if self.article is not None:  # "A l'article 2332, le 9° n'est pas applicable"
            return replace(self._child(self.article, step), confident=False)
        return UNREAD

    def _below(self, base: Target, steps: tuple[Step, ...]) -> Target:
        for step in steps:
            base = self._child(base, step)
        return base

    def _child(self, base: Target, step: Step) -> Target:
        if not base.urn or base.urn.count(":") < 4:
            return replace(base, urn="", confident=False) if base.urn else base
        index = self.here.index if self.here else None
        known = index.node(base.urn) if index is not None else None
        if step.place < 0:
            # The last alinéa is known by counting only; without the article's text the article stands for it.
            last = line_count(index, base.urn) + 1 + step.place if index is not None and known is not None else 0
            return self._child(base, Step("alinea", place=last)) if last > 0 else base
        urn = f"{base.urn}:al.{step.place}" if step.style == "alinea" else f"{base.urn}:{step.segment}"
        if index is None or known is None:
            return replace(base, urn=urn)
        node = index.node(urn)
        if node is None and known.level == "alinéa" and known.parent_urn and step.style != "alinea":
            node = index.node(f"{known.parent_urn}:{step.segment}")
        if node is None and step.style == "alinea":
            # Where alinéas are numbered in print, as in Switzerland, they are paragraphs.
            numbered = index.node(f"{base.urn}:{step.place}")
            node = numbered if numbered is not None and numbered.level in _PARAGRAPHS else None
        if node is None:
            return replace(base, urn=urn, confident=False)
        return replace(base, urn=node.urn, confident=base.confident and node.tags.get("ambiguous") != "true")

    def _lines_beside(self, unit: Unit) -> list[Cited]:
        here = self.here
        section = here.index.section(here.node) if here else None
        whole = Item(unit.start, unit.end)
        own = line_place(here.node, section) if here and section else 0
        if here is None or section is None or not own:
            return [Cited(whole, UNREAD)]
        places = lines_beside(own, unit, line_count(here.index, section.urn))
        nodes = [here.index.node(f"{section.urn}:al.{place}") for place in places]
        found = [Target(node.urn, "relative") for node in nodes if node is not None]
        if len(found) > 2 and unit.count == 0:
            first, last = replace(whole, range="start"), replace(whole, range="end")
            return [Cited(first, found[0]), Cited(last, found[-1])]
        return [Cited(whole, target) for target in found] or [Cited(whole, UNREAD)]

    # Articles

    def _articles(self, unit: Unit, bases: list[Target] | None, reading: Reading) -> list[Cited]:
        whole = Item(unit.start, unit.end)
        if unit.which == "same" and unit.items and bases is None:
            found = [Cited(item, self._same_article(item)) for item in unit.items]
            return [Cited(cited.item, self._below(cited.target, cited.item.steps)) for cited in found]
        if not unit.items:
            return self._article_word(unit, whole)
        found: list[Cited] = []
        for item in unit.items:
            base = bases[0] if bases else None
            target = self._article(item.number, base, inherited=reading.inherited)
            if item.former:
                target = replace(target, confident=False)  # the text that the number had before a reform
            if item.doubtful and (self.here is None or self.here.index.node(target.urn) is None):
                target = replace(target, confident=False)
            self.article = self.articles[item.number] = target
            found.append(Cited(item, self._below(target, item.steps)))
        return found

    def _article_word(self, unit: Unit, whole: Item) -> list[Cited]:
        here = self.here
        section = here.index.section(here.node) if here else None
        if unit.which in ("same", "this") and self.article is not None:
            return [Cited(whole, self.article)]
        if here is None or section is None or unit.which == "same":
            return [Cited(whole, UNREAD)]
        if unit.which in ("previous", "next"):
            step = -1 if unit.which == "previous" else 1
            nodes = [
                article_order(here.index).beside(section, step * place) for place in range(1, max(1, unit.count) + 1)
            ]
            targets = [Target(node.urn, "relative", certain(node)) for node in nodes if node is not None]
            if unit.count == 0:  # "les articles précédents": how many is not said
                targets = [replace(target, confident=False) for target in targets]
            return [Cited(whole, target) for target in (targets if step > 0 else targets[::-1])] or [
                Cited(whole, UNREAD)
            ]
        self.article = Target(section.urn, "relative")
        return [Cited(whole, self.article)]

    def _same_article(self, item: Item) -> Target:
        known = self.articles.get(item.number)
        if known is not None:
            return known
        law = self._last("")
        if law is None or not law.urn:
            return self._article(item.number, None, inherited=False)
        return replace(self._article(item.number, Target(law.urn, "explicit"), inherited=False), confident=False)

    def _article(self, number: str, law: Target | None, *, inherited: bool) -> Target:
        """An article by its number: of the law named, or of this one."""
        own = self.here.index.corpus_urn if self.here else ""
        if law is not None and not (own and law.urn == own):
            if not law.urn:
                return law
            if law.urn.count(":") > 3 or not law.urn.startswith(f"{JURISDICTION_URN}:"):
                return OTHER
            # In a list that ends with another law's name, a number that this law has too can be meant of either.
            either = inherited and (self.here is None or self._own_article(number) is not None)
            return Target(f"{law.urn}:{number}", law.kind, law.confident and not either)
        if self.here is None:
            return UNREAD
        kind: ReferenceKind = law.kind if law is not None else "relative"
        node = self._own_article(number)
        if node is not None:
            return Target(node.urn, kind, certain(node))
        last = self.laws[""][-1] if self.laws and law is None else None
        if last is not None and last.urn and last.urn != own:
            return Target(f"{last.urn}:{number}", "explicit", confident=False)
        return Target(f"{own}:{number}", kind, confident=False)

    def _own_article(self, number: str) -> ParsedNode | None:
        if self.here is None:
            return None
        index = self.here.index
        other = {"1er": "1", "1": "1er"}.get(number, number)
        return index.node(f"{index.corpus_urn}:{number}") or index.node(f"{index.corpus_urn}:{other}")

    # Containers

    def _containers(self, unit: Unit, bases: list[Target] | None) -> list[Cited]:
        here, whole = self.here, Item(unit.start, unit.end)
        if not unit.items:
            node = (
                next((node for node in here.index.chain(here.node) if node.level == unit.level), None)
                if here and unit.which == "present"
                else None
            )
            if unit.which != "present":
                return []  # "ce titre", "la même section": common words at least as often
            return [Cited(whole, Target(node.urn, "relative", certain(node)) if node is not None else UNREAD)]
        base = bases[0] if bases else None
        return [Cited(item, self._container(unit.level, item.number, base)) for item in unit.items]

    def _container(self, level: str, number: str, base: Target | None) -> Target:
        here = self.here
        if base is not None:
            parent = here.index.node(base.urn) if here and base.urn else None
            if here is not None and parent is not None:
                node = numbered(here.index, level, number, parent)
                return Target(node.urn, base.kind, base.confident and certain(node)) if node is not None else UNREAD
            # Which containers lie between is not said, so that the address is a guess.
            segment = f"{level}_{slug(plain_letters(number), limit=40)}"
            return Target(f"{base.urn}:{segment}", base.kind, confident=False) if base.urn else base
        if here is None:
            return UNREAD
        for parsed in here.index.chain(here.node)[1:]:
            node = numbered(here.index, level, number, parsed)
            if node is not None:
                return Target(node.urn, "relative", certain(node))
        return UNREAD
