"""What all American jurisdictions share: finding references in a text and turning them into URNs.

A module describes its codes (`CodeName`) and overrides the few methods in which its law differs.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from rag.jurisdictions.grammar.kernel import (
    OTHER,
    UNREAD,
    CountryLaw,
    Exists,
    Item,
    Reading,
    Target,
    Unit,
    below,
    corpus_of,
    existence,
    plain_number,
    range_ends,
    reference_of,
)
from rag.jurisdictions.us.own import CodeName, own_code, starts_with_own
from rag.jurisdictions.us.reader import CONTAINER_WORDS, STARTS, Reader
from rag.law.designators import Path
from rag.law.jurisdiction import FoundReference, ReferenceContext, ReferencePart, edition_named, queries_of_references
from rag.law.patterns import lazy
from retrieval.tag_query import TagQuery

# American references with their parts in another order than the grammar's, or with words around them.

NO_WORD = "a number beside the code's name, read as its section"
WORDS_AROUND = "the words around the reference are not read"

_CODE = (
    r"(?:\d{1,2}\s?(?:U\.?\s?S\.?\s?C(?:ode\b|\.|\b)(?:\s?[AS]\b\.?)?|C\.?\s?F\.?\s?R\b\.?)|"
    r"(?:D\.?\s?C\.?|District\sof\sColumbia)\s?(?:Official\s)?Code(?:\sAnn\.)?|"
    r"(?:M\.?\s?G\.?\s?L\.?|G\.\s?L\.|Mass(?:\.|achusetts)\sGen(?:\.|eral)\sLaws),?\s?(?:chapter|ch\.?|c\.?)\s?\d{1,3}[A-Z]{0,2})"
)
_WORD = r"(?P<word>§{1,2}\s?|sec(?:tion|\.)?s?\.?\s)"
_FORMS: tuple[tuple[str, str], ...] = (
    # "§ 107, 17 U.S.C.", "section 28-3904 D.C. Code"
    (rf"{_WORD}?(?P<number>\d[^§]{{0,80}}?),?\s(?P<code>{_CODE})", "{code} § {number}"),
    # "28 D.C. Code § 3904"
    (r"(?P<title>\d{1,2}[A-Z]?)\s(?P<code>D\.?\s?C\.?\s?Code(?:\sAnn\.)?),?\s(?P<word>§\s?)(?P<number>\d{3,5}(?:\.\d{2})?[^-–]{0,40})",
     "{code} § {title}-{number}"),
    # "Title 17, Section 107 of the United States Code"
    (rf"title\s(?P<title>\d{{1,2}}[A-Z]?),?\s{_WORD}(?P<number>\d[^§]{{0,60}}?)\sof\sthe\s(?P<code>[A-Z].{{2,40}})",
     "section {number} of title {title} of the {code}"),
    # "D.C. Code Title 28, Chapter 39", "D.C. Code tit. 28, ch. 39"
    (r"(?P<code>(?:D\.?\s?C\.?|District\sof\sColumbia)\s(?:Official\s)?Code),?\s(?P<word>tit(?:le|\.))\s(?P<title>\d{1,2}[A-Z]?)"
     r",?\s(?:ch(?:apter|\.))\s(?P<number>\d{1,3}[A-Z]?)", "chapter {number} of title {title} of the D.C. Code"),
    (r"title\s(?P<number>\d{1,2}[A-Z]?),?\s(?:of\sthe\s)?(?P<word>)(?P<code>D\.?\s?C\.?\s(?:Official\s)?Code)",
     "title {number} of the D.C. Code"),
    # "IRC 501(c)(3)"
    (r"(?P<code>I\.?R\.?C\.?|Internal\sRevenue\sCode)\s(?P<word>)(?P<number>\d.{0,40})", "{code} § {number}"),
)  # fmt: skip
# One sign before several sections: "35 U.S.C. §101, 102", "28 U.S.C. § 1331 or 1332".
_ONE_SIGN = lazy(
    rf"(?P<code>{_CODE}),?\s?(?:§|sec(?:tion|\.))\s?(?P<list>\d{{1,5}}[a-z]?(?:\(\w{{1,4}}\)){{0,5}}"
    r"(?:(?:,\s?(?:and\s|or\s|&\s)?|\s(?:and|or|&)\s)\d{1,5}[a-z]?(?:\(\w{1,4}\)){0,5}){1,12})",
    re.IGNORECASE,
)
_COMPILED = [(lazy(pattern, re.IGNORECASE), order) for pattern, order in _FORMS]
# The statutes at large print what a public law's number names already.
_PARALLEL = lazy(r",\s\d{1,3}\sStat\.\s\d{1,5}(?:,\s\d{1,5})?(?:\s\((?:1[89]|20)\d\d\))?\s?\.?\Z")
_BEFORE = lazy(r"(?:[A-Z][^\d§\[\]]{2,80},\s{1,3})?\Z")
_AFTER = lazy(r"(?:\s?\([^()\d]{2,80}\)|:\s[^\d§]{2,100})?\s?\Z")


def in_order(reference: str) -> tuple[str, str] | None:
    """A reference whose number stands before its code, or that cites the same law twice; None for any other.

    Args:
        reference: the whole string, at most some hundred characters.
    """
    if several := _ONE_SIGN.fullmatch(reference):
        return f"{several['code']} §§ {re.sub(r',(?=[^ ])', ', ', several['list'])}", ""
    if parallel := _PARALLEL.search(reference):
        return reference[: parallel.start()], ""
    for pattern, order in _COMPILED:
        match = pattern.fullmatch(reference)
        if match is not None:
            written = order.format_map(match.groupdict())
            return written, "" if match["word"] or "title" in match.groupdict() or "title " in order else NO_WORD
    return None


def without_words_around(reference: str, found: Sequence[FoundReference]) -> tuple[str, str] | None:
    """The one reference of a string that gives it a name before or a gloss behind: "Fair use, 17 U.S.C. § 107".

    None where the rest is a sentence, holds a number, or where nothing or more than one thing is cited.
    """
    if len(found) != 1 or found[0].kind != "explicit" or not found[0].confident:
        return None
    [one] = found
    if _BEFORE.match(reference[: one.start]) is None or _AFTER.match(reference[one.end :]) is None:
        return None
    return (one.text, WORDS_AROUND) if one.text != reference else None


_AFTER_CODE = lazy(
    r",?\s{0,3}(?P<word>§{1,2}|sections?\b|secs?(?:\.|(?=\s))|s\.|"
    r"(?P<container>part|pt|subtitle|subchapter|chapter|ch)s?\b\.?)?\s{0,3}",
    re.IGNORECASE,
)
# Titles of an act between its name and the section; with divisions, sections may be numbered anew in each.
_ACT_PLACES = lazy(
    r"(?:,\s{0,3}(?P<division>div(?:ision|\.)\s)?(?:tit(?:le|\.)\s)?[IVXLC0-9A-Z]{1,6}(?=,\s{0,3}(?:§|sec|tit|div)))+",
    re.IGNORECASE,
)
_HYPHEN = lazy(r"[-–]")
# A statutory note is printed below the section and is no part of it.
_NOTE = lazy(r",?\s{1,3}(?:note\b|nt\.)", re.IGNORECASE)
# The presidential compilations in title 3 of the C.F.R. are cited by year; the year is no part.
_COMPILATION = lazy(r"\s*Comp\b")


class AmericanJurisdiction(CountryLaw, ABC):
    """Base of the American modules; `Jurisdiction` describes the members."""

    codes: tuple[CodeName, ...] = ()
    externals: tuple[str, ...] = ()  # patterns of law that is recognised and has no URN scheme
    # Names as used after "of", with the URN they stand for; `{title}` is the number that the group `title` matched.
    named_codes: tuple[tuple[str, str], ...] = ()

    def __init__(self) -> None:
        self._codes = [(lazy(code.pattern, re.IGNORECASE), code) for code in self.codes]
        self._named = [
            (lazy(rf"\s{{0,3}},?\s{{0,3}}(?:of\s+)?(?:the\s+)?(?:{pattern})", re.IGNORECASE), urn)
            for pattern, urn in self.named_codes
        ]
        codes = (f"(?P<code{i}>{one.pattern.replace('(?P<title>', '(?:')})" for i, one in enumerate(self.codes))
        external = (f"(?P<external{i}>{pattern})" for i, pattern in enumerate(self.externals))
        # No start stands inside a word: most places of a text are left after one test.
        self._starts = lazy(rf"(?:(?<!\w)|(?=§))(?:{'|'.join((*codes, *external, STARTS))})", re.IGNORECASE)

    @abstractmethod
    def section_urn(self, corpus: str, number: str, within: str) -> str:
        """The URN of a section (or of a part cited like one); empty where the corpus has no such numbers.

        Args:
            corpus: the URN prefix.
            number: the section number as printed.
            within: the URN of the unit the reference says it is in, or an empty string.
        """

    def bare_section_corpus(self, number: str) -> str:
        """The corpus of a section number that nothing else could bear; empty where the number does not tell."""
        return ""

    @abstractmethod
    def title_urn(self, number: str, code: str, here: ReferenceContext | None) -> str:
        """The URN of "title N" of a named code (`code`, may be empty); empty where there is none.

        In a document without a code's convention, a title of no named code is left to the document's own containers.
        """

    def container_urn(self, within: str, level: str, number: str) -> str:
        """The URN of a container inside another."""
        return below(within, f"{level}_{number}") if within else ""

    def bare_container(self, level: str, number: str, here: ReferenceContext) -> str:
        """The URN of a container cited without its code, not found in the document; empty where it could be any."""
        return ""

    def split(self, corpus: str, item: Item) -> list[Item]:
        """The two ends of a range that is printed like one number (`10a-10c`); else the item itself."""
        return [item]

    def doubtful(self, corpus: str, number: str) -> bool:
        """Whether a number may be a shortened range as well (`2051-83` for 2051 to 2083)."""
        return False

    def extend(self, text: str, item: Item) -> Item:
        """Read designators written in a way of this jurisdiction's own, after those in brackets."""
        return item

    # Finding

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """A reference that is the whole string, by its URN; with an edition's year, a candidate; see `Jurisdiction`."""
        read = self.find_references(reference, None)
        if found := queries_of_references(read, reference, self.language):
            return found
        turned = in_order(reference) or edition_named(reference) or without_words_around(reference, read)
        if turned is None:
            return []
        written, doubt = turned
        found = queries_of_references(self.find_references(written, None), written, self.language)
        return [
            replace(tag_query, hint="; ".join(filter(None, (tag_query.hint, doubt))) or None) for tag_query in found
        ]

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order; see `Jurisdiction`."""
        own = own_code(here.index.title, here.index.corpus_urn) if here is not None else None
        rules = here is not None and here.index.has_level("rule")
        reader = Reader(self._named_code, self._existence(here), own, rules=rules)
        starts = starts_with_own(self._starts, here.index.title) if here is not None else self._starts
        found: list[FoundReference] = []
        position = 0
        while (start := starts.search(text, position)) is not None:
            one = self._read(start, text, here, reader)
            position = one.end if one is not None else start.end()
            if one is not None and (here is not None or one.kind != "relative"):
                found.append(one)
        return found

    def _read(
        self, start: re.Match[str], text: str, here: ReferenceContext | None, reader: Reader
    ) -> FoundReference | None:
        group = start.lastgroup or ""
        if group.startswith("external"):
            part = ReferencePart(start.start(), start.end(), "")
            return FoundReference(start.start(), start.end(), start[0], (part,), "external", confident=True)
        if group.startswith("code"):
            return self._read_code(int(group[4:]), start.start(), text, here, reader)
        if group == "own":
            reading = reader.owned(text, start.start(), start.end())
        else:
            reading = reader.reading(text, start.start())
        if reading is None:
            return None
        # "Title 17" alone, in a question, says neither which code nor that law is meant.
        if here is None and reading.level in CONTAINER_WORDS and not reading.units:
            return None
        base: Target | None = None
        for unit in reversed(reading.units):
            base = self._enter(base, unit, here)
            if not base.urn:
                break
        if reading.level == "section" and here is not None and (base is None or base.urn):
            reading.items = self._split_here(reading.items, base, here)
        if (
            group == "own"
            and here is not None
            and here.index.numbered("chapter", reading.items[0].number, here.index.root)
        ):
            reading.level = "chapter"  # "RCW 59.18"
        if base is not None and not base.urn:
            targets = [base] * len(reading.items)
        else:
            level = reading.word if reading.level == "paragraph" else reading.level
            targets = [self._enter(base, Unit(level, i.number, i.path), here) for i in reading.items]
        unread = not any(target.urn for target in targets)
        # "Part one of the form", "this Act" in a title of a code: words, and no reference.
        if unread and base is None and reading.level in (*CONTAINER_WORDS, "whole"):
            return None
        return _found(text, reading, targets)

    def _split_here(self, items: list[Item], base: Target | None, here: ReferenceContext) -> list[Item]:
        """Ranges of sections taken apart: "sections 30117 and 30118–30121", unless one section has that number."""
        corpus = corpus_of(base.urn) if base is not None else here.index.corpus_urn
        within = base.urn if base is not None else ""
        split: list[Item] = []
        for item in items:
            known = here.index.node(self.section_urn(corpus, item.number, within)) is not None
            split.extend([item] if known else self._known_ends(corpus, item, here) or self.split(corpus, item))
        return split

    def _known_ends(self, corpus: str, item: Item, here: ReferenceContext) -> list[Item]:
        """The ends of a range printed as one number of which the document has both: "ss. 812.012-812.037"."""
        for match in _HYPHEN.finditer(item.number) if not item.path else ():
            ends = item.number[: match.start()], item.number[match.end() :]
            if all(here.index.node(self.section_urn(corpus, end, "")) is not None for end in ends):
                return range_ends(item, *ends)
        return []

    def _read_code(
        self, index: int, at: int, text: str, here: ReferenceContext | None, reader: Reader
    ) -> FoundReference | None:
        pattern, code = self._codes[index]
        match = pattern.match(text, at)
        if match is None:
            return None
        corpus = code.corpus(match["title"].lower() if "title" in pattern.groupindex else "")
        places = _ACT_PLACES.match(text, match.end()) if code.act else None
        intro = _AFTER_CODE.match(text, places.end() if places else match.end())
        position = intro.end() if intro else match.end()
        word, container = ((intro[name] or "").lower() if intro else "" for name in ("word", "container"))
        level = "section" if container in ("", "part", "pt") else "chapter" if container == "ch" else container
        plural = word in ("§§", "sections", "parts", "pts.", "chapters", "")
        items, end = reader.items(text, position, level, plural=plural, coded=word)
        split = (one for item in items for one in self.split(corpus, self.extend(text, item)))
        items = [] if code.act and not word else [*split]
        if not items or _COMPILATION.match(text, items[0].end):
            if items or not code.alone:
                return None
            reading = Reading(at, match.end(), "code", [Item(at, match.end(), corpus)])
            return _found(text, reading, [Target(corpus, "explicit", confident=not word) if corpus else OTHER])
        reading = Reading(at, max(end, items[-1].end), level, items)
        if not corpus:
            _, end = reader.units(text, reading.end)  # "Chapter 9 of Title 40" of an old edition is all of that edition
            return _found(text, replace(reading, end=end), [OTHER] * len(items))
        base = Target(corpus, "explicit")
        if places and places["division"]:
            return _found(text, reading, [OTHER] * len(items))
        targets = [self._enter(base, Unit(level, i.number, i.path), here) for i in items]
        note = _NOTE.match(text, reading.end)
        if note or self.doubtful(corpus, items[-1].number):
            targets[-1] = replace(targets[-1], confident=False)
        if note:
            return _found(text, replace(reading, end=note.end()), targets)
        smaller, smaller_word, end = reader.comma_units(text, reading.end)
        if smaller is not None and smaller_word != "part" and targets[-1].urn:
            targets[-1] = self._enter(targets[-1], Unit(smaller_word, smaller.number), here)
            items[-1] = replace(items[-1], end=end)
            reading = replace(reading, end=end)
        return _found(text, reading, targets)

    def _named_code(self, text: str, position: int) -> tuple[str, int] | None:
        for pattern, urn in self._named:
            match = pattern.match(text, position)
            if match is not None:
                number = match["title"] if "title" in pattern.groupindex else ""
                return urn.format(title=plain_number(number)), match.end()
        return None

    # Resolving

    def _existence(self, here: ReferenceContext | None) -> Exists | None:
        corpus = here.index.corpus_urn if here is not None else ""
        return existence(here, lambda number: self.section_urn(self.bare_section_corpus(number) or corpus, number, ""))

    def _enter(self, base: Target | None, unit: Unit, here: ReferenceContext | None) -> Target:
        level = unit.level
        if level == "other":
            return OTHER
        if level == "unreadable" or (base is not None and not base.urn):
            return UNREAD
        if level == "code":
            return Target(unit.number, "explicit")
        if level == "this":
            return self._this(unit, here)
        if level == "title":
            urn = self.title_urn(unit.number, base.urn if base else "", here)
            if not urn and base is None and here is not None:
                return self._container(None, unit, here)
            return Target(urn, "explicit") if urn else OTHER
        if level == "section":
            return self._section(base, unit, here)
        if level == "whole":
            whole = here is not None and here.index.calls_itself(unit.number)
            return Target(here.index.corpus_urn, "relative") if here is not None and whole else UNREAD
        if level in CONTAINER_WORDS and not unit.path:
            return self._container(base, unit, here)
        if base is not None:
            return self._below(base, unit.path, here)
        return self._bare_paragraph(unit, here)

    def _this(self, unit: Unit, here: ReferenceContext | None) -> Target:
        if here is None:
            return UNREAD
        if unit.path:
            section = here.index.section(here.node)
            return self._below(Target(section.urn, "relative"), unit.path, here) if section else UNREAD
        node = here.index.nearest(here.node, unit.number)
        if node is None and unit.number == "division" and here.index.section(here.node) is not here.node:
            node = here.node  # Ohio calls any paragraph a division
        # A document that is one title of a code, or a part of one, may have no node of that level.
        if node is None and unit.number == "title" and self.document_urn(here.node.urn) == here.index.corpus_urn:
            return Target(here.index.corpus_urn, "relative")
        return Target(node.urn, "relative") if node is not None else UNREAD

    def _section(self, base: Target | None, unit: Unit, here: ReferenceContext | None) -> Target:
        if base is not None:
            urn = self.section_urn(corpus_of(base.urn), unit.number, base.urn)
            if not urn:
                return OTHER
            lacking = here is not None and base.kind == "relative" and here.index.node(urn) is None
            return self._below(Target(urn, base.kind, base.confident and not lacking), unit.path, here)
        corpus = self.bare_section_corpus(unit.number)
        if corpus:
            return self._below(Target(self.section_urn(corpus, unit.number, ""), "explicit"), unit.path, here)
        if here is None:
            return UNREAD
        urn = self.section_urn(here.index.corpus_urn, unit.number, "")
        if not urn:
            return OTHER
        # A bare number may be a section of an act that an earlier sentence named; only an existing one is certain.
        level = "rule" if here.index.has_level("rule") else "section"
        node = here.index.node(urn) or here.index.numbered(level, unit.number, here.index.root)
        known = Target(urn if node is None else node.urn, "relative", confident=node is not None)
        return self._below(known, unit.path, here)

    def _container(self, base: Target | None, unit: Unit, here: ReferenceContext | None) -> Target:
        if base is not None:
            parent = here.index.node(base.urn) if here else None
            node = here.index.numbered(unit.level, unit.number, parent) if here and parent else None
            urn = node.urn if node else self.container_urn(base.urn, unit.level, unit.number)
            return Target(urn, base.kind, base.confident) if urn else OTHER
        if here is None:
            return UNREAD
        above = here.index.chain(here.node)[1:]
        for parsed in above:
            node = here.index.numbered(unit.level, unit.number, parsed)
            if node is not None:
                return Target(node.urn, "relative")
        # A source that prints no numbers of its containers still tells them in their URNs.
        for parsed in above:
            node = here.index.node(below(parsed.urn, f"{unit.level}_{unit.number}"))
            if node is not None and node.level == unit.level:
                return Target(node.urn, "relative")
        urn = self.bare_container(unit.level, unit.number, here)
        return Target(urn, "relative", confident=False) if urn else UNREAD

    def _below(self, base: Target, path: Path, here: ReferenceContext | None) -> Target:
        urn = below(base.urn, *path)
        if not urn:
            return UNREAD
        node = here.index.node(urn) if here else None
        if node is not None:
            return replace(base, urn=node.urn)
        missing = here is not None and here.index.node(base.urn) is not None
        return Target(urn, base.kind, base.confident and not missing)

    def _bare_paragraph(self, unit: Unit, here: ReferenceContext | None) -> Target:
        section = here.index.section(here.node) if here else None
        if here is None or section is None:
            return UNREAD
        found = [
            node
            for parsed in here.index.chain(here.node)
            if len(parsed.urn) >= len(section.urn)
            and (node := here.index.node(below(parsed.urn, *unit.path))) is not None
            and (node.number == unit.path[-1] or node.level == unit.level)
        ]
        if not found:
            return UNREAD
        # URNs fold case, so that (b) and (B) meet in one segment; the printed designator tells them apart.
        best = min(found, key=lambda n: (n.number != unit.path[-1], n.level != unit.level))
        return Target(best.urn, "relative")


def _found(text: str, reading: Reading, targets: list[Target]) -> FoundReference:
    return reference_of(text, reading.start, reading.end, reading.items, targets)
