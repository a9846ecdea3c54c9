"""What a document states of itself as a whole: the name by which it is cited, and the day from which it is in force."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from rag.languages.registry import language_rules
from rag.law.jurisdiction import PLAIN_LEVEL
from rag.law.nodes import ParsedDocument, ParsedNode
from rag.law.own_words import OwnPhrases, own_words
from rag.law.passages import without_quoted
from rag.law.patterns import lazy
from rag.verification.figures import read_value

SHORT_TITLE = "short_title"  # the tag of a root by which the law is cited, beside its title
_BEFORE = 8  # characters in which that stands
_NUMBER = lazy(r"(?:\(?\w{1,3}[.)]\s*)?")
_SENTENCE = lazy(r"[^.;]*+(?:[.;](?!\s|\Z)[^.;]*+)*+[.;]?\s*")  # the rest of one
# Before the subject of a sentence: the end of another, a number, and an article.
_OPENS = lazy(r"(?:\A|[.;:)\]\n—–]|\d)\s*(?:les?\s|la\s)?\Z", re.IGNORECASE)


def add_own_statements(document: ParsedDocument) -> None:
    """Give the root its short title, and all nodes the day, that the document's own sentences state of the whole.

    A name is taken where the sentences state one alone and the source gives none. A day is taken of a plain document of
    which nothing else is dated, and only where no other sentence speaks of coming into force or of an amendment: a
    provision may then have begun on another day.
    """
    root, rules = document.nodes[0], language_rules(document.corpus.language)
    phrases = rules.links.own if rules is not None else None
    if phrases is None or root.structure_type != "ROOT" or root.kind == "decision":
        return
    plain = root.level == PLAIN_LEVEL and root.kind != "record"
    stated = list(_statements(document, phrases, plain=plain))
    names = {name for name, _, _ in stated if name} - {document.corpus.title}
    if len(names) == 1:
        root.tags.setdefault(SHORT_TITLE, names.pop())
    days = [(day, node) for _, day, node in stated if day is not None]
    dated = document.edition_date or any(node.valid_from or node.valid_to for node in document.nodes)
    if dated or not plain or len(days) != 1:
        return
    if sum(1 for node in document.nodes for _ in phrases.in_force.finditer(node.text)) != 1:
        return
    [(day, said)] = days
    for node in document.nodes:
        node.valid_from = day
    told = f"its own words say that it comes into force on {day.isoformat()} ({said.urn})"
    document.warnings.append(f"{told}; its provisions are dated by that")


def _statements(
    document: ParsedDocument, phrases: OwnPhrases, *, plain: bool
) -> Iterator[tuple[str, date | None, ParsedNode]]:
    """The names and days that the sentences about the whole document state, each with its node."""
    levels, language = frozenset(node.level for node in document.nodes), document.corpus.language[:2]
    about = False  # whether the sentence before is about the whole document, so that a pronoun takes it up
    for node in document.nodes:
        text = without_quoted(node)
        if about and not node.heading and (day := _day(text, 0, phrases, language)) is not None:
            yield "", day, node
        about = about and not node.heading and not text.strip()
        for one in own_words(text, phrases, document.corpus.title, levels, plain=plain):
            if not _OPENS.search(text, max(0, one.start - _BEFORE), one.start):
                continue  # "section 3 of this Act", "an order under this Act"
            called = phrases.called.match(text, one.end)
            name = " ".join((called["quoted"] or called["name"]).split()).rstrip(" ,") if called else ""
            said = _SENTENCE.match(text, called.end() if called else one.end)
            rest = said.end() if said else len(text)
            day = None
            if one.titled:
                day = _read(phrases.begins.match(text, called.end() if called else one.end), language)
                day = day or _day(text, rest, phrases, language)
            about = one.titled and rest == len(text)
            yield name, day, node


def _day(text: str, start: int, phrases: OwnPhrases, language: str) -> date | None:
    """The day of a sentence that begins at a place with a pronoun: "They come into force on 1 May 2021."."""
    number = _NUMBER.match(text, start)
    again = phrases.again.match(text, number.end() if number else start)
    return _read(phrases.begins.match(text, again.end()), language) if again else None


def _read(begins: re.Match[str] | None, language: str) -> date | None:
    read = read_value(begins["day"], language) if begins else None
    return read if isinstance(read, date) else None
